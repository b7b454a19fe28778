package main

import (
	"log"
	"math/big"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

var verifyNotes = map[string]string{
	"good":        "Codes as a mint makes them.",
	"layout":      "Layouts and tags at a limit.",
	"reading":     "Section 5.3: which rule reads a text, and what it says of it.",
	"prefix":      "Prefixes, and texts that look like them.",
	"nesting":     "Two readings by rule C compete: keys by number, then with prefix before without, then the smaller x.",
	"repair":      "A slip that is located, and whether it may be named.",
	"unreadable":  "Characters that no body has, with their places.",
	"unicode":     "Letters of other alphabets and other widths.",
	"forged":      "Codes that no honest mint makes: the check symbols are right.",
	"signature":   "The spelling of an es256 signature.",
	"descriptor":  "Keys that differ in one part of their descriptor only. The secret is the same.",
	"binding":     "Section 8.",
	"state":       "Closed and withdrawn keys.",
	"no-secret":   "The ring has no secret for an hs256 key.",
	"short-tag":   "Fewer than 65 tag bits.",
	"order":       "Several reasons apply: the order of section 7 decides.",
	"policy":      "The checks of step 8 of section 7.",
	"time":        "Start, expiry, leeway and offsets.",
	"clock":       "The floor of the clock.",
	"no-keys":     "A reader without any key.",
	"every-place": "One symbol changed, at every place of a code in turn.",
}

// A verifySuite collects the tests of verify.json.
type verifySuite struct {
	rings map[string]string
	keys  map[string][]*key
	tests []vectorfile.VerifyTest
}

func verifyFile() vectorfile.VerifyFile {
	s := verifySuite{rings: map[string]string{}, keys: map[string][]*key{}}
	s.addRings()
	s.addGood()
	s.addReading()
	s.addPrefixes()
	s.addUnreadable()
	s.addRepairs()
	s.addForgeries()
	s.addSignatures()
	s.addDescriptors()
	s.addBindings()
	s.addKeys()
	s.addPolicy()
	s.addTimes()
	return vectorfile.VerifyFile{
		Header: header("verify", "Sections 5, 7 and 8: from a text to a verdict.", verifyNotes, s.tests),
		Rings:  s.rings,
		Tests:  s.tests,
	}
}

// ring adds a ring; it must be one that a reader accepts.
func (s *verifySuite) ring(name, text string) {
	s.rings[name], s.keys[name] = text, mustReadRing("verify", name, text).mint
}

func mustReadRing(kind, name, text string) *ring {
	r, refused := readRing(text)
	if refused != "" {
		log.Fatalf("%s: ring %s: %s", kind, name, refused)
	}
	return r
}

// addRings adds the rings that tests of several subjects use.
func (s *verifySuite) addRings() {
	s.ring("seven", ringText(true, []int{7, 8}, sevenKeys...))
	s.ring("seven-public", ringText(false, []int{7, 8}, sevenKeys...))
	s.ring("forms", ringText(true, []int{1, 7, 511}, forms()...))
	s.ring("bound", ringText(true, []int{7}, bound8, bound9, key10))
	s.ring("bound-public", ringText(false, []int{7}, bound8, bound9, key10))
	s.ring("ones", ringText(true, []int{511}, hs256All511))
	states := []*key{key8.inState("withdrawn"), key9.inState("withdrawn"), key10.inState("closed"), bound11.inState("withdrawn"), key12.inState("withdrawn")}
	s.ring("states", ringText(true, []int{7}, states...))
	s.ring("states-public", ringText(false, []int{7}, states...))
	s.ring("one-left-out", ringText(true, []int{7}, key8.withoutSecret(), key10))
	s.ring("no-keys", ringOfTexts(false, `{"number":7,"name":"Widget"}`))
}

// forms are the keys with layouts at a limit, allowed the products they use.
func forms() []*key {
	var keys []*key
	for _, k := range []*key{large160, small35, tiny35, across80, dated80, undated80, sixteen80, largeES} {
		keys = append(keys, k.allowing(1, 7, 511))
	}
	return keys
}

// allowing returns a copy of k that may mint those of the products that fit.
func (k *key) allowing(products ...int64) *key {
	other := *k
	other.products = nil
	for _, p := range products {
		if v := big.NewInt(p); v.BitLen() <= k.width("product") {
			other.products = append(other.products, v)
		}
	}
	return &other
}

// An option changes what the verifier of a test is told.
type option func(t *vectorfile.VerifyTest)

func in(ring string) option         { return func(t *vectorfile.VerifyTest) { t.Ring = ring } }
func at(now string) option          { return func(t *vectorfile.VerifyTest) { t.Now = now } }
func built(when string) option      { return func(t *vectorfile.VerifyTest) { t.Built = when } }
func leeway(seconds int64) option   { return func(t *vectorfile.VerifyTest) { t.Leeway = seconds } }
func minimum(version string) option { return func(t *vectorfile.VerifyTest) { t.MinVersion = version } }
func binding(text string) option    { return func(t *vectorfile.VerifyTest) { t.Binding = &text } }
func products(list ...string) option {
	return func(t *vectorfile.VerifyTest) { t.Products = list }
}
func shortTags(t *vectorfile.VerifyTest) { t.AllowShortTags = true }

// test adds a test. Flags are separated by spaces. Want is what its author
// expects, as summary writes it, so that every result is thought of twice.
func (s *verifySuite) test(flags, name, comment, want, input string, options ...option) *vectorfile.VerifyTest {
	t := vectorfile.VerifyTest{
		Test:     vectorfile.Test{Name: name, Comment: comment, Flags: strings.Fields(flags)},
		Ring:     "seven",
		Products: []string{"7"},
		Now:      "2026-06-01T12:00:00Z",
	}
	for _, o := range options {
		o(&t)
	}
	if utf8.ValidString(input) {
		t.Input = &input
	} else {
		t.InputHex = pointer(hexOf([]byte(input)))
	}
	r := request{
		minimum:   new(big.Int),
		now:       instant(t.Now),
		leeway:    time.Duration(t.Leeway) * time.Second,
		shortTags: t.AllowShortTags,
		binding:   t.Binding,
	}
	for _, p := range t.Products {
		r.products = append(r.products, decimal(p))
	}
	if t.MinVersion != "" {
		r.minimum = decimal(t.MinVersion)
	}
	if t.Built != "" {
		r.built = instant(t.Built)
	}
	keys, ok := s.keys[t.Ring]
	if !ok {
		log.Fatalf("verify: %s: no ring %q", name, t.Ring)
	}
	t.Result = verify(input, keys, &r).Result
	if got := summary(&t.Result); got != want {
		log.Fatalf("verify: %s: %q, want %q", name, got, want)
	}
	s.tests = append(s.tests, t)
	return &s.tests[len(s.tests)-1]
}

// summary is a result in a word: valid, or its reasons, and after them what
// became of a repair.
func summary(r *vectorfile.Result) string {
	text := r.Reason
	switch {
	case r.Family == "valid":
		text = "valid"
	case r.Family == "not-acceptable":
		text = strings.Join(r.Failures, "+")
	}
	if r.BindingIgnored {
		text += " ignored"
	}
	switch {
	case r.Possible:
		text += " possible"
	case r.Proposal != "":
		text += " repaired"
	}
	return text
}

func instant(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}
