package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/licet-dev/licet/activation/internal/wire"
)

// The members of an activation, which has the most of them.
var needs, allows = routes.activate.needs, routes.activate.allows

func TestParse(t *testing.T) {
	hex := hash(this)
	subject := fmt.Sprintf(`{"kind":"device","hash":%q}`, hex)
	for _, text := range []string{
		activationBody(),
		" {\t\"nonce\" :\r\n\"n\" , \"product\":7,\"code\":\"c\",\"subject\" : { \"hash\":\"" + hex + "\",\"kind\":\"device\" } } \n",
		`{"code":"","product":9007199254740991,"subject":` + subject + `,"nonce":"","binding":"b"}`,
		`{"\u0063ode":"a\"\\\/\b\f\n\r\t\u00e4\ud83d\ude00ä😀","product":1,"subject":` + subject + `,"nonce":"n"}`,
		`{"code":"\u0000","product":1,"subject":` + subject + `,"nonce":"\uFFFD"}`,
	} {
		var b body
		if e := b.parse([]byte(text), needs, allows); e != nil {
			t.Errorf("%s: %v", text, e)
			continue
		}
		requireSame(t, text, &b)
	}
}

// requireSame fails unless encoding/json reads the same, and finds nothing that is
// unknown to package wire.
func requireSame(t *testing.T, text string, b *body) {
	t.Helper()
	var w wire.Activation
	read(t, text, &w)
	if b.code != w.Code || b.binding != w.Binding || b.product != w.Product || b.nonce != w.Nonce || string(b.subject.Kind) != w.Subject.Kind || hash(b.subject) != w.Subject.Hash {
		t.Errorf("%q: %+v, encoding/json has %+v", text, b, w)
	}
}

// EP-13, EP-14: one reading, or none. The error names the member.
func TestParseRefuses(t *testing.T) {
	good := activationBody()
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatal(old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for name, c := range map[string]struct{ text, reason, detail string }{
		"nothing":              {"", "not-json", "byte 0"},
		"white space":          {" \n", "not-json", "an object"},
		"an array":             {"[" + good + "]", "not-json", "byte 0: want an object"},
		"null":                 {"null", "not-json", "an object"},
		"BOM":                  {"\ufeff" + good, "not-json", "an object"},
		"cut":                  {good[:len(good)-1], "not-json", "comma"},
		"two objects":          {good + good, "trailing-data", fmt.Sprintf("byte %d", len(good))},
		"text after":           {good + " x", "trailing-data", ""},
		"zero byte after":      {good + "\x00", "trailing-data", ""},
		"duplicate":            {replace(`{"code"`, `{"code":"A","code"`), "duplicate-member", `"code" occurs twice`},
		"duplicate by escapes": {replace(`{"code"`, `{"\u0063ode":"A","code"`), "duplicate-member", `"code" occurs twice`},
		"duplicate subject":    {replace(`"nonce"`, `"subject":{"kind":"device","hash":"`+hash(this)+`"},"nonce"`), "duplicate-member", `"subject"`},
		"duplicate in subject": {replace(`"kind"`, `"kind":"device","kind"`), "duplicate-member", "subject.kind"},
		"upper case":           {replace(`"code"`, `"CODE"`), "unknown-member", `"CODE"`},
		"other case besides":   {replace(`{"code"`, `{"Code":"A","code"`), "unknown-member", `"Code"`},
		"Kelvin sign":          {replace(`"kind"`, "\"\u212aind\""), "unknown-member", "unknown member at byte"},
		"long s":               {replace(`"subject"`, "\"\u017fubject\""), "unknown-member", ""},
		"unknown":              {replace(`{"code"`, `{"device":"x","code"`), "unknown-member", `"device"`},
		"unknown in subject":   {replace(`"kind"`, `"id":"x","kind"`), "unknown-member", `"id"`},
		"member of subject":    {replace(`{"code"`, `{"kind":"device","code"`), "unknown-member", `"kind"`},
		"of another route":     {replace(`{"code"`, `{"receipt":"x","code"`), "unknown-member", `"receipt"`},
		"empty name":           {replace(`{"code"`, `{"":1,"code"`), "unknown-member", "byte 1"},
		"no code":              {`{"product":7,"subject":{"kind":"device","hash":"` + hash(this) + `"},"nonce":"n"}`, "missing-member", `"code"`},
		"empty object":         {"{}", "missing-member", `"code"`},
		"no hash":              {replace(`,"hash":"`+hash(this)+`"`, ""), "missing-member", "subject.hash"},
		"null code":            {replace(`"`+code+`"`, "null"), "wrong-value", `"code": want a string`},
		"null subject":         {replace(`{"kind":"device","hash":"`+hash(this)+`"}`, "null"), "wrong-value", `"subject": want an object`},
		"null product":         {replace(":7", ":null"), "wrong-value", `"product"`},
		"number for a string":  {replace(`"`+code+`"`, "7"), "wrong-value", `"code"`},
		"array for a string":   {replace(`"`+code+`"`, `["a"]`), "wrong-value", `"code"`},
		"string for a number":  {replace(":7", `:"7"`), "wrong-value", `"product"`},
		"negative":             {replace(":7", ":-7"), "wrong-value", `"product"`},
		"zero":                 {replace(":7", ":0"), "wrong-value", `"product"`},
		"leading zero":         {replace(":7", ":07"), "wrong-value", `"product"`},
		"fraction":             {replace(":7", ":7.0"), "wrong-value", `"product"`},
		"exponent":             {replace(":7", ":7e0"), "wrong-value", `"product"`},
		"too large":            {replace(":7", ":9007199254740992"), "wrong-value", `"product"`},
		"far too large":        {replace(":7", ":"+strings.Repeat("9", 400)), "wrong-value", `"product"`},
		"letters after it":     {replace(":7", ":7x"), "not-json", "comma"},
		"true":                 {replace(":7", ":true"), "wrong-value", `"product"`},
		"other kind":           {replace(`"device"`, `"Device"`), "wrong-value", `"subject.kind"`},
		"short hash":           {replace(hash(this), hash(this)[:62]), "wrong-value", `"subject.hash"`},
		"long hash":            {replace(hash(this), hash(this)+"00"), "wrong-value", `"subject.hash"`},
		"no hash digit":        {replace(hash(this), "g"+hash(this)[1:]), "wrong-value", `"subject.hash"`},
		"not UTF-8":            {replace(code, code+"\xff"), "not-utf-8", ""},
		"surrogate in UTF-8":   {replace(code, code+"\xed\xa0\x80"), "not-utf-8", ""},
		"half a pair":          {replace(code, `\ud83d`), "not-json", ""},
		"wrong half":           {replace(code, `\ude00\ud83d`), "not-json", ""},
		"half and no more":     {replace(code, `\ud83dx`), "not-json", ""},
		"escape that is none":  {replace(code, `\x41`), "not-json", ""},
		"hex that is none":     {replace(code, `\u00g0`), "not-json", ""},
		"control":              {replace(code, "a\nb"), "not-json", ""},
		"control after escape": {replace(code, "\\n\nb"), "not-json", ""},
		"comma at the end":     {replace(`"}`, `",}`), "not-json", "name of a member"},
		"comma at the front":   {replace(`{"code"`, `{,"code"`), "not-json", "name of a member"},
		"no colon":             {replace(`"code":`, `"code"`), "not-json", "colon"},
		"no comma":             {replace(`,"product"`, ` "product"`), "not-json", "comma"},
		"comment":              {"/* */" + good, "not-json", ""},
		"name without quotes":  {replace(`"code"`, `code`), "not-json", ""},
		"deep":                 {replace(`{"kind":"device"`, strings.Repeat(`{"kind":`, 2000)), "wrong-value", `"subject.kind"`},
		"deep arrays":          {strings.Repeat("[", 16000), "not-json", ""},
		"name without an end":  {`{"code`, "not-json", "name of a member"},
		"value without an end": {`{"code":"a`, "not-json", "string"},
		"escape without end":   {`{"code":"\n`, "not-json", "string"},
		"end in an escape":     {`{"code":"\`, "not-json", ""},
		"end in hex":           {`{"code":"\u00`, "not-json", ""},
		"end after a colon":    {`{"code":`, "wrong-value", ""},
		"end after subject":    {`{"subject":`, "wrong-value", ""},
		"end after product":    {`{"product":`, "wrong-value", ""},
	} {
		var b body
		e := b.parse([]byte(c.text), needs, allows)
		if e == nil || e.Reason != c.reason || !strings.Contains(e.Detail, c.detail) {
			t.Errorf("%s: %v, want %s: %s", name, e, c.reason, c.detail)
		}
	}
	// What may be left out, where.
	for path, text := range map[string]string{"preview": `{"code":"c","product":7,"nonce":"n"}`, "release": strings.Replace(refreshOf("x"), "{", `{"code":"c",`, 1)} {
		r := routeOf("/v1/activations/" + path)
		var b body
		if e := b.parse([]byte(text), r.needs, r.allows); e == nil || e.Reason != "unknown-member" {
			t.Errorf("%s: %v", path, e)
		}
	}
}

// FuzzParse holds the parser to encoding/json: what it takes, that reads in the same
// way, and a canonical text is taken.
func FuzzParse(f *testing.F) {
	f.Add([]byte(activationBody()))
	f.Add([]byte(`{"\u0063ode":"a\"\\\/\b\f\n\r\t\u00e4\ud83d\ude00ä😀","product":1,"subject":{"kind":"account","hash":"` + hash(this) + `"},"nonce":"n","binding":""}`))
	f.Add([]byte(`{"code":"A","CODE":"B","product":1e0}`))
	f.Add([]byte(`{}{}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var b body
		before := bytes.Clone(text)
		e := b.parse(text, needs, allows)
		if !bytes.Equal(before, text) {
			t.Fatal("the text was changed")
		}
		if e != nil {
			if e.Reason == "" || e.Detail == "" || !utf8.ValidString(e.Detail) || len(e.Detail) > 200 {
				t.Fatalf("%+v", e)
			}
			return
		}
		requireSame(t, string(text), &b)
		canonical := must(json.Marshal(wire.Activation{
			Code: b.code, Binding: b.binding, Product: b.product, Nonce: b.nonce, Subject: wire.Subject{Kind: string(b.subject.Kind), Hash: hash(b.subject)},
		}))
		var again body
		if e := again.parse(canonical, needs, allows); e != nil || again != b {
			t.Fatalf("%s: %v", canonical, e)
		}
	})
}
