package main

import (
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

// choiceKey returns an es256 mint key with this number.
func choiceKey(t *testing.T, number int, change func(*keys.Descriptor)) keys.Key {
	t.Helper()
	layout, err := payload.ParseLayout("standard")
	if err != nil {
		t.Fatal(err)
	}
	d := keys.Descriptor{Suite: keys.ES256, Number: number, Prefix: "ACME", Layout: layout, Bind: keys.BindNone, SigBits: keys.ES256Bits}
	if change != nil {
		change(&d)
	}
	_, key, err := generate(keys.Mint, d, []uint64{7})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Of keys of one kind the oldest mints: numbers are allotted from 8 to 31, then from 1
// to 7.
func TestOldestAlike(t *testing.T) {
	for _, c := range []struct {
		numbers []int
		want    int
	}{
		{[]int{8}, 8},
		{[]int{8, 9}, 8},
		{[]int{9, 31}, 9},
		{[]int{1, 31}, 31},
		{[]int{1, 7, 8}, 8},
		{[]int{1, 7}, 1},
		{[]int{7}, 7},
	} {
		var fits []keys.Key
		for _, n := range c.numbers {
			fits = append(fits, choiceKey(t, n, nil))
		}
		if got, ok := oldestAlike(fits); !ok || got.Number() != c.want {
			t.Errorf("keys %v: %d, %t, want %d", c.numbers, got.Number(), ok, c.want)
		}
	}
	if _, ok := oldestAlike(nil); ok {
		t.Error("no keys: there is an oldest")
	}
}

// Keys of several kinds have no order: who mints has to choose.
func TestOldestOfSeveralKinds(t *testing.T) {
	layout, err := payload.ParseLayout("wide")
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*keys.Descriptor){
		"suite":   func(d *keys.Descriptor) { d.Suite, d.SigBits = keys.HS256, 80 },
		"prefix":  func(d *keys.Descriptor) { d.Prefix = "WIDG" },
		"none":    func(d *keys.Descriptor) { d.Prefix = "" },
		"layout":  func(d *keys.Descriptor) { d.Layout = layout },
		"binding": func(d *keys.Descriptor) { d.Bind = "machine" },
	} {
		old, other := choiceKey(t, 8, nil), choiceKey(t, 9, change)
		for _, fits := range [][]keys.Key{{old, other}, {other, old}, {old, choiceKey(t, 10, nil), other}} {
			if k, ok := oldestAlike(fits); ok {
				t.Errorf("%s: key %d was chosen", name, k.Number())
			}
		}
	}
}
