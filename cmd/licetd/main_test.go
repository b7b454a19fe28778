package main

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"
	_ "unsafe" // for go:linkname

	"filippo.io/age"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
	"github.com/licet-dev/licet/signer/manifest"
	"github.com/licet-dev/licet/verifier/revocation"
)

// The work of scrypt, at a strength of the tests.
//
//go:linkname workFactor github.com/licet-dev/licet/keys/keyfile.workFactor
var workFactor int

// beLicetd makes the program of the tests be licetd.
const beLicetd = "TEST_BE_LICETD"

func TestMain(m *testing.M) {
	workFactor = 4
	for _, name := range []string{"CREDENTIALS_DIRECTORY", "LICET_DIR"} {
		os.Unsetenv(name)
	}
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); strings.HasPrefix(name, "LICETD_") {
			os.Unsetenv(name)
		}
	}
	if os.Getenv(beLicetd) != "" {
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// An issuer has a key of each kind, and an endpoint's home with what of them an endpoint
// may have.
type issuer struct {
	dir      string // the endpoint's home
	identity string // a file that opens its keys
	ring     *keys.Ring
	private  map[string]keys.PrivateKey // by name
	encrypt  home.Encryption
}

var descriptors = map[string]string{
	"hs256":  "licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80",
	"es256":  "licet/v1 es256 key=9 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=512",
	"coupon": "licet/v1 hs256 key=10 prefix= layout=product:8,serial:27 bind=none sig=35",
}

func newIssuer(t testing.TB) *issuer {
	t.Helper()
	i := &issuer{dir: filepath.Join(t.TempDir(), "endpoint"), private: map[string]keys.PrivateKey{}}
	var public []keys.Key
	for _, name := range []string{"hs256", "es256", "coupon", "list", "receipt"} {
		d, k := keys.Descriptor{}, keys.PrivateKey{}
		if text, ok := descriptors[name]; ok {
			d = must(keys.ParseDescriptor(text))
			k = must(keys.GenerateMint(d))
		} else {
			k = must(keys.GenerateRole(keys.Role(name)))
		}
		i.private[name] = k
		public = append(public, must(keys.NewKey(k, d, 7, 9)))
	}
	i.ring = must(keys.NewRing("Acme Tools", []keys.Product{{Number: 7, Name: "Widget"}, {Number: 9, Name: "Gadget"}}, public))
	id := must(age.GenerateX25519Identity())
	i.identity = filepath.Join(t.TempDir(), "identity.txt")
	writeFile(t, i.identity, id.String()+"\n")
	i.encrypt = home.Encryption{Recipients: []string{id.Recipient().String()}}
	i.create(t, i.encrypt)
	return i
}

// create makes the endpoint's home.
func (i *issuer) create(t testing.TB, e home.Encryption) {
	t.Helper()
	if _, err := home.CreateEndpoint(i.dir, i.ring, []keys.PrivateKey{i.private["hs256"], i.private["coupon"], i.private["receipt"]}, nil, e); err != nil {
		t.Fatal(err)
	}
}

// put writes a private key into the home that it must not have.
func (i *issuer) put(t testing.TB, name string) {
	t.Helper()
	h := must(home.Open(i.dir))
	if err := h.WritePrivate(i.private[name], i.encrypt); err != nil {
		t.Fatal(err)
	}
}

func (i *issuer) key(name string) keys.Key {
	for _, k := range i.ring.Keys() {
		if k.ID() == i.private[name].ID() {
			return k
		}
	}
	panic(name)
}

// mint returns the code of a serial of product 7.
func (i *issuer) mint(key string, serial uint64) string {
	s := must(signer.New(i.key(key), i.private[key], signer.Options{}))
	lic := payload.License{Product: 7, Serial: serial}
	if key != "coupon" {
		lic.Version, lic.Expiry = 3, payload.Date(2099, 12, 31)
	}
	return must(s.Mint(lic))
}

// list returns a signed revocation list of 2026 that revokes serials of product 7 and of
// the hs256 key. The next one is due on a day.
func (i *issuer) list(sequence uint64, due payload.Day, serials ...uint64) string {
	d := &revocation.Draft{Issuer: i.ring.Issuer(), Sequence: sequence, Issued: payload.Date(2026, 1, 1).Time(), Due: due.Time()}
	for _, s := range serials {
		if err := d.Revoke(revocation.Entry{KeyID: i.private["hs256"].ID(), Product: 7, First: s, Last: s}); err != nil {
			panic(err)
		}
	}
	return string(must(revocation.Sign(must(d.List()), i.private["list"])))
}

// Days at which lists are due.
var (
	pastDue  = payload.Date(2026, 1, 2)
	farAhead = payload.Date(2099, 1, 1)
)

// manifest returns the signed manifest of a batch of coupons of product 7.
func (i *issuer) manifest(first, last uint64) string {
	return string(must(manifest.Sign(manifest.Manifest{
		Issuer: i.ring.Issuer(), KeyID: i.private["coupon"].ID(), KeyNumber: 10, Product: 7,
		First: first, Last: last, Count: last - first + 1, Kind: manifest.Mint, Format: manifest.TXT, File: "batch.txt",
		Digest: manifest.Digest{Size: 4500, SHA256: sha256.Sum256([]byte("file"))},
		Time:   payload.Date(2026, 1, 1).Time(), Tool: "licet v0.2.0",
	}, i.private["list"])))
}

func writeFile(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// licetd runs the program within the tests, and returns its exit code and what it said.
func licetd(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}
