package main

import "fmt"

// counted returns a number of things in words: "1 code", "2 codes". The noun is one
// that takes an s.
func counted(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
