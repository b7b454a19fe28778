package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

func newInspect(a *app) *cobra.Command {
	var f judgeFlags
	cmd := &cobra.Command{
		Use:   "inspect CODE",
		Short: "Explain a code: what it is, and why it is refused",
		Long: `Explain a code symbol by symbol, for the support desk: which key made it, what it
says, whether it is genuine, why it is refused, and which character is probably
wrong. Outside a licensing home and without --ring only the text can be checked.

The exit code is that of licet verify --allow-short-tags.`,
		Example: `  licet inspect ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ
  licet inspect --bind "Jane Doe" --json AHJXYQET69FWH3QZJG9E69PS6HVKELWZ`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.inspect(f, args[0]) },
	}
	f.add(a, cmd)
	return cmd
}

func (a *app) inspect(f judgeFlags, input string) error {
	f.allowShortTags = true // the support desk must be able to look at any code
	j, err := a.newJudge(f)
	if errors.Is(err, home.ErrNone) {
		return a.inspectText(f, input)
	}
	if err != nil {
		return err
	}
	v, err := j.judge(input)
	if err != nil {
		return err
	}
	if f.asJSON {
		out := newVerdictJSON(j.ring(), 0, input, v)
		out.addParts(dissect(j.ring(), input, v.err))
		err = out.write(a.out)
	} else {
		err = a.explain(j, input, v)
	}
	if err != nil {
		return err
	}
	if _, code := v.class(); code != 0 {
		return &exitError{code: code}
	}
	return nil
}

// A sheet collects labelled lines.
type sheet struct {
	*app
	b strings.Builder
}

func (s *sheet) line(label, format string, args ...any) {
	fmt.Fprintf(&s.b, "%s %s\n", s.out.paint(roleQuiet, fmt.Sprintf("%-10s", label)), fmt.Sprintf(format, args...))
}

func (s *sheet) print() error {
	_, err := s.out.WriteString(s.b.String())
	return err
}

// explain prints what there is to know about a code.
func (a *app) explain(j *judge, input string, v verdict) error {
	s := &sheet{app: a}
	s.input(input, v.err)
	s.anatomy(dissect(j.ring(), input, v.err))
	if lic, ok := v.license(); ok {
		key, _ := j.ring().MintKey(lic.KeyNumber)
		s.line("genuine", "%s", a.out.paint(roleGood, "yes"))
		for _, f := range licenseFields(j.ring(), lic.License, key) {
			s.line(f.name, "%s", f.value)
		}
		if lic.BindingIgnored {
			s.line("binding", "ignored: key %d binds its codes to nothing", lic.KeyNumber)
		}
		if l, ok := lic.List(); ok {
			s.line("list", "judged by revocation list %d of %s", l.Sequence, l.Issued.Format(time.DateOnly))
		} else {
			s.line("list", "judged without a revocation list")
		}
		if until := lic.Until(j.opts.Clock()); !until.IsZero() {
			s.line("until", "the verdict holds until %s", until.Format("2006-01-02 15:04 MST"))
		}
	}
	class, code := v.class()
	if code == 0 {
		s.line("verdict", "%s", a.out.paint(roleGood, class))
		return s.print()
	}
	s.line("verdict", "%s: %v", a.out.paint(roleBad, class), v.err)
	s.line("reason", "%s", reason(v.err))
	if advice := advise(v.err); advice != "" {
		s.line("advice", "%s", advice)
	}
	var read *payload.ReadError
	if errors.As(v.err, &read) && read.Proposal != "" {
		if err := s.proposal(j, read); err != nil {
			return err
		}
	}
	return s.print()
}

// input shows the text as it was given, with a mark under each wrong character.
func (s *sheet) input(input string, err error) {
	s.line("input", "%s", printable(input))
	var read *payload.ReadError
	if !errors.As(err, &read) || len(read.Places) == 0 {
		return
	}
	shown, marks := []rune(printable(input)), ""
	for _, p := range read.Places {
		if p.Input > len(shown) {
			break
		}
		before := width(string(shown[:p.Input-1])) // not every character is one column wide
		marks += strings.Repeat(" ", max(before-len(marks), 0)) + "^"
	}
	s.line("", "%s", s.out.paint(roleBad, marks))
}

// proposal tells what the code would be if the wrong characters were put right.
func (s *sheet) proposal(j *judge, read *payload.ReadError) error {
	if !read.Confirmed {
		s.line("perhaps", "%s", s.out.paint(roleCode, read.Proposal))
		return nil
	}
	s.line("meant", "%s", s.out.paint(roleCode, read.Proposal))
	v, err := j.judge(read.Proposal)
	if err != nil {
		return err
	}
	if lic, ok := v.license(); ok {
		key, _ := j.ring().MintKey(lic.KeyNumber)
		s.line("which is", "genuine: %s, serial %d", describeTerms(j.ring(), lic.License, key), lic.Serial)
	}
	if v.err != nil {
		s.line("but", "%v", v.err)
	}
	return nil
}

// inspectText checks what needs no key: characters, length and check symbols.
func (a *app) inspectText(f judgeFlags, input string) error {
	reader, err := payload.NewReader()
	if err != nil {
		return err
	}
	_, _, err = reader.Read(input, nil)
	var read *payload.ReadError // which every error of a reader is; without keys no text is free of one
	errors.As(err, &read)
	class, code := "malformed", exitMalformed
	switch read.Reason {
	case payload.UnknownKey:
		class, code = "cannot judge", exitCannotJudge
	case payload.LaterFormat:
		class, code = "not authentic", exitNotAuthentic
	}
	if f.asJSON {
		j := newVerdictJSON(nil, 0, input, verdict{err: err})
		j.Verdict = verdictName(class)
		j.addParts(dissect(nil, input, err))
		err = j.write(a.out)
	} else {
		err = a.explainText(input, read, class)
	}
	if err != nil {
		return err
	}
	return &exitError{code: code}
}

func (a *app) explainText(input string, read *payload.ReadError, class string) error {
	s := &sheet{app: a}
	s.input(input, read)
	s.anatomy(dissect(nil, input, read))
	if read.Reason == payload.UnknownKey {
		s.line("verdict", "%s: there is no licensing home in %s, and no --ring, to tell whether it is genuine", class, a.dir)
		return s.print()
	}
	s.line("verdict", "%s: %v", a.out.paint(roleBad, class), read)
	s.line("reason", "%s", reason(read))
	if read.Proposal != "" {
		s.line("perhaps", "%s", a.out.paint(roleCode, read.Proposal))
	}
	return s.print()
}

// advise says what the support desk can tell the customer.
func advise(err error) string {
	var read *payload.ReadError
	errors.As(err, &read)
	switch {
	case errors.Is(err, verifier.BadSignature):
		return "nobody with this key made this code: it is invented, altered, or for another licensee or machine"
	case errors.Is(err, payload.UnknownKey):
		return "the ring lacks this key: an older ring, or a code of another issuer"
	case errors.Is(err, payload.WrongLength) && read.Have < read.Want:
		return "ask for the whole code, as text and not as a picture"
	case errors.Is(err, payload.WrongLength), errors.Is(err, payload.ExtraText), errors.Is(err, payload.Repeated):
		return "ask for the code alone, and once"
	case errors.Is(err, payload.Typo) && read.Proposal == "":
		return "ask for the code as text, or compare it with the original character by character"
	case errors.Is(err, verifier.BindingRequired):
		return "give the text that the code is bound to with --bind"
	case errors.Is(err, verifier.KeyWithdrawn):
		return "the customer needs a new code, of another key"
	case errors.Is(err, verifier.Expired):
		return "the licence has to be renewed"
	}
	return remedy(err)
}
