package keys_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
)

// ringSeeds are texts and what is wrong with them, "" for good rings.
var ringSeeds = map[string]keys.Problem{
	ringText: "",
	`{"format":"licet-ring/v1","issuer":"x","secret":false,"products":[],"keys":[]}`:                                                      "",
	` {"keys" :[ ],"products":[{"name":"a\u00e9","number":9007199254740991}],"secret":true,"issuer":"x","format":"licet-ring/v1"}` + "\n": "",
	`{"format":"licet-ring/v1","format":"licet-ring/v1"}`:                                                                                 keys.ProblemDuplicateMember,
	`{"Format":"licet-ring/v1"}`:                                                                                                    keys.ProblemUnknownMember,
	`{"format":"licet-ring/v1","issuer":null}`:                                                                                      keys.ProblemSyntax,
	`{"format":"licet-ring/v1","issuer":"x","secret":false,"products":[],"keys":[]}{}`:                                              keys.ProblemTrailingData,
	`{"format":"licet-ring/v1","issuer":"x","secret":false,"products":[],"keys":[{}]}`:                                              keys.ProblemRole,
	`{"format":"licet-ring/v1","issuer":"x","secret":false,"products":[{"number":1,"name":"a"},{"number":1,"name":"a"}],"keys":[]}`: keys.ProblemProduct,
	strings.Replace(ringText, "key=8", "key=9", 1):                                                                                  keys.ProblemIDMismatch,
	"\ufeff{}": keys.ProblemSyntax,
	"[":        keys.ProblemSyntax,
	"":         keys.ProblemSyntax,
}

func TestRingSeeds(t *testing.T) {
	if len(ringSeeds) < 13 {
		t.Fatalf("only %d seeds", len(ringSeeds))
	}
	for text, want := range ringSeeds {
		_, err := keys.ParseRing([]byte(text))
		var got keys.Problem
		if err != nil && !errors.As(err, &got) {
			t.Errorf("%q: %v has no problem", text, err)
		}
		if got != want {
			t.Errorf("%.80q: %q, want %q: %v", text, got, want, err)
		}
	}
}

func FuzzParseRing(f *testing.F) {
	for text := range ringSeeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ring, err := keys.ParseRing([]byte(text))
		if err != nil {
			var re *keys.RingError
			if !errors.As(err, &re) || ring != nil || re.Problem == "" || re.Message == "" {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		reads(t, text, ring)
		for _, k := range ring.Keys() {
			if k.Role() == keys.Mint {
				if err := k.Descriptor().Check(); err != nil || len(k.Products()) == 0 {
					t.Fatalf("%q: key %d: %v", text, k.Number(), err)
				}
			}
		}
	})
}

// privateKeySeeds are lines and whether they are keys.
func privateKeySeeds(t testing.TB) map[string]bool {
	seeds := map[string]bool{
		"":                         false,
		"LICET-SECRET-KEY-1-":      false,
		"LICET-SECRET-KEY-1------": false,
		hsLine[:len(hsLine)-1]:     false,
		strings.ToLower(hsLine):    false,
		"\t" + hsLine + "\r\n":     true,
		withChecksum("LICET-SECRET-KEY-1-MINT-HS256-8-CA3F2093E4FE1455-00"):           false,
		withChecksum(strings.Replace(hsLine[:len(hsLine)-9], "MINT", "M\u0130NT", 1)): false,
	}
	for _, k := range privateKeys(t) {
		seeds[k.Reveal()] = true
	}
	return seeds
}

func TestPrivateKeySeeds(t *testing.T) {
	seeds := privateKeySeeds(t)
	if len(seeds) < 13 {
		t.Fatalf("only %d seeds", len(seeds))
	}
	for line, want := range seeds {
		if _, err := keys.ParsePrivateKey(line); (err == nil) != want {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func FuzzParsePrivateKey(f *testing.F) {
	for line := range privateKeySeeds(f) {
		f.Add(line)
	}
	try := func(t *testing.T, text string) {
		k, err := keys.ParsePrivateKey(text)
		if err != nil {
			if quotes(err.Error(), hsSecret) || quotes(err.Error(), esPrivate) {
				t.Fatalf("%q: the error quotes the secret: %v", text, err)
			}
			return
		}
		if k.Reveal() != strings.Trim(text, " \t\r\n") {
			t.Fatalf("%q became %q", text, k.Reveal())
		}
		if k.Suite() == keys.ES256 {
			if _, err := k.ECDSA(); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		try(t, text)
		// With a right checksum more of the reader is reached.
		if before, _, ok := strings.Cut(text, "\x00"); ok {
			try(t, withChecksum(before))
		} else if i := strings.LastIndexByte(text, '-'); i >= 0 {
			try(t, withChecksum(text[:i]))
		}
	})
}

// descriptorSeeds are descriptors and whether they are good.
var descriptorSeeds = map[string]bool{
	hsDescriptor: true,
	esDescriptor: true,
	"licet/v1 hs256 key=31 prefix=A0123456 layout=serial:53,zone:53,product:53,x:1 bind=machine sig=160": true,
	"licet/v1 hs256 key=1 prefix= layout=product:7,serial:8 bind=none sig=35":                            true,
	"licet/v1 hs256 key=01 prefix= layout=product:7,serial:8 bind=none sig=35":                           false,
	"licet/v1 es256t key=1 prefix= layout=product:7,serial:8 bind=none sig=512":                          false,
	"licet/v1 hs256 key=1 prefix= layout=standard bind=none sig=35":                                      false,
	"licet/v1 hs256 key=1 prefix= layout=product:7,serial:8 bind= sig=35":                                false,
	"licet/v1 list": false,
	"":              false,
}

func TestDescriptorSeeds(t *testing.T) {
	if len(descriptorSeeds) < 10 {
		t.Fatalf("only %d seeds", len(descriptorSeeds))
	}
	for text, want := range descriptorSeeds {
		if _, err := keys.ParseDescriptor(text); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzParseDescriptor(f *testing.F) {
	for text := range descriptorSeeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := keys.ParseDescriptor(text)
		if err != nil {
			return
		}
		if d.String() != text || d.Check() != nil {
			t.Fatalf("%q became %q, %v", text, d, d.Check())
		}
		for _, c := range []byte(text) {
			if c < ' ' || c > '~' {
				t.Fatalf("%q is not ASCII", text)
			}
		}
		if s := d.Shape(); s.Symbols != d.Symbols() || s.Symbols < 14 || s.Symbols > 139 || s.Number != d.Number {
			t.Fatalf("%q has shape %+v", text, s)
		}
	})
}
