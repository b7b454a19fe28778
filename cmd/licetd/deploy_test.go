package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// readDoc returns a file of the repository.
func readDoc(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// one returns what the group of a pattern matches, which must be there once.
func one(t *testing.T, text, pattern string) string {
	t.Helper()
	all := regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1)
	if len(all) != 1 {
		t.Fatalf("%d matches of %s", len(all), pattern)
	}
	return all[0][1]
}

// The files of deploy use no other flags and variables than there are.
func TestDeploySettings(t *testing.T) {
	for name, least := range map[string]int{"licetd.service": 2, "Containerfile": 2, "compose.yaml": 3} {
		text, err := os.ReadFile("../../deploy/" + name)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for line := range strings.Lines(string(text)) {
			used := regexp.MustCompile(`\bLICETD_[A-Z_]+`).FindAllString(line, -1)
			if strings.HasPrefix(line, "ExecStart=") || strings.HasPrefix(line, "CMD ") {
				for _, m := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(line, -1) {
					used = append(used, "LICETD_"+strings.ToUpper(strings.ReplaceAll(m[1], "-", "_")))
				}
			}
			for _, u := range used {
				if !slices.ContainsFunc(settings, func(s setting) bool { return s.variable() == u }) {
					t.Errorf("%s: there is no setting %s", name, u)
				}
			}
			found += len(used)
		}
		if found < least {
			t.Errorf("%s: %d settings found, want %d or more", name, found, least)
		}
	}
}

// What the documents say of variables is in step with the program.
func TestDocumentedVariables(t *testing.T) {
	found := 0
	for _, name := range []string{"README.md", "OPERATIONS.md", "SECURITY.md"} {
		for _, v := range regexp.MustCompile(`LICETD_[A-Z_]+`).FindAllString(readDoc(t, name), -1) {
			found++
			if v != "LICETD_CONFIG" && !slices.ContainsFunc(settings, func(s setting) bool { return s.variable() == v }) {
				t.Errorf("%s: %s is no setting", name, v)
			}
		}
	}
	if found < 3 {
		t.Errorf("%d variables found", found)
	}
}

// The command lines of deploy are ones that the program takes, and what is around them
// is in step with it.
func TestDeployCommands(t *testing.T) {
	unit, container, compose := readDoc(t, "deploy/licetd.service"), readDoc(t, "deploy/Containerfile"), readDoc(t, "deploy/compose.yaml")
	if err := parses(strings.Fields(one(t, unit, `(?m)^ExecStart=\S+ (.*)$`))); err != nil {
		t.Errorf("ExecStart: %v", err)
	}
	if err := parses(strings.Fields(strings.NewReplacer(`"`, "", ",", "").Replace(one(t, container, `(?m)^CMD \[(.*)\]$`)))); err != nil {
		t.Errorf("CMD: %v", err)
	}
	if name := one(t, unit, `(?m)^LoadCredential=([^:]*):`); name != credentialIdentity {
		t.Errorf("the credential %s is not one that the program knows", name)
	}
	for _, s := range []string{one(t, unit, `(?m)^TimeoutStopSec=(.*)$`) + "s", one(t, compose, `(?m)stop_grace_period: (.*)$`)} {
		if d, err := time.ParseDuration(s); err != nil || d <= stopTimeout {
			t.Errorf("%s to stop, where the program takes up to %s: %v", s, stopTimeout, err)
		}
	}
	if strings.Contains(compose, ":8081") {
		t.Error("the port of the operator is published")
	}
	want := one(t, readDoc(t, "go.mod"), `(?m)^go (\d+\.\d+)`)
	if have := one(t, container, `golang:(\S+) AS build`); have != want {
		t.Errorf("the container is built with Go %s, and go.mod wants %s", have, want)
	}
	if release := readDoc(t, ".github/workflows/release.yml"); !strings.Contains(release, "for program in licet licetd;") || !strings.Contains(release, "cp -r deploy ") {
		t.Error("licetd or deploy is not released")
	}
}

// parses reports what is wrong with the arguments of licetd.
func parses(args []string) error {
	root := newRoot(nil, nil)
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// Every command line of licetd in the documents is one that it takes.
func TestDocumentedCommands(t *testing.T) {
	found := 0
	for _, name := range []string{"README.md", "OPERATIONS.md", "SECURITY.md"} {
		text := readDoc(t, name)
		lines := regexp.MustCompile("`(licetd [^`\n]*)`").FindAllStringSubmatch(text, -1)
		lines = append(lines, regexp.MustCompile(`(?m)^ *(?:\$ )?(licetd .*)`).FindAllStringSubmatch(strings.Join(regexp.MustCompile("(?ms)^ *```(?:sh)?\n(.*?)^ *```$").FindAllString(text, -1), "\n"), -1)...)
		for _, m := range lines {
			found++
			command := regexp.MustCompile(` (2>\S+ )?&$`).ReplaceAllString(m[1], "")
			if err := parses(strings.Fields(command)[1:]); err != nil && !strings.HasSuffix(command, " --help") {
				t.Errorf("%s: %s: %v", name, m[1], err)
			}
		}
	}
	if found < 5 {
		t.Errorf("%d commands found", found)
	}
}

// systemd finds nothing wrong with the unit, where there is one to ask.
func TestUnit(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil && runtime.GOOS == "linux" && os.Getenv("CI") != "" {
		t.Fatalf("%v: install systemd, which .ci/run does", err)
	}
	if err != nil {
		t.Log("systemd-analyze is not there, so it was not asked about deploy/licetd.service")
		return
	}
	unit := filepath.Join(t.TempDir(), "licetd.service")
	writeFile(t, unit, strings.Replace(readDoc(t, "deploy/licetd.service"), "ExecStart=/usr/local/bin/licetd", "ExecStart="+os.Args[0], 1))
	out, err := exec.Command(analyze, "verify", "--man=no", unit).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}
