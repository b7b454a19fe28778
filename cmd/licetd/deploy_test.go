package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

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

var _ = (*issuer).mint // which tests of the running program use
