package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"

	"github.com/licet-dev/licet/cmd/internal/home"
)

// Codes of two keys that say the same differ in what their layouts have: the terms
// of one must not be told of the other.
func TestTermsOfEachKey(t *testing.T) {
	dir := t.TempDir()
	var public []keys.Key
	var codes []string
	for _, text := range []string{
		"licet/v1 hs256 key=8 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80",
		"licet/v1 hs256 key=9 prefix= layout=product:9,serial:26 bind=none sig=80",
	} {
		d, err := keys.ParseDescriptor(text)
		if err != nil {
			t.Fatal(err)
		}
		private, err := keys.GenerateMint(d)
		if err != nil {
			t.Fatal(err)
		}
		key, err := keys.NewKey(private, d, 7)
		if err != nil {
			t.Fatal(err)
		}
		s, err := signer.New(key, private, signer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		code, err := s.Mint(payload.License{Product: 7, Serial: 5, Expiry: payload.Never})
		if err != nil {
			t.Fatal(err)
		}
		if key, err = key.Attach(private); err != nil {
			t.Fatal(err)
		}
		public, codes = append(public, key), append(codes, code)
	}
	ring, err := keys.NewRing("Acme Tools", []keys.Product{{Number: 7, Name: "Widget"}}, public)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "ring.json")
	if err := home.WriteRing(path, ring); err != nil {
		t.Fatal(err)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	a := &app{out: newStream(null), err: newStream(null), now: time.Now}
	j, err := a.newJudge(judgeFlags{ring: path})
	if err != nil {
		t.Fatal(err)
	}
	r := &report{app: a, judge: j, good: "valid", counts: map[string]int{}}
	p := &verifyPiece{}
	for i, code := range []string{codes[0], codes[1], codes[0]} {
		p.add(i+1, code)
	}
	r.judgePiece(p)
	lines := strings.Split(string(p.out), "\n")
	for i, want := range []string{"product 7 Widget, version 0, never expires, serial 5", "product 7 Widget, serial 5", "product 7 Widget, version 0, never expires, serial 5"} {
		if !strings.HasSuffix(lines[i], ": "+want) {
			t.Errorf("line %d: %q, want it to end in %q", i+1, lines[i], want)
		}
	}
}
