package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/activation/client"
	"github.com/licet-dev/licet/keys/keyfile/atomicfile"
	"github.com/licet-dev/licet/keys/receipt"
)

// activateFlags are those of all commands that ask an endpoint.
type activateFlags struct {
	server    string
	tokenFile string
	subject   subjectFlags
	judge     judgeFlags
}

func (f *activateFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.server, "server", "", "`URL` of the endpoint: https, or http on this machine")
	f.subject.add(cmd)
	cmd.Flags().StringVar(&f.tokenFile, "token-file", "", "the endpoint's token for callers that speak for accounts, in `FILE`")
	cmd.Flags().BoolVar(&f.judge.asJSON, "json", false, "print a JSON object")
}

// addJudge adds the flags for receipts that come in.
func (f *activateFlags) addJudge(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.judge.ring, "ring", "", "judge the receipt by the ring in `FILE` instead of the licensing home")
	cmd.Flags().StringVar(&f.judge.at, "at", "", "judge the receipt as of `TIME`: a date, 00:00 UTC, or RFC 3339 with an offset")
	cmd.Flags().StringArrayVar(&f.judge.revocations, "revocations", nil, "judge the receipt by the revocation list in `FILE` (repeatable, the newest counts; default: that of the licensing home)")
}

// caller returns for whom the endpoint is asked, and what asks it.
func (f *activateFlags) caller() (receipt.Subject, *client.Client, error) {
	s, err := f.subject.subject()
	if err != nil {
		return s, nil, err
	}
	c, err := f.client()
	return s, c, err
}

// client returns a client of the endpoint.
func (f *activateFlags) client() (*client.Client, error) {
	if f.server == "" {
		return nil, usageError("--server is missing: give the URL of the endpoint")
	}
	var token []byte
	if f.tokenFile != "" {
		file, err := os.Open(f.tokenFile)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if token, err = io.ReadAll(io.LimitReader(file, 4096)); err != nil {
			return nil, err
		}
	}
	c, err := client.New(client.Options{Server: f.server, Token: client.Token(strings.TrimSpace(string(token)))})
	if err != nil {
		return nil, usageError("%w", err)
	}
	return c, nil
}

type activateOptions struct {
	activateFlags
	product number
	bind    string
	output  string
}

func newActivate(a *app) *cobra.Command {
	var o activateOptions
	cmd := &cobra.Command{
		Use:   "activate --server URL --product N --device TEXT CODE | -",
		Short: "Activate a code at an endpoint, and keep the receipt",
		Long: `Activate a licence code, or the one on standard input for the argument -, at an
issuer's endpoint. The receipt that it answers with is judged by the ring of --ring or
of the licensing home, and only if it is good kept in a file: receipt.jws, or that of
-o. From then on licet verify --receipt judges it without the endpoint.

While the answer is open a file beside it, receipt.jws.pending, keeps the key of the
request. After a crash or a lost answer run the same command again: it gets the same
receipt, and takes no second seat. The file has neither code nor fingerprint in it.

This command and those below it are the only ones that open a connection.

Exit codes: 0 the receipt is good and kept; 3 the code is malformed; 4 it is refused
as not genuine, or the receipt is; 5 it is genuine, but refused: no seat is free,
expired, revoked, ...; 6 the endpoint can't be reached or can't decide, or the receipt
can't be judged: nothing is known, try again later; 2 usage; 1 anything else.`,
		Example: `  licet activate --server https://licences.example.com --product 7 \
    --device "$(cat /etc/machine-id)" ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ
  licet verify --receipt receipt.jws --device "$(cat /etc/machine-id)"`,
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return errors.New("no CODE given; for one on standard input give the argument -")
			case 1:
				return nil
			}
			return fmt.Errorf("%d arguments given: activate one code at a time; one with spaces needs quotation marks", len(args))
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.activate(cmd.Context(), o, args[0]) },
	}
	o.add(cmd)
	o.addJudge(cmd)
	cmd.Flags().Var(&o.product, "product", "which product asks, by number")
	cmd.Flags().StringVar(&o.bind, "bind", "", "`TEXT` that the code is bound to")
	cmd.Flags().StringVarP(&o.output, "output", "o", "receipt.jws", "keep the receipt in `FILE`")
	cmd.AddCommand(newActivateRefresh(a), newActivateRelease(a))
	return cmd
}

func newActivateRefresh(a *app) *cobra.Command {
	var f activateFlags
	cmd := &cobra.Command{
		Use:     "refresh FILE",
		Short:   "Replace a receipt by a newer one",
		Long:    "Ask the endpoint for a newer receipt of the same seat. It is judged, and takes the\nplace of the one in the file only if it is good.",
		Example: `  licet activate refresh --server https://licences.example.com --device "$(cat /etc/machine-id)" receipt.jws`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.activateRefresh(cmd.Context(), f, args[0]) },
	}
	f.add(cmd)
	f.addJudge(cmd)
	return cmd
}

func newActivateRelease(a *app) *cobra.Command {
	var f activateFlags
	cmd := &cobra.Command{
		Use:     "release FILE",
		Short:   "Give a seat back, and delete the receipt",
		Long:    "Give the seat of a receipt back to the endpoint. The file is deleted once the\nendpoint has answered.",
		Example: `  licet activate release --server https://licences.example.com --device "$(cat /etc/machine-id)" receipt.jws`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.activateRelease(cmd.Context(), f, args[0]) },
	}
	f.add(cmd)
	return cmd
}

func (a *app) activate(ctx context.Context, o activateOptions, code string) error {
	if !o.product.given {
		return usageError("--product is missing: which product asks, by number")
	}
	if o.output == "" || o.output == "-" {
		return usageError("-o %s: name a file, which the receipt is kept in", o.output)
	}
	s, c, err := o.caller()
	if err != nil {
		return err
	}
	o.judge.bind = o.bind
	o.judge.products = numbers{o.product.value}
	j, err := a.newJudge(o.judge)
	if err != nil {
		return err
	}
	if code == "-" {
		if code, err = a.readCode(); err != nil {
			return err
		}
	}
	r := client.Request{Code: code, Binding: j.bind, Product: o.product.value, Subject: s}
	path := o.output + ".pending"
	p, stored, err := pendingOf(path, r)
	if err != nil {
		return err
	}
	reply, err := c.Activate(ctx, r, p)
	if stored && (errors.Is(err, client.Released) || errors.Is(err, client.KeyReused)) {
		// What was stored stands for a seat that is gone: this asks for one anew.
		if p, err = newPending(path, r); err != nil {
			return err
		}
		reply, err = c.Activate(ctx, r, p)
	}
	if err != nil {
		if refused, ok := errors.AsType[*client.Refused](err); ok && refused.Problem != client.QuotaExceeded {
			os.Remove(path) // answered; a file that stays does no harm
		}
		return a.reportRefusal(ctx, o.judge.asJSON, err)
	}
	v, err := keepReceipt(j, o.output, reply, s)
	if err != nil {
		return err
	}
	if v.err == nil {
		os.Remove(path)
	}
	return a.reportReply(j, o.output, reply, v, o.judge.asJSON)
}

// keepReceipt judges the receipt of a reply, and writes it to a file if it is good.
func keepReceipt(j *judge, path string, reply client.Reply, s receipt.Subject) (v verdict, err error) {
	if v.lic, v.err = j.state.Load().v.VerifyReply(reply.Receipt, s, reply.Nonce); v.err == nil {
		err = atomicfile.WriteFile(path, []byte(reply.Receipt+"\n"), 0o600)
	}
	return v, err
}

func (a *app) activateRefresh(ctx context.Context, f activateFlags, path string) error {
	s, c, err := f.caller()
	if err != nil {
		return err
	}
	j, err := a.newJudge(f.judge)
	if err != nil {
		return err
	}
	text, err := a.readReceipt(path)
	if err != nil {
		return err
	}
	reply, err := c.Refresh(ctx, text, s)
	if err != nil {
		return a.reportRefusal(ctx, f.judge.asJSON, err)
	}
	v, err := keepReceipt(j, path, reply, s)
	if err != nil {
		return err
	}
	return a.reportReply(j, path, reply, v, f.judge.asJSON)
}

func (a *app) activateRelease(ctx context.Context, f activateFlags, path string) error {
	s, c, err := f.caller()
	if err != nil {
		return err
	}
	text, err := a.readReceipt(path)
	if err != nil {
		return err
	}
	reply, err := c.Release(ctx, text, s)
	if err != nil {
		return a.reportRefusal(ctx, f.judge.asJSON, err)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("the seat was given back, but the receipt is still there: %w", err)
	}
	if f.judge.asJSON {
		return writeJSON(a.out, refusalJSON{Verdict: "released", File: path, Status: reply.Status})
	}
	_, err = fmt.Fprintf(a.out, "released: the seat was given back, and %s deleted\n", printable(path))
	return err
}

// readCode reads the one code on standard input.
func (a *app) readCode() (string, error) {
	text, err := io.ReadAll(io.LimitReader(a.stdin, 16<<10))
	code := strings.TrimSpace(string(text))
	switch {
	case err != nil:
		return "", err
	case code == "":
		return "", &exitError{exitMalformed, errors.New("no code on standard input")}
	case strings.ContainsAny(code, "\n\r"):
		return "", usageError("more than one line on standard input: activate one code at a time")
	}
	return code, nil
}

// pendingOf returns what is pending of the request, as the file says, or stores a new
// one there. A file that is damaged, or of another request, is replaced.
func pendingOf(path string, r client.Request) (p client.Pending, stored bool, err error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, false, err
	}
	if err == nil && json.Unmarshal(text, &p) == nil && p.For(r) {
		return p, true, nil
	}
	p, err = newPending(path, r)
	return p, false, err
}

func newPending(path string, r client.Request) (client.Pending, error) {
	p, err := client.NewPending(r)
	if err != nil {
		return p, usageError("%w", err)
	}
	text, err := json.Marshal(p)
	if err != nil {
		return p, err
	}
	return p, atomicfile.WriteFile(path, append(text, '\n'), 0o600)
}

// reportReply reports the receipt of a reply, which was kept if the verdict is good.
func (a *app) reportReply(j *judge, path string, reply client.Reply, v verdict, asJSON bool) error {
	out := receiptJSON{verdictJSON: newReceiptVerdict(j, reply.Receipt, v), File: path, Status: reply.Status}
	err := a.reportReceipt(j, out, v, asJSON)
	if v.err != nil {
		fmt.Fprintf(a.err, "The endpoint answered, but its receipt is not good here, so %s was not written.\n", printable(path))
	}
	return err
}

// refusalJSON is what is printed as JSON where there is no receipt.
type refusalJSON struct {
	Verdict   string `json:"verdict"`
	Reason    string `json:"reason,omitempty"`
	Message   string `json:"message,omitempty"`
	RequestID string `json:"request_id,omitempty"`
	File      string `json:"file,omitempty"`
	Status    string `json:"status,omitempty"`
}

// reportRefusal says why there is no receipt; its error has the exit code.
func (a *app) reportRefusal(ctx context.Context, asJSON bool, err error) error {
	if ctx.Err() != nil {
		return err // interrupted
	}
	class, code := refusalClass(err)
	if code == exitOther {
		return err
	}
	out := refusalJSON{Verdict: verdictName(class), Message: err.Error()}
	refused, ok := errors.AsType[*client.Refused](err)
	switch {
	case ok:
		out.Reason, out.RequestID = string(refused.Problem), refused.RequestID
	case errors.Is(err, client.ErrUnreachable):
		out.Reason = "unreachable"
	default:
		out.Reason = "bad-reply"
	}
	if asJSON {
		err = writeJSON(a.out, out)
	} else {
		_, err = fmt.Fprintf(a.out, "%s: %s\n", a.out.paint(roleBad, class), out.Message)
	}
	if err == nil {
		err = &exitError{code: code}
	}
	return err
}

// refusalClass returns the name of what an endpoint said and the exit code for it.
func refusalClass(err error) (string, int) {
	refused, ok := errors.AsType[*client.Refused](err)
	switch {
	case errors.Is(err, client.ErrUnreachable), errors.As(err, new(*client.BadReply)), errors.Is(err, client.QuotaExceeded):
		return "cannot judge", exitCannotJudge
	case !ok:
		return "", exitOther
	}
	switch refused.Problem {
	case client.MalformedCode:
		return "malformed", exitMalformed
	case client.CodeRefused, client.ReceiptRefused:
		return "not authentic", exitNotAuthentic
	case client.WrongProduct, client.WrongKind, client.Revoked, client.VersionTooOld, client.NotYetValid, client.Expired,
		client.SeatsExhausted, client.NoGiveBacks, client.Released:
		return "not acceptable", exitNotAcceptable
	}
	return "", exitOther // this command, or its caller, made a mistake
}
