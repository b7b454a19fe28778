package activation_test

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/hex"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer/manifest"
	"github.com/licet-dev/licet/verifier"
)

// richLicense holds at noon and has a value in every field.
func richLicense(serial uint64) payload.License {
	lic := payload.License{Product: 7, Version: 3, Start: payload.Date(2026, 1, 1), Expiry: payload.Date(2027, 12, 31), Features: 5, Serial: serial}
	lic.Extra.Set("rack", 9)
	return lic
}

// richManifest is the manifest of such licences, 1 to 100.
func richManifest(binding string) []byte {
	return newManifest(func(m *manifest.Manifest) {
		m.KeyID, m.KeyNumber, m.Version = rich.ID(), 17, new(uint64(3))
		m.Start, m.Expiry = payload.Date(2026, 1, 1), payload.Date(2027, 12, 31)
		m.Fields = map[string]uint64{"features": 5, "rack": 9}
		m.Binding = must(receipt.NewSubject(receipt.Device, binding)).Hash // the SHA-256 of the text
	})
}

func withRich(c *activation.Config) { c.Manifests = append(c.Manifests, richManifest("Acme")) }

func seatsLicense(serial, n uint64) payload.License {
	return payload.License{Product: 7, Version: 3, Start: payload.Date(2026, 1, 1), Expiry: payload.Date(2027, 12, 31), Seats: n, Edition: 2, Serial: serial}
}

// A receipt says what the code says, for whom, and until when; a product verifies it
// with public keys only, EP-11 and EP-20.
func TestActivate(t *testing.T) {
	s := newService(withRich)
	for name, tt := range map[string]struct {
		key testKey
		lic payload.License
		req activation.Request
	}{
		"hs256":        {hs, license(1), request(hs.mint(license(1)))},
		"es256":        {es, license(1), request(es.mint(license(1)))},
		"coupon":       {coupon, couponLicense(1), request(coupon.mint(couponLicense(1)))},
		"65 bits":      {justLong, couponLicense(1), request(justLong.mint(couponLicense(1)))},
		"seats":        {seats, seatsLicense(1, 3), request(seats.mint(seatsLicense(1, 3)))},
		"bound":        {bound, license(1), request(bound.mint(license(1), "machine 1"), func(r *activation.Request) { r.Binding = "machine 1" })},
		"rich":         {rich, richLicense(1), request(rich.mint(richLicense(1), "Acme"), func(r *activation.Request) { r.Binding = "Acme" })},
		"sloppy":       {hs, license(1), request(" " + strings.ToLower(strings.ReplaceAll(hs.mint(license(1)), "-", " ")) + "\n")},
		"no address":   {hs, license(1), request(hs.mint(license(1)), func(r *activation.Request) { r.From = netip.Addr{} })},
		"with binding": {hs, license(1), request(hs.mint(license(1)), func(r *activation.Request) { r.Binding = "nothing asks for it" })},
	} {
		reply, err := s.Activate(t.Context(), tt.req)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		code := activation.NewCodeID(tt.key.ID(), 7, 1)
		if reply.Outcome != activation.Granted || reply.Code != code || reply.KeyID != tt.key.ID() || reply.Sequence != 0 {
			t.Errorf("%s: %+v", name, reply)
		}
		if reply.Seat.Subject != activation.NewSubjectID(code, tt.req.Subject) {
			t.Errorf("%s: seat of %s", name, reply.Seat.Subject)
		}
		v := customer(t, noon)
		lic, err := v.VerifyReply(reply.Receipt, tt.req.Subject, tt.req.Nonce)
		if err != nil {
			t.Errorf("%s: the receipt: %v", name, err)
			continue
		}
		got, want := must(tt.key.Layout().AppendPayload(nil, &lic.License)), must(tt.key.Layout().AppendPayload(nil, &tt.lic))
		if !bytes.Equal(got, want) || lic.KeyID != tt.key.ID() {
			t.Errorf("%s: the receipt is of %+v, want %+v", name, lic.License, tt.lic)
		}
		r, _ := lic.Receipt()
		if r.KeyID != receiptKey.ID() || !r.Issued.Equal(noon) || !r.RefreshBy.Equal(noon.Add(lease.Refresh)) || !r.End.Equal(noon.Add(lease.Refresh+lease.Grace)) || r.SeatsEnforced {
			t.Errorf("%s: receipt %+v", name, r)
		}
		if _, err := v.VerifyReply(reply.Receipt, tt.req.Subject, nonce+"x"); !errors.Is(err, verifier.WrongNonce) {
			t.Errorf("%s: to another request: %v", name, err)
		}
		if _, err := v.VerifyReceipt(reply.Receipt, device("another")); !errors.Is(err, verifier.WrongSubject) {
			t.Errorf("%s: on another device: %v", name, err)
		}
	}
}

// Another library that knows nothing of licences verifies a receipt.
func TestReceiptIsJWT(t *testing.T) {
	reply := must(newService().Activate(t.Context(), request(es.mint(license(1)))))
	public := func(token *jwt.Token) (any, error) {
		for _, k := range ring.Keys() {
			if k.ID().String() == token.Header["kid"] {
				return k.Public().ECDSA(), nil
			}
		}
		return (*ecdsa.PublicKey)(nil), errors.New("no such key")
	}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"ES256"}), jwt.WithTimeFunc(at(noon)), jwt.WithExpirationRequired(), jwt.WithIssuedAt())
	token, err := parser.Parse(reply.Receipt, public)
	if err != nil {
		t.Fatal(err)
	}
	claims := token.Claims.(jwt.MapClaims)
	hash := device(fingerprint).Hash
	if claims["iss"] != "Acme Tools" || claims["sub"] != hex.EncodeToString(hash[:]) || claims["nonce"] != nonce || claims["seats_enforced"] != false {
		t.Errorf("claims %v", claims)
	}
	if lic := claims["license"].(map[string]any); lic["serial"] != "1" || lic["key_id"] != es.ID().String() {
		t.Errorf("licence %v", lic)
	}
	parts := strings.Split(reply.Receipt, ".")
	other := must(newService().Activate(t.Context(), request(es.mint(license(2)))))
	if _, err := parser.Parse(parts[0]+"."+strings.Split(other.Receipt, ".")[1]+"."+parts[2], public); !errors.Is(err, jwt.ErrTokenSignatureInvalid) {
		t.Errorf("other claims under the signature: %v", err)
	}
}

func TestPreview(t *testing.T) {
	s := newService(func(c *activation.Config) {
		c.Lists, c.Stale = [][]byte{newList(7)}, verifier.RefuseStale
		c.Default.Seats = 4
	})
	for name, tt := range map[string]struct {
		key  testKey
		lic  payload.License
		want int64
	}{
		"policy":    {hs, license(1), 4},
		"3 seats":   {seats, seatsLicense(1, 3), 3},
		"unlimited": {seats, seatsLicense(1, 0), activation.Unlimited},
	} {
		r := activation.Request{Code: tt.key.mint(tt.lic), Product: 7} // no subject, no nonce, no key
		p, err := s.Preview(t.Context(), r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Seats != tt.want || p.License.Serial != 1 || p.KeyID != tt.key.ID() || p.Kind != receipt.Device || p.Sequence != 7 || p.Code != activation.NewCodeID(tt.key.ID(), 7, 1) {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if _, err := s.Preview(t.Context(), activation.Request{Code: hs.mint(license(1))}); !errors.Is(err, activation.BadRequest) {
		t.Errorf("no product: %v", err)
	}
	if _, err := s.Preview(t.Context(), activation.Request{Code: hs.forger().mint(license(1)), Product: 7}); !errors.Is(err, activation.CodeRefused) {
		t.Errorf("forged: %v", err)
	}
}

// A receipt without a lease has no end of its own.
func TestNoLease(t *testing.T) {
	s := newService(func(c *activation.Config) { c.Default = activation.Policy{} })
	reply := must(s.Activate(t.Context(), request(hs.mint(license(1)))))
	lic := must(customer(t, noon.AddDate(1, 0, 0)).VerifyReceipt(reply.Receipt, device(fingerprint)))
	if r, _ := lic.Receipt(); !r.RefreshBy.Equal(receipt.Never) || !r.End.Equal(receipt.Never) {
		t.Errorf("receipt %+v", r)
	}
}

// The policy of a product goes before the default.
func TestPolicies(t *testing.T) {
	s := newService(func(c *activation.Config) {
		c.Default = activation.Policy{Seats: 2, Lease: activation.Lease{Refresh: time.Hour}}
		c.Policies = map[uint64]activation.Policy{8: {Kind: receipt.Account, Seats: activation.Unlimited}}
	})
	for product, want := range map[uint64]activation.Preview{7: {Seats: 2, Kind: receipt.Device}, 8: {Seats: activation.Unlimited, Kind: receipt.Account}} {
		lic := license(1)
		lic.Product = product
		p := must(s.Preview(t.Context(), activation.Request{Code: hs.mint(lic), Product: product}))
		if p.Seats != want.Seats || p.Kind != want.Kind {
			t.Errorf("product %d: %d seats for a %s", product, p.Seats, p.Kind)
		}
	}
}
