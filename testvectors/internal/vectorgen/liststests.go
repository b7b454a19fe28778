package main

import (
	"crypto/ecdsa"
	"fmt"
	"log"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

var listsNotes = map[string]string{
	"worked":    "The list of section 10.4.",
	"signature": "Section 9.4: which signatures count.",
	"note":      "Section 9.4: the form of a signed note.",
	"first":     "The first line of the text, and the issuer.",
	"head":      "The sequence number and the times.",
	"minimum":   "Lines of minimum versions.",
	"key":       "Lines of key states.",
	"number":    "Products and serials of revoked lines.",
	"order":     "The order of revoked lines, and ranges that meet.",
	"reason":    "Reason codes.",
	"lines":     "Lines that are missing, exchanged, unknown or not of their form.",
	"lookup":    "Which licences a list revokes.",
}

// List keys. The first is that of section 10.3.
var (
	list1    = privateKey(counting(0x20))
	list2    = privateKey(counting(0x32))
	list3    = privateKey(counting(0x33))
	list4    = privateKey(counting(0x34))
	stranger = privateKey(counting(0x35))
)

// workedList is the text of section 10.4.
var workedList = listText("12", "2026-12-01T09:30:00Z", "2027-01-01T00:00:00Z",
	"minimum 7 3",
	"key ca3f2093e4fe1455 closed",
	"revoked ca3f2093e4fe1455 7 1000 1999 leaked",
	"revoked ca3f2093e4fe1455 7 2042 2042")

// A listsSuite collects the tests of lists.json.
type listsSuite struct {
	texts map[string]string
	rings map[string]*ring
	tests []vectorfile.ListsTest
}

func listsFile() vectorfile.ListsFile {
	s := listsSuite{texts: map[string]string{}, rings: map[string]*ring{}}
	receipt := roleKeyText("receipt", &receiptKey.PublicKey)
	mint := mintKeyText(key8, false)
	s.ring("acme", mint, receipt, roleKeyText("list", &list1.PublicKey), roleKeyText("list", &list2.PublicKey),
		roleKeyTextIn("closed", "list", &list3.PublicKey), roleKeyTextIn("withdrawn", "list", &list4.PublicKey))
	s.ring("no-list-keys", mint, receipt)
	s.ring("one-list-key", roleKeyText("list", &list1.PublicKey))
	s.ring("other-roles", mintKeyText(newKey(key9.text, counting(0x20)), false), roleKeyText("receipt", &list2.PublicKey), roleKeyText("list", &stranger.PublicKey))
	s.addSignatures()
	s.addNotes()
	s.addFirstLines()
	s.addHeads()
	s.addMinimums()
	s.addKeyStates()
	s.addNumbers()
	s.addOrder()
	s.addReasonCodes()
	s.addLines()
	s.addLookups()
	return vectorfile.ListsFile{
		Header: header("lists", "Sections 9.4 and 9.6: signed revocation lists that are accepted, with what they say, and lists that are refused.", listsNotes, s.tests),
		Rings:  s.texts,
		Tests:  s.tests,
	}
}

func (s *listsSuite) ring(name string, keys ...string) {
	s.texts[name] = ringOfTexts(false, sevenAndEight, keys...)
	s.rings[name] = mustReadRing("lists", name, s.texts[name])
}

// add adds a note. Want is what its author expects: "good", or the part that
// refuses it and the reason.
func (s *listsSuite) add(flag, name, comment, want, ring, note string) *vectorfile.ListsTest {
	t := vectorfile.ListsTest{Test: vectorfile.Test{Name: name, Comment: comment, Flags: []string{flag}}, Ring: ring}
	if utf8.ValidString(note) {
		t.Note = &note
	} else {
		t.NoteHex = pointer(hexOf([]byte(note)))
	}
	l, _, part, refused := openList(note, s.rings[ring])
	t.Accepted, t.List, t.Part, t.Reason = l != nil, l, part, string(refused)
	got := part + " " + t.Reason
	if t.Accepted {
		got = "good"
	}
	if got != want {
		log.Fatalf("lists: %s: %q, want %q", name, got, want)
	}
	s.tests = append(s.tests, t)
	return &s.tests[len(s.tests)-1]
}

// sign adds a text, signed with the first list key. An accepted one comes with the
// key, so that it can be signed again.
func (s *listsSuite) sign(flag, name, comment, want, text string) *vectorfile.ListsTest {
	t := s.add(flag, name, comment, want, "acme", signNote(text, list1))
	if t.Accepted {
		t.Private = hexOf(scalarOf(list1))
	}
	return t
}

// edit adds the list of section 10.4 with a part replaced and signed after that.
func (s *listsSuite) edit(flag, name, comment, want, old, new string) {
	s.sign(flag, name, comment, want, edit(workedList, old, new))
}

// either is edit for what one reader takes for wrong lines and another for a wrong
// value. The reason is left out.
func (s *listsSuite) either(flag, name, comment, old, new string) {
	text := edit(workedList, old, new)
	_, refused := readList(text)
	if refused != "malformed" && refused != "bad-value" {
		log.Fatalf("lists: %s: %q", name, refused)
	}
	s.sign(flag, name, comment, "list "+string(refused), text).Reason = ""
}

func scalarOf(private *ecdsa.PrivateKey) []byte {
	scalar, err := private.Bytes()
	if err != nil {
		panic(err)
	}
	return scalar
}

func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// addSignatures adds the list of section 10.4 with all sorts of signatures.
func (s *listsSuite) addSignatures() {
	s.sign("worked", "worked", "section 10.4", "good", workedList)
	text := workedList
	test := func(name, comment, want, note string) { s.add("signature", name, comment, want, "acme", note) }
	test("second-key", "", "good", signNote(text, list2))
	test("closed-key", "a closed list key verifies", "good", signNote(text, list3))
	test("withdrawn-key", "", "note key-withdrawn", signNote(text, list4))
	test("two-keys", "", "good", signNote(text, list1, list2))
	test("two-keys-exchanged", "", "good", signNote(text, list2, list1))
	test("one-key-twice", "", "good", signNote(text, list1, list1))
	test("withdrawn-and-good-key", "lines of withdrawn keys are ignored", "good", signNote(text, list4, list1))
	test("good-and-withdrawn-key", "", "good", signNote(text, list1, list4))
	test("unknown-key", "no key of the ring", "note no-signature-of-this-issuer", signNote(text, stranger))
	test("unknown-and-good-key", "", "good", signNote(text, stranger, list1))
	test("unknown-and-withdrawn-key", "", "note key-withdrawn", signNote(text, stranger, list4))

	// Signatures of another text.
	other := signatureLine(list1, edit(text, "2042 2042", "2042 2043"))
	test("text-changed", "one serial more than was signed", "note bad-signature", edit(signNote(text, list1), "2042 2042", "2042 2043"))
	test("entry-left-out", "never read as a shorter list", "note bad-signature", edit(signNote(text, list1), "revoked ca3f2093e4fe1455 7 2042 2042\n", ""))
	test("newline-added", "a blank line more", "note bad-signature", edit(signNote(text, list1), "2042 2042\n", "2042 2042\n\n"))
	test("bad-signature", "", "note bad-signature", text+"\n"+other)
	test("bad-and-good-signature", "a wrong signature of a key of the ring refuses the note", "note bad-signature", text+"\n"+other+signatureLine(list2, text))
	test("good-and-bad-signature", "", "note bad-signature", text+"\n"+signatureLine(list2, text)+other)
	test("good-and-bad-signature-of-one-key", "", "note bad-signature", signNote(text, list1)+other)
	test("bad-signature-of-a-closed-key", "", "note bad-signature", signNote(text, list1)+signatureLine(list3, "other\n"))
	test("bad-signature-of-a-withdrawn-key", "ignored like a good one", "good", signNote(text, list1)+signatureLine(list4, "other\n"))
	test("bad-signature-of-an-unknown-key", "whatever it signs", "good", signNote(text, list1)+signatureLine(stranger, "other\n"))
	test("only-a-bad-signature-of-a-withdrawn-key", "", "note key-withdrawn", text+"\n"+signatureLine(list4, "other\n"))
	test("bad-signature-and-withdrawn-key", "", "note bad-signature", text+"\n"+other+signatureLine(list4, text))

	// Names and the four bytes.
	r, sig := sign(list1, hash([]byte(text)))
	der, hint := derOf(r, sig), keyHash(&list1.PublicKey)
	line := func(name string, parts ...[]byte) string { return noteLine(name, joined(parts...)) }
	test("other-name", "another name is another key", "note no-signature-of-this-issuer", text+"\n"+line("licet-receipt", hint, der))
	test("other-name-and-good", "", "good", signNote(text, list1)+line("example.com/log", unhex("00000000"), unhex("01")))
	test("name-in-upper-case", "", "note no-signature-of-this-issuer", text+"\n"+line("Licet-List", hint, der))
	test("other-four-bytes", "", "note no-signature-of-this-issuer", text+"\n"+line(listKeyName, unhex("00000000"), der))
	test("four-bytes-of-another-key", "", "note bad-signature", text+"\n"+line(listKeyName, keyHash(&list2.PublicKey), der))

	// Spellings of one signature.
	test("twin-signature", "n-s in place of s: both are accepted", "good", text+"\n"+line(listKeyName, hint, derOf(r, new(big.Int).Sub(order, sig))))
	test("signature-with-a-byte-after-it", "", "note bad-signature", text+"\n"+line(listKeyName, hint, der, unhex("00")))
	test("signature-with-a-byte-missing", "", "note bad-signature", text+"\n"+line(listKeyName, hint, der[:len(der)-1]))
	test("signature-not-in-der", "r and s of 32 bytes each", "note bad-signature", text+"\n"+line(listKeyName, hint, bytesOf(r, 256), bytesOf(sig, 256)))
	test("signature-with-a-long-length", "BER, not DER", "note bad-signature", text+"\n"+line(listKeyName, hint, unhex("3081"), der[1:]))
	test("signature-with-a-needless-zero", "BER, not DER", "note bad-signature", text+"\n"+line(listKeyName, hint, derWithZero(der)))
	test("r-0", "", "note bad-signature", text+"\n"+line(listKeyName, hint, derOf(new(big.Int), sig)))
	test("s-0", "", "note bad-signature", text+"\n"+line(listKeyName, hint, derOf(r, new(big.Int))))
	test("s-n", "", "note bad-signature", text+"\n"+line(listKeyName, hint, derOf(r, order)))
	test("s-plus-n", "", "note bad-signature", text+"\n"+line(listKeyName, hint, derOf(r, new(big.Int).Add(sig, order))))
	test("signature-of-one-byte", "", "note bad-signature", text+"\n"+line(listKeyName, hint, unhex("30")))

	s.add("signature", "ring-without-list-keys", "", "note no-signature-of-this-issuer", "no-list-keys", signNote(text, list1))
	s.add("signature", "ring-of-one-key", "", "good", "one-list-key", signNote(text, list1))
	s.add("signature", "ring-without-this-key", "", "note no-signature-of-this-issuer", "one-list-key", signNote(text, list2))
	s.add("signature", "mint-key", "a key of the ring, but of another role", "note no-signature-of-this-issuer", "other-roles", signNote(text, list1))
	s.add("signature", "receipt-key", "a key of the ring, but of another role", "note no-signature-of-this-issuer", "other-roles", signNote(text, list2))
}

func joined(parts ...[]byte) []byte {
	var all []byte
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// derWithZero returns a signature whose s has one more zero byte in front than DER
// allows.
func derWithZero(der []byte) []byte {
	at := 4 + int(der[3]) // of s
	all := append([]byte{}, der[:at]...)
	all = append(all, der[at], der[at+1]+1, 0)
	all = append(all, der[at+2:]...)
	all[1]++
	return all
}

// addNotes adds notes of a wrong form, and forms that are right.
func (s *listsSuite) addNotes() {
	good := signNote(workedList, list1)
	test := func(name, comment, want, note string) { s.add("note", name, comment, want, "acme", note) }
	test("crlf", "every CRLF is turned into LF", "good", crlf(good))
	test("crlf-in-one-line", "", "good", edit(good, "minimum 7 3\n", "minimum 7 3\r\n"))
	test("crlf-in-the-signature", "", "good", strings.TrimSuffix(good, "\n")+"\r\n")
	test("two-cr", "CR CR LF leaves a CR", "note malformed", edit(good, "minimum 7 3\n", "minimum 7 3\r\r\n"))
	test("cr-alone", "", "note malformed", strings.ReplaceAll(good, "\n", "\r"))
	test("cr-in-a-line", "", "note malformed", edit(good, "minimum 7 3", "minimum 7\r3"))
	test("empty", "", "note malformed", "")
	test("newline", "", "note malformed", "\n")
	test("bom", "a byte order mark", "note malformed", "\ufeff"+good)
	test("bom-and-crlf", "", "note malformed", "\ufeff"+crlf(good))
	test("utf-16", "", "note malformed", utf16LE(good))
	test("not-utf-8", "", "note malformed", edit(good, "Acme Tools", "Acme\xffTools"))
	test("surrogate", "not UTF-8", "note malformed", edit(good, "Acme Tools", "Acme\xed\xa0\x80Tools"))
	test("nul", "", "note malformed", edit(good, "minimum 7 3", "minimum 7 3\x00"))
	test("tab", "", "note malformed", edit(good, "minimum 7 3", "minimum\t7 3"))
	test("delete", "U+007F", "note malformed", edit(good, "minimum 7 3", "minimum 7 3\x7f"))
	test("c1-control", "U+0085", "note malformed", edit(good, "Acme Tools", "Acme\u0085Tools"))
	test("last-byte-missing", "the newline at the end", "note malformed", good[:len(good)-1])
	test("two-bytes-missing", "", "note malformed", good[:len(good)-2]+"\n")
	test("signature-cut-off", "in the middle of a line", "note malformed", good[:len(good)-30])
	test("signature-missing", "the text alone", "note malformed", workedList)
	test("signature-missing-below-the-blank-line", "", "note malformed", workedList+"\n")
	test("blank-line-missing", "", "note malformed", workedList+signatureLine(list1, workedList))
	test("blank-line-after-the-signature", "the text ends before the last blank line", "note malformed", good+"\n")
	test("blank-line-between-signatures", "then the first signature is part of the text", "note bad-signature", good+"\n"+signatureLine(list1, workedList))
	test("text-after-the-signature", "", "note malformed", good+"more\n")
	test("text-cut-off", "in the middle of the text", "note malformed", workedList[:100]+"\n")

	// Forms of a signature line.
	from, to := good[:len(workedList)+1], good[len(workedList)+1:]
	data := strings.TrimSuffix(to[strings.LastIndex(to, " ")+1:], "\n")
	line := func(name, comment, want, line string) { test(name, comment, want, from+line+"\n") }
	line("hyphen-in-place-of-the-dash", "", "note malformed", "- licet-list "+data)
	line("en-dash", "", "note malformed", "\u2013 licet-list "+data)
	line("no-space-after-the-dash", "", "note malformed", "\u2014licet-list "+data)
	line("no-name", "", "note malformed", "\u2014 "+data)
	line("empty-name", "", "note malformed", "\u2014  "+data)
	line("name-with-plus", "no name of a signed note has one", "note malformed", "\u2014 licet+list "+data)
	line("two-spaces", "", "note malformed", "\u2014 licet-list  "+data)
	line("space-at-the-end", "", "note malformed", "\u2014 licet-list "+data+" ")
	line("space-in-front", "", "note malformed", " \u2014 licet-list "+data)
	line("no-base64", "", "note malformed", "\u2014 licet-list")
	line("base64-of-urls", "a hyphen or an underscore", "note malformed", "\u2014 licet-list "+replaced(data, 20, "-"))
	line("base64-with-a-space", "", "note malformed", "\u2014 licet-list "+data[:20]+" "+data[20:])
	line("base64-padded", "", "good", paddedLine())
	line("base64-not-padded", "", "note malformed", strings.TrimRight(paddedLine(), "="))
	line("base64-padded-too-much", "", "note malformed", paddedLine()+"=")
	line("base64-with-a-spare-bit", "it has to be zero", "note malformed", withSpareBit(paddedLine()))
	line("base64-of-four-bytes", "no signature after the four bytes", "note malformed", "\u2014 licet-list "+data[:6]+"==")
	line("base64-of-three-bytes", "", "note malformed", "\u2014 licet-list "+data[:4])
	test("line-of-another-form-and-good", "also lines that are ignored must have the form", "note malformed", good+"\u2014 example.com/log\n")
	test("other-name-of-four-bytes-and-good", "", "note malformed", good+noteLine("example.com/log", unhex("00000000")))

	// How many lines there may be.
	others := ""
	for i := range 15 {
		others += noteLine(fmt.Sprintf("example.com/%d", i), []byte{1, 2, 3, 4, byte(i)})
	}
	test("sixteen-signatures", "the most", "good", from+others+to)
	test("seventeen-signatures", "", "note malformed", from+others+to+noteLine("example.com/15", unhex("0102030405")))
	test("seventeen-good-signatures", "", "note malformed", from+strings.Repeat(to, 17))
}

// paddedLine returns the signature line of a key whose signature of the list of
// section 10.4 needs padding.
func paddedLine() string {
	for _, k := range []*ecdsa.PrivateKey{list1, list2, list3} {
		if line := signatureLine(k, workedList); strings.HasSuffix(line, "=\n") {
			return strings.TrimSuffix(line, "\n")
		}
	}
	panic("no signature needs padding")
}

// withSpareBit sets the lowest bit of the last character of base64 with padding.
func withSpareBit(line string) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	i := strings.IndexByte(line, '=') - 1
	return replaced(line, i, digits[strings.IndexByte(digits, line[i])|1:][:1])
}

// utf16LE encodes text as a shell on Windows may write it.
func utf16LE(text string) string {
	all := "\xff\xfe"
	for _, r := range text {
		all += string([]byte{byte(r), byte(r >> 8)})
	}
	return all
}
