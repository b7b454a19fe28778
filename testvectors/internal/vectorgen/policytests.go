package main

import (
	"fmt"
	"log"
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

var policyNotes = map[string]string{
	"revoked": "Which licences a list revokes, and what else they fail.",
	"minimum": "Minimum versions, of the options and of a list.",
	"state":   "Keys that a list closes or withdraws.",
	"lists":   "Several lists: which one decides, and which are refused.",
	"update":  "Lists that come later.",
	"stale":   "The due time of a list.",
	"floor":   "The issue time of a list as a floor of the clock.",
	"grace":   "Days after the last day.",
	"warn":    "Days before the end.",
	"leeway":  "A clock that may be off.",
	"zone":    "Times with an offset.",
	"date":    "Leap days, and the last days of fields.",
	"order":   "Several reasons apply: the order of section 7 decides.",
	"forged":  "Codes that no honest mint makes: the check symbols are right.",
	"repair":  "Typing errors.",
}

// Keys of the rings of policy.json, besides those of others.
var (
	two14    = hs256(14, "", standard, 80, counting(0x70)).allowing(7, 8)
	bound15  = newKey(describe("hs256", 15, "", standard, "licensee", 80), counting(0x19))
	far16    = hs256(16, "", "product:9,version:8,start:21,expiry:21,serial:26", 80, counting(0x71))
	near17   = hs256(17, "", "product:9,version:8,expiry:8,serial:20", 80, counting(0x72))
	serial18 = hs256(18, "", "product:7,serial:53", 80, counting(0x73))
)

// A policySuite collects the tests of policy.json.
type policySuite struct {
	texts map[string]string
	rings map[string]*ring
	lists map[string]string
	tests []vectorfile.PolicyTest
}

func policyFile() vectorfile.PolicyFile {
	s := policySuite{texts: map[string]string{}, rings: map[string]*ring{}, lists: map[string]string{}}
	roles := []string{
		roleKeyText("list", &list1.PublicKey), roleKeyText("list", &list2.PublicKey),
		roleKeyTextIn("withdrawn", "list", &list4.PublicKey), roleKeyText("receipt", &receiptKey.PublicKey),
	}
	all := []*key{key8, key9, key11, key12, key13, two14, bound15, far16, near17, serial18, dated80, undated80}
	s.ring("acme", true, all, roles)
	s.ring("public", false, all, roles)
	s.ring("states", true, []*key{key8.inState("closed"), key9.inState("withdrawn"), two14}, roles)
	s.addRevoked()
	s.addMinimums()
	s.addKeyStates()
	s.addSequences()
	s.addUpdates()
	s.addStale()
	s.addFloor()
	s.addGrace()
	s.addWarn()
	s.addDates()
	return vectorfile.PolicyFile{
		Header: header("policy", "Section 7: revocation lists, minimum versions, and how a licence stands with time.", policyNotes, s.tests),
		Rings:  s.texts,
		Lists:  s.lists,
		Tests:  s.tests,
	}
}

func (s *policySuite) ring(name string, secrets bool, keys []*key, roles []string) {
	texts := roles
	for _, k := range keys {
		texts = append(texts[:len(texts):len(texts)], mintKeyText(k, secrets))
	}
	s.texts[name] = ringOfTexts(secrets, sevenAndEight, texts...)
	s.rings[name] = mustReadRing("policy", name, s.texts[name])
}

// When the lists are issued and due, unless a test says else, and when it is noon.
const (
	issued = "2026-12-01T09:30:00Z"
	due    = "2027-01-01T00:00:00Z"
	noon   = "2026-12-15T12:00:00Z"
)

// list adds a list with usual times, signed with the first list key.
func (s *policySuite) list(name, sequence string, lines ...string) {
	s.note(name, signNote(listText(sequence, issued, due, lines...), list1))
}

// note adds a signed list, or what is meant to be none.
func (s *policySuite) note(name, note string) {
	if s.lists[name] != "" || !kebab.MatchString(name) {
		log.Fatalf("policy: bad or repeated list %q", name)
	}
	s.lists[name] = note
}

// A given is what a verifier is told. Zero values are what most tests use.
type given struct {
	ring      string // acme
	products  string // 7; separated by spaces
	minimum   string
	lists     string // names, separated by spaces
	lowest    string
	updates   string // such as "13:taken 12:list-older"
	report    bool   // stale lists
	now       string // noon
	leeway    int64  // seconds
	built     string
	grace     int64 // days
	warn      int64
	shortTags bool
	binding   string
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// test adds a test. Want is what its author expects, as policySummary writes it.
func (s *policySuite) test(flags, name, comment, want, input string, g given) {
	t := vectorfile.PolicyTest{
		Test:           vectorfile.Test{Name: name, Comment: comment, Flags: strings.Fields(flags)},
		Ring:           or(g.ring, "acme"),
		Input:          input,
		Products:       strings.Fields(or(g.products, "7")),
		MinVersion:     g.minimum,
		Lists:          strings.Fields(g.lists),
		MinSequence:    g.lowest,
		Now:            or(g.now, noon),
		Leeway:         g.leeway,
		Built:          g.built,
		Grace:          g.grace,
		Warn:           g.warn,
		AllowShortTags: g.shortTags,
	}
	if g.binding != "" {
		t.Binding = &g.binding
	}
	if g.lists+g.updates != "" {
		t.Stale = "refuse"
	}
	if g.report {
		t.Stale = "report"
	}
	for _, u := range strings.Fields(g.updates) {
		list, result, _ := strings.Cut(u, ":")
		t.Updates = append(t.Updates, vectorfile.Update{List: list, Result: result})
	}
	v, decides := s.judge(&t)
	t.Family, t.Reason, t.Failures, t.License, t.KeyID = v.Family, v.Reason, v.Failures, v.License, v.KeyID
	t.BindingIgnored, t.Proposal = v.BindingIgnored, v.Proposal
	t.Status, t.Days, t.RevokedFor = v.status, v.days, v.revokedFor
	if decides != nil && v.License != nil {
		t.JudgedBy = &vectorfile.Judge{Sequence: decides.Sequence, Issued: decides.Issued, Due: decides.Due, Stale: v.stale}
	}
	if got := policySummary(&t); got != want {
		log.Fatalf("policy: %s: %q, want %q", name, got, want)
	}
	s.tests = append(s.tests, t)
}

// judge returns the verdict of a test, and the list that decides.
func (s *policySuite) judge(t *vectorfile.PolicyTest) (verdict, *vectorfile.List) {
	noteOf := func(name string) string {
		if s.lists[name] == "" {
			log.Fatalf("policy: %s: no list %q", t.Name, name)
		}
		return s.lists[name]
	}
	ring := s.rings[t.Ring]
	r := request{
		minimum:     decimal(or(t.MinVersion, "0")),
		now:         instant(t.Now),
		leeway:      time.Duration(t.Leeway) * time.Second,
		shortTags:   t.AllowShortTags,
		binding:     t.Binding,
		refuseStale: t.Stale == "refuse",
		grace:       t.Grace,
		warn:        t.Warn,
	}
	for _, p := range t.Products {
		r.products = append(r.products, decimal(p))
	}
	if t.Built != "" {
		r.built = instant(t.Built)
	}
	lists := shelf{ring: ring, lowest: or(t.MinSequence, "0")}
	var notes []string
	for _, name := range t.Lists {
		notes = append(notes, noteOf(name))
	}
	if refused := lists.start(notes); refused != "" {
		return cannotJudge(string(refused)), nil
	}
	for _, u := range t.Updates {
		if got := lists.offer(noteOf(u.List)); string(got) != u.Result {
			log.Fatalf("policy: %s: list %s is %q, want %q", t.Name, u.List, got, u.Result)
		}
	}
	r.list = lists.list
	return verify(t.Input, ring.mint, &r), lists.list
}

// policySummary is a verdict in a few words, such as "revoked(leaked) by 12".
func policySummary(t *vectorfile.PolicyTest) string {
	text := t.Reason
	switch t.Family {
	case "valid":
		text = t.Status
	case "not-acceptable":
		text = strings.Join(t.Failures, "+")
	}
	if t.RevokedFor != "" {
		text += "(" + t.RevokedFor + ")"
	}
	if t.Days != nil {
		text += fmt.Sprintf(" %d", *t.Days)
	}
	if t.BindingIgnored {
		text += " ignored"
	}
	if t.Proposal != "" {
		text += " repaired"
	}
	if t.JudgedBy != nil {
		text += " by " + t.JudgedBy.Sequence
		if t.JudgedBy.Stale {
			text += " stale"
		}
	}
	return text
}

// revokedLine returns the line of a list that revokes serials of a key.
func revokedLine(k *key, product, first, last string, reason ...string) string {
	return strings.Join(append([]string{"revoked", k.id, product, first, last}, reason...), " ")
}

// byID sorts lines of different keys as a list must have them.
func byID(lines ...string) []string { return slices.Sorted(slices.Values(lines)) }

func keyLine(id, state string) string { return "key " + id + " " + state }
