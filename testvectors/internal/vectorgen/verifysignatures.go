package main

import (
	"fmt"
	"math/big"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

// addForgeries adds well-formed codes that are not authentic.
func (s *verifySuite) addForgeries() {
	acme := key8.issue("1000").body
	single := key12.issue("1").body
	for i := 2; i <= 17; i++ {
		s.test("forged every-place", fmt.Sprintf("coupon-forged-at-%d", i), "the check symbols are made right again", "bad-signature",
			withCheck(change(single, i, 5)[:17]), shortTags)
	}
	s.test("forged", "coupon-insider", "payload symbols of one coupon, signature symbols of another", "bad-signature",
		withCheck(single[:10]+key12.issue("2").body[10:17]), shortTags)
	s.test("forged", "coupon-insider-next-serial", "whoever knows the payload flips its lowest bit in the masked symbols", "bad-signature",
		withCheck(replaced(single, 9, flipped(single[9:10]))[:17]), shortTags)
	s.test("forged", "forged-standard", "", "bad-signature", withCheck(change(acme, 12, 1)[:29]))
	s.test("forged", "forged-last-bit-of-the-tag", "", "bad-signature", withCheck(replaced(acme, 28, flipped(acme[28:29]))[:29]))
	s.test("forged", "forged-first-bit-of-the-tag", "", "bad-signature", withCheck(change(acme, 14, 16)[:29]))
	es := key9.issue("1000").body
	s.test("forged", "forged-es256-payload", "", "bad-signature", withCheck(change(es, 12, 1)[:116]))
	s.test("forged", "forged-es256-signature", "another s", "bad-signature", withCheck(change(es, 110, 1)[:116]))
	s.test("forged", "forged-es256-other-payload", "the mask of es256 can be put right by anyone, the signature can't", "bad-signature",
		key9.withSignature(&minted{payload: key9.pack(fieldsOf(key9.example("1001")))}, key9.issue("1000").r, key9.issue("1000").s).body)
	zeros := key8.assemble(new(big.Int), new(big.Int))
	s.test("forged", "all-zero", "masked and shown of zeros", "bad-signature", zeros)

	for _, c := range []struct{ name, product, serial string }{{"product-0", "0", "1"}, {"serial-0", "7", "0"}, {"product-and-serial-0", "0", "0"}} {
		license := vectorfile.Fields{"product": c.product, "version": "3", "expiry": "2027-12-31", "serial": c.serial}
		s.test("forged", c.name, "the tag is right, but no mint makes it", "bad-signature", key8.mintFields(license).code())
		s.test("forged", c.name+"-es256", "the signature is right, but no mint makes it", "bad-signature", key9.mintFields(license).code())
	}
	license := with(key8.example("1"), "product", "8")
	s.test("forged", "product-not-allowed", "product 8 is in the ring, but not for this key", "product-not-allowed", key8.mintFields(license).code(), products("7", "8"))
	s.test("forged", "product-not-allowed-es256", "", "product-not-allowed", key9.mintFields(license).code(), products("7", "8"))
	s.test("forged", "product-not-in-the-ring", "", "product-not-allowed", key8.mintFields(with(license, "product", "9")).code(), products("9"))
	s.test("forged order", "product-not-allowed-and-expired", "policy comes after", "product-not-allowed", key8.mintFields(license).code(), at("2030-01-01T00:00:00Z"))
	s.test("forged order", "serial-0-of-a-product-not-allowed", "step 6 before step 7", "bad-signature", key8.mintFields(with(license, "serial", "0")).code())
	twin := newKey(key8.text, counting(0x15))
	s.test("forged", "same-descriptor-other-secret", "", "bad-signature", twin.issue("1000").code())
	esTwin := newKey(key9.text, counting(0x15))
	s.test("forged", "same-descriptor-other-private-key", "", "bad-signature", esTwin.issue("1000").code())
}

// flipped returns the symbol whose value differs in the lowest bit.
func flipped(symbol string) string {
	v := value(symbol).Int64()
	return sym(int(v ^ 1))
}

// addSignatures adds es256 codes whose signature is spelled in unusual ways.
func (s *verifySuite) addSignatures() {
	m := key9.issue("1000")
	high, zeroR, zeroS, der := key9.searchSignatures()
	s.test("signature", "es256-s-was-high", "s was replaced by n less s", "valid", key9.issue(high).code())
	s.test("signature", "es256-r-begins-with-zero", "", "valid", key9.issue(zeroR).code())
	s.test("signature", "es256-s-begins-with-zero", "", "valid", key9.issue(zeroS).code())
	s.test("signature", "es256-r-begins-with-30", "not DER", "valid", key9.issue(der).code())

	less := func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }
	zero, one := new(big.Int), big.NewInt(1)
	signed := func(name, comment, want string, r, ss *big.Int, options ...option) {
		s.test("signature", name, comment, want, key9.withSignature(m, r, ss).code(), options...)
	}
	signed("es256-twin", "n less s is the same signature in another spelling", "signature-range", m.r, less(order, m.s))
	signed("es256-r-0", "", "signature-range", zero, m.s)
	signed("es256-s-0", "", "signature-range", m.r, zero)
	signed("es256-both-0", "", "signature-range", zero, zero)
	signed("es256-r-n", "", "signature-range", order, m.s)
	signed("es256-s-n", "", "signature-range", m.r, order)
	signed("es256-r-beyond-n", "r and n", "signature-range", new(big.Int).Add(order, one), m.s)
	signed("es256-r-of-ones", "2^256-1", "signature-range", less(new(big.Int).Lsh(one, 256), one), m.s)
	signed("es256-s-of-ones", "2^256-1", "signature-range", m.r, less(new(big.Int).Lsh(one, 256), one))
	signed("es256-r-1", "in range, and wrong", "bad-signature", one, m.s)
	signed("es256-r-n-minus-1", "in range, and wrong", "bad-signature", less(order, one), m.s)
	signed("es256-s-1", "in range, and wrong", "bad-signature", m.r, one)
	signed("es256-s-highest", "(n-1)/2 is in range, and wrong", "bad-signature", m.r, highest)
	signed("es256-s-above-highest", "one more is out of range", "signature-range", m.r, new(big.Int).Add(highest, one))
	signed("es256-exchanged", "s and r", "bad-signature", m.s, m.r)
	signed("es256-range-in-a-public-ring", "", "signature-range", m.r, less(order, m.s), in("seven-public"))

	for i, name := range []string{"lowest", "middle", "highest"} {
		bit := new(big.Int).Lsh(one, uint(512+i))
		s.test("signature", "es256-spare-bit-"+name, "", "spare-bits", key9.assemble(m.masked, new(big.Int).Add(m.shown, bit)))
	}
	bits := new(big.Int).Lsh(big.NewInt(7), 512)
	s.test("signature order", "es256-spare-bits-and-range", "spare bits come first", "spare-bits",
		key9.assemble(m.masked, new(big.Int).Add(bits, less(order, one))))
	s.test("signature repair", "es256-spare-bit-and-typo", "the repair would be refused, so nothing is named", "typo",
		change(key9.assemble(m.masked, new(big.Int).Add(m.shown, bits)), 50, 3))
	s.test("signature repair", "es256-twin-and-typo", "the repair would be refused, so nothing is named", "typo",
		change(key9.withSignature(m, m.r, less(order, m.s)).body, 50, 3))
}

// addDescriptors adds the five codes of keys that differ in one part of the
// descriptor, each under each of the five keys.
func (s *verifySuite) addDescriptors() {
	wants := map[string]string{
		// Which code under which ring is neither valid nor has a bad signature.
		"number base": "unknown-key", "number prefix": "unknown-key", "number field": "unknown-key", "number bind": "unknown-key",
		"base number": "unknown-key", "prefix number": "unknown-key", "field number": "unknown-key", "bind number": "unknown-key",
	}
	for _, name := range changedNames {
		s.ring("changed-"+name, ringText(true, []int{7}, changed[name]))
	}
	for _, code := range changedNames {
		k := changed[code]
		m := k.mint(k.pack(fieldsOf(changedLicense(k))), k.boundTo(boundText))
		for _, ring := range changedNames {
			want := "bad-signature"
			if w := wants[code+" "+ring]; w != "" {
				want = w
			}
			if code == ring {
				want = "valid"
			}
			options := []option{in("changed-" + ring)}
			if ring == "bind" {
				options = append(options, binding(boundText))
			}
			s.test("descriptor", "code-of-"+code+"-under-"+ring, "", want, m.bare(), options...)
		}
		s.test("descriptor", "code-of-"+code+"-under-another-number", "the first symbol is changed to the number of the ring, and the check symbols are made right",
			map[bool]string{true: "valid", false: "bad-signature"}[code == "number"], withCheck(sym(9)+m.body[1:29]), in("changed-number"))
	}
}
