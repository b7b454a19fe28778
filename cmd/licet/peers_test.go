package main

import (
	"crypto/rand"
	"math/bits"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
	"github.com/licet-dev/licet/verifier"
)

// BenchmarkPeers sets licet beside other ways to say the same: product, version,
// expiry and serial in a signed token of JSON, and codes of three forms that
// articles on the subject propose. The latter are not signed, so whoever knows the
// form can make them: they show what a code costs that is only checked for typing
// errors. The metric chars is the length of a code.
func BenchmarkPeers(b *testing.B) {
	b.Run("licet/hs256", func(b *testing.B) { benchLicet(b, 8) })
	b.Run("licet/es256", func(b *testing.B) { benchLicet(b, 9) })
	b.Run("jwt/HS256", func(b *testing.B) {
		secret := make([]byte, 32)
		benchJWT(b, jwt.SigningMethodHS256, secret, secret)
	})
	b.Run("jwt/ES256", func(b *testing.B) {
		private, err := keys.GenerateRole(keys.List) // any key on P-256
		if err != nil {
			b.Fatal(err)
		}
		ec, err := private.ECDSA()
		if err != nil {
			b.Fatal(err)
		}
		benchJWT(b, jwt.SigningMethodES256, ec, &ec.PublicKey)
	})
	for _, c := range []struct {
		name string
		make func() string
		good func(string) bool
	}{
		{"random8", makeRandom8, goodRandom8},
		{"random10", makeRandom10, goodRandom10},
		{"numbered", func() string { return makeNumbered(7, 1000) }, goodNumbered},
	} {
		b.Run(c.name+"/make", func(b *testing.B) {
			var code string
			for b.Loop() {
				code = c.make()
			}
			b.ReportMetric(float64(len(code)), "chars")
		})
		b.Run(c.name+"/check", func(b *testing.B) {
			code := c.make()
			for b.Loop() {
				if !c.good(code) {
					b.Fatal(code)
				}
			}
			b.ReportMetric(float64(len(code)), "chars")
		})
	}
}

// peerExpiry is the last day of the licence of all.
var peerExpiry = payload.Day(40 * 366)

func benchLicet(b *testing.B, number int) {
	a := newTestApp(b)
	h, err := home.Open(a.dir)
	if err != nil {
		b.Fatal(err)
	}
	key, _ := h.Ring.MintKey(number)
	private, err := h.Private(key, &a.unlock)
	if err != nil {
		b.Fatal(err)
	}
	s, err := signer.New(key, private, signer.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if key, err = key.Attach(private); err != nil {
		b.Fatal(err)
	}
	ring, err := h.Ring.Replace(key)
	if err != nil {
		b.Fatal(err)
	}
	v, err := verifier.New(ring, verifier.Options{Products: []uint64{7}})
	if err != nil {
		b.Fatal(err)
	}
	lic := payload.License{Product: 7, Version: 3, Expiry: peerExpiry, Serial: 1000}
	b.Run("sign", func(b *testing.B) {
		buf := make([]byte, 0, 256)
		for b.Loop() {
			if buf, err = s.AppendCode(buf[:0], &lic); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(buf)), "chars")
	})
	b.Run("verify", func(b *testing.B) {
		code, err := s.AppendCode(nil, &lic)
		if err != nil {
			b.Fatal(err)
		}
		text := string(code)
		for b.Loop() {
			if _, err := v.Verify(text); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(text)), "chars")
	})
}

// tokenClaims are the four facts, under names that are as short as can be.
type tokenClaims struct {
	Product uint64 `json:"p"`
	Version uint64 `json:"v"`
	jwt.RegisteredClaims
}

func benchJWT(b *testing.B, method jwt.SigningMethod, private, public any) {
	claims := tokenClaims{7, 3, jwt.RegisteredClaims{ExpiresAt: jwt.NewNumericDate((peerExpiry + 1).Time().Add(-time.Second)), ID: "1000"}}
	sign := func() string {
		token, err := jwt.NewWithClaims(method, claims).SignedString(private)
		if err != nil {
			b.Fatal(err)
		}
		return token
	}
	b.Run("sign", func(b *testing.B) {
		var token string
		for b.Loop() {
			token = sign()
		}
		b.ReportMetric(float64(len(token)), "chars")
	})
	b.Run("verify", func(b *testing.B) {
		token := sign()
		parser := jwt.NewParser(jwt.WithValidMethods([]string{method.Alg()}), jwt.WithExpirationRequired())
		key := func(*jwt.Token) (any, error) { return public, nil }
		for b.Loop() {
			var got tokenClaims
			if _, err := parser.ParseWithClaims(token, &got, key); err != nil || got.Product != 7 || got.ID != "1000" {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(token)), "chars")
	})
}

// A prefix, eight random symbols, and one check symbol: the sum of index + 1 times
// position, modulo 32.
const (
	peerPrefix   = "ACME"
	peerAlphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
)

// randomSymbols appends random symbols.
func randomSymbols(dst []byte, n int) []byte {
	var random [16]byte
	rand.Read(random[:n])
	for _, r := range random[:n] {
		dst = append(dst, peerAlphabet[r%32])
	}
	return dst
}

func check8(symbols string) byte {
	sum := 0
	for i := range len(symbols) {
		sum += (strings.IndexByte(peerAlphabet, symbols[i]) + 1) * (i + 1)
	}
	return peerAlphabet[sum%32]
}

func makeRandom8() string {
	symbols := randomSymbols(make([]byte, 0, 9), 8)
	return peerPrefix + "-" + string(append(symbols, check8(string(symbols))))
}

func goodRandom8(code string) bool {
	symbols, ok := strings.CutPrefix(code, peerPrefix+"-")
	return ok && len(symbols) == 9 && check8(symbols[:8]) == symbols[8]
}

// Ten random symbols and one check symbol: the sum of index times weight, modulo
// 32, the weights being 1 to 13 over and over; in groups of four.
func check10(symbols string) byte {
	sum := 0
	for i := range len(symbols) {
		sum += strings.IndexByte(peerAlphabet, symbols[i]) * (i%13 + 1)
	}
	return peerAlphabet[sum%32]
}

func makeRandom10() string {
	s := randomSymbols(make([]byte, 0, 11), 10)
	s = append(s, check10(string(s)))
	return string(s[:4]) + "-" + string(s[4:8]) + "-" + string(s[8:])
}

func goodRandom10(code string) bool {
	s := strings.ReplaceAll(code, "-", "")
	return len(s) == 11 && check10(s[:10]) == s[10]
}

// A scheme of 15 bits and a serial of 30, then how many of their bits are one, in 6
// bits, and the number modulo 127, in 7; all of it in base 33 with an alphabet that
// was shuffled.
const (
	numberedAlphabet = "K7PZ3QWB9XJ2MTFA5VRD8GYHN4SC6LEU1"
	numberedLength   = 12
)

func makeNumbered(scheme, serial uint64) string {
	r := scheme | serial<<15
	n := r<<13 | uint64(bits.OnesCount64(r))<<7 | r%127
	var code [numberedLength]byte
	for i := len(code) - 1; i >= 0; i-- {
		code[i] = numberedAlphabet[n%33]
		n /= 33
	}
	return string(code[:])
}

func goodNumbered(code string) bool {
	if len(code) != numberedLength {
		return false
	}
	n := uint64(0)
	for i := range len(code) {
		digit := strings.IndexByte(numberedAlphabet, code[i])
		if digit < 0 {
			return false
		}
		n = n*33 + uint64(digit)
	}
	r := n >> 13
	return r < 1<<45 && n>>7&63 == uint64(bits.OnesCount64(r)) && n&127 == r%127
}
