package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"math/big"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// listKeyName is the name of every list key in a signature line.
const listKeyName = "licet-list"

// signNote is section 9.4: the text and below it a signature of each key.
func signNote(text string, private ...*ecdsa.PrivateKey) string {
	note := text + "\n"
	for _, p := range private {
		note += signatureLine(p, text)
	}
	return note
}

func signatureLine(private *ecdsa.PrivateKey, text string) string {
	r, s := sign(private, hash([]byte(text)))
	return noteLine(listKeyName, append(keyHash(&private.PublicKey), derOf(r, s)...))
}

func noteLine(name string, data []byte) string {
	return "\u2014 " + name + " " + base64.StdEncoding.EncodeToString(data) + "\n"
}

// keyHash returns the four bytes that begin a signature of a list key.
func keyHash(public *ecdsa.PublicKey) []byte {
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		panic(err)
	}
	return hash(der)[:4]
}

type signature struct{ R, S *big.Int }

func derOf(r, s *big.Int) []byte {
	der, err := asn1.Marshal(signature{r, s})
	if err != nil {
		panic(err)
	}
	return der
}

// verifies tells whether der is a signature of digest, in DER and nothing else.
func verifies(public *ecdsa.PublicKey, digest, der []byte) bool {
	var s signature
	rest, err := asn1.Unmarshal(der, &s)
	return err == nil && len(rest) == 0 && s.R.Sign() > 0 && s.S.Sign() > 0 && bytes.Equal(derOf(s.R, s.S), der) &&
		ecdsa.Verify(public, digest, s.R, s.S)
}

// noteGrammar takes a note apart: the text, which ends before the last blank line,
// and the signature lines, which are none.
var noteGrammar = regexp.MustCompile(`(?s)\A(.*\n)\n((?:\x{2014} [^ \n]+ [^ \n]+\n){1,16})\z`)

// The longest text and the longest signature lines, in bytes.
const (
	maxText  = 1 << 30
	maxLines = 131072
)

// openNote returns the text of a note that a list key of the ring signed.
func openNote(note string, r *ring) (text string, refused problem) {
	defer recoverProblem(func(p problem) { text, refused = "", p })
	note = strings.ReplaceAll(note, "\r\n", "\n")
	need(utf8.ValidString(note) && !strings.HasPrefix(note, "\uFEFF"), "malformed")
	need(!strings.ContainsFunc(note, func(r rune) bool { return isControl(r) && r != '\n' }), "malformed")
	m := noteGrammar.FindStringSubmatch(note)
	need(m != nil && len(m[1]) <= maxText && len(m[2]) <= maxLines, "malformed")
	text = m[1]
	lines := strings.Split(strings.TrimSuffix(m[2], "\n"), "\n")
	for _, line := range lines {
		parseLine(line) // all must have the form, also those that are ignored
	}
	good, withdrawn := false, false
	for _, line := range lines {
		name, data := parseLine(line)
		for _, k := range r.others {
			if k.role != "list" || name != listKeyName || !bytes.Equal(keyHash(k.public), data[:4]) {
				continue
			}
			if k.state == "withdrawn" {
				withdrawn = true
				continue
			}
			need(verifies(k.public, hash([]byte(text)), data[4:]), "bad-signature")
			good = true
		}
	}
	need(good || !withdrawn, "key-withdrawn")
	need(good, "no-signature-of-this-issuer")
	return text, ""
}

// parseLine reads a signature line.
func parseLine(line string) (name string, data []byte) {
	words := strings.Split(line, " ")
	name = words[1]
	need(!strings.Contains(name, "+") && !strings.ContainsFunc(name, unicode.IsSpace), "malformed")
	data, err := base64.StdEncoding.DecodeString(words[2])
	need(err == nil && base64.StdEncoding.EncodeToString(data) == words[2] && len(data) >= 5, "malformed")
	return name, data
}
