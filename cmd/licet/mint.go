package main

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/text/unicode/norm"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/cmd/internal/journal"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

type mintOptions struct {
	kind journal.Kind // journal.Renew for renewals, else ""

	product, version, serial, edition, key number

	expires, start string
	days           number
	perpetual      bool
	allowExpired   bool
	features       numbers
	seats          string
	set            []string
	bind           string

	count   number
	serials serialRange
	again   bool
	output  outputFlags
}

// addTerms adds the flags that say what a licence says, its serial left out.
func (o *mintOptions) addTerms(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(&o.product, "product", "product number")
	f.Var(&o.version, "version", "licence generation")
	f.StringVar(&o.expires, "expires", "", "last day of validity, UTC, as `DATE` 2027-12-31")
	f.Var(&o.days, "days", "valid for `N` days from today, UTC; the last day is included")
	f.BoolVar(&o.perpetual, "perpetual", false, "the licence never expires")
	f.BoolVar(&o.allowExpired, "allow-expired", false, "mint although the last day is past")
	f.Var(&o.key, "key", "number of the mint key; needed when keys of several kinds mint the product")
	f.StringVar(&o.start, "start", "", "first day of validity, UTC, as `DATE`")
	f.Var(&o.edition, "edition", "edition number")
	f.Var(&o.features, "features", "features of the licence, from 0")
	f.StringVar(&o.seats, "seats", "", "`N` seats, or the word unlimited")
	f.StringArrayVar(&o.set, "set", nil, "value of another field of the layout, as `name=value` (repeatable)")
	f.StringVar(&o.bind, "bind", "", "`TEXT` that the codes are bound to, for a key that binds")
}

func newMint(a *app) *cobra.Command {
	var o mintOptions
	cmd := &cobra.Command{
		Use:   "mint --product N --version N --expires DATE",
		Short: "Mint licence codes",
		Long: `Mint licence codes, one a line. The same licence always gives the same code.

Serials are taken from the journal of the licensing home, which never gives one
twice, or stated with --serials or --serial; those are recorded too, and refused
when the journal knows them. --again mints codes once more that the journal knows,
by the same terms, which licet batch list shows. On machines without a common home,
give each a range of its own.

A file named with -o appears whole or not at all, and a signed manifest beside it.
Whenever a run ends early, the serials it took are named.`,
		Example: `  licet mint --product 7 --version 3 --expires 2027-12-31
  licet mint --product 7 --version 3 --days 365 --count 500 -o batch.csv --label campaign=spring
  licet mint --product 7 --version 3 --perpetual --bind "Jane Doe"
  licet mint --product 7 --version 3 --expires 2027-12-31 --serials 1000-1499 --again -o batch.csv`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.mint(cmd.Context(), o) },
	}
	o.addTerms(cmd)
	f := cmd.Flags()
	f.Var(&o.count, "count", "how many codes (default 1)")
	f.Var(&o.serial, "serial", "first serial, instead of the next one of the journal")
	f.Var(&o.serials, "serials", "serials, as `A-B`, instead of the next ones of the journal")
	f.BoolVar(&o.again, "again", false, "mint codes once more whose serials the journal knows")
	o.output.add(cmd)
	a.unlockFlags(cmd)
	return cmd
}

// mint mints the codes that the options ask for.
func (a *app) mint(ctx context.Context, o mintOptions) error {
	if !o.product.given {
		return usageError("--product is needed")
	}
	h, err := home.Open(a.dir)
	if err != nil {
		return err
	}
	kind, serials, count, err := o.which()
	if err != nil {
		return err
	}
	key, err := a.mintKey(h, &o, kind, serials)
	if err != nil {
		return err
	}
	lic, err := o.license(key, a.now())
	if err != nil {
		return err
	}
	binding, err := o.binding(key)
	if err != nil {
		return err
	}
	switch kind {
	case journal.Renew:
		err = a.checkRenewal(h, key, lic, serials)
	case journal.Again:
		err = a.checkAgain(h, key, lic, serials, recordedTerms(key, lic, binding))
	}
	if err != nil {
		return err
	}
	return a.issue(ctx, issue{home: h, key: key, lic: lic, binding: binding, kind: kind, count: count, serials: serials, output: o.output})
}

// which returns the serials to mint: for journal.Mint only how many.
func (o *mintOptions) which() (journal.Kind, journal.Range, uint64, error) {
	refuse := func(format string, args ...any) (journal.Kind, journal.Range, uint64, error) {
		return "", journal.Range{}, 0, usageError(format, args...)
	}
	count := uint64(1)
	if o.count.given {
		count = o.count.value
	}
	r := journal.Range(o.serials)
	switch stated := r.First > 0; {
	case count == 0:
		return refuse("--count 0: want 1 or more")
	case stated && (o.serial.given || o.count.given):
		return refuse("--serials says which and how many; leave out --serial and --count")
	case o.serial.given && o.serial.value == 0:
		return refuse("--serial 0: serials start at 1")
	case o.serial.given && count-1 > math.MaxUint64-o.serial.value:
		return refuse("--count %d: no field holds so many serials", count)
	case o.serial.given:
		r = journal.Range{First: o.serial.value, Last: o.serial.value + count - 1}
	case !stated && o.kind == journal.Renew:
		return refuse("--serials is needed: which licences are to be renewed?")
	case !stated && o.again:
		return refuse("--again: state which codes with --serials")
	case !stated:
		return journal.Mint, journal.Range{}, count, nil
	}
	kind := journal.Stated
	switch {
	case o.kind == journal.Renew:
		kind = journal.Renew
	case o.again:
		kind = journal.Again
	}
	return kind, r, r.Count(), nil
}

// license returns the licence to mint, its serial left out. What does not fit the
// layout is left for the layout to refuse.
func (o *mintOptions) license(key keys.Key, now time.Time) (payload.License, error) {
	layout := key.Layout()
	has := func(name string) bool { _, ok := layout.Field(name); return ok }
	lic := payload.License{Product: o.product.value, Version: o.version.value, Edition: o.edition.value}
	if has("version") && !o.version.given {
		return lic, usageError("--version is needed")
	}
	var err error
	if lic.Expiry, err = o.expiry(now); err != nil {
		return lic, err
	}
	if lic.Expiry == 0 && has("expiry") {
		return lic, usageError("state how long the licence is valid: --expires, --days or --perpetual")
	}
	if lic.Expiry < payload.DayOf(now) && lic.Expiry != 0 && !o.allowExpired {
		return lic, usageError("expiry %s is past; give --allow-expired if you mean it", lic.Expiry)
	}
	if o.start != "" {
		if lic.Start, err = payload.ParseDay(o.start); err != nil {
			return lic, usageError("--start: %w", err)
		}
	}
	for _, i := range o.features {
		switch f, ok := layout.Field("features"); {
		case !ok:
			return lic, usageError("--features %d: the layout of the key has no field for it", i)
		case i >= uint64(f.Bits):
			return lic, usageError("--features %d: the layout of the key has features 0 to %d", i, f.Bits-1)
		}
		lic.Features |= 1 << i
	}
	if lic.Seats, err = o.seatCount(has("seats")); err != nil {
		return lic, err
	}
	return lic, o.setExtra(&lic, layout)
}

func (o *mintOptions) expiry(now time.Time) (payload.Day, error) {
	stated := 0
	for _, given := range []bool{o.expires != "", o.days.given, o.perpetual} {
		if given {
			stated++
		}
	}
	switch {
	case stated > 1:
		return 0, usageError("--expires, --days and --perpetual exclude each other")
	case o.perpetual:
		return payload.Never, nil
	case o.days.given:
		if o.days.value > 1<<20 {
			return 0, usageError("--days %d: too many; state --perpetual for a licence without end", o.days.value)
		}
		return payload.DayOf(now) + payload.Day(o.days.value), nil
	case o.expires != "":
		d, err := payload.ParseDay(o.expires)
		if err != nil {
			return 0, usageError("--expires: %w", err)
		}
		if d == 0 { // the zero Day means no expiry at all
			return 0, usageError("--expires %s: the first day a code can carry is %s", d, d+1)
		}
		return d, nil
	}
	return 0, nil
}

func (o *mintOptions) seatCount(has bool) (uint64, error) {
	switch {
	case o.seats == "" && has:
		return 0, usageError("--seats is needed: a number, or the word unlimited")
	case o.seats == "" || o.seats == "unlimited" && has:
		return 0, nil
	case !has:
		return 0, usageError("--seats %s: the layout of the key has no field for it", o.seats)
	}
	n, err := strconv.ParseUint(o.seats, 10, 64)
	if err != nil || n == 0 {
		return 0, usageError("--seats %s: want a number from 1, or the word unlimited", o.seats)
	}
	return n, nil
}

func (o *mintOptions) setExtra(lic *payload.License, layout *payload.Layout) error {
	for _, s := range o.set {
		name, text, ok := strings.Cut(s, "=")
		var v number
		if !ok || v.Set(text) != nil {
			return usageError("--set %s: want name=number", s)
		}
		if _, ok := layout.Field(name); !ok {
			return usageError("--set %s: the layout of the key has no field %q (%s)", s, name, layout)
		}
		if _, twice := lic.Extra.Get(name); twice {
			return usageError("--set %s: given twice", name)
		}
		if !lic.Extra.Set(name, v.value) {
			return usageError("--set %s: more fields than any layout has", name)
		}
	}
	return nil
}

// binding returns the text that the codes are bound to, "" for a key that binds
// them to nothing.
func (o *mintOptions) binding(key keys.Key) (string, error) {
	text, kind := norm.NFC.String(o.bind), key.Descriptor().Bind
	if kind == keys.BindNone {
		if text != "" {
			return "", usageError("--bind: key %d binds its codes to nothing", key.Number())
		}
		return "", nil
	}
	if _, err := keys.BindingContext(text); err != nil {
		return "", usageError("--bind: key %d binds its codes to a %s: %w", key.Number(), kind, err)
	}
	return text, nil
}
