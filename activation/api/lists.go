package api

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"sync/atomic"

	"github.com/licet-dev/licet/keys"
)

// keySet returns the JSON Web Key Set (RFC 7517) of the receipt keys of a ring that it
// does not call withdrawn.
func keySet(ring *keys.Ring) []byte {
	type key struct {
		Kty string `json:"kty"`
		Crv string `json:"crv"`
		X   string `json:"x"`
		Y   string `json:"y"`
		Kid string `json:"kid"`
		Alg string `json:"alg"`
		Use string `json:"use"`
	}
	set := struct {
		Keys []key `json:"keys"`
	}{[]key{}}
	for _, k := range ring.Keys() {
		if k.Role() != keys.Receipt || k.State() == keys.Withdrawn {
			continue
		}
		point, err := k.Public().ECDSA().Bytes() // 04, x and y
		if err != nil {
			panic(err) // a ring has no key that is not on the curve
		}
		set.Keys = append(set.Keys, key{
			Kty: "EC", Crv: "P-256", X: base64.RawURLEncoding.EncodeToString(point[1:33]), Y: base64.RawURLEncoding.EncodeToString(point[33:]),
			Kid: k.ID().String(), Alg: "ES256", Use: "sig",
		})
	}
	text, err := json.Marshal(set)
	if err != nil {
		panic(err)
	}
	return text
}

func (h *handler) keys(c *call) {
	if h.keySet == nil {
		h.refuse(c, notFound)
		return
	}
	h.sendPublic(c, h.keySet, etag(h.keySet), "application/jwk-set+json", "public, max-age=3600")
}

// A cachedList is a list with its tag, which takes a while to compute for a long one.
type cachedList struct {
	last atomic.Pointer[taggedList]
}

type taggedList struct {
	text []byte
	etag string
}

func (l *cachedList) etag(text []byte) string {
	t := l.last.Load()
	if t == nil || len(t.text) != len(text) || &t.text[0] != &text[0] {
		t = &taggedList{text, etag(text)}
		l.last.Store(t)
	}
	return t.etag
}

func (h *handler) revocations(c *call) {
	var text []byte
	if h.List != nil {
		text = h.List()
	}
	if len(text) == 0 {
		h.refuse(c, noList)
		return
	}
	h.sendPublic(c, text, h.list.etag(text), "text/plain; charset=utf-8", "public, max-age=300")
}

func etag(text []byte) string {
	sum := sha256.Sum256(text)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// sendPublic answers with what everybody may know and keep, unless the one who asks has
// it already.
func (h *handler) sendPublic(c *call, text []byte, tag, media, cache string) {
	c.Outcome = "sent"
	header := c.w.Header()
	header["Etag"] = []string{tag}
	header["Cache-Control"] = []string{cache}
	if hasTag(c.r.Header["If-None-Match"], tag) {
		c.Status = 304
		c.w.WriteHeader(c.Status)
		return
	}
	header["Content-Type"] = []string{media}
	h.send(c, 200, text)
}

// hasTag reports whether a field If-None-Match names a tag, weak or not.
func hasTag(fields []string, tag string) bool {
	for _, f := range fields {
		for t := range strings.SplitSeq(f, ",") {
			if t = strings.TrimPrefix(strings.Trim(t, " \t"), "W/"); t == tag || t == "*" {
				return true
			}
		}
	}
	return false
}
