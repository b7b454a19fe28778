package keys_test

import (
	"bytes"
	"encoding/base64"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
)

// secretForRedaction has bytes that don't occur together by chance.
const secretForRedaction = "9b1f7ce3a85d42f6c7e0913bd86a2f54e1b7390c8d5fa26471fe0b93c2d86a1d"

// traces returns the ways in which four neighbouring bytes of the secret, or its
// base64, would show up in a text.
func traces(secret []byte) []string {
	var found []string
	for i := range len(secret) - 3 {
		four := secret[i : i+4]
		x := hex.EncodeToString(four)
		found = append(found, string(four), x, strings.ToUpper(x))
		for _, verb := range []string{"%d", "%x", "%X", "%#x", "%#X", "0x%02x", "%02x", "%02X", "%o", "%b", "%08b", "%U", "%q"} {
			for _, separator := range []string{" ", ", ", ",", ":", "-"} {
				var parts []string
				for _, c := range four {
					parts = append(parts, fmt.Sprintf(verb, c))
				}
				found = append(found, strings.Join(parts, separator))
			}
		}
	}
	for shift := range 3 {
		b := secret[shift:]
		b = b[:len(b)/3*3]
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			text := e.EncodeToString(b)
			for i := 0; i+8 <= len(text); i += 4 {
				found = append(found, text[i:i+8])
			}
		}
	}
	return found
}

type exported struct {
	Name    string
	Secret  keys.Secret
	Private keys.PrivateKey
	MAC     *keys.MAC
	Key     keys.Key
}

type unexported struct {
	name    string
	secret  keys.Secret
	private keys.PrivateKey
	mac     *keys.MAC
	key     keys.Key
	nested  *unexported
	any     any
}

type secretError struct{ Secret keys.Secret }

func (e secretError) Error() string { return fmt.Sprintf("failed with %v", e.Secret) }

// leaky returns values that have a secret somewhere inside, by name.
func leaky(t *testing.T) map[string]any {
	t.Helper()
	s := secret(t, secretForRedaction)
	d := descriptor(t, hsDescriptor)
	private := must[keys.PrivateKey](t)(keys.NewHS256(d, s))
	ec := must[keys.PrivateKey](t)(keys.NewES256(descriptor(t, esDescriptor), ecKey(t, secretForRedaction)))
	list := must[keys.PrivateKey](t)(keys.NewRoleKey(keys.List, ecKey(t, secretForRedaction)))
	mac := must[*keys.MAC](t)(keys.NewMAC(d, s))
	payload := make([]byte, 8)
	mac.Seal(make([]byte, 8), make([]byte, 10), payload, nil) // so that its pool has a state
	key := must[keys.Key](t)(keys.NewKey(private, d, 7))
	key = must[keys.Key](t)(key.Attach(private))
	ring := must[*keys.Ring](t)(keys.NewRing("Acme", []keys.Product{{Number: 7, Name: "Widget"}}, []keys.Key{key}))
	inner := unexported{"name", s, private, mac, key, nil, s}
	outer := unexported{"name", s, ec, mac, key, &inner, &inner}
	return map[string]any{
		"secret":             s,
		"pointer to secret":  &s,
		"private hs256 key":  private,
		"private es256 key":  ec,
		"private list key":   list,
		"pointer to private": &private,
		"mac":                mac,
		"key with secret":    key,
		"pointer to key":     &key,
		"ring with secrets":  ring,
		"exported fields":    exported{"name", s, private, mac, key},
		"pointer to them":    &exported{"name", s, ec, mac, key},
		"unexported fields":  outer,
		"pointer to those":   &outer,
		"slice":              []keys.Secret{s, s},
		"slice of any":       []any{s, &s, private, mac, inner},
		"array":              [2]keys.PrivateKey{private, ec},
		"map to secret":      map[string]keys.Secret{"a": s},
		"map to pointer":     map[int]*keys.PrivateKey{1: &private},
		"map to any":         map[string]any{"a": outer, "b": s},
		"channel":            make(chan keys.Secret),
		"error":              fmt.Errorf("wrapped: %w", secretError{s}),
		"joined errors":      errors.Join(secretError{s}, fmt.Errorf("%v %s", private, mac)),
	}
}

func TestSecretsDoNotPrint(t *testing.T) {
	forbidden := traces(unhex(t, secretForRedaction))
	check := func(t *testing.T, how, text string) {
		t.Helper()
		for _, trace := range forbidden {
			if strings.Contains(text, trace) {
				t.Errorf("%s shows %q in %q", how, trace, text)
				return
			}
		}
	}
	for name, v := range leaky(t) {
		t.Run(name, func(t *testing.T) {
			for _, verb := range strings.Fields("%v %+v %#v %s %+s %#s %x %X %#x % x %q %+q %#q %d %b %o %O %c %U %t %e %g %p %T %z %10v %-200s %.3s %08d") {
				check(t, verb, fmt.Sprintf(verb, v))
				check(t, "[]any of "+verb, fmt.Sprintf(verb, []any{v}))
			}
			check(t, "Sprint", fmt.Sprint(v, v))
			check(t, "Sprintln", fmt.Sprintln(v))
			if b, err := json.Marshal(v); err == nil {
				check(t, "JSON", string(b))
			} else {
				check(t, "the error of JSON", err.Error())
			}
			var buf bytes.Buffer
			if err := xml.NewEncoder(&buf).Encode(v); err != nil {
				check(t, "the error of XML", err.Error())
			}
			check(t, "XML", buf.String())
			buf.Reset()
			if err := gob.NewEncoder(&buf).Encode(v); err != nil {
				check(t, "the error of gob", err.Error())
			}
			check(t, "gob", buf.String())
			for _, h := range []slog.Handler{
				slog.NewTextHandler(&buf, nil),
				slog.NewJSONHandler(&buf, nil),
			} {
				buf.Reset()
				log := slog.New(h)
				log.Info("message", "value", v, slog.Group("group", "value", v), slog.Any("list", []any{v}))
				log.With("value", v).WithGroup("g").Error(fmt.Sprint(v))
				check(t, fmt.Sprintf("%T", h), buf.String())
			}
		})
	}
}

func TestWhatStandsForSecrets(t *testing.T) {
	s, private := secret(t, secretForRedaction), hsKey(t)
	mac := must[*keys.MAC](t)(keys.NewMAC(descriptor(t, hsDescriptor), s))
	const redacted, described = "[redacted]", "mint key 8 ca3f2093e4fe1455 [redacted]"
	for _, c := range []struct {
		v    any
		want string
	}{
		{s, redacted}, {&s, redacted}, {keys.Secret{}, redacted}, {mac, redacted}, {private, described}, {&private, described},
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%q", "%d"} {
			if got := fmt.Sprintf(verb, c.v); got != c.want {
				t.Errorf("%s of %T is %q, want %q", verb, c.v, got, c.want)
			}
		}
		if _, isMAC := c.v.(*keys.MAC); isMAC {
			continue
		}
		if b, err := json.Marshal(c.v); err != nil || string(b) != `"`+c.want+`"` {
			t.Errorf("JSON of %T is %s, %v", c.v, b, err)
		}
	}
	for _, c := range []struct {
		v    slog.LogValuer
		want string
	}{{s, redacted}, {private, described}} {
		if got := c.v.LogValue().String(); got != c.want {
			t.Errorf("LogValue of %T is %q", c.v, got)
		}
	}
}

// == does not compile on types that are not comparable. It would not take
// constant time, and would call two copies of a secret different.
func TestSecretsAreNotComparable(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[keys.Secret](), reflect.TypeFor[keys.PrivateKey](), reflect.TypeFor[keys.Key](), reflect.TypeFor[keys.MAC](),
	} {
		if typ.Comparable() {
			t.Errorf("== compiles on %s", typ)
		}
	}
}
