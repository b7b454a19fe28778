package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/signer/manifest"
)

// batchJSON is what batch verify --json prints of a file of codes. Members are only
// ever added.
type batchJSON struct {
	File           string        `json:"file"`
	Verdict        string        `json:"verdict"` // good, fault, cannot-judge
	Message        string        `json:"message,omitempty"`
	ContentChecked bool          `json:"content_checked"`
	KeyState       keys.State    `json:"key_state,omitempty"`
	Manifest       *manifestJSON `json:"manifest,omitempty"` // absent unless it is genuine
}

// manifestJSON has serials and values of fields as strings, since not every reader of
// JSON keeps large integers exact.
type manifestJSON struct {
	Issuer    string            `json:"issuer"`
	Key       int               `json:"key"`
	KeyID     string            `json:"key_id"`
	Product   uint64            `json:"product"`
	Version   string            `json:"version,omitempty"`
	Expiry    string            `json:"expiry,omitempty"`
	Start     string            `json:"start,omitempty"`
	Fields    map[string]string `json:"fields,omitempty"`
	Binding   string            `json:"binding,omitempty"` // SHA-256 of the text
	First     string            `json:"first"`
	Last      string            `json:"last"`
	Count     uint64            `json:"count"`
	Kind      manifest.Kind     `json:"kind"`
	Format    manifest.Format   `json:"format"`
	File      string            `json:"file"`
	Digest    digestJSON        `json:"digest"`
	Plaintext *digestJSON       `json:"plaintext,omitempty"`
	Time      string            `json:"time"`
	Tool      string            `json:"tool"`
	Labels    map[string]string `json:"labels,omitempty"`
}

type digestJSON struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// overlapJSON is what batch overlap --json prints of two batches.
type overlapJSON struct {
	Manifests [2]string `json:"manifests"`
	Key       int       `json:"key"`
	KeyID     string    `json:"key_id"`
	Product   uint64    `json:"product"`
	First     string    `json:"first"`
	Last      string    `json:"last"`
	Count     uint64    `json:"count"`
}

// printBatchJSON prints a report, and err with it where it is a fault of the batch.
// Other errors are returned as they are: they say nothing about the batch.
func (a *app) printBatchJSON(r *batchReport, err error) error {
	j := batchJSON{File: r.path, Verdict: "good", ContentChecked: r.content, KeyState: r.state}
	var exit *exitError
	if err != nil {
		if !errors.As(err, &exit) {
			return err
		}
		switch exit.code {
		case exitNotAuthentic:
			j.Verdict = "fault"
		case exitCannotJudge:
			j.Verdict = "cannot-judge"
		default:
			return err
		}
		j.Message = err.Error()
		err = &exitError{code: exit.code} // which has been told
	}
	if r.m != nil {
		j.Manifest = newManifestJSON(*r.m)
	}
	return errors.Join(writeJSON(a.out, j), err)
}

func newManifestJSON(m manifest.Manifest) *manifestJSON {
	j := &manifestJSON{
		Issuer: m.Issuer, Key: m.KeyNumber, KeyID: m.KeyID.String(), Product: m.Product, Fields: numberTexts(m.Fields),
		First: strconv.FormatUint(m.First, 10), Last: strconv.FormatUint(m.Last, 10), Count: m.Count, Kind: m.Kind, Format: m.Format,
		File: m.File, Digest: newDigestJSON(m.Digest), Time: m.Time.UTC().Format(time.RFC3339), Tool: m.Tool, Labels: m.Labels,
	}
	if m.Version != nil {
		j.Version = strconv.FormatUint(*m.Version, 10)
	}
	if m.Expiry != 0 {
		j.Expiry = m.Expiry.String()
	}
	if m.Start != 0 {
		j.Start = m.Start.String()
	}
	if m.Binding != [sha256.Size]byte{} {
		j.Binding = fmt.Sprintf("%x", m.Binding)
	}
	if m.Plaintext != nil {
		d := newDigestJSON(*m.Plaintext)
		j.Plaintext = &d
	}
	return j
}

func newDigestJSON(d manifest.Digest) digestJSON {
	return digestJSON{d.Size, fmt.Sprintf("%x", d.SHA256)}
}

// numberTexts returns numbers as texts, or nil where there are none.
func numberTexts(numbers map[string]uint64) map[string]string {
	if len(numbers) == 0 {
		return nil
	}
	texts := map[string]string{}
	for name, n := range numbers {
		texts[name] = strconv.FormatUint(n, 10)
	}
	return texts
}
