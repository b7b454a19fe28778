package payload_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/licet-dev/licet/payload"
)

func TestHasFeature(t *testing.T) {
	lic := payload.License{Features: 1<<0 | 1<<5 | 1<<63}
	for i, want := range map[int]bool{-1: false, 0: true, 1: false, 4: false, 5: true, 6: false, 62: false, 63: true, 64: false, 1 << 30: false} {
		if got := lic.HasFeature(i); got != want {
			t.Errorf("HasFeature(%d) = %t", i, got)
		}
	}
}

// listed writes what All yields.
func listed(e payload.Extra) string {
	var parts []string
	for name, v := range e.All() {
		parts = append(parts, fmt.Sprintf("%s=%d", name, v))
	}
	return strings.Join(parts, " ")
}

func TestExtra(t *testing.T) {
	var e payload.Extra
	if v, ok := e.Get("zone"); ok || v != 0 || listed(e) != "" {
		t.Errorf("the zero Extra has %d, %t, %q", v, ok, listed(e))
	}
	for _, c := range []struct {
		name  string
		value uint64
		want  string
	}{
		{"zone", 3, "zone=3"},
		{"area", 1<<53 - 1, "zone=3 area=9007199254740991"},
		{"zone", 0, "zone=0 area=9007199254740991"},
		{"area", 7, "zone=0 area=7"},
	} {
		if !e.Set(c.name, c.value) || listed(e) != c.want {
			t.Errorf("after Set(%q, %d): %q, want %q", c.name, c.value, listed(e), c.want)
		}
	}
	if v, ok := e.Get("area"); !ok || v != 7 {
		t.Errorf("Get = %d, %t", v, ok)
	}
	for name := range e.All() { // stopping early
		if name != "zone" {
			t.Errorf("first name %q", name)
		}
		break
	}
}

func TestExtraIsFull(t *testing.T) {
	var e payload.Extra
	for i := range payload.MaxFields - 2 {
		if !e.Set(fmt.Sprint("f", i), uint64(i)) {
			t.Fatalf("no room for name %d", i+1)
		}
	}
	if e.Set("one-more", 1) {
		t.Error("room for a 15th name")
	}
	if !e.Set("f13", 99) {
		t.Error("a known name could not be set")
	}
	if v, _ := e.Get("f13"); v != 99 {
		t.Errorf("f13 is %d", v)
	}
}

func TestExtraCopiesAreIndependent(t *testing.T) {
	// With three names the slice that the layout shares has room for a fourth.
	l := mustLayout(t, "product:2,serial:2,zone:6,area:5,site:5")
	var unpacked payload.License
	l.Unpack(&unpacked, []byte{0x02, 0x46, 0x85})
	a := unpacked.Extra
	const before = "zone=17 area=20 site=5"
	b, c := a, a
	b.Set("zone", 63)
	b.Set("x", 1)
	c.Set("y", 2)
	if listed(a) != before || listed(b) != "zone=63 area=20 site=5 x=1" || listed(c) != before+" y=2" {
		t.Errorf("copies are %q, %q, %q", listed(a), listed(b), listed(c))
	}
	var again payload.License
	l.Unpack(&again, []byte{0x02, 0x46, 0x85})
	again.Extra.Set("z", 3)
	if listed(again.Extra) != before+" z=3" || listed(b) != "zone=63 area=20 site=5 x=1" {
		t.Errorf("the layout's names changed: %q, %q", listed(again.Extra), listed(b))
	}
}
