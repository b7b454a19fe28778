package main

import (
	"crypto/ecdsa"
	"math/big"
	"time"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

// A request is what a verifier is told beside the text.
type request struct {
	products  []*big.Int
	minimum   *big.Int
	now       time.Time
	leeway    time.Duration
	built     time.Time // zero if not given
	shortTags bool
	binding   *string

	list        *vectorfile.List // nil if there is none
	refuseStale bool
	grace, warn int64 // days
}

// A verdict is a result and what a list and the time add to it.
type verdict struct {
	vectorfile.Result
	revokedFor string
	status     string // of an accepted licence
	days       *int64 // left, where the status counts them
	stale      bool   // whether the list is
}

func cannotJudge(reason string) verdict {
	return verdict{Result: vectorfile.Result{Family: "cannot-judge", Reason: reason}}
}

// verify judges a text.
func verify(input string, keys []*key, r *request) verdict {
	marks, ok := normalize(input)
	if !ok {
		return verdict{Result: *malformed("too-long").result}
	}
	got := read(marks, keys, r)
	if got.result != nil {
		return verdict{Result: *got.result}
	}
	reason, values := authenticate(got.key, got.body, r)
	switch reason {
	case "":
		return r.judge(got.key, values)
	case "no-secret", "short-tag":
		return cannotJudge(reason)
	}
	return verdict{Result: vectorfile.Result{Family: "not-authentic", Reason: reason}}
}

// shortest is the number of tag bits from which a key needs no consent.
const shortest = 65

// authenticate is steps 1 to 7 of section 7 for a body that reads by rule A.
func authenticate(k *key, body string, r *request) (reason string, values fields) {
	if worse(k.state, stateIn(r.list, k.id)) == "withdrawn" {
		return "key-withdrawn", nil
	}
	if k.bind != "none" && refusedBinding(r.binding) {
		return "binding-required", nil
	}
	context := k.contextOf(r.binding)
	masked := value(body[1 : 1+k.payloadBits()/5])
	shown := value(body[1+k.payloadBits()/5 : len(body)-3])
	var payload *big.Int
	if k.suite == "hs256" {
		if k.secret == nil {
			return "no-secret", nil
		}
		if k.sig < shortest && !r.shortTags {
			return "short-tag", nil
		}
		tag := xor(shown, k.coverOf(masked))
		payload = xor(masked, top(mac(hkdf(k.secret, k.text, "mask"), bytesOf(tag, k.sig)), k.payloadBits()))
		if k.tagOf(payload, context).Cmp(tag) != 0 {
			return "bad-signature", nil
		}
	} else {
		if shown.BitLen() > 512 {
			return "spare-bits", nil
		}
		rs, ss := new(big.Int), new(big.Int)
		rs.DivMod(shown, new(big.Int).Lsh(big.NewInt(1), 256), ss)
		if rs.Sign() == 0 || rs.Cmp(order) >= 0 || ss.Sign() == 0 || ss.Cmp(highest) > 0 {
			return "signature-range", nil
		}
		payload = xor(masked, k.publicMask(shown))
		if !ecdsa.Verify(k.public, k.digestOf(payload, context), rs, ss) {
			return "bad-signature", nil
		}
	}
	values = k.unpack(payload)
	if values["product"].Sign() == 0 || values["serial"].Sign() == 0 {
		return "bad-signature", nil
	}
	if !k.allows(values["product"]) {
		return "product-not-allowed", nil
	}
	return "", values
}

// judge is step 8 of section 7, for a licence that is authentic.
func (r *request) judge(k *key, values fields) verdict {
	floor := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	if r.built.After(floor) {
		floor = r.built
	}
	if r.list != nil && instant(r.list.Issued).After(floor) {
		floor = instant(r.list.Issued)
	}
	latest, earliest := r.now.Add(r.leeway), r.now.Add(-r.leeway)
	if latest.Before(floor) {
		return cannotJudge("clock-behind")
	}
	stale := r.list != nil && earliest.After(instant(r.list.Due))
	if stale && r.refuseStale {
		return cannotJudge("list-stale")
	}
	var failures []string
	check := func(reason string, fails bool) {
		if fails {
			failures = append(failures, reason)
		}
	}
	product, version := values["product"], values.get("version")
	start, expiry := values.get("start").Int64(), values.get("expiry").Int64() // at most 21 bits
	revokedFor, revoked := lookUp(r.list, k.id, product, values["serial"])
	check("wrong-product", !containsNumber(r.products, product))
	check("revoked", revoked)
	check("below-minimum", version.Cmp(r.minimum) < 0 || version.Cmp(minimumIn(r.list, product)) < 0)
	check("not-yet-valid", dayOf(latest) < start)
	check("expired", expiry != 0 && dayOf(earliest) > expiry+r.grace)
	v := verdict{
		Result: vectorfile.Result{
			Family:         "valid",
			Failures:       failures,
			License:        licenseOf(values),
			KeyID:          k.id,
			BindingIgnored: k.bind == "none" && r.binding != nil && *r.binding != "",
		},
		stale: stale,
	}
	if len(failures) > 0 {
		v.Family, v.Reason, v.revokedFor = "not-acceptable", failures[0], revokedFor
		return v
	}
	v.status = "valid"
	switch {
	case expiry == 0:
	case dayOf(earliest) > expiry:
		v.status, v.days = "in-grace", pointer(expiry+r.grace-dayOf(earliest))
	case r.warn > 0 && dayOf(r.now) > expiry-r.warn:
		v.status, v.days = "expiring", pointer(max(0, expiry-dayOf(r.now)))
	}
	return v
}

// get returns the named field, 0 if the layout lacks it.
func (f fields) get(name string) *big.Int {
	if v := f[name]; v != nil {
		return v
	}
	return new(big.Int)
}
