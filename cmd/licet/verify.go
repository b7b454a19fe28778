package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/ordered"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

func newVerify(a *app) *cobra.Command {
	var f judgeFlags
	var rf receiptFlags
	cmd := &cobra.Command{
		Use:   "verify CODE... | - | --receipt FILE",
		Short: "Judge licence codes, or an activation receipt",
		Long: `Judge licence codes, given as arguments or, for the argument -, one a line on
standard input. In a licensing home its ring and its products are the default, and
the first code of an hs256 key unlocks the secret of that key.

In a script write: licet verify -- "$CODE". Without the -- a text that begins with a
hyphen would count as a flag.

With --receipt the receipt of an activation is judged, for the device or account that
it must be for. That needs no secret, also for an hs256 key.

Exit codes: 0 all valid, 2 usage, 3 malformed (a typing error), 4 not authentic
otherwise, 5 authentic but not acceptable (expired, wrong product, ...), 6 cannot
judge, 1 anything else. For several codes it is the first of 1, 6, 4, 3, 5 that
occurred.`,
		Example: `  licet verify ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ
  licet verify --ring ring.json --product 7 --min-version 3 - < codes.txt
  licet verify --at 2028-01-01 --json ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ
  licet verify --receipt receipt.jws --device 4c4c4544004235108054b9c04f564d32`,
		Args: func(_ *cobra.Command, args []string) error { return rf.check(args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if rf.file != "" {
				return a.verifyReceipt(f, rf)
			}
			return a.verify(cmd.Context(), f, args)
		},
	}
	rf.add(cmd)
	f.add(a, cmd)
	cmd.Flags().Var(&f.products, "product", "accept these products only (repeatable; default: all of the ring)")
	cmd.Flags().Var(&f.minVersion, "min-version", "lowest licence version to accept")
	cmd.Flags().BoolVar(&f.allowShortTags, "allow-short-tags", false, "judge keys with fewer than 65 tag bits, which are meant for a server that counts attempts")
	return cmd
}

// verify judges codes and reports them; its error has the exit code.
func (a *app) verify(ctx context.Context, f judgeFlags, codes []string) error {
	j, err := a.newJudge(f)
	if err != nil {
		return err
	}
	r := &report{app: a, judge: j, asJSON: f.asJSON, good: a.out.paint(roleGood, "valid") + ": ", counts: map[string]int{}}
	for _, code := range codes {
		if code == "-" {
			err = r.stream(ctx, a.stdin)
		} else {
			p := new(verifyPiece)
			p.err = r.judgeLine(p, 0, code)
			err = r.deliver(p)
		}
		if err != nil {
			return err
		}
	}
	r.summary()
	if r.total == 0 { // nothing is valid: an empty variable piped in must not pass
		return &exitError{exitMalformed, errors.New("no code on standard input")}
	}
	if r.code != 0 {
		return &exitError{code: r.code}
	}
	return nil
}

// A report prints verdicts and counts them.
type report struct {
	*app
	judge  *judge
	asJSON bool
	good   string // begins what is said of a valid code
	counts map[string]int
	total  int
	code   int // worst exit code so far
}

// A verifyPiece is some codes on their way through the verifier, and then what is
// to be said of them.
type verifyPiece struct {
	text string // lines, the last of them perhaps without its end
	line int    // number of the first; 0 is an argument

	verdict verdict // on the code at hand

	out    []byte
	valid  int            // how many codes are valid
	others map[string]int // how many are not, by class
	code   int
	err    error

	// What is said of a valid licence before its code and after it. Most codes of a list
	// say the same.
	head, tail numberedText
	tailOf     payload.License
	tailKey    int
}

// A numberedText is a text with a number that mostly goes up by one.
type numberedText struct {
	before, after string
	hundreds      uint64 // the number without its last two digits; 0: there is no text
	text          []byte // its last two digits mean nothing
}

// append appends the text with the number n. Its last digits are written to their
// place in dst only: to copy a text that was written to just before would take long.
func (t *numberedText) append(dst []byte, n uint64) []byte {
	hundreds, rest := n/100, byte(n%100)
	if hundreds != t.hundreds || hundreds == 0 {
		t.hundreds = hundreds
		t.text = append(strconv.AppendUint(append(t.text[:0], t.before...), n, 10), t.after...)
	}
	dst = append(dst, t.text...)
	if hundreds > 0 {
		last := len(dst) - len(t.after) - 1
		dst[last-1], dst[last] = '0'+rest/10, '0'+rest%10
	}
	return dst
}

const verifyPieceSize = 8 << 10 // bytes, more with a long line

// stream judges a code a line. Lines may be of any length; blank ones are skipped.
// The verdicts come in the order of the lines.
func (r *report) stream(ctx context.Context, in io.Reader) error {
	input := bufio.NewReaderSize(&cancelReader{ctx: ctx, in: in}, 64<<10)
	line, ended := 1, false
	cut := func(p *verifyPiece) (bool, error) {
		if ended {
			return false, nil
		}
		p.line = line
		// What was read is judged before more is waited for: whoever writes the lines
		// may wait for the answer.
		next, _ := input.Peek(min(input.Buffered(), verifyPieceSize))
		if n := bytes.LastIndexByte(next, '\n') + 1; n > 0 {
			p.text = string(next[:n])
			line += bytes.Count(next[:n], newline)
			input.Discard(n)
			return true, nil
		}
		text, err := appendLine(nil, input)
		p.text = string(text)
		if ended = err == io.EOF; err != nil && !ended {
			return false, fmt.Errorf("standard input, line %d: %w", line, err)
		}
		line++
		return true, nil
	}
	return ordered.Run(ctx, cut, r.judgePiece, r.deliver)
}

var newline = []byte{'\n'}

// A cancelReader reads until its context is done: a terminal or a pipe may keep a
// reader waiting for ever.
type cancelReader struct {
	ctx  context.Context
	in   io.Reader
	buf  [32 << 10]byte
	rest []byte // read and not yet taken
}

func (c *cancelReader) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		type result struct {
			n   int
			err error
		}
		done := make(chan result, 1)
		go func() { // left behind when the context is done first, as the program ends then
			n, err := c.in.Read(c.buf[:])
			done <- result{n, err}
		}()
		select {
		case r := <-done:
			if r.n == 0 {
				return 0, r.err
			}
			c.rest = c.buf[:r.n] // an error comes back with the next read
		case <-c.ctx.Done():
			return 0, c.ctx.Err()
		}
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// appendLine appends a line without its end. Of a line longer than any code it
// keeps just enough to tell.
func appendLine(dst []byte, r *bufio.Reader) ([]byte, error) {
	begin := len(dst)
	for {
		part, err := r.ReadSlice('\n')
		dst = append(dst, part[:min(len(part), maxLine-(len(dst)-begin))]...)
		if err == bufio.ErrBufferFull {
			continue
		}
		for len(dst) > begin && (dst[len(dst)-1] == '\n' || dst[len(dst)-1] == '\r') {
			dst = dst[:len(dst)-1]
		}
		return dst, err
	}
}

// maxLine is more than enough of a line to tell that it is too long for a code.
const maxLine = payload.MaxInput + 2

func blank(line string) bool {
	if len(line) > 0 && 'A' <= line[0] && line[0] <= 'Z' {
		return false
	}
	t, err := payload.AppendNormalized(nil, line)
	return err == nil && len(t) == 0
}

// judgePiece judges the codes of a piece, and writes what is to be said of them.
func (r *report) judgePiece(p *verifyPiece) {
	p.out, p.valid, p.code, p.err = p.out[:0], 0, 0, nil
	clear(p.others)
	rest := p.text
	for line := p.line; len(rest) > 0; line++ {
		var input string
		input, rest, _ = strings.Cut(rest, "\n")
		if input = strings.TrimRight(input, "\r"); blank(input) {
			continue
		}
		if p.err = r.judgeLine(p, line, input[:min(len(input), maxLine)]); p.err != nil {
			return
		}
	}
}

// judgeLine judges a code, which line 0 says is an argument.
func (r *report) judgeLine(p *verifyPiece, line int, code string) error {
	if err := r.judge.judgeInto(&p.verdict, code); err != nil {
		return err
	}
	v := &p.verdict
	if v.err == nil {
		p.valid++
	} else {
		p.count(v.class())
	}
	if !r.asJSON {
		r.say(p, line, code, v)
		return nil
	}
	var out bytes.Buffer
	if err := newVerdictJSON(r.judge.ring(), line, code, *v).write(&out); err != nil {
		return err
	}
	p.out = append(p.out, out.Bytes()...)
	return nil
}

// count counts a code that is not valid.
func (p *verifyPiece) count(class string, code int) {
	if p.others == nil {
		p.others = map[string]int{}
	}
	p.others[class]++
	p.code = worst(p.code, code)
}

// say writes the line about one code.
func (r *report) say(p *verifyPiece, line int, input string, v *verdict) {
	if v.err != nil {
		if line > 0 {
			p.out = fmt.Appendf(p.out, "line %d: ", line)
		}
		class, _ := v.class()
		p.out = fmt.Appendf(p.out, "%s: %s: %s\n", r.out.paint(roleBad, class), printable(input), r.explain(v))
		return
	}
	if p.tailKey != v.lic.KeyNumber || !sameTerms(&p.tailOf, &v.lic.License) {
		r.setTail(p, &v.lic)
	}
	if line > 0 {
		p.out = p.head.append(p.out, uint64(line))
	} else {
		p.out = append(p.out, r.good...)
	}
	p.out = append(p.out, printable(input)...)
	p.out = p.tail.append(p.out, v.lic.Serial)
}

// setTail keeps what is said of a licence.
func (r *report) setTail(p *verifyPiece, lic *verifier.License) {
	key, _ := r.judge.ring().MintKey(lic.KeyNumber)
	p.head = numberedText{before: "line ", after: ": " + r.good}
	p.tail = numberedText{before: ": " + describeTerms(r.judge.ring(), lic.License, key) + ", serial ", after: "\n"}
	if lic.BindingIgnored {
		p.tail.after = bindingIgnored + "\n"
	}
	p.tailOf, p.tailKey = lic.License, lic.KeyNumber
}

const bindingIgnored = "; the binding was ignored, since the key binds its codes to nothing"

// sameTerms reports whether two licences say the same, their serials aside.
func sameTerms(a, b *payload.License) bool {
	if a.Product != b.Product || a.Version != b.Version || a.Expiry != b.Expiry || a.Start != b.Start ||
		a.Edition != b.Edition || a.Features != b.Features || a.Seats != b.Seats {
		return false
	}
	for name, value := range a.Extra.All() {
		if other, ok := b.Extra.Get(name); !ok || other != value {
			return false
		}
	}
	return true
}

// deliver prints what is said of a piece.
func (r *report) deliver(p *verifyPiece) error {
	if _, err := r.out.Write(p.out); err != nil {
		return err
	}
	r.counts["valid"] += p.valid
	r.total += p.valid
	for class, n := range p.others {
		r.counts[class] += n
		r.total += n
	}
	r.code = worst(r.code, p.code)
	return p.err
}

// explain says why a code is not valid and, if it is genuine, what it licenses.
func (r *report) explain(v *verdict) string {
	text := v.err.Error()
	var read *payload.ReadError
	if errors.As(v.err, &read) && read.Proposal != "" {
		text += "; did you mean " + read.Proposal + "?"
	}
	if todo := remedy(v.err); todo != "" {
		text += "; " + todo
	}
	lic, ok := v.license()
	if !ok {
		return text
	}
	key, _ := r.judge.ring().MintKey(lic.KeyNumber)
	terms := fmt.Sprintf("%s, serial %d", describeTerms(r.judge.ring(), lic.License, key), lic.Serial)
	if lic.BindingIgnored {
		terms += bindingIgnored
	}
	return text + " (" + terms + ")"
}

// summary tells the counts when there were several codes.
func (r *report) summary() {
	if r.total < 2 || r.asJSON {
		return
	}
	fmt.Fprintf(r.err, "%d codes:", r.total)
	sep := " "
	for _, class := range []string{"valid", "malformed", "not authentic", "not acceptable", "cannot judge"} {
		if n := r.counts[class]; n > 0 {
			fmt.Fprintf(r.err, "%s%d %s", sep, n, class)
			sep = ", "
		}
	}
	fmt.Fprintln(r.err)
}
