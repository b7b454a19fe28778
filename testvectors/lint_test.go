package testvectors

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

// files has an empty file of every kind.
var files = map[string]func() any{
	"mint":       func() any { return new(vectorfile.File[vectorfile.MintTest]) },
	"check":      func() any { return new(vectorfile.File[vectorfile.CheckTest]) },
	"normalize":  func() any { return new(vectorfile.File[vectorfile.NormalizeTest]) },
	"days":       func() any { return new(vectorfile.File[vectorfile.DaysTest]) },
	"rings":      func() any { return new(vectorfile.File[vectorfile.RingsTest]) },
	"secretkeys": func() any { return new(vectorfile.File[vectorfile.SecretKeysTest]) },
	"verify":     func() any { return new(vectorfile.VerifyFile) },
	"lists":      func() any { return new(vectorfile.ListsFile) },
	"policy":     func() any { return new(vectorfile.PolicyFile) },
}

// parts has the objects inside a test that have a schema of their own.
var parts = map[string]map[string]reflect.Type{
	"mint":   {"hkdf": reflect.TypeFor[vectorfile.HKDF]()},
	"verify": {"place": reflect.TypeFor[vectorfile.Place]()},
	"lists": {
		"list":    reflect.TypeFor[vectorfile.List](),
		"minimum": reflect.TypeFor[vectorfile.Minimum](),
		"key":     reflect.TypeFor[vectorfile.KeyState](),
		"entry":   reflect.TypeFor[vectorfile.Entry](),
		"lookup":  reflect.TypeFor[vectorfile.Lookup](),
	},
	"policy": {
		"update": reflect.TypeFor[vectorfile.Update](),
		"judge":  reflect.TypeFor[vectorfile.Judge](),
	},
}

var kebab = regexp.MustCompile(`\A[a-z0-9]+(-[a-z0-9]+)*\z`)

// load decodes the file of a kind and fails if a member is unknown.
func load(t *testing.T, kind string) (file any, data []byte) {
	t.Helper()
	data, err := fs.ReadFile(V1, kind+".json")
	if err != nil {
		t.Fatal(err)
	}
	file = files[kind]()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(file); err != nil {
		t.Fatalf("%s.json: %v", kind, err)
	}
	return file, data
}

func TestNames(t *testing.T) {
	for name, fsys := range map[string]fs.FS{"v1": V1, "schema": Schemas} {
		entries, err := fs.ReadDir(fsys, ".")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range entries {
			got = append(got, strings.TrimSuffix(e.Name(), ".json"))
		}
		want := slices.Collect(maps.Keys(files))
		if name == "schema" {
			want = append(want, "common")
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
}

// TestForm checks what all files have in common.
func TestForm(t *testing.T) {
	for kind := range files {
		file, data := load(t, kind)
		again, err := vectorfile.Encode(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, again) {
			t.Errorf("%s.json is not in canonical form", kind)
		}
		v := reflect.ValueOf(file).Elem()
		h := v.FieldByName("Header").Interface().(vectorfile.Header)
		tests := v.FieldByName("Tests")
		if h.Format != vectorfile.Format || h.Kind != kind || h.Comment == "" {
			t.Errorf("%s.json: bad header: %q, %q, %q", kind, h.Format, h.Kind, h.Comment)
		}
		if h.Count != tests.Len() || h.Count == 0 {
			t.Errorf("%s.json: count is %d, but there are %d tests", kind, h.Count, tests.Len())
		}
		names, used := map[string]bool{}, map[string]bool{}
		for i := range tests.Len() {
			test := tests.Index(i).FieldByName("Test").Interface().(vectorfile.Test)
			if test.ID != i+1 {
				t.Errorf("%s.json: %s: id is %d, want %d", kind, test.Name, test.ID, i+1)
			}
			if !kebab.MatchString(test.Name) || names[test.Name] {
				t.Errorf("%s.json: bad or repeated name %q", kind, test.Name)
			}
			names[test.Name] = true
			for _, f := range test.Flags {
				used[f] = true
				if h.Notes[f] == "" {
					t.Errorf("%s.json: %s: flag %q has no note", kind, test.Name, f)
				}
			}
		}
		for f := range h.Notes {
			if !used[f] {
				t.Errorf("%s.json: no test has flag %q", kind, f)
			}
		}
	}
}

// TestSchemas checks that every schema names the same members as the types
// that the files were decoded into.
func TestSchemas(t *testing.T) {
	type object struct {
		Additional  *bool                      `json:"additionalProperties"`
		Properties  map[string]json.RawMessage `json:"properties"`
		Definitions map[string]json.RawMessage `json:"definitions"`
	}
	for kind, file := range files {
		data, err := fs.ReadFile(Schemas, kind+".json")
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, data []byte, typ reflect.Type) object {
			var o object
			if err := json.Unmarshal(data, &o); err != nil {
				t.Fatalf("schema of %s: %s: %v", kind, what, err)
			}
			if o.Additional == nil || *o.Additional {
				t.Errorf("schema of %s: %s: additionalProperties is not false", kind, what)
			}
			got, want := slices.Sorted(maps.Keys(o.Properties)), members(typ)
			if !slices.Equal(got, want) {
				t.Errorf("schema of %s: %s has %q, want %q", kind, what, got, want)
			}
			return o
		}
		typ := reflect.TypeOf(file()).Elem()
		o := check("the file", data, typ)
		tests, _ := typ.FieldByName("Tests")
		check("a test", o.Definitions["test"], tests.Type.Elem())
		for name, part := range parts[kind] {
			check(name, o.Definitions[name], part)
		}
	}
}

// members returns the names that a struct has in JSON, sorted.
func members(typ reflect.Type) []string {
	var names []string
	for _, f := range reflect.VisibleFields(typ) {
		if !f.Anonymous {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// reasons are those of section 7 by family, but for those of what a program keeps
// over restarts, which is its own.
var reasons = map[string]string{
	"not-authentic": "empty too-long wrong-length prefix-only unreadable typo repeated wrong-prefix extra-text spare-bits signature-range " +
		"unknown-key later-format key-withdrawn binding-required bad-signature product-not-allowed",
	"not-acceptable": "wrong-product revoked below-minimum not-yet-valid expired",
	"cannot-judge":   "clock-behind no-secret short-tag list-stale list-older list-conflict list-unreadable",
	"valid":          "",
}

// A verdict is what tests of verify.json and policy.json have in common.
type verdict struct {
	name, family, reason string
	failures             []string
}

// checkVerdict checks that the reason of a verdict is one of its family.
func checkVerdict(t *testing.T, kind string, v verdict) {
	known, ok := reasons[v.family]
	if !ok || v.family == "valid" && v.reason != "" || !slices.Contains(strings.Fields(known), v.reason) && v.family != "valid" {
		t.Errorf("%s.json: %s: reason %q in family %q", kind, v.name, v.reason, v.family)
	}
	if len(v.failures) > 0 && v.failures[0] != v.reason {
		t.Errorf("%s.json: %s: reason %q is not the first of %q", kind, v.name, v.reason, v.failures)
	}
}

// checkUsed checks that every text at the top of a file is used, and no other one.
func checkUsed(t *testing.T, kind string, texts map[string]string, used map[string]bool) {
	for name := range texts {
		if !used[name] {
			t.Errorf("%s.json: no test uses %q", kind, name)
		}
	}
	for name := range used {
		if _, ok := texts[name]; !ok {
			t.Errorf("%s.json: there is no %q", kind, name)
		}
	}
}

func TestReasons(t *testing.T) {
	file, _ := load(t, "verify")
	v := file.(*vectorfile.VerifyFile)
	seen, rings := map[string]bool{}, map[string]bool{}
	for _, test := range v.Tests {
		checkVerdict(t, "verify", verdict{test.Name, test.Family, test.Reason, test.Failures})
		seen[test.Reason], rings[test.Ring] = true, true
	}
	checkUsed(t, "verify", v.Rings, rings)

	file, _ = load(t, "policy")
	p := file.(*vectorfile.PolicyFile)
	rings, lists := map[string]bool{}, map[string]bool{}
	for _, test := range p.Tests {
		checkVerdict(t, "policy", verdict{test.Name, test.Family, test.Reason, test.Failures})
		seen[test.Reason], rings[test.Ring] = true, true
		for _, name := range test.Lists {
			lists[name] = true
		}
		for _, u := range test.Updates {
			lists[u.List] = true
		}
		if (test.Stale != "") != (len(test.Lists)+len(test.Updates) > 0) {
			t.Errorf("policy.json: %s: stale is %q with %d lists and %d updates", test.Name, test.Stale, len(test.Lists), len(test.Updates))
		}
	}
	checkUsed(t, "policy", p.Rings, rings)
	checkUsed(t, "policy", p.Lists, lists)

	for family, known := range reasons {
		for _, reason := range strings.Fields(known) {
			if !seen[reason] {
				t.Errorf("no test of %s has reason %q", family, reason)
			}
		}
	}
}

// TestLists checks what tests of lists.json say of each other's members.
func TestLists(t *testing.T) {
	file, _ := load(t, "lists")
	l := file.(*vectorfile.ListsFile)
	rings, seen := map[string]bool{}, map[string]bool{}
	for _, test := range l.Tests {
		rings[test.Ring] = true
		seen[test.Part+" "+test.Reason] = true
		if test.Accepted != (test.List != nil) || test.Accepted != (test.Part == "") {
			t.Errorf("lists.json: %s: accepted is %t, refused by %q", test.Name, test.Accepted, test.Part)
		}
		if (test.Note == nil) == (test.NoteHex == nil) {
			t.Errorf("lists.json: %s: want a note or a note in hexadecimal", test.Name)
		}
	}
	checkUsed(t, "lists", l.Rings, rings)
	for _, want := range []string{
		"note malformed", "note bad-signature", "note key-withdrawn", "note no-signature-of-this-issuer",
		"list malformed", "list bad-value", "list bad-order", "list manifest", "list later-format", "list other-issuer",
	} {
		if !seen[want] {
			t.Errorf("lists.json: no test is refused as %s", want)
		}
	}
}

func TestRefusalsAndProblems(t *testing.T) {
	seen := map[string]bool{}
	file, _ := load(t, "mint")
	for _, test := range file.(*vectorfile.File[vectorfile.MintTest]).Tests {
		seen[test.Refused] = true
	}
	file, _ = load(t, "rings")
	for _, test := range file.(*vectorfile.File[vectorfile.RingsTest]).Tests {
		if test.Accepted != (test.Problem == "") {
			t.Errorf("rings.json: %s: accepted is %t with problem %q", test.Name, test.Accepted, test.Problem)
		}
		seen[test.Problem] = true
	}
	const want = "field-too-wide zero-product zero-serial product-not-allowed key-not-active field-not-in-layout " +
		"expiry-missing expiry-too-early expiry-too-late start-after-expiry " +
		"syntax duplicate-member unknown-member trailing-data format issuer secret-in-public-ring product descriptor " +
		"id-mismatch duplicate-key shape allowed-product public-key secret state role"
	for _, reason := range strings.Fields(want) {
		if !seen[reason] {
			t.Errorf("no test has %q", reason)
		}
	}
}

// TestREADME holds the example of the README to the file that it shows.
func TestREADME(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "```json\n")
	example, _, _ = strings.Cut(example, "```")
	type file struct {
		Format, Kind string
		Count        int
		Tests        []vectorfile.Test
	}
	var shown, is file
	if err := json.Unmarshal([]byte(example), &shown); err != nil || len(shown.Tests) != 1 {
		t.Fatalf("the example has %d tests: %v", len(shown.Tests), err)
	}
	data, err := fs.ReadFile(V1, shown.Kind+".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &is); err != nil {
		t.Fatal(err)
	}
	if shown.Format != is.Format || shown.Count != is.Count {
		t.Errorf("README.md shows %s and a count of %d, but %s.json has %s and %d", shown.Format, shown.Count, shown.Kind, is.Format, is.Count)
	}
	if !reflect.DeepEqual(shown.Tests[0], is.Tests[0]) {
		t.Errorf("README.md shows the test %+v, but %s.json begins with %+v", shown.Tests[0], shown.Kind, is.Tests[0])
	}
}
