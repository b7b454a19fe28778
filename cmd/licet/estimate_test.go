package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/licet-dev/licet/payload"
)

func estimateOf(t *testing.T, layout, suite string, count uint64, rate float64) estimate {
	t.Helper()
	e, err := newEstimateOf(estimateOptions{key: keyFlags{suite: suite, layout: layout, bind: "none"}, count: count, rate: rate})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// SECURITY.md has these figures.
func TestEstimateTimes(t *testing.T) {
	for _, c := range []struct {
		bits             int
		at10000, million string
	}{
		{35, "40 days", "9.5 hours"},
		{55, "114,000 years", "1,140 years"},
		{65, "117 million years", "1.2 million years"},
		{80, "3.8e12 years", "38 billion years"},
	} {
		if got := newGuess(0, c.bits, 10_000).Seconds.duration(); got != c.at10000 {
			t.Errorf("%d bits at 10,000 guesses a second: %s, want %s", c.bits, got, c.at10000)
		}
		if got := newGuess(0, c.bits, 1_000_000).Seconds.duration(); got != c.million {
			t.Errorf("%d bits at 1,000,000 guesses a second: %s, want %s", c.bits, got, c.million)
		}
	}
}

// exactLog2 returns the logarithm of a/b to base 2.
func exactLog2(a, b *big.Int) float64 {
	f := new(big.Float).SetPrec(300).Quo(new(big.Float).SetPrec(300).SetInt(a), new(big.Float).SetPrec(300).SetInt(b))
	mantissa := new(big.Float)
	exponent := f.MantExp(mantissa)
	m, _ := mantissa.Float64()
	return float64(exponent) + math.Log2(m)
}

func near(x log2, want float64) bool { return math.Abs(float64(x)-want) < 1e-9 }

// Chances, times and collisions are those of exact arithmetic.
func TestEstimateExact(t *testing.T) {
	pow := func(n int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }
	number := func(n uint64) *big.Int { return new(big.Int).SetUint64(n) }
	for _, layout := range append(payload.LayoutNames(), "product:1,serial:4", "product:53,serial:53,x:53,y:1") {
		for _, count := range []uint64{1, 2, 15, 1_000, 50_000, 1_000_000, math.MaxUint64} {
			for _, rate := range []uint64{1, 3, 10_000, 1e18} {
				e, err := newEstimateOf(estimateOptions{key: keyFlags{suite: "hs256", layout: layout, bind: "none"}, count: count, rate: float64(rate)})
				if err != nil {
					if layout != "product:53,serial:53,x:53,y:1" && (count == math.MaxUint64 || layout == "product:1,serial:4" && count > 15) {
						continue
					}
					t.Fatal(err)
				}
				name := fmt.Sprintf("%s, %d codes, rate %d", layout, count, rate)
				check := func(what string, n uint64, bits int, g guess) {
					t.Helper()
					if want := exactLog2(number(n), pow(bits)); !near(g.Chance, want) {
						t.Errorf("%s: %s: chance 2^%v, want 2^%v", name, what, g.Chance, want)
					}
					if want := exactLog2(pow(bits), new(big.Int).Mul(number(n), number(rate))); !near(g.Seconds, want) {
						t.Errorf("%s: %s: 2^%v seconds, want 2^%v", name, what, g.Seconds, want)
					}
				}
				check("good tag", 1, e.Signature, *e.Forgery)
				for _, g := range e.Issued {
					n, ok := new(big.Int).SetString(g.Codes, 10)
					if !ok {
						t.Fatal(g.Codes)
					}
					check("issued", n.Uint64(), e.Payload+e.Signature, g)
				}
				check("random", count, 5*e.Symbols, e.Random.Hit)
				if count == 1 {
					if e.Random.Collisions != nil {
						t.Errorf("%s: a single code collides", name)
					}
					continue
				}
				pairs := new(big.Int).Mul(number(count), number(count-1))
				if want := exactLog2(pairs, pow(5*e.Symbols+1)); !near(*e.Random.Collisions, want) {
					t.Errorf("%s: collisions 2^%v, want 2^%v", name, *e.Random.Collisions, want)
				}
			}
		}
	}
}

func TestEstimateFacts(t *testing.T) {
	for _, c := range []struct {
		layout, suite, prefix                   string
		symbols, characters, bits, sig          int
		products, serials, versions, lastExpiry string
		short                                   bool
		issued                                  string
	}{
		{"standard", "hs256", "ACME", 32, 44, 60, 80, "511", "268435455", "256", "2114-09-19", false, "1 1000 1000000 5000"},
		{"standard", "es256", "", 119, 148, 60, 512, "511", "268435455", "256", "2114-09-19", false, ""},
		{"wide", "hs256", "", 40, 49, 100, 80, "65535", "4294967295", "4096", "2204-06-07", false, "1 1000 1000000 5000"},
		{"compact", "hs256", "", 24, 29, 45, 55, "63", "2097151", "32", "2047-06-06", true, "1 1000 1000000 5000"},
		{"coupon", "hs256", "X1", 20, 27, 45, 35, "32767", "1073741823", "", "", true, "1 1000 1000000 5000"},
		{"product:3,expiry:21,serial:11", "hs256", "", 27, 33, 35, 80, "7", "2047", "", "7766-10-22", false, "1 1000 5000"},
	} {
		e, err := newEstimateOf(estimateOptions{key: keyFlags{suite: c.suite, layout: c.layout, prefix: c.prefix, bind: "none"}, count: 5_000, rate: 1})
		if err != nil {
			t.Fatal(err)
		}
		var issued []string
		for _, g := range e.Issued {
			issued = append(issued, g.Codes)
		}
		if e.Symbols != c.symbols || e.Characters != c.characters || e.Payload != c.bits || e.Signature != c.sig ||
			e.Products != c.products || e.Serials != c.serials || e.Versions != c.versions || e.LastExpiry != c.lastExpiry ||
			e.ShortTag != c.short || strings.Join(issued, " ") != c.issued || (e.Forgery == nil) != (c.suite == "es256") {
			t.Errorf("%s %s: %+v", c.layout, c.suite, e)
		}
	}
}

// No combination of layout and rate is out of the range of numbers.
func TestEstimateExtremes(t *testing.T) {
	for _, layout := range []string{"product:1,serial:4", "product:53,serial:53,x:53,y:1"} {
		for _, rate := range []float64{math.SmallestNonzeroFloat64, 1, math.MaxFloat64} {
			for _, suite := range []string{"hs256", "es256"} {
				e := estimateOf(t, layout, suite, 15, rate)
				if text, err := json.Marshal(e); err != nil {
					t.Errorf("%s, rate %v: %s, %v", layout, rate, text, err)
				}
				for _, x := range []log2{e.Random.Hit.Chance, e.Random.Hit.Seconds, *e.Random.Collisions} {
					if words := x.number() + x.chance() + x.duration(); strings.Contains(words, "Inf") || strings.Contains(words, "NaN") {
						t.Errorf("%s, rate %v: %s", layout, rate, words)
					}
				}
			}
		}
	}
}

func TestEstimateNumberWords(t *testing.T) {
	of := func(f float64) log2 { return log2(math.Log2(f)) }
	for _, c := range []struct {
		x    log2
		want string
	}{
		{0, "1"}, {of(1.04), "1"}, {of(1.06), "1.1"}, {of(9.94), "9.9"}, {of(9.96), "10"}, {of(39.8), "40"}, {of(999.4), "999"},
		{of(999.6), "1,000"}, {of(1234), "1,230"}, {of(114_180), "114,000"}, {of(999_499), "999,000"}, {of(999_600), "1 million"},
		{of(1.16e6), "1.2 million"}, {of(999.4e6), "999 million"}, {of(999.6e6), "1 billion"}, {of(34.36e9), "34 billion"},
		{of(999.4e9), "999 billion"}, {of(999.6e9), "1.0e12"}, {of(3.83e12), "3.8e12"}, {of(9.94e15), "9.9e15"}, {of(9.96e15), "1.0e16"},
		{of(9.96e300), "1.0e301"}, {2000, "1.1e602"},
	} {
		if got := c.x.number(); got != c.want {
			t.Errorf("number of 2^%v: %s, want %s", float64(c.x), got, c.want)
		}
	}
	for n := 64; n <= 700; n++ { // against the digits of the exact number
		exact := new(big.Float).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(n)))
		if got, want := log2(n).number(), strings.Replace(exact.Text('e', 1), "e+", "e", 1); got != want {
			t.Errorf("2^%d: %s, want %s", n, got, want)
		}
	}
	for _, c := range []struct {
		seconds float64
		want    string
	}{
		{0.4, "less than a second"}, {1, "1 second"}, {1.5, "1.5 seconds"}, {119, "119 seconds"}, {121, "2 minutes"}, {7000, "117 minutes"},
		{7300, "2 hours"}, {2 * 86400 * 1.01, "2 days"}, {86400 * 700, "700 days"}, {86400 * 731, "2 years"}, {1e20, "3.2e12 years"},
	} {
		if got := of(c.seconds).duration(); got != c.want {
			t.Errorf("%v seconds: %s, want %s", c.seconds, got, c.want)
		}
	}
	for x, want := range map[log2]string{
		-35: "2^-35, 1 in 34 billion", -80: "2^-80, 1 in 1.2e24", -10: "2^-10, 1 in 1,020", -66.712: "2^-66.7, 1 in 1.2e20",
	} {
		if got := x.chance(); got != want {
			t.Errorf("chance 2^%v: %s, want %s", float64(x), got, want)
		}
	}
}
