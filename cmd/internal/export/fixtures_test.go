package export_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/licet-dev/licet/cmd/internal/export"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
)

const workedCode = "ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ"

var (
	workedLicense = payload.License{Product: 7, Version: 3, Expiry: payload.Date(2027, 12, 31), Serial: 1000}
	workedID      = must(keys.ParseID("ca3f2093e4fe1455"))
)

// must returns v, which can't fail in this test unless something else is broken.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// options returns those of the worked key with the given layout.
func options(f export.Format, layout string) export.Options {
	return export.Options{Format: f, Layout: must(payload.ParseLayout(layout)), Key: 8, KeyID: workedID}
}

// write returns the list of the given licences, all with the worked code.
func write(t *testing.T, opts export.Options, lics ...payload.License) string {
	t.Helper()
	var out bytes.Buffer
	w, err := export.New(&out, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, lic := range lics {
		if err := w.Write([]byte(workedCode), &lic); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A row is what a Reader yields, without the line.
type row struct {
	code      string
	serial    uint64
	hasSerial bool
}

// read returns the rows of a list, and their lines.
func read(list string, f export.Format) (rows []row, lines []int, err error) {
	r, err := export.NewReader(strings.NewReader(list), f)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		next, err := r.Next()
		if err == io.EOF {
			return rows, lines, nil
		}
		if err != nil {
			return rows, append(lines, next.Line), err
		}
		rows, lines = append(rows, row{string(next.Code), next.Serial, next.HasSerial}), append(lines, next.Line)
	}
}

// mint returns n codes with consecutive serials from 1, of an hs256 key with the
// given descriptor whose secret follows from it.
func mint(n int, descriptor string) []row {
	d := must(keys.ParseDescriptor(descriptor))
	sum := sha256.Sum256([]byte("test key " + descriptor))
	private := must(keys.NewHS256(d, must(keys.NewSecret(sum[:]))))
	s := must(signer.New(must(keys.NewKey(private, d, 7)), private, signer.Options{}))
	rows := make([]row, n)
	for i := range rows {
		lic := workedLicense
		lic.Serial = uint64(i + 1)
		rows[i] = row{string(must(s.AppendCode(nil, &lic))), lic.Serial, true}
	}
	return rows
}

// The two descriptors that look most like numbers: the worked one, and one without
// a prefix whose codes begin with a digit.
const (
	prefixed = "licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80"
	digital  = "licet/v1 hs256 key=1 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80"
)

// list returns the list of minted codes.
func list(t testing.TB, opts export.Options, rows []row) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := export.New(&out, opts)
	if err != nil {
		t.Fatal(err)
	}
	lic := workedLicense
	for _, r := range rows {
		lic.Serial = r.serial
		if err := w.Write([]byte(r.code), &lic); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
