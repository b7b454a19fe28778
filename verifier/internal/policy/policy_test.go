package policy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier/revocation"
)

// An identity is what a list revokes: one licence.
type identity struct {
	key             keys.ID
	product, serial uint64
}

// plain is Check with branches, over what the rules were made of.
type plain struct {
	products   []uint64
	minVersion uint64
	revoked    map[identity]bool
	some       []identity // of revoked
	minimums   map[uint64]uint64
	grace      int
}

func (p *plain) check(key keys.ID, lic *payload.License, early, late payload.Day) (f Failures) {
	if !slices.Contains(p.products, lic.Product) {
		f |= WrongProduct
	}
	if p.revoked[identity{key, lic.Product, lic.Serial}] {
		f |= Revoked
	}
	if lic.Version < p.minVersion || lic.Version < p.minimums[lic.Product] {
		f |= BelowMinimum
	}
	if early < lic.Start {
		f |= NotYetValid
	}
	if lic.Expiry != payload.Never && int64(late) > int64(lic.Expiry)+int64(p.grace) {
		f |= Expired
	}
	return f
}

// A source makes rules and licences of few values, so that they meet.
type source struct{ *rand.Rand }

var (
	numbers = []uint64{0, 1, 2, 7, 8, 1<<32 - 1, 1 << 32, 1<<53 - 1, 1 << 63, math.MaxUint64}
	days    = []payload.Day{math.MinInt32, math.MinInt32 + 1, -3661, -1, 0, 1, 500, 1<<15 - 1, 1<<21 - 1, payload.Never - 3660, payload.Never - 1}
)

func pick[T any](s source, from []T) T { return from[s.IntN(len(from))] }

func (s source) number() uint64 {
	n := pick(s, numbers)
	return n + uint64(s.IntN(3)) - 1 // one beside it, too, and round the end
}

func (s source) day() payload.Day {
	if s.IntN(3) == 0 {
		return payload.Day(s.IntN(4000) - 100)
	}
	return pick(s, days)
}

func (s source) keyID() keys.ID {
	return keys.ID{1, byte(s.IntN(2)), 3, 4, 5, 6, 7, byte(s.IntN(3))}
}

// rules returns random rules, and the same ones in plain form.
func (s source) rules(t *testing.T) (Rules, plain) {
	p := plain{minVersion: pick(s, []uint64{0, 0, s.number()}), grace: pick(s, []int{0, 0, 1, 3659, 3660, s.IntN(3661)})}
	for range s.IntN(4) {
		p.products = append(p.products, s.number())
	}
	r := Rules{Products: p.products, MinVersion: p.minVersion, Grace: int32(p.grace)}
	if s.IntN(4) == 0 {
		return r, p // without a list
	}
	p.revoked, p.minimums = map[identity]bool{}, map[uint64]uint64{}
	d := (*revocation.List)(nil).Draft()
	d.Issuer, d.Sequence, d.Issued = "Acme Tools", 1, payload.Day(0).Time()
	d.Due = d.Issued.Add(time.Hour)
	inList := func(n uint64) uint64 { return min(max(n, 1), 1<<53-1) }
	for range s.IntN(20) {
		id := identity{s.keyID(), inList(s.number()), inList(s.number())}
		last := min(id.serial+uint64(s.IntN(3)), 1<<53-1)
		if err := d.Revoke(revocation.Entry{KeyID: id.key, Product: id.product, First: id.serial, Last: last}); err != nil {
			t.Fatal(err)
		}
		for ; id.serial <= last; id.serial++ {
			p.revoked[id], p.some = true, append(p.some, id)
		}
	}
	for range s.IntN(3) {
		product, version := inList(s.number()), inList(s.number())
		d.Minimums[product], p.minimums[product] = version, version
	}
	list, err := d.List()
	if err != nil {
		t.Fatal(err)
	}
	r.List = list
	return r, p
}

func (s source) license(p *plain) (keys.ID, payload.License) {
	lic := payload.License{Product: s.number(), Serial: s.number(), Version: s.number(), Start: s.day(), Expiry: s.day()}
	if len(p.products) > 0 && s.IntN(2) == 0 {
		lic.Product = pick(s, p.products)
	}
	if s.IntN(4) == 0 {
		lic.Start = 0
	}
	if s.IntN(4) == 0 {
		lic.Expiry = payload.Never
	}
	key := s.keyID()
	if len(p.some) > 0 && s.IntN(3) == 0 { // at or beside something that is revoked
		id := pick(s, p.some)
		key, lic.Product, lic.Serial = id.key, id.product, id.serial+uint64(s.IntN(3))-1
	}
	return key, lic
}

// Check agrees with what anybody would write with branches, for all its answers.
func TestCheckAgainstBranches(t *testing.T) {
	s := source{rand.New(rand.NewPCG(4, 2))}
	seen := map[Failures]int{}
	for range 1000 {
		r, p := s.rules(t)
		for range 100 {
			key, lic := s.license(&p)
			early, late := s.day(), s.day()
			if s.IntN(2) == 0 && lic.Expiry < payload.Never-3662 { // round the end of its grace
				late = lic.Expiry + payload.Day(p.grace) + payload.Day(s.IntN(3)) - 1
			}
			if s.IntN(2) == 0 && lic.Start > math.MinInt32 { // round its begin
				early = lic.Start + payload.Day(s.IntN(2)) - 1
			}
			got, want := r.Check(key, &lic, early, late), p.check(key, &lic, early, late)
			if got != want {
				t.Fatalf("key %s, %+v, early %d, late %d, rules %+v: got %05b, want %05b", key, lic, early, late, p, got, want)
			}
			seen[want]++
		}
	}
	for f := range Failures(32) {
		if seen[f] < 20 {
			t.Errorf("only %d times %05b: the test proves little", seen[f], f)
		}
	}
	if len(seen) != 32 {
		t.Errorf("%d answers, want 32", len(seen))
	}
}

// The edges of an end with grace, one by one.
func TestEdges(t *testing.T) {
	for _, c := range []struct {
		expiry payload.Day
		grace  int32
		last   payload.Day // on which it is accepted
	}{
		{1, 0, 1}, {1, 1, 2}, {1094, 30, 1124}, {1<<21 - 1, 3660, 1<<21 + 3659}, {-1, 0, -1}, {-1, 1, 0}, {-100, 3660, 3560},
		{payload.Never - 1, 0, payload.Never - 1}, {math.MinInt32, 0, math.MinInt32},
	} {
		r := Rules{Products: []uint64{7}, Grace: c.grace}
		lic := payload.License{Product: 7, Serial: 1, Start: math.MinInt32, Expiry: c.expiry}
		if got := r.Check(keys.ID{}, &lic, 0, c.last); got != 0 {
			t.Errorf("%+v: %05b on its last day", c, got)
		}
		if got := r.Check(keys.ID{}, &lic, 0, math.MinInt32); got != 0 {
			t.Errorf("%+v: %05b long before", c, got)
		}
		if c.last < payload.Never-1 {
			if got := r.Check(keys.ID{}, &lic, 0, c.last+1); got != Expired {
				t.Errorf("%+v: %05b a day after", c, got)
			}
		}
	}
	// No day is after never, whatever the grace.
	for _, grace := range []int32{0, 1, 3660} {
		r := Rules{Products: []uint64{7}, Grace: grace}
		lic := payload.License{Product: 7, Serial: 1, Expiry: payload.Never}
		if got := r.Check(keys.ID{}, &lic, 0, payload.Never-1); got != 0 {
			t.Errorf("grace %d: %05b", grace, got)
		}
	}
}

// Rules that say nothing accept no product.
func TestZeroRules(t *testing.T) {
	for _, product := range []uint64{0, 1, math.MaxUint64} {
		lic := payload.License{Product: product, Serial: 1, Expiry: payload.Never}
		if got := (&Rules{}).Check(keys.ID{}, &lic, 0, 0); got != WrongProduct {
			t.Errorf("product %d: %05b", product, got)
		}
	}
}
