package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/text/unicode/norm"

	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/verifier"
)

// subjectFlags say whom a receipt is for.
type subjectFlags struct{ device, account string }

func (f *subjectFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.device, "device", "", "the device: its fingerprint, `TEXT` just as the product takes it")
	cmd.Flags().StringVar(&f.account, "account", "", "the account: its `NAME`")
}

func (f *subjectFlags) given() bool { return f.device != "" || f.account != "" }

// subject returns the one subject that was given.
func (f *subjectFlags) subject() (receipt.Subject, error) {
	kind, text := receipt.Device, f.device
	switch {
	case !f.given():
		return receipt.Subject{}, usageError("give --device or --account: a receipt is good for one subject only")
	case f.device != "" && f.account != "":
		return receipt.Subject{}, usageError("give --device or --account, not both")
	case f.account != "":
		kind, text = receipt.Account, f.account
	}
	s, err := receipt.NewSubject(kind, norm.NFC.String(text))
	if err != nil {
		return s, usageError("%w", err)
	}
	return s, nil
}

// receiptFlags are those of verify that are for a receipt.
type receiptFlags struct {
	file    string
	subject subjectFlags
}

func (f *receiptFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "receipt", "", "judge the activation receipt in `FILE` instead of codes, for --device or --account; - is standard input")
	f.subject.add(cmd)
}

// check returns an error unless there are either codes or a receipt.
func (f *receiptFlags) check(codes []string) error {
	switch {
	case f.file == "" && len(codes) == 0:
		return errors.New("no code given; for codes on standard input, one a line, give the argument -")
	case f.file == "" && f.subject.given():
		return errors.New("--device and --account are for a receipt: give it with --receipt")
	case f.file != "" && len(codes) > 0:
		return errors.New("--receipt takes the place of codes: give one or the other")
	}
	return nil
}

// verifyReceipt judges a receipt and reports it; its error has the exit code.
func (a *app) verifyReceipt(f judgeFlags, rf receiptFlags) error {
	if f.bind != "" {
		return usageError("--bind is for codes: a receipt does not have the binding of its code")
	}
	s, err := rf.subject.subject()
	if err != nil {
		return err
	}
	text, err := a.readReceipt(rf.file)
	if err != nil {
		return err
	}
	j, err := a.newJudge(f)
	if err != nil {
		return err
	}
	var v verdict
	v.lic, v.err = j.state.Load().v.VerifyReceipt(text, s)
	out := receiptJSON{verdictJSON: newReceiptVerdict(j, text, v), File: rf.file}
	return a.reportReceipt(j, out, v, f.asJSON)
}

// readReceipt reads the text of a receipt.
func (a *app) readReceipt(path string) (string, error) {
	in := a.stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, receipt.MaxSize+1)) // enough to tell that it is too long
	return string(text), err
}

// receiptJSON is what is printed of a receipt as JSON: what verify prints of a code, and
// more. Members are only ever added.
type receiptJSON struct {
	verdictJSON
	File    string            `json:"file,omitempty"`
	Status  string            `json:"status,omitempty"` // of activate: what became of the request
	Receipt *receiptFactsJSON `json:"receipt,omitempty"`
}

type receiptFactsJSON struct {
	KeyID         string `json:"key_id"`
	SubjectKind   string `json:"subject_kind"`
	Issued        string `json:"issued"`
	RefreshBy     string `json:"refresh_by"` // or never
	End           string `json:"end"`        // or never
	Overdue       bool   `json:"overdue,omitempty"`
	SeatsEnforced bool   `json:"seats_enforced"`
}

// newReceiptVerdict returns the verdict on a receipt.
func newReceiptVerdict(j *judge, text string, v verdict) verdictJSON {
	out := newVerdictJSON(j.ring(), 0, strings.TrimSpace(text), v)
	class, _ := receiptClass(v)
	out.Verdict = verdictName(class)
	var r receipt.Reason
	if out.Reason == "" && errors.As(v.err, &r) {
		out.Reason = string(r)
	}
	return out
}

// receiptClass returns the name of a verdict on a receipt and the exit code for it.
func receiptClass(v verdict) (string, int) {
	if errors.Is(v.err, receipt.Malformed) {
		return "malformed", exitMalformed
	}
	return v.class()
}

// reportReceipt prints a verdict on a receipt; its error has the exit code.
func (a *app) reportReceipt(j *judge, out receiptJSON, v verdict, asJSON bool) error {
	class, code := receiptClass(v)
	lic, ok := v.license()
	r, _ := lic.Receipt()
	if ok {
		out.Receipt = &receiptFactsJSON{
			KeyID: r.KeyID.String(), SubjectKind: string(r.Subject.Kind),
			Issued: receipt.FormatTime(r.Issued), RefreshBy: receipt.FormatTime(r.RefreshBy), End: receipt.FormatTime(r.End),
			Overdue: r.Overdue, SeatsEnforced: r.SeatsEnforced,
		}
	}
	var err error
	switch {
	case asJSON:
		err = writeJSON(a.out, out)
	case v.err == nil:
		_, err = fmt.Fprintf(a.out, "%s: %s: %s\n", a.out.paint(roleGood, class), printable(out.File), describeReceipt(j, lic, r))
	case ok:
		_, err = fmt.Fprintf(a.out, "%s: %s: %s (%s)\n", a.out.paint(roleBad, class), printable(out.File), v.err, describeReceipt(j, lic, r))
	default:
		_, err = fmt.Fprintf(a.out, "%s: %s: %s\n", a.out.paint(roleBad, class), printable(out.File), v.err)
	}
	if err == nil && code != 0 {
		err = &exitError{code: code}
	}
	return err
}

// describeReceipt says what a receipt and its licence say, in one line.
func describeReceipt(j *judge, lic verifier.License, r verifier.Receipt) string {
	key, _ := j.ring().MintKey(lic.KeyNumber)
	text := fmt.Sprintf("%s, serial %d; receipt of %s for a subject of the kind %s", describeTerms(j.ring(), lic.License, key), lic.Serial, receipt.FormatTime(r.Issued), r.Subject.Kind)
	if r.RefreshBy.Before(receipt.Never) {
		text += ", to be renewed by " + receipt.FormatTime(r.RefreshBy)
	}
	if r.End.Before(receipt.Never) {
		text += ", good until " + receipt.FormatTime(r.End)
	}
	if r.Overdue {
		text += ", overdue"
	}
	if !r.SeatsEnforced {
		text += "; the endpoint does not count seats"
	}
	return text
}
