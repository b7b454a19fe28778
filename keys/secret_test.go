package keys_test

import (
	"bytes"
	"testing"

	"github.com/licet-dev/licet/keys"
)

func TestNewSecret(t *testing.T) {
	for n := range 70 {
		_, err := keys.NewSecret(bytes.Repeat([]byte{1}, n))
		if (err == nil) != (n == keys.SecretSize) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if _, err := keys.NewSecret(make([]byte, keys.SecretSize)); err == nil {
		t.Error("a secret of zero bytes only is taken")
	}
	for i := range keys.SecretSize {
		b := make([]byte, keys.SecretSize)
		b[i] = 0x80
		if _, err := keys.NewSecret(b); err != nil {
			t.Errorf("one bit at byte %d: %v", i, err)
		}
	}
	if _, err := keys.NewSecret(nil); err == nil {
		t.Error("nil is taken")
	}
}

func TestSecretIsACopy(t *testing.T) {
	b := unhex(t, hsSecret)
	s := must[keys.Secret](t)(keys.NewSecret(b))
	clear(b)
	revealed := s.Reveal()
	if !bytes.Equal(revealed[:], unhex(t, hsSecret)) {
		t.Error("the secret changed with the slice that it was made of")
	}
	clear(revealed[:])
	if again := s.Reveal(); !bytes.Equal(again[:], unhex(t, hsSecret)) {
		t.Error("the secret changed with what was revealed")
	}
}

func TestSecretEqual(t *testing.T) {
	a, same := secret(t, hsSecret), secret(t, hsSecret)
	other := unhex(t, hsSecret)
	other[31] ^= 1
	b := must[keys.Secret](t)(keys.NewSecret(other))
	var zero keys.Secret
	for _, c := range []struct {
		name string
		x, y keys.Secret
		want bool
	}{
		{"itself", a, a, true}, {"the same bytes", a, same, true}, {"the last bit differs", a, b, false},
		{"zero", zero, a, false}, {"with zero", a, zero, false}, {"two zeros", zero, zero, false},
	} {
		if c.x.Equal(c.y) != c.want {
			t.Errorf("%s: %t", c.name, !c.want)
		}
	}
	if !zero.IsZero() || a.IsZero() {
		t.Error("IsZero is wrong")
	}
}
