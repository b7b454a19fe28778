package main

import (
	"cmp"
	"slices"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/cmd/internal/journal"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

// mintKey returns the key to mint with: the one asked for, else the one that mints
// the product. New serials need an active key; a closed one renews.
func (a *app) mintKey(h *home.Home, o *mintOptions, kind journal.Kind, serials journal.Range) (keys.Key, error) {
	old := kind == journal.Renew || kind == journal.Again
	usable := func(k keys.Key) bool { return active(k) || old && k.State() == keys.Closed }
	if o.key.given {
		k, err := mintKey(h, o.key.value)
		switch {
		case err != nil:
		case k.State() == keys.Withdrawn:
			err = usageError("--key %d: the key is withdrawn; it mints and renews nothing, and its codes are refused", k.Number())
		case !usable(k):
			err = usageError("--key %d: the key is %s; only an active key mints new serials", k.Number(), k.State())
		case o.product.value != 0 && !k.Allows(o.product.value):
			err = usageError("--product %d: key %d mints product %s only", o.product.value, k.Number(), joinNumbers(k.Products()))
		}
		return k, err
	}
	product := o.product.value
	if _, ok := h.Ring.Product(product); !ok {
		return keys.Key{}, usageError("the ring has no product %d; add it with licet product add %d=NAME", product, product)
	}
	fits := mintKeysOf(h.Ring, product, usable)
	if len(fits) == 0 {
		return keys.Key{}, noMinter(h.Ring, product, old)
	}
	k, ok := oldestAlike(fits)
	if old && len(fits) > 1 {
		var err error
		if k, ok, err = a.onlyMinter(h, fits, product, serials); err != nil {
			return k, err
		}
	}
	if !ok {
		return keys.Key{}, usageError("keys %d and %d both mint product %d; choose one with --key", fits[0].Number(), fits[1].Number(), product)
	}
	return k, nil
}

// noMinter says that no key may mint a product, or renew what was minted.
func noMinter(ring *keys.Ring, product uint64, old bool) error {
	withdrawn := mintKeysOf(ring, product, func(k keys.Key) bool { return k.State() == keys.Withdrawn })
	if old && len(withdrawn) > 0 {
		return usageError("key %d, which may mint product %d, is withdrawn; it mints and renews nothing, and its codes are refused: mint new codes with another key",
			withdrawn[0].Number(), product)
	}
	return usageError("no active key may mint product %d; make one with licet key new --product %d", product, product)
}

// minters returns the active keys that mint a product when no key is asked for: one,
// or all those that may when there is a choice between them.
func minters(ring *keys.Ring, product uint64) []keys.Key {
	fits := mintKeysOf(ring, product, active)
	if k, ok := oldestAlike(fits); ok {
		return []keys.Key{k}
	}
	return fits
}

func active(k keys.Key) bool { return k.State() == keys.Active }

// mintKeysOf returns the usable mint keys that may mint a product.
func mintKeysOf(ring *keys.Ring, product uint64, usable func(keys.Key) bool) []keys.Key {
	var fits []keys.Key
	for _, k := range ring.MintKeys() {
		if usable(k) && k.Allows(product) {
			fits = append(fits, k)
		}
	}
	return fits
}

// oldestAlike returns the oldest of the keys, if their descriptors differ in nothing
// but the number. One of them is there to take over from another: it mints no code
// before that one is closed, since products may not know it yet.
func oldestAlike(fits []keys.Key) (keys.Key, bool) {
	if len(fits) == 0 {
		return keys.Key{}, false
	}
	for _, k := range fits[1:] {
		if !alike(k, fits[0]) {
			return keys.Key{}, false
		}
	}
	return slices.MinFunc(fits, func(a, b keys.Key) int { return cmp.Compare(allotted(a), allotted(b)) }), true
}

// alike reports whether the descriptors of two mint keys differ in nothing but the
// number.
func alike(a, b keys.Key) bool {
	d := a.Descriptor()
	d.Number = b.Number()
	return d.String() == b.Descriptor().String()
}

// allotted returns the place of a mint key in the order in which numbers are allotted:
// 8 to 31, then 1 to 7.
func allotted(k keys.Key) int { return (k.Number() - 8 + payload.MaxKey) % payload.MaxKey }

// onlyMinter returns the one of the keys that, as the journal knows, minted any of the
// serials of the product. It reports false when there is none or more than one.
func (a *app) onlyMinter(h *home.Home, fits []keys.Key, product uint64, serials journal.Range) (only keys.Key, ok bool, err error) {
	series, err := a.mintedSeries(h)
	if err != nil {
		return keys.Key{}, false, err
	}
	n := 0
	for _, k := range fits {
		if slices.ContainsFunc(series, func(s journal.Series) bool {
			return s.KeyID == k.ID() && s.Product == product && slices.ContainsFunc(s.Ranges, func(r journal.Range) bool {
				return r.First <= serials.Last && serials.First <= r.Last
			})
		}) {
			only = k
			n++
		}
	}
	return only, n == 1, nil
}

// mintedSeries returns what the journal of the home knows of each key and product.
func (a *app) mintedSeries(h *home.Home) ([]journal.Series, error) {
	j, err := a.openJournal(h)
	if err != nil {
		return nil, err
	}
	return j.Summary()
}
