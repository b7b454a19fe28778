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
}

// verify judges a text.
func verify(input string, keys []*key, r *request) vectorfile.Result {
	marks, ok := normalize(input)
	if !ok {
		return *malformed("too-long").result
	}
	got := read(marks, keys, r)
	if got.result != nil {
		return *got.result
	}
	reason, values := authenticate(got.key, got.body, r)
	switch reason {
	case "":
		return r.judge(got.key, values)
	case "no-secret", "short-tag":
		return vectorfile.Result{Family: "cannot-judge", Reason: reason}
	}
	return vectorfile.Result{Family: "not-authentic", Reason: reason}
}

// shortest is the number of tag bits from which a key needs no consent.
const shortest = 65

// authenticate is steps 1 to 7 of section 7 for a body that reads by rule A.
func authenticate(k *key, body string, r *request) (reason string, values fields) {
	if k.state == "withdrawn" {
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
func (r *request) judge(k *key, values fields) vectorfile.Result {
	floor := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	if r.built.After(floor) {
		floor = r.built
	}
	latest, earliest := r.now.Add(r.leeway), r.now.Add(-r.leeway)
	if latest.Before(floor) {
		return vectorfile.Result{Family: "cannot-judge", Reason: "clock-behind"}
	}
	var failures []string
	wanted := false
	for _, p := range r.products {
		wanted = wanted || p.Cmp(values["product"]) == 0
	}
	if !wanted {
		failures = append(failures, "wrong-product")
	}
	if values.get("version").Cmp(r.minimum) < 0 {
		failures = append(failures, "below-minimum")
	}
	if big.NewInt(dayOf(latest)).Cmp(values.get("start")) < 0 {
		failures = append(failures, "not-yet-valid")
	}
	expiry := values.get("expiry")
	if expiry.Sign() > 0 && big.NewInt(dayOf(earliest)).Cmp(expiry) > 0 {
		failures = append(failures, "expired")
	}
	result := vectorfile.Result{
		Family:         "valid",
		Failures:       failures,
		License:        licenseOf(values),
		KeyID:          k.id,
		BindingIgnored: k.bind == "none" && r.binding != nil && *r.binding != "",
	}
	if len(failures) > 0 {
		result.Family, result.Reason = "not-acceptable", failures[0]
	}
	return result
}

// get returns the named field, 0 if the layout lacks it.
func (f fields) get(name string) *big.Int {
	if v := f[name]; v != nil {
		return v
	}
	return new(big.Int)
}
