package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"strconv"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/verifier"
	"github.com/licet-dev/licet/verifier/revocation"
)

// What revoke show, verify and diff print with --json. Members are only ever added.
// Serials are strings, since not every reader of JSON keeps large integers exact.

type revocationsJSON struct {
	File     string         `json:"file"`
	Issuer   string         `json:"issuer"`
	Sequence string         `json:"sequence"`
	Issued   string         `json:"issued"`
	Due      string         `json:"due"`
	Stale    bool           `json:"stale,omitempty"`
	Signer   signerJSON     `json:"signer"`
	Minimums []minimumJSON  `json:"minimums,omitempty"`
	Keys     []keyStateJSON `json:"keys,omitempty"`
	Ranges   int            `json:"ranges"`
	Serials  uint64         `json:"serials"` // how many are revoked
}

type signerJSON struct {
	KeyID string     `json:"key_id"`
	State keys.State `json:"state"`
}

type minimumJSON struct {
	Product uint64 `json:"product"`
	Version uint64 `json:"version"`
}

type keyStateJSON struct {
	Key   int        `json:"key,omitempty"` // absent for list and receipt keys, and for those that the ring does not have
	KeyID string     `json:"key_id"`
	State keys.State `json:"state"`
}

type listSeriesJSON struct {
	Key     int    `json:"key,omitempty"`
	KeyID   string `json:"key_id"`
	Product uint64 `json:"product"`
	Ranges  int    `json:"ranges"`
	Serials uint64 `json:"serials"`
}

type listEntryJSON struct {
	Key     int    `json:"key,omitempty"`
	KeyID   string `json:"key_id"`
	Product uint64 `json:"product"`
	First   string `json:"first"`
	Last    string `json:"last"`
	Count   uint64 `json:"count"`
	Reason  string `json:"reason,omitempty"`
	Older   string `json:"older_reason,omitempty"`
}

type listVerdictJSON struct {
	File    string           `json:"file"`
	Verdict string           `json:"verdict"` // valid, not-authentic, not-acceptable, cannot-judge
	Reason  string           `json:"reason,omitempty"`
	Message string           `json:"message,omitempty"`
	List    *revocationsJSON `json:"list,omitempty"` // absent unless it is genuine
}

type diffJSON struct {
	Older    string `json:"older"` // sequence numbers
	Newer    string `json:"newer"`
	Differs  bool   `json:"differs"`
	Restores bool   `json:"restores"`
	Dropped  uint64 `json:"dropped"` // serials
	Added    uint64 `json:"added"`
	Reasons  uint64 `json:"reasons"`
}

type minimumChangeJSON struct {
	Product uint64 `json:"product"`
	Older   uint64 `json:"older"` // 0 for none
	Newer   uint64 `json:"newer"`
	Lowers  bool   `json:"lowers"`
}

type keyChangeJSON struct {
	Key     int        `json:"key,omitempty"`
	KeyID   string     `json:"key_id"`
	Older   keys.State `json:"older"`
	Newer   keys.State `json:"newer"`
	Betters bool       `json:"betters"`
}

func (a *app) newRevocationsJSON(l *signedList, names *listNames) revocationsJSON {
	j := revocationsJSON{
		File: l.path, Issuer: l.Issuer(), Sequence: strconv.FormatUint(l.Sequence(), 10),
		Issued: formatTime(l.Issued()), Due: formatTime(l.Due()), Stale: a.now().After(l.Due()),
		Signer: signerJSON{l.signer.ID().String(), l.signer.State()}, Ranges: l.Len(),
	}
	for product, version := range l.Minimums() {
		j.Minimums = append(j.Minimums, minimumJSON{product, version})
	}
	for id, state := range l.KeyStates() {
		j.Keys = append(j.Keys, keyStateJSON{names.number(id), id.String(), state})
	}
	for e := range l.Entries() {
		j.Serials += e.Last - e.First + 1
	}
	return j
}

func (n *listNames) entryJSON(e revocation.Entry) listEntryJSON {
	return listEntryJSON{
		Key: n.number(e.KeyID), KeyID: e.KeyID.String(), Product: e.Product,
		First: strconv.FormatUint(e.First, 10), Last: strconv.FormatUint(e.Last, 10), Count: e.Last - e.First + 1, Reason: e.ReasonCode,
	}
}

func (a *app) printListJSON(ctx context.Context, l *signedList, names *listNames, all bool) error {
	w := bufio.NewWriter(a.out)
	if err := writeJSON(w, map[string]revocationsJSON{"list": a.newRevocationsJSON(l, names)}); err != nil {
		return err
	}
	for _, s := range seriesOf(l.List) {
		j := listSeriesJSON{names.number(s.KeyID), s.KeyID.String(), s.Product, s.ranges, s.serials}
		if err := writeJSON(w, map[string]listSeriesJSON{"series": j}); err != nil {
			return err
		}
	}
	if all {
		if err := names.writeEntries(ctx, w, "entry", once(l.Entries())); err != nil {
			return err
		}
	}
	return w.Flush()
}

// writeEntries writes an object for each range of serials, which may be of an older
// list with another reason.
func (n *listNames) writeEntries(ctx context.Context, w io.Writer, member string, all iter.Seq2[revocation.Entry, revocation.Entry]) error {
	told := 0
	for older, e := range all {
		if told++; told%(1<<12) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		j := n.entryJSON(e)
		if older.ReasonCode != e.ReasonCode {
			j.Older = older.ReasonCode
		}
		if err := writeJSON(w, map[string]listEntryJSON{member: j}); err != nil {
			return err
		}
	}
	return nil
}

// printListVerdictJSON prints what came out for a list, and the exit code with it.
// An error that says nothing about a list is returned as it is.
func (a *app) printListVerdictJSON(path string, l *signedList, names *listNames, err error) error {
	j := listVerdictJSON{File: path, Verdict: "valid"}
	if err != nil {
		var exit *exitError
		if !errors.As(err, &exit) || exit.code == exitUsage {
			return err
		}
		j.Verdict = map[int]string{exitNotAuthentic: "not-authentic", exitNotAcceptable: "not-acceptable", exitCannotJudge: "cannot-judge"}[exit.code]
		j.Reason, j.Message = listReason(err), err.Error()
		err = &exitError{code: exit.code} // which has been told
	}
	if l != nil {
		list := a.newRevocationsJSON(l, names)
		j.List = &list
	}
	return errors.Join(writeJSON(a.out, j), err)
}

// listReason returns the stable code of why a list is not good.
func listReason(err error) string {
	var signature note.Reason
	var list revocation.Reason
	var judged verifier.Reason
	switch {
	case errors.As(err, &signature):
		return string(signature)
	case errors.As(err, &list):
		return string(list)
	case errors.As(err, &judged):
		return string(judged)
	}
	return ""
}

func writeDiffJSON(ctx context.Context, w io.Writer, older, newer *signedList, d *revocation.Diff, names *listNames, all bool) error {
	counts, err := names.writeDiff(ctx, io.Discard, d, 0)
	if err != nil {
		return err
	}
	err = writeJSON(w, map[string]diffJSON{"diff": {
		Older: strconv.FormatUint(older.Sequence(), 10), Newer: strconv.FormatUint(newer.Sequence(), 10), Differs: differ(d), Restores: d.Restores(),
		Dropped: counts.dropped, Added: counts.added, Reasons: counts.reasons,
	}})
	for _, m := range d.Minimums {
		err = errors.Join(err, writeJSON(w, map[string]minimumChangeJSON{"minimum": {m.Product, m.Older, m.Newer, m.Lowers()}}))
	}
	for _, k := range d.Keys {
		err = errors.Join(err, writeJSON(w, map[string]keyChangeJSON{"key": {names.number(k.KeyID), k.KeyID.String(), k.Older, k.Newer, k.Betters()}}))
	}
	if err != nil || !all {
		return err
	}
	return errors.Join(
		names.writeEntries(ctx, w, "dropped", once(d.Dropped())),
		names.writeEntries(ctx, w, "added", once(d.Added())),
		names.writeEntries(ctx, w, "reason", d.Reasons()))
}
