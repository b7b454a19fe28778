package main

import (
	"crypto/sha256"
	"io"
	"strings"
	"testing"
)

// hashing is an experiment that hashes so many bytes for each class.
func hashing(control bool, sizes ...int) *experiment {
	var inputs [batch]int
	data := make([]byte, 1<<16)
	return &experiment{
		name: "hashing", classes: [2]string{"one", "other"}, control: control, calls: 1, random: newRandom(),
		want: [2]int{1, 1},
		fill: func(i, class int) { inputs[i] = sizes[class] },
		run: func(a, b int) int {
			for _, n := range inputs[a:b] {
				sha256.Sum256(data[:n])
			}
			return b - a
		},
	}
}

func TestRunAll(t *testing.T) {
	for name, c := range map[string]struct {
		e    *experiment
		good bool
		rows int
		says string
	}{
		"equal":              {hashing(false, 256, 256), true, 0, "no difference seen\n"},
		"leak":               {hashing(false, 256, 1024), false, attempts, "FAIL: a difference\n"},
		"leak, second class": {hashing(false, 1024, 256), false, attempts, "FAIL: a difference\n"},
		"control":            {hashing(true, 256, 1024), true, attempts, "a difference, as there must be\n"},
		"blind control":      {hashing(true, 256, 256), false, 0, "FAIL: no difference seen where there is one"},
	} {
		var out strings.Builder
		good, err := runAll(&out, []*experiment{c.e}, 2000)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows := strings.Count(out.String(), "\nhashing ")
		if good != c.good || !strings.Contains(out.String(), c.says) || c.rows != 0 && rows != c.rows || rows < 1 || rows > attempts {
			t.Errorf("%s: good is %t\n%s", name, good, &out)
		}
	}
}

// One failure is enough, wherever it stands.
func TestRunAllOfSeveral(t *testing.T) {
	bad, fine := hashing(false, 256, 1024), hashing(true, 256, 1024)
	for _, all := range [][]*experiment{{bad, fine}, {fine, bad}} {
		if good, err := runAll(io.Discard, all, 2000); good || err != nil {
			t.Errorf("good is %t, %v", good, err)
		}
	}
}

// The search that stops early is seen, with few measurements already.
func TestLeakyList(t *testing.T) {
	for _, e := range experiments(1000) {
		if e.name != "leaky-list" {
			continue
		}
		var out strings.Builder
		if good, err := runAll(&out, []*experiment{e}, 10_000); !good || err != nil {
			t.Errorf("%v\n%s", err, &out)
		}
		return
	}
	t.Error("there is no such experiment")
}

// All experiments give the results that their classes want, and an experiment whose
// inputs are not what they claim to be is an error.
func TestMeasureChecksResults(t *testing.T) {
	names := make(map[string]bool)
	controls := 0
	for _, e := range experiments(100) {
		if names[e.name] {
			t.Errorf("two experiments are named %s", e.name)
		}
		names[e.name] = true
		if e.control {
			controls++
		}
		r, err := e.measure(500)
		if err != nil {
			t.Errorf("%s: %v", e.name, err)
		}
		if n := r.class[0].n + r.class[1].n; n < 450 || n > 500 { // more than 450 where times are equal
			t.Errorf("%s: means of %v of 500 measurements", e.name, n)
		}
		for class := range e.want {
			e.want[class]++
			if _, err := e.measure(500); err == nil || !strings.Contains(err.Error(), e.classes[class]) {
				t.Errorf("%s: wrong results of class %d give %v", e.name, class, err)
			}
			e.want[class]--
		}
	}
	for _, name := range []string{"tag", "revoked", "below-minimum", "expired", "same"} {
		if !names[name] {
			t.Errorf("no experiment %s", name)
		}
	}
	if controls != 2 {
		t.Errorf("%d controls, want 2", controls)
	}
}

func TestRandom(t *testing.T) {
	r := newRandom()
	var seen, bits uint64
	for range 1000 {
		n := r.below(3)
		if n > 2 {
			t.Fatalf("below(3) is %d", n)
		}
		seen |= 1 << n
		b := r.bits(60)
		if b >= 1<<60 {
			t.Fatalf("bits(60) is %x", b)
		}
		bits |= b
	}
	if seen != 7 || bits != 1<<60-1 {
		t.Errorf("seen %b and %x", seen, bits)
	}
}
