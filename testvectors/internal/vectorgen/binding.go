package main

import (
	"strings"
	"unicode/utf8"
)

// refusedBinding tells whether a binding text is refused by section 8.
func refusedBinding(binding *string) bool {
	if binding == nil || len(*binding) < 1 || len(*binding) > 1024 || !utf8.ValidString(*binding) {
		return true
	}
	essence := ""
	for _, r := range *binding {
		if isControl(r) {
			return true
		}
		if r >= 0x80 || strings.ContainsRune("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", r) {
			essence += string(asciiLower(r))
		}
	}
	switch essence {
	case "":
		return false // not known as a placeholder, whatever it means
	case "defaultstring", "tobefilledbyoem", "uninitialized":
		return true
	}
	return strings.Trim(essence, "0") == "" || strings.Trim(essence, "f") == ""
}

func asciiLower(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

func isControl(r rune) bool { return r <= 0x1F || r >= 0x7F && r <= 0x9F }
