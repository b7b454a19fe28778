package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/cmd/internal/journal"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
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
	r := &report{app: a, judge: j, good: "valid: ", counts: map[string]int{}}
	p := &verifyPiece{text: codes[0] + "\n" + codes[1] + "\n" + codes[0], line: 1}
	r.judgePiece(p)
	lines := strings.Split(string(p.out), "\n")
	for i, want := range []string{"product 7 Widget, version 0, never expires, serial 5", "product 7 Widget, serial 5", "product 7 Widget, version 0, never expires, serial 5"} {
		if !strings.HasSuffix(lines[i], ": "+want) {
			t.Errorf("line %d: %q, want it to end in %q", i+1, lines[i], want)
		}
	}
}

// Entries of before fields and bindings were on record are compared in what they
// have; what they lack can't be told to differ.
func TestAgainOfOldEntry(t *testing.T) {
	b := newBatchMaker(t)
	b.addKey(testKey{keyFlags{suite: "hs256", layout: "product:9,version:8,edition:5,serial:28", bind: "licensee"}, 10})
	key, _ := b.home.Ring.MintKey(10)
	j, err := b.app.openJournal(b.home)
	if err != nil {
		t.Fatal(err)
	}
	old := journal.Request{
		Key: 10, KeyID: key.ID(), Product: 7, Max: 1 << 20, Count: 3, Format: "txt",
		Terms: journal.Terms{Version: "3"},
	}
	if _, err := j.Reserve(context.Background(), old); err != nil {
		t.Fatal(err)
	}
	again := func(version, edition uint64, binding string) error {
		return b.app.mint(context.Background(), mintOptions{
			key: number{10, true}, product: number{7, true}, version: number{version, true}, edition: number{edition, true},
			bind: binding, serials: serialRange{1, 3}, again: true, output: outputFlags{path: "-", group: payload.GroupSize},
		})
	}
	wantUsage(t, "another version", again(4, 2, "Jane Doe"))
	if err := again(3, 2, "Jane Doe"); err != nil {
		t.Error(err)
	}
	// The entry of that run has everything, but the old one still allows what it
	// does not know to differ.
	if err := again(3, 1, "John Doe"); err != nil {
		t.Error(err)
	}
	list := b.app.captured(t, func() {
		if err := b.app.listBatches(false); err != nil {
			t.Error(err)
		}
	})
	for _, want := range []string{"1-3      3      3        -       -", "edition 2, bound 01332c876518a793...", "edition 1, bound 6cea57c2fb6cbc2a..."} {
		if !strings.Contains(list, want) {
			t.Errorf("%q is not in\n%s", want, list)
		}
	}
}
