package verifier

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/licet-dev/licet/keys"
)

// A state is, in bytes:
//
//	1   form, 1
//	8   id of the key of the ring that authenticates it
//	8   highest sequence number of a revocation list, big-endian like all numbers
//	8   latest time that the clock showed, in seconds since 1970
//	8   latest time that was signed or built in
//	32  HMAC-SHA-256 of all this
const (
	stateForm = 1
	stateSize = 1 + 8 + 3*8 + sha256.Size
)

// State returns what the verifier has to know when the product runs again: the
// highest sequence number of a revocation list and the latest time seen. It is 65
// bytes. The verifier does no input or output; keep them where you keep settings,
// after codes were judged and when the product ends, and give them to the next
// verifier in [Options.State].
//
// The bytes are authenticated with a key of the ring, so that they can't be edited
// unnoticed by somebody who does not look into the product. Whoever does can make
// them; SECURITY.md says what that means. State returns nil if the ring has neither
// a public key nor a secret.
//
// A state that is lost, because it was deleted or the product was installed anew, is
// no error: give no State, and what the older runs saw is forgotten. Whether to go on
// without it is for the product to decide.
func (v *Verifier) State() []byte {
	for _, k := range v.ring.Keys() {
		mac := stateMAC(k)
		if mac == nil {
			continue
		}
		id := k.ID()
		b := append(make([]byte, 0, stateSize), stateForm)
		b = append(b, id[:]...)
		b = binary.BigEndian.AppendUint64(b, v.sequence())
		b = binary.BigEndian.AppendUint64(b, uint64(v.latest.Load()))
		b = binary.BigEndian.AppendUint64(b, uint64(v.signed.Load()))
		return append(b, mac(b)...)
	}
	return nil
}

// useState takes the state of an earlier run.
func (v *Verifier) useState(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	bad := func(format string, args ...any) error {
		return cannotJudge(BadState, 0, "the state of earlier runs can't be used: %s; to go on without it, give none", fmt.Sprintf(format, args...))
	}
	if len(b) != stateSize || b[0] != stateForm {
		return bad("it is not what was kept")
	}
	id := keys.ID(b[1:9])
	for _, k := range v.ring.Keys() {
		if k.ID() != id {
			continue
		}
		mac := stateMAC(k)
		if mac == nil {
			return bad("it was made with the secret of key %s, which the ring does not have", id)
		}
		body := b[:stateSize-sha256.Size]
		if !hmac.Equal(mac(body), b[len(body):]) {
			return bad("it was changed")
		}
		v.minSequence = max(v.minSequence, binary.BigEndian.Uint64(b[9:]))
		v.seen(int64(binary.BigEndian.Uint64(b[17:])))
		v.signedTime(time.Unix(int64(binary.BigEndian.Uint64(b[25:])), 0))
		return nil
	}
	return bad("it was made with key %s, which the ring does not have", id)
}

// stateMAC returns what authenticates a state with a key of the ring, or nil for an
// hs256 key without its secret.
func stateMAC(k keys.Key) func([]byte) []byte {
	ikm := []byte(nil)
	switch {
	case !k.Public().IsZero():
		ikm = k.Public().Bytes()
	case !k.Secret().IsZero():
		secret := k.Secret().Reveal()
		ikm = secret[:]
	default:
		return nil
	}
	key, err := hkdf.Key(sha256.New, ikm, nil, "licet/v1 state", sha256.Size)
	if err != nil {
		panic(err) // one block is never too much to ask of HKDF
	}
	return func(b []byte) []byte {
		h := hmac.New(sha256.New, key)
		h.Write(b)
		return h.Sum(nil)
	}
}

// seen notes a time of the clock, in seconds since 1970.
func (v *Verifier) seen(unix int64) {
	for {
		latest := v.latest.Load()
		if unix <= latest || v.latest.CompareAndSwap(latest, unix) {
			return
		}
	}
}

// signedTime notes a time that somebody signed or built in, which the real time can't
// be before.
func (v *Verifier) signedTime(t time.Time) {
	unix := t.Unix()
	for {
		latest := v.signed.Load()
		if unix <= latest || v.signed.CompareAndSwap(latest, unix) {
			break
		}
	}
	v.seen(unix)
}

// Latest returns the latest time seen, in this run and those before: what the clock
// showed when codes were judged, the issue of revocation lists, and Options.Built. It
// has a precision of one second.
func (v *Verifier) Latest() time.Time { return time.Unix(v.latest.Load(), 0).UTC() }

// ResetClock makes the guard forget what the clock showed, and keeps only the times
// that were signed or built in. It is the way out when a clock stood in the future for
// a while: the guard would not judge anything until that time came. Whoever can make
// the product call it can turn the clock back that far, so let the issuer's support
// decide. Keep the new [Verifier.State] afterwards.
func (v *Verifier) ResetClock() {
	v.latest.Store(v.signed.Load())
	v.seen(v.signed.Load()) // a time that was signed at this moment is not lost
}
