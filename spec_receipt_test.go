package licet_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/verifier"
)

// TestSpecReceipt recomputes every value of SPEC.md, section 10.5, and judges the
// receipt with the keys of that section and section 10.1.
func TestSpecReceipt(t *testing.T) {
	v := map[string]string{}
	for _, block := range blocks(t, "SPEC.md", "") {
		if !strings.Contains(block, "\nreceipt     ") {
			continue
		}
		for line := range strings.Lines(block) {
			v[strings.TrimSpace(line[:12])] = strings.TrimSpace(line[12:])
		}
	}
	private := workedReceiptKey(t, v["private key"])
	expect(t, v, "key id", private.ID().String())

	mint := workedMint(t)
	device, err := receipt.NewSubject(receipt.Device, "4C4C4544-0042-3510-8054-B9C04F564D32")
	if err != nil {
		t.Fatal(err)
	}
	issued := time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)
	text, err := receipt.Sign(receipt.Receipt{
		Issuer: "Acme Tools", KeyID: mint.ID(), License: workedLicense, Subject: device, Nonce: "q2Jx0-9sV_7mKpZtR4wYbA",
		Issued: issued, RefreshBy: issued.AddDate(0, 0, 30), End: receipt.Never, SeatsEnforced: true,
	}, private)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, v, "receipt", text)
	end := strings.LastIndex(text, ".")
	signed, signature := text[:end], text[end+1:]
	header, claims, _ := strings.Cut(signed, ".")
	decode := func(s string) []byte {
		b, err := base64.RawURLEncoding.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	expect(t, v, "header", string(decode(header)))
	expect(t, v, "claims", string(decode(claims)))
	expect(t, v, "digest", fmt.Sprintf("%x", sha256.Sum256([]byte(signed))))
	expect(t, v, "r", hex.EncodeToString(decode(signature)[:32]))
	expect(t, v, "s", hex.EncodeToString(decode(signature)[32:]))

	key, err := keys.NewKey(private, keys.Descriptor{})
	if err != nil {
		t.Fatal(err)
	}
	ring, err := keys.NewRing("Acme Tools", []keys.Product{{Number: 7, Name: "Widget"}}, []keys.Key{mint, key})
	if err != nil {
		t.Fatal(err)
	}
	judge, err := verifier.New(ring, verifier.Options{Products: []uint64{7}, Clock: func() time.Time { return issued }})
	if err != nil {
		t.Fatal(err)
	}
	if lic, err := judge.VerifyReply(v["receipt"], device, "q2Jx0-9sV_7mKpZtR4wYbA"); err != nil || lic.Serial != workedLicense.Serial || lic.Expiry != workedLicense.Expiry {
		t.Errorf("it says %+v, %v", lic, err)
	}
}

// TestSpecReceiptReasons holds SPEC.md, section 9.7, and the packages to the same
// reasons.
func TestSpecReceiptReasons(t *testing.T) {
	text, err := os.ReadFile("SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| family | reasons of receipts |")
	table, _, _ = strings.Cut(table, "\n\n")
	var spec []string
	for _, m := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(table, -1) {
		spec = append(spec, m[1])
	}
	var code []string
	for _, r := range []error{
		receipt.Malformed, receipt.UnknownKey, receipt.KeyWithdrawn, receipt.BadSignature, receipt.OtherIssuer, receipt.UnknownMintKey, receipt.KeyMismatch,
		verifier.WrongSubject, verifier.WrongNonce, verifier.ReceiptEnded, verifier.RefreshDue,
		verifier.SubjectRequired, verifier.NonceRequired, verifier.ClockBehind, verifier.ClockWentBack, verifier.ListStale,
	} {
		code = append(code, r.Error())
	}
	if got, want := strings.Join(code, " "), strings.Join(spec, " "); got != want {
		t.Errorf("the packages have\n%s\nbut SPEC.md lists\n%s", got, want)
	}
	// Where the verifier has a reason of the same name, it is the same.
	for _, pair := range [][2]error{{receipt.KeyWithdrawn, verifier.KeyWithdrawn}, {receipt.BadSignature, verifier.BadSignature}} {
		if pair[0].Error() != pair[1].Error() {
			t.Errorf("%s and %s", pair[0], pair[1])
		}
	}
}

// workedMint returns the mint key of SPEC.md, section 10.1, with its secret.
func workedMint(t *testing.T) keys.Key {
	t.Helper()
	v := workedExample(t, "hs256")
	d, err := keys.ParseDescriptor(v["descriptor"])
	if err != nil {
		t.Fatal(err)
	}
	secret, err := keys.NewSecret(unhex(t, v["secret"]))
	if err != nil {
		t.Fatal(err)
	}
	private, err := keys.NewHS256(d, secret)
	if err != nil {
		t.Fatal(err)
	}
	key, err := keys.NewKey(private, d, 7)
	if err != nil {
		t.Fatal(err)
	}
	if key, err = key.Attach(private); err != nil {
		t.Fatal(err)
	}
	return key
}

// workedReceiptKey returns a receipt key whose private key is written in hexadecimal.
func workedReceiptKey(t *testing.T, scalar string) keys.PrivateKey {
	t.Helper()
	k, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), unhex(t, scalar))
	if err != nil {
		t.Fatal(err)
	}
	private, err := keys.NewRoleKey(keys.Receipt, k)
	if err != nil {
		t.Fatal(err)
	}
	return private
}
