package main

import (
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier/internal/policy"
	"github.com/licet-dev/licet/verifier/revocation"
)

const (
	product     = 7
	minVersion  = 100 // in the rules
	listMinimum = 50  // in the list, so below both in half of the cases
	today       = payload.Day(1000)
	span        = 900 // days before and after today
)

var keyID = keys.ID{0xca, 0x3f, 0x20, 0x93, 0xe4, 0xfe, 0x14, 0x55}

// newEntries returns n ranges of serials with gaps between them. Half of them have one
// serial only.
func newEntries(r *random, n int) []revocation.Entry {
	all := make([]revocation.Entry, n)
	serial := uint64(0)
	for i := range all {
		first := serial + 2 + r.below(1000)
		serial = first + r.below(2)*r.below(100)
		all[i] = revocation.Entry{KeyID: keyID, Product: product, First: first, Last: serial}
	}
	return all
}

func newRules(all []revocation.Entry) *policy.Rules {
	now := today.Time()
	d := revocation.Draft{
		Issuer: "Acme Tools", Sequence: 1, Issued: now, Due: now.Add(24 * time.Hour),
		Minimums: map[uint64]uint64{product: listMinimum},
	}
	for _, e := range all {
		if err := d.Revoke(e); err != nil {
			panic(err)
		}
	}
	list, err := d.List()
	if err != nil {
		panic(err)
	}
	return &policy.Rules{Products: []uint64{product}, MinVersion: minVersion, List: list}
}

// randomLicence returns a licence that fails the given checks, of revoked, below the
// minimum and expired, and no others. Whatever they are, its serial leads to an entry of which
// all are equally likely: it is inside when it is revoked and behind, before the next one,
// otherwise. Both serials are always made and one is taken, and so with the rest.
func randomLicence(r *random, all []revocation.Entry, fails policy.Failures) payload.License {
	i := r.below(uint64(len(all) - 1))
	e, next := &all[i], &all[i+1]
	serials := [2]uint64{
		e.Last + 1 + r.below(next.First-e.Last-1),
		e.First + r.below(e.Last-e.First+1),
	}
	v := r.below(minVersion)
	versions := [2]uint64{minVersion + v, v}
	d := payload.Day(r.below(span))
	days := [2]payload.Day{today + d, today - 1 - d}
	return payload.License{
		Product: product,
		Serial:  serials[bit(fails, policy.Revoked)],
		Version: versions[bit(fails, policy.BelowMinimum)],
		Expiry:  days[bit(fails, policy.Expired)],
	}
}

// bit returns 1 if a check is among those that fail, and 0 otherwise. The check is a
// power of two that is the same in all calls of an experiment.
func bit(fails, check policy.Failures) int { return int(fails / check & 1) }

func policyExperiments(r *random, entries int) []*experiment {
	all := newEntries(r, entries)
	rules := newRules(all)
	const calls = 16
	licences := make([]payload.License, batch*calls)

	// against returns an experiment with licences that fail a check, or none if it is 0,
	// and licences that fail none.
	against := func(name string, check policy.Failures, classes [2]string) *experiment {
		return &experiment{
			name: name, classes: classes, calls: calls, random: r, want: [2]int{int(check), 0},
			fill: func(i, class int) {
				licences[i] = randomLicence(r, all, [2]policy.Failures{check, 0}[class])
			},
			run: func(a, b int) (failures int) {
				for i := a; i < b; i++ {
					failures += int(rules.Check(keyID, &licences[i], today, today))
				}
				return failures
			},
		}
	}
	leaky := against("leaky-list", policy.Revoked, [2]string{"revoked", "not revoked"})
	leaky.control = true
	leaky.run = func(a, b int) (failures int) {
		for i := a; i < b; i++ {
			if leakySearch(all, licences[i].Serial) {
				failures += int(policy.Revoked)
			}
		}
		return failures
	}
	return []*experiment{
		against("revoked", policy.Revoked, [2]string{"revoked", "not revoked"}),
		against("below-minimum", policy.BelowMinimum, [2]string{"below minimum", "not below"}),
		against("expired", policy.Expired, [2]string{"expired", "not expired"}),
		against("same", 0, [2]string{"not revoked", "not revoked"}),
		leaky,
	}
}

// leakySearch is what [revocation.List.Revoked] must not be: it stops where it finds the
// serial.
func leakySearch(all []revocation.Entry, serial uint64) bool {
	for len(all) > 0 {
		half := len(all) / 2
		switch e := &all[half]; {
		case serial < e.First:
			all = all[:half]
		case serial > e.Last:
			all = all[half+1:]
		default:
			return true
		}
	}
	return false
}
