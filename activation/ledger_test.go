package activation_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
)

// What ledgers know licences, subjects and keys by never changes, or nobody would find a
// seat again. The bytes are written out here.
func TestIDs(t *testing.T) {
	key := must(keys.ParseID("ca3f2093e4fe1455"))
	code := activation.NewCodeID(key, 7, 1000)
	sum := sha256.Sum256([]byte("licet/code-id/v1\x00\xca\x3f\x20\x93\xe4\xfe\x14\x55\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x03\xe8"))
	if want := hex.EncodeToString(sum[:16]); code.String() != want {
		t.Errorf("licence %s, want %s", code, want)
	}
	subject := receipt.Subject{Kind: receipt.Device, Hash: sha256.Sum256([]byte(fingerprint))}
	sum = sha256.Sum256([]byte("licet/subject-id/v1\x00" + string(code[:]) + "device\x00" + string(subject.Hash[:])))
	if got, want := activation.NewSubjectID(code, subject).String(), hex.EncodeToString(sum[:16]); got != want {
		t.Errorf("subject %s, want %s", got, want)
	}
	sum = sha256.Sum256([]byte("licet/idempotency-key/v1\x00" + idemKey))
	if got := activation.HashKey(idemKey); got != [16]byte(sum[:16]) {
		t.Errorf("key %x, want %x", got, sum[:16])
	}
}

// BD-13: a ledger does not tell which licences are those of one machine, nor whether a
// machine is that of an account.
func TestSubjectIDsDiffer(t *testing.T) {
	a, b := activation.NewCodeID(hs.ID(), 7, 1), activation.NewCodeID(hs.ID(), 7, 2)
	same := account(fingerprint)
	seen := map[activation.SubjectID]bool{}
	for _, id := range []activation.SubjectID{
		activation.NewSubjectID(a, device(fingerprint)), activation.NewSubjectID(b, device(fingerprint)),
		activation.NewSubjectID(a, same), activation.NewSubjectID(a, device("other")),
	} {
		if seen[id] {
			t.Errorf("subject %s twice", id)
		}
		seen[id] = true
	}
	codes := map[activation.CodeID]bool{}
	for _, id := range []activation.CodeID{a, b, activation.NewCodeID(es.ID(), 7, 1), activation.NewCodeID(hs.ID(), 8, 1), activation.NewCodeID(hs.ID(), 1, 7)} {
		if codes[id] {
			t.Errorf("licence %s twice", id)
		}
		codes[id] = true
	}
}
