package licet_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
	"github.com/licet-dev/licet/verifier"
	"github.com/licet-dev/licet/verifier/revocation"
)

// workedExample returns the values of a worked example of SPEC.md, section 10,
// by name.
func workedExample(t *testing.T, suite string) map[string]string {
	t.Helper()
	for _, block := range blocks(t, "SPEC.md", "") {
		if !strings.HasPrefix(block, "descriptor  licet/v1 "+suite) {
			continue
		}
		values := map[string]string{}
		for line := range strings.Lines(block) {
			name := strings.TrimSpace(line[:12])
			value, _, _ := strings.Cut(strings.TrimSpace(line[12:]), "       ")
			values[name] = strings.TrimSuffix(strings.TrimSpace(value), "   80 bits")
		}
		return values
	}
	t.Fatalf("SPEC.md has no worked example for %s", suite)
	return nil
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var workedLicense = payload.License{Product: 7, Version: 3, Expiry: payload.Date(2027, 12, 31), Serial: 1000}

// TestSpecHS256 recomputes every value of SPEC.md, section 10.1.
func TestSpecHS256(t *testing.T) {
	v := workedExample(t, "hs256")
	d, err := keys.ParseDescriptor(v["descriptor"])
	if err != nil {
		t.Fatal(err)
	}
	secret, err := keys.NewSecret(unhex(t, v["secret"]))
	if err != nil {
		t.Fatal(err)
	}
	for _, use := range []string{"tag", "mask", "cover"} {
		k, err := hkdf.Key(sha256.New, unhex(t, v["secret"]), nil, v["descriptor"]+"\x00"+use+"\x00", 32)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, v, "hkdf "+use, hex.EncodeToString(k))
	}
	expect(t, v, "key id", secret.ID(d).String())
	plain, err := d.Layout.AppendPayload(nil, &workedLicense)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, v, "payload", hex.EncodeToString(plain))
	mac, err := keys.NewMAC(d, secret)
	if err != nil {
		t.Fatal(err)
	}
	masked, shown := make([]byte, 8), make([]byte, 10)
	mac.Seal(masked, shown, plain, nil)
	expect(t, v, "masked", hex.EncodeToString(masked))
	expect(t, v, "shown", hex.EncodeToString(shown))
	private, err := keys.NewHS256(d, secret)
	if err != nil {
		t.Fatal(err)
	}
	code := mint(t, private, d)
	expect(t, v, "code", code)
	bare := strings.ReplaceAll(code, "-", "")[4:]
	expect(t, v, "body", bare[:1]+" "+bare[1:13]+" "+bare[13:29])
	expect(t, v, "check", bare[29:])

	text, err := os.ReadFile("SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), private.Reveal()) {
		t.Error("SPEC.md, section 9.2, shows another secret key line")
	}
}

// TestSpecES256 recomputes every value of SPEC.md, section 10.2.
func TestSpecES256(t *testing.T) {
	v := workedExample(t, "es256")
	d, err := keys.ParseDescriptor(v["descriptor"])
	if err != nil {
		t.Fatal(err)
	}
	k, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), unhex(t, v["private key"]))
	if err != nil {
		t.Fatal(err)
	}
	private, err := keys.NewES256(d, k)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, v, "key id", private.ID().String())
	plain, err := d.Layout.AppendPayload(nil, &workedLicense)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, v, "payload", hex.EncodeToString(plain))
	expect(t, v, "digest", fmt.Sprintf("%x", sha256.Sum256(append([]byte(v["descriptor"]+"\x00sig\x00"), plain...))))
	public, err := keys.NewPublicKey(&k.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	sig, err := keys.NewSignature(d, public)
	if err != nil {
		t.Fatal(err)
	}
	masked, shown := make([]byte, 8), make([]byte, 64)
	if err := sig.Seal(masked, shown, plain, nil, k); err != nil {
		t.Fatal(err)
	}
	expect(t, v, "r", hex.EncodeToString(shown[:32]))
	expect(t, v, "s", hex.EncodeToString(shown[32:]))
	expect(t, v, "masked", hex.EncodeToString(masked))
	expect(t, v, "code", mint(t, private, d))
}

func expect(t *testing.T, values map[string]string, name, got string) {
	t.Helper()
	if want := values[name]; got != want {
		t.Errorf("%s is %s, but SPEC.md says %q", name, got, want)
	}
}

func mint(t *testing.T, private keys.PrivateKey, d keys.Descriptor) string {
	t.Helper()
	key, err := keys.NewKey(private, d, 7)
	if err != nil {
		t.Fatal(err)
	}
	s, err := signer.New(key, private, signer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	code, err := s.Mint(workedLicense)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// TestSpecRing reads the ring that SPEC.md shows.
func TestSpecRing(t *testing.T) {
	if _, err := keys.ParseRing([]byte(blocks(t, "SPEC.md", "json")[0])); err != nil {
		t.Error(err)
	}
}

// TestSpecReasons holds SPEC.md and the packages to the same reasons.
func TestSpecReasons(t *testing.T) {
	text, err := os.ReadFile("SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| family | reasons |")
	table, _, _ = strings.Cut(table, "\n\n")
	var spec []string
	for _, m := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(table, -1) {
		spec = append(spec, m[1])
	}
	var code []string
	for _, r := range []error{
		payload.Empty, payload.TooLong, payload.WrongLength, payload.PrefixOnly, payload.Unreadable, payload.Typo,
		payload.Repeated, payload.WrongPrefix, payload.ExtraText, payload.SpareBits, payload.SignatureRange,
		payload.UnknownKey, payload.LaterFormat,
		verifier.KeyWithdrawn, verifier.BindingRequired, verifier.BadSignature, verifier.ProductNotAllowed,
		verifier.WrongProduct, verifier.Revoked, verifier.BelowMinimum, verifier.NotYetValid, verifier.Expired,
		verifier.ClockBehind, verifier.ClockWentBack, verifier.NoSecret, verifier.ShortTag, verifier.ListStale,
		verifier.ListOlder, verifier.ListConflict, verifier.ListUnreadable, verifier.BadState,
	} {
		code = append(code, r.Error())
	}
	if got, want := strings.Join(code, " "), strings.Join(spec, " "); got != want {
		t.Errorf("the packages have\n%s\nbut SPEC.md lists\n%s", got, want)
	}
}

// TestSpecRevocationList makes the list of SPEC.md, section 10.4, and looks codes of
// section 10.1 up in it.
func TestSpecRevocationList(t *testing.T) {
	var text string
	for _, block := range blocks(t, "SPEC.md", "") {
		if strings.HasPrefix(block, "licet-revocations/v1\n") {
			text = block
		}
	}
	id, err := keys.ParseID(workedExample(t, "hs256")["key id"])
	if err != nil {
		t.Fatal(err)
	}
	scalar := make([]byte, 32)
	for i := range scalar {
		scalar[i] = byte(0x20 + i)
	}
	k, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar)
	if err != nil {
		t.Fatal(err)
	}
	private, err := keys.NewRoleKey(keys.List, k)
	if err != nil {
		t.Fatal(err)
	}
	draft := revocation.Draft{
		Issuer: "Acme Tools", Sequence: 12,
		Issued:    time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC),
		Due:       time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
		Minimums:  map[uint64]uint64{7: 3},
		KeyStates: map[keys.ID]keys.State{id: keys.Closed},
	}
	for _, e := range []revocation.Entry{{KeyID: id, Product: 7, First: 1000, Last: 1999, ReasonCode: "leaked"}, {KeyID: id, Product: 7, First: 2042, Last: 2042}} {
		if err := draft.Revoke(e); err != nil {
			t.Fatal(err)
		}
	}
	list, err := draft.List()
	if err != nil {
		t.Fatal(err)
	}
	data, err := revocation.Sign(list, private)
	if err != nil {
		t.Fatal(err)
	}
	if string(data) != text {
		t.Errorf("the list is\n%sbut SPEC.md says\n%s", data, text)
	}
	for serial, want := range map[uint64]int{999: 0, 1000: 1, 1999: 1, 2000: 0, 2041: 0, 2042: 1, 2043: 0} {
		if got := list.Revoked(id, 7, serial); got != want {
			t.Errorf("serial %d: %d, want %d", serial, got, want)
		}
	}
}
