package main

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

// listGrammar takes the text of a revocation list apart: the issuer, the sequence
// number, the two times, and the lines of minimums, keys and revoked serials. What
// the values are is looked at later.
var listGrammar = regexp.MustCompile(`\Alicet-revocations/v1\n([^\n]*)\nsequence ([^ \n]*)\nissued ([^ \n]*)\ndue ([^ \n]*)\n` +
	`((?:minimum [^ \n]* [^ \n]*\n)*)((?:key [^ \n]* [^ \n]*\n)*)((?:revoked [^ \n]* [^ \n]* [^ \n]* [^ \n]*(?: [^ \n]*)?\n)*)\z`)

var (
	laterList    = regexp.MustCompile(`\Alicet-revocations/v([2-9]|[1-9][0-9]+)\n`)
	listTime     = regexp.MustCompile(`\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z\z`)
	reasonCode   = regexp.MustCompile(`\A[a-z][a-z0-9-]{0,31}\z`)
	zeroID       = strings.Repeat("0", 16)
	maxReasons   = 1000
	listBegin    = "licet-revocations/v1\n"
	earliestTime = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
)

// openList reads a signed list for a ring. Part is what refuses it: the note or the
// list in it.
func openList(note string, r *ring) (l *vectorfile.List, text, part string, refused problem) {
	text, refused = openNote(note, r)
	if refused != "" {
		return nil, "", "note", refused
	}
	l, refused = readList(text)
	if refused == "" && l.Issuer != r.issuer {
		refused = "other-issuer"
	}
	if refused != "" {
		return nil, "", "list", refused
	}
	return l, text, "", ""
}

// readList is section 9.6.
func readList(text string) (l *vectorfile.List, refused problem) {
	defer recoverProblem(func(p problem) { l, refused = nil, p })
	need(!strings.HasPrefix(text, "licet-manifest/"), "manifest")
	need(!laterList.MatchString(text), "later-format")
	m := listGrammar.FindStringSubmatch(text)
	need(m != nil, "malformed")
	l = &vectorfile.List{Issuer: m[1], Sequence: m[2], Issued: m[3], Due: m[4]}
	need(goodName(l.Issuer), "bad-value")
	needNumbers(l.Sequence)
	needTimes(l.Issued, l.Due)
	for _, w := range wordsOf(m[5]) {
		l.Minimums = append(l.Minimums, vectorfile.Minimum{Product: w[1], Version: w[2]})
		needNumbers(w[1], w[2])
	}
	for _, w := range wordsOf(m[6]) {
		l.Keys = append(l.Keys, vectorfile.KeyState{KeyID: w[1], State: w[2]})
		need(w[2] == "closed" || w[2] == "withdrawn", "bad-value")
		needID(w[1])
	}
	reasons := map[string]bool{}
	for _, w := range wordsOf(m[7]) {
		e := vectorfile.Entry{KeyID: w[1], Product: w[2], First: w[3], Last: w[4]}
		needID(e.KeyID)
		needNumbers(e.Product, e.First, e.Last)
		need(decimal(e.First).Cmp(decimal(e.Last)) <= 0, "bad-value")
		if len(w) == 6 {
			need(reasonCode.MatchString(w[5]), "bad-value")
			e.Reason = w[5]
			reasons[e.Reason] = true
		}
		l.Entries = append(l.Entries, e)
	}
	need(len(reasons) <= maxReasons, "bad-value")
	needOrder(l)
	return l, ""
}

// wordsOf returns the words of each line.
func wordsOf(lines string) [][]string {
	var all [][]string
	for line := range strings.Lines(lines) {
		all = append(all, strings.Split(strings.TrimSuffix(line, "\n"), " "))
	}
	return all
}

func needNumbers(texts ...string) {
	for _, text := range texts {
		need(productNumber.MatchString(text) && decimal(text).Cmp(maxProduct) <= 0, "bad-value")
	}
}

func needID(text string) { need(idText.MatchString(text) && text != zeroID, "bad-value") }

func needTimes(issued, due string) {
	var times []time.Time
	for _, text := range []string{issued, due} {
		need(listTime.MatchString(text), "bad-value")
		t, err := time.Parse(time.RFC3339, text)
		need(err == nil && !t.Before(earliestTime), "bad-value")
		times = append(times, t)
	}
	need(times[1].After(times[0]), "bad-value")
}

// needOrder compares every line with all lines before it.
func needOrder(l *vectorfile.List) {
	for i, m := range l.Minimums {
		for _, before := range l.Minimums[:i] {
			need(decimal(before.Product).Cmp(decimal(m.Product)) < 0, "bad-order")
		}
	}
	for i, k := range l.Keys {
		for _, before := range l.Keys[:i] {
			need(before.KeyID < k.KeyID, "bad-order") // the digits sort as the bytes do
		}
	}
	for i, e := range l.Entries {
		for _, before := range l.Entries[:i] {
			needAfter(&e, &before)
		}
	}
}

func needAfter(e, before *vectorfile.Entry) {
	need(before.KeyID <= e.KeyID, "bad-order")
	if before.KeyID < e.KeyID {
		return
	}
	switch decimal(before.Product).Cmp(decimal(e.Product)) {
	case 1:
		panic(problem("bad-order"))
	case 0:
		gap := new(big.Int).Sub(decimal(e.First), decimal(before.Last))
		need(gap.Sign() > 0, "bad-order")
		need(gap.Cmp(big.NewInt(1)) > 0 || e.Reason != before.Reason, "bad-order")
	}
}

// lookUp returns the reason for which a licence is revoked, and whether it is.
func lookUp(l *vectorfile.List, keyID string, product, serial *big.Int) (reason string, revoked bool) {
	if l == nil {
		return "", false
	}
	for _, e := range l.Entries {
		if e.KeyID == keyID && decimal(e.Product).Cmp(product) == 0 && decimal(e.First).Cmp(serial) <= 0 && serial.Cmp(decimal(e.Last)) <= 0 {
			return e.Reason, true
		}
	}
	return "", false
}

// minimumIn returns the lowest version of a product that a list accepts.
func minimumIn(l *vectorfile.List, product *big.Int) *big.Int {
	if l != nil {
		for _, m := range l.Minimums {
			if decimal(m.Product).Cmp(product) == 0 {
				return decimal(m.Version)
			}
		}
	}
	return new(big.Int)
}

// stateIn returns what a list says of a key.
func stateIn(l *vectorfile.List, id string) string {
	if l != nil {
		for _, k := range l.Keys {
			if k.KeyID == id {
				return k.State
			}
		}
	}
	return "active"
}

// worse returns the worse of two states of a key.
func worse(a, b string) string {
	states := []string{"active", "closed", "withdrawn"}
	return states[max(slices.Index(states, a), slices.Index(states, b))]
}

// listText writes the text of a list of the issuer Acme Tools, right or wrong.
func listText(sequence, issued, due string, lines ...string) string {
	text := listBegin + "Acme Tools\nsequence " + sequence + "\nissued " + issued + "\ndue " + due + "\n"
	for _, line := range lines {
		text += line + "\n"
	}
	return text
}
