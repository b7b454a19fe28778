package activation

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer/manifest"
	"github.com/licet-dev/licet/verifier"
)

// issued tells which licences were issued, by the manifests of their batches. With a
// short tag somebody finds a code whose tag is right, after very many attempts; that it
// is also one of those that were issued is less likely by far.
type issued map[product][]batch

type product struct {
	key    keys.ID
	number uint64
}

// A batch is a manifest, among those of its product by their first serials.
type batch struct {
	manifest.Manifest
	reach uint64 // the last serial of this batch and of those before
}

// readManifests reads those of keys that need one.
func readManifests(data [][]byte, ring *keys.Ring, needed func(keys.ID) bool) (issued, error) {
	all := issued{}
	for i, text := range data {
		m, err := manifest.Open(text, ring)
		if err != nil {
			return nil, fmt.Errorf("manifest %d of %d: %w", i+1, len(data), err)
		}
		if needed(m.KeyID) {
			p := product{m.KeyID, m.Product}
			all[p] = append(all[p], batch{Manifest: m})
		}
	}
	for _, batches := range all {
		slices.SortFunc(batches, func(a, b batch) int { return cmp.Compare(a.First, b.First) })
		reach := uint64(0)
		for i := range batches {
			reach = max(reach, batches[i].Last)
			batches[i].reach = reach
		}
	}
	return all, nil
}

// hasKey reports whether there is a batch of the key.
func (all issued) hasKey(key keys.ID) bool {
	for p := range all {
		if p.key == key {
			return true
		}
	}
	return false
}

// has reports whether a licence is of a batch, with all that it says. Several batches
// have one serial when it was written again or renewed. Binding is the hash of what the
// code is bound to, or zero.
func (all issued) has(lic *verifier.License, binding [32]byte) bool {
	batches := all[product{lic.KeyID, lic.Product}]
	i, found := slices.BinarySearchFunc(batches, lic.Serial, func(b batch, serial uint64) int { return cmp.Compare(b.First, serial) })
	for found && i < len(batches) && batches[i].First == lic.Serial {
		i++
	}
	for i--; i >= 0 && batches[i].reach >= lic.Serial; i-- {
		if b := &batches[i]; b.Last >= lic.Serial && b.Binding == binding && sameTerms(&b.Manifest, &lic.License) {
			return true
		}
	}
	return false
}

// sameTerms reports whether a licence says what all of a batch say.
func sameTerms(m *manifest.Manifest, lic *payload.License) bool {
	version, expiry := uint64(0), payload.Never // where the layout has none
	if m.Version != nil {
		version = *m.Version
	}
	if m.Expiry != 0 {
		expiry = m.Expiry
	}
	if lic.Version != version || lic.Expiry != expiry || lic.Start != m.Start {
		return false
	}
	fields := 0
	same := true
	check := func(name string, value uint64) {
		if value != 0 {
			fields++
			same = same && m.Fields[name] == value
		}
	}
	for name, value := range lic.Extra.All() {
		check(name, value)
	}
	check("edition", lic.Edition)
	check("features", lic.Features)
	check("seats", lic.Seats)
	return same && fields == len(m.Fields)
}
