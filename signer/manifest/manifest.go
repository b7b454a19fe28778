package manifest

import (
	"crypto/sha256"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

// A Kind is why the codes of a batch were made.
type Kind string

// The kinds.
const (
	Mint  Kind = "mint"  // new serials
	Again Kind = "again" // codes that were written before, the same once more
	Renew Kind = "renew" // serials that exist, with other terms
)

// A Format is how the file of a batch is written.
type Format string

// The formats.
const (
	TXT   Format = "txt"   // one code a line
	CSV   Format = "csv"   // comma-separated values
	JSONL Format = "jsonl" // one JSON object a line
	XLSX  Format = "xlsx"  // a workbook of Office Open XML
)

// Bounds of manifests.
const (
	// MaxSize is the length in bytes that no signed manifest has: enough to read of
	// a file that is thought to be one.
	MaxSize = 256 << 10

	MaxFields   = payload.MaxFields - 2 // fields of a manifest: product and serial are none of them
	MaxLabels   = 64                    // labels of a manifest
	MaxLabelKey = 32                    // bytes of the key of a label
	MaxLabel    = 256                   // bytes of the value of a label
	MaxFile     = 255                   // bytes of the name of a file
	MaxTool     = 128                   // bytes of the name of a tool
)

// maxNumber bounds every number, so that it is exact in JavaScript.
const maxNumber = 1<<53 - 1

// A Digest is the length and the hash of some bytes.
type Digest struct {
	Size   int64 // in bytes, from 1
	SHA256 [sha256.Size]byte
}

// A Manifest is what an issuer says about a file of codes. It is checked when it
// is written and when it is read, not before.
type Manifest struct {
	Issuer    string  // as the ring names it
	KeyID     keys.ID // of the mint key
	KeyNumber int     // of the mint key, 1 to 31
	Product   uint64  // product number, from 1

	// Version is the version of all codes, nil where the layout has none.
	Version *uint64

	// Expiry is the last day of all codes, or payload.Never. It is 0 where the
	// layout has no expiry.
	Expiry payload.Day

	// Start is the first day of all codes. It is 0 where the layout has no start, and
	// where the codes hold from the beginning.
	Start payload.Day

	// Fields has the values of all other fields that are not 0, by name: edition,
	// features (bit i is feature i), seats, and the vendor's own.
	Fields map[string]uint64

	// Binding is the hash of the text that all codes are bound to, as
	// keys.BindingContext returns it. It is zero where the key binds to nothing.
	Binding [sha256.Size]byte

	// First and Last are the serials of the first and last code, from 1. The batch
	// has all between them. Count is how many codes were written: stated apart, so
	// that a batch with a gap is refused.
	First, Last, Count uint64

	Kind   Kind
	Format Format
	File   string // name of the file, without path
	Digest Digest // of the file

	// Plaintext is the digest of what was encrypted into the file, nil where the
	// file is not encrypted.
	Plaintext *Digest

	Time   time.Time         // of the batch; written in UTC, fractions of a second cut off
	Tool   string            // program and version that wrote the file
	Labels map[string]string // what the issuer wants to remember: an order, a customer
}
