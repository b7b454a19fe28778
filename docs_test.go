package licet_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

var (
	fence       = regexp.MustCompile("(?ms)^```.*?^```$")
	inlineCode  = regexp.MustCompile("`[^`\n]*`")
	heading     = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	link        = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	placeholder = regexp.MustCompile(`\b(TODO|TBD|FIXME|XXX)\b|(?i:\blorem ipsum\b)`)
	specSection = regexp.MustCompile(`SPEC\.md\s*(?:\)|,)?\s+(?://\s*)?section\s+(?://\s*)?(\d+(?:\.\d+)?)`)
)

// anchors returns the anchors that a Markdown file has, as GitHub makes them of its
// headings.
func anchors(text string) []string {
	var all []string
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
				return r
			}
			return -1
		}, strings.ToLower(m[1]))
		for n, base := 1, slug; slices.Contains(all, slug); n++ {
			slug = fmt.Sprintf("%s-%d", base, n)
		}
		all = append(all, slug)
	}
	return all
}

// sections returns the numbers of the sections of SPEC.md.
func sections(text string) []string {
	var all []string
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		number, _, _ := strings.Cut(m[1], " ")
		all = append(all, strings.TrimSuffix(number, "."))
	}
	return all
}

// checkDocuments returns what is wrong with the Markdown files of a tree, and with
// what Go files say of SPEC.md, and how many links and mentions it followed.
func checkDocuments(tree fs.FS) (problems []string, followed int) {
	spec, err := fs.ReadFile(tree, "SPEC.md")
	if err != nil {
		return []string{err.Error()}, 0
	}
	known := sections(string(spec))
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && name != "." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return err
		}
		if ext := path.Ext(name); ext != ".md" && ext != ".go" {
			return nil
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		text := string(data)
		for _, m := range specSection.FindAllStringSubmatch(text, -1) {
			followed++
			if !slices.Contains(known, m[1]) {
				problems = append(problems, fmt.Sprintf("%s: SPEC.md has no section %s", name, m[1]))
			}
		}
		if path.Ext(name) != ".md" {
			return nil
		}
		if word := placeholder.FindString(text); word != "" {
			problems = append(problems, fmt.Sprintf("%s: %s", name, word))
		}
		prose := inlineCode.ReplaceAllString(fence.ReplaceAllString(text, ""), "")
		for _, m := range link.FindAllStringSubmatch(prose, -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			followed++
			if err := follow(tree, name, text, m[1]); err != nil {
				problems = append(problems, fmt.Sprintf("%s: %s: %v", name, m[1], err))
			}
		}
		return nil
	})
	if err != nil {
		problems = append(problems, err.Error())
	}
	return problems, followed
}

// follow follows a link of a Markdown file within the tree.
func follow(tree fs.FS, from, text, target string) error {
	file, anchor, anchored := strings.Cut(target, "#")
	if file != "" {
		to := path.Join(path.Dir(from), file)
		if _, err := fs.Stat(tree, to); err != nil {
			return err
		}
		if !anchored {
			return nil
		}
		data, err := fs.ReadFile(tree, to)
		if err != nil {
			return err
		}
		text = string(data)
	}
	if !slices.Contains(anchors(text), anchor) {
		return fmt.Errorf("no heading makes the anchor %q", anchor)
	}
	return nil
}

func TestDocuments(t *testing.T) {
	problems, followed := checkDocuments(os.DirFS("."))
	for _, p := range problems {
		t.Error(p)
	}
	if followed < 40 {
		t.Errorf("%d links and mentions followed, want more", followed)
	}
}

// What TestDocuments is to find, and what it is to let pass.
func TestCheckDocuments(t *testing.T) {
	const spec = "# Spec\n## 1. One\n### 1.2 Two: `x`, y\n"
	const see = "SPEC.md, " + "section " // in two halves, as this file is looked at too
	for name, c := range map[string]struct {
		file, text, want string
	}{
		"good":              {"a/b.md", "# A b\n[x](../SPEC.md) [y](../SPEC.md#12-two-x-y) [z](#a-b) [w](https://example.com/#q) `](nowhere)` " + see + "1.2\n```\n[c](nowhere)\n```\n", ""},
		"no file":           {"a/b.md", "[x](SPEC.md)", "a/b.md: SPEC.md: "},
		"outside":           {"b.md", "[x](../SPEC.md)", "b.md: ../SPEC.md: "},
		"no anchor":         {"b.md", "[x](SPEC.md#two)", `no heading makes the anchor "two"`},
		"no anchor here":    {"b.md", "# A\n[x](#b)", `no heading makes the anchor "b"`},
		"a second heading":  {"b.md", "# A\n# A\n[x](#a-1)", ""},
		"a third":           {"b.md", "# A\n# A\n[x](#a-2)", `no heading makes the anchor "a-2"`},
		"placeholder":       {"b.md", "Some TODO here", "b.md: TODO"},
		"more placeholder":  {"b.md", "Lorem ipsum dolor", "b.md: Lorem ipsum"},
		"a section":         {"b.go", "// " + see + "1.3", "b.go: SPEC.md has no section 1.3"},
		"over two lines":    {"b.go", "// (SPEC.md,\n// " + "section 2)", "b.go: SPEC.md has no section 2"},
		"no document":       {"b.txt", "TODO [x](nowhere)", ""},
		"in a hidden place": {".b/c.md", "TODO", ""},
	} {
		problems, _ := checkDocuments(fstest.MapFS{"SPEC.md": {Data: []byte(spec)}, c.file: {Data: []byte(c.text)}})
		got := strings.Join(problems, "; ")
		if c.want == "" && got != "" || c.want != "" && (len(problems) != 1 || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
