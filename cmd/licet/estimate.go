package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

type estimateOptions struct {
	key    keyFlags
	count  uint64
	rate   float64
	asJSON bool
}

func newEstimate(a *app) *cobra.Command {
	var o estimateOptions
	cmd := &cobra.Command{
		Use:   "estimate",
		Short: "Tell what a layout gives: length, room, and what forging takes",
		Long: `Tell what the codes of a layout would be: how long, how many licences there is room
for, how hard guessing one is, and how random codes that a database looks up
compare. It needs no licensing home.

A text has a good tag with a chance of 1 in 2^t, t being the bits of the tag, and
then says something random. It is one of N issued codes with a chance of N in
2^(p+t), p being the bits of the payload: that counts where a server also knows
what was issued. The time is what one guesser needs on average.`,
		Example: `  licet estimate --layout compact --prefix ACME --count 50000
  licet estimate --layout product:8,expiry:15,serial:32 --rate 1e6
  licet estimate --suite es256 --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.estimate(o) },
	}
	o.key.add(cmd)
	if err := cmd.Flags().MarkHidden("bind"); err != nil { // taken, as by licet init, but it changes nothing here
		panic(err)
	}
	cmd.Flags().Uint64Var(&o.count, "count", 10_000, "`N` codes are issued")
	cmd.Flags().Float64Var(&o.rate, "rate", 10_000, "`R` guesses a second")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print a JSON object")
	return cmd
}

// An estimate is what estimate prints of a layout; the struct is that of --json,
// whose members are only ever added. Counts are strings, since not every reader
// of JSON keeps large integers exact.
type estimate struct {
	Layout     string `json:"layout"` // as a list, never a name
	Suite      string `json:"suite"`
	Prefix     string `json:"prefix,omitempty"`
	Symbols    int    `json:"symbols"`
	Characters int    `json:"characters"` // as printed, with prefix and hyphens
	Payload    int    `json:"payload_bits"`
	Signature  int    `json:"signature_bits"`
	Products   string `json:"products"`
	Serials    string `json:"serials"` // of each product
	Versions   string `json:"versions,omitempty"`
	LastExpiry string `json:"last_expiry,omitempty"`

	Rate   float64     `json:"guesses_per_second"`
	Random randomCodes `json:"random_codes"` // of the same number of symbols, for comparison

	// For hs256 only: forging an es256 code is no matter of guessing.
	ShortTag bool    `json:"short_tag,omitempty"` // verifiers refuse it unless told otherwise
	Forgery  *guess  `json:"forgery,omitempty"`   // a text with a good tag
	Issued   []guess `json:"issued,omitempty"`    // one of the issued codes

	key keys.Descriptor
}

// A guess is the chance that one guess hits, and the time until one does.
type guess struct {
	Codes   string `json:"codes,omitempty"` // how many issued codes there are to hit
	Chance  log2   `json:"chance_log2"`
	Seconds log2   `json:"expected_seconds_log2"`
}

// randomCodes are codes without structure, check symbols and signature.
type randomCodes struct {
	Bits       int   `json:"bits"`
	Hit        guess `json:"hit"`
	Collisions *log2 `json:"expected_collisions_log2,omitempty"` // pairs of equal codes; a single code has none
}

func (a *app) estimate(o estimateOptions) error {
	e, err := newEstimateOf(o)
	if err != nil {
		return err
	}
	if o.asJSON {
		return json.NewEncoder(a.out).Encode(e)
	}
	return a.printEstimate(e)
}

func newEstimateOf(o estimateOptions) (estimate, error) {
	d, err := o.key.descriptor(8) // the number makes no difference
	if err != nil {
		return estimate{}, err
	}
	if !(o.rate > 0) || math.IsInf(o.rate, 1) { // also when it is not a number
		return estimate{}, usageError("--rate %v: want more than 0 guesses a second", o.rate)
	}
	product, _ := d.Layout.Field("product")
	serial, _ := d.Layout.Field("serial")
	room, licences := bits.Mul64(product.Max(), serial.Max())
	fits := func(n uint64) bool { return room > 0 || n <= licences }
	switch {
	case o.count == 0:
		return estimate{}, usageError("--count 0: want 1 or more")
	case !fits(o.count):
		return estimate{}, usageError("--count %d: the layout has room for %s with %s each", o.count, plural(product.Max(), "product"), plural(serial.Max(), "serial"))
	}
	symbols := d.Symbols()
	e := estimate{
		Layout: d.Layout.String(), Suite: string(d.Suite), Prefix: d.Prefix,
		Symbols: symbols, Characters: len(payload.AppendCode(nil, d.Prefix, make([]byte, symbols), payload.GroupSize)),
		Payload: d.Layout.Bits(), Signature: d.SigBits,
		Products: strconv.FormatUint(product.Max(), 10), Serials: strconv.FormatUint(serial.Max(), 10), // neither is ever 0
		Rate: o.rate, key: d,
	}
	if f, ok := d.Layout.Field("version"); ok {
		e.Versions = strconv.FormatUint(f.Max()+1, 10)
	}
	if f, ok := d.Layout.Field("expiry"); ok {
		e.LastExpiry = payload.Day(f.Max()).String()
	}
	if d.Suite == keys.HS256 {
		e.ShortTag = d.SigBits < keys.ShortTagBits
		forgery := newGuess(0, d.SigBits, o.rate)
		e.Forgery = &forgery
		for _, n := range []uint64{1, 1_000, 1_000_000} {
			if fits(n) && n != o.count {
				e.Issued = append(e.Issued, newGuess(n, e.Payload+d.SigBits, o.rate))
			}
		}
		e.Issued = append(e.Issued, newGuess(o.count, e.Payload+d.SigBits, o.rate))
	}
	e.Random = randomCodes{Bits: 5 * symbols, Hit: newGuess(o.count, 5*symbols, o.rate)}
	if o.count > 1 { // n(n-1)/2 pairs
		c := log2Of(o.count) + log2Of(o.count-1) - 1 - log2(e.Random.Bits)
		e.Random.Collisions = &c
	}
	return e, nil
}

// newGuess returns what guessing numbers of so many bits gives when n of them
// are hits. For n = 0 it is one hit, and not an issued code.
func newGuess(n uint64, bits int, rate float64) guess {
	g := guess{Chance: log2Of(max(n, 1)) - log2(bits)}
	if n > 0 {
		g.Codes = strconv.FormatUint(n, 10)
	}
	g.Seconds = -g.Chance - log2(math.Log2(rate)) // the mean of a geometric distribution
	return g
}

func (a *app) printEstimate(e estimate) error {
	s := &sheet{app: a}
	layout := e.Layout
	if name := e.key.Layout.Name(); name != "" {
		layout = name + ", " + layout
	}
	s.line("layout", "%s", layout)
	with := "hyphens"
	if e.Prefix != "" {
		with = "prefix and hyphens"
	}
	s.line("code", "%d symbols, %d characters with %s", e.Symbols, e.Characters, with)
	s.line("products", "%s", fromOne(e.Products))
	s.line("serials", "%s for each product", fromOne(e.Serials))
	if f, ok := e.key.Layout.Field("version"); ok {
		s.line("versions", "0 to %s", thousands(strconv.FormatUint(f.Max(), 10)))
	} else {
		s.line("versions", "none: every code counts as version 0")
	}
	if e.LastExpiry != "" {
		s.line("expiry", "up to %s, or never", e.LastExpiry)
	} else {
		s.line("expiry", "none: codes never expire")
	}
	if e.Forgery == nil {
		s.line("signature", "%d bits, ECDSA P-256", e.Signature)
		s.line("forging", "takes breaking ECDSA P-256, which nobody is known to be able to; guessing is no way")
	} else {
		s.line("signature", "%d bits, HMAC-SHA-256 tag", e.Signature)
	}
	if e.ShortTag {
		s.line("", "short: verifiers refuse such a key unless told; judge online, and count attempts")
	}
	if err := s.print(); err != nil {
		return err
	}
	if e.Forgery != nil {
		if err := a.printGuesses(e); err != nil {
			return err
		}
	}
	return a.printRandom(e)
}

func (a *app) printGuesses(e estimate) error {
	rate := log2(math.Log2(e.Rate)).number()
	if e.Rate < 1 {
		rate = strconv.FormatFloat(e.Rate, 'g', 2, 64)
	}
	fmt.Fprintf(a.out, "\n%s\n", a.out.paint(roleHeading, "Guessing well-formed codes, "+rate+" a second"))
	rows := [][]string{{"a good tag, saying something random", e.Forgery.Chance.chance(), e.Forgery.Seconds.duration()}}
	for _, g := range e.Issued {
		hit := "one of " + thousands(g.Codes) + " issued codes"
		if g.Codes == "1" {
			hit = "the one issued code"
		}
		rows = append(rows, []string{hit, g.Chance.chance(), g.Seconds.duration()})
	}
	return a.out.table([]string{"hit", "chance of a guess", "expected time"}, rows)
}

func (a *app) printRandom(e estimate) error {
	n := thousands(e.Random.Hit.Codes)
	fmt.Fprintf(a.out, "\n%s\n", a.out.paint(roleHeading, fmt.Sprintf("Random codes of %d symbols instead, which only a database of all codes can judge", e.Symbols)))
	s := &sheet{app: a}
	s.line("random", "%d bits, no check symbols, no signature", e.Random.Bits)
	hit := "one of " + n
	if n == "1" {
		hit = "the only one"
	}
	s.line("guess", "%s: %s; expected time %s", hit, e.Random.Hit.Chance.chance(), e.Random.Hit.Seconds.duration())
	if c := e.Random.Collisions; c != nil {
		s.line("collision", "two equal ones among %s: %s", n, c.chance())
	}
	return s.print()
}

// A log2 is a positive quantity, given by its logarithm to base 2, so that none
// is too small or too large.
type log2 float64

func log2Of(n uint64) log2 { return log2(math.Log2(float64(n))) }

// MarshalJSON writes six decimals, which are the same on every machine.
func (x log2) MarshalJSON() ([]byte, error) {
	return json.Marshal(math.Round(float64(x)*1e6) / 1e6)
}

// number returns a quantity in words, such as 9.5, 40, 114,000, 34 billion or
// 3.8e12, with two or three digits that count.
func (x log2) number() string {
	if x < 64 {
		v := math.Exp2(float64(x))
		for _, u := range []struct {
			scale, limit float64
			name         string
		}{{1, 1e6, ""}, {1e6, 1e3, " million"}, {1e9, 1e3, " billion"}} {
			if r := roughly(v / u.scale); r < u.limit {
				return thousands(strconv.FormatFloat(r, 'f', -1, 64)) + u.name
			}
		}
	}
	digits, exponent := math.Modf(float64(x) * (math.Ln2 / math.Ln10))
	digits, exponent = math.Pow(10, exponent), digits
	if digits >= 9.95 {
		digits, exponent = 1, exponent+1
	}
	return fmt.Sprintf("%.1fe%.0f", digits, exponent)
}

// roughly rounds to one decimal below 10, to an integer below 1,000, and to three
// digits from there.
func roughly(v float64) float64 {
	switch {
	case v < 9.95:
		return math.Round(v*10) / 10
	case v < 1000:
		return math.Round(v)
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-2)
	return math.Round(v/unit) * unit
}

// chance returns a chance such as "2^-35, 1 in 34 billion".
func (x log2) chance() string {
	return fmt.Sprintf("2^%s, 1 in %s", strconv.FormatFloat(math.Round(float64(x)*10)/10, 'f', -1, 64), (-x).number())
}

// duration returns a number of seconds in the unit that people would use.
func (x log2) duration() string {
	if x < 0 {
		return "less than a second"
	}
	unit, size := "second", log2(0)
	for _, u := range []struct {
		name    string
		seconds uint64
	}{{"minute", 60}, {"hour", 3600}, {"day", 86400}, {"year", 86400 * 36525 / 100}} {
		if x >= log2Of(u.seconds)+1 { // two of them at least
			unit, size = u.name, log2Of(u.seconds)
		}
	}
	n := (x - size).number()
	if n != "1" {
		unit += "s"
	}
	return n + " " + unit
}

// fromOne returns the numbers from 1 to a last one.
func fromOne(last string) string {
	if last == "1" {
		return "1 only"
	}
	return "1 to " + thousands(last)
}

// thousands puts commas between the thousands of a decimal number.
func thousands(s string) string {
	whole, decimals, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if decimals != "" {
		whole += "." + decimals
	}
	return whole
}
