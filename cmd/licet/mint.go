package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/text/unicode/norm"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/keyfile/atomicfile"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
)

type mintOptions struct {
	product, version, serial, edition, key number

	expires, start string
	days           number
	perpetual      bool
	allowExpired   bool
	count          uint64
	features       numbers
	seats          string
	set            []string
	bind           string
	group          int
	output         string
}

func newMint(a *app) *cobra.Command {
	var o mintOptions
	cmd := &cobra.Command{
		Use:   "mint --product N --version N --expires DATE --serial N",
		Short: "Mint licence codes",
		Long: `Mint licence codes, one a line. The same licence always gives the same code.

Every licence of a key and product needs a serial of its own. --count N mints N
codes with consecutive serials. A file named with -o appears whole or not at all.`,
		Example: `  licet mint --product 7 --version 3 --expires 2027-12-31 --serial 1000
  licet mint --product 7 --version 3 --days 365 --serial 1000 --count 500 -o batch.txt
  licet mint --product 7 --version 3 --perpetual --serial 1 --bind "Jane Doe"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.mint(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(&o.product, "product", "product number")
	f.Var(&o.version, "version", "licence generation")
	f.StringVar(&o.expires, "expires", "", "last day of validity, UTC, as `DATE` 2027-12-31")
	f.Var(&o.days, "days", "valid for `N` days from today, UTC; the last day is included")
	f.BoolVar(&o.perpetual, "perpetual", false, "the licence never expires")
	f.BoolVar(&o.allowExpired, "allow-expired", false, "mint although the last day is past")
	f.Var(&o.serial, "serial", "serial number, of the first code when there are several")
	f.Uint64Var(&o.count, "count", 1, "mint `N` codes with consecutive serials")
	f.Var(&o.key, "key", "number of the mint key; needed when several mint the product")
	f.StringVar(&o.start, "start", "", "first day of validity, UTC, as `DATE`")
	f.Var(&o.edition, "edition", "edition number")
	f.Var(&o.features, "features", "features of the licence, from 0")
	f.StringVar(&o.seats, "seats", "", "`N` seats, or the word unlimited")
	f.StringArrayVar(&o.set, "set", nil, "value of another field of the layout, as `name=value` (repeatable)")
	f.StringVar(&o.bind, "bind", "", "`TEXT` that the codes are bound to, for a key that binds")
	f.IntVar(&o.group, "group", payload.GroupSize, "print symbols in groups of `N`; 0 prints no hyphens")
	f.StringVarP(&o.output, "output", "o", "-", "write to `FILE`; - is standard output")
	a.unlockFlags(cmd)
	return cmd
}

// mint mints the codes that the options ask for.
func (a *app) mint(ctx context.Context, o mintOptions) error {
	if !o.product.given || !o.serial.given {
		return usageError("--product and --serial are needed")
	}
	if o.count == 0 {
		return usageError("--count 0: want 1 or more")
	}
	if o.group < 0 {
		return usageError("--group %d: want 0 or more", o.group)
	}
	h, err := home.Open(a.dir)
	if err != nil {
		return err
	}
	key, err := o.mintKey(h)
	if err != nil {
		return err
	}
	lic, err := o.license(key, a.now())
	if err != nil {
		return err
	}
	last, err := o.lastSerial(key)
	if err != nil {
		return err
	}
	if _, err := key.Layout().AppendPayload(nil, &lic); err != nil { // before anybody is asked for a passphrase
		return err
	}
	private, err := h.Private(key, &a.unlock)
	if err != nil {
		return err
	}
	s, err := signer.New(key, private, signer.Options{Binding: norm.NFC.String(o.bind)})
	if err != nil {
		return err
	}
	if err := a.writeCodes(ctx, o, s, key.Descriptor().Prefix, lic); err != nil {
		return err
	}
	serials := fmt.Sprintf("serial %d", last)
	if o.count > 1 {
		serials = fmt.Sprintf("serials %d to %d", o.serial.value, last)
	}
	fmt.Fprintf(a.err, "Minted %d with key %d (%s): %s, %s.\n", o.count, key.Number(), key.ID(), describeTerms(h.Ring, lic, key), serials)
	return nil
}

// mintKey returns the key to mint with: the one asked for, else the only active
// one that may mint the product.
func (o *mintOptions) mintKey(h *home.Home) (keys.Key, error) {
	if o.key.given {
		return mintKey(h, o.key.value)
	}
	if _, ok := h.Ring.Product(o.product.value); !ok {
		return keys.Key{}, usageError("the ring has no product %d; add it with licet product add %d=NAME", o.product.value, o.product.value)
	}
	var fits []keys.Key
	for _, k := range h.Ring.MintKeys() {
		if k.State() == keys.Active && k.Allows(o.product.value) {
			fits = append(fits, k)
		}
	}
	switch len(fits) {
	case 1:
		return fits[0], nil
	case 0:
		return keys.Key{}, usageError("no active key may mint product %d; make one with licet key new --product %d", o.product.value, o.product.value)
	}
	return keys.Key{}, usageError("keys %d and %d both mint product %d; choose one with --key", fits[0].Number(), fits[1].Number(), o.product.value)
}

// license returns the licence to mint, with the first serial. What does not fit
// the layout is left for the signer to refuse.
func (o *mintOptions) license(key keys.Key, now time.Time) (payload.License, error) {
	layout := key.Layout()
	has := func(name string) bool { _, ok := layout.Field(name); return ok }
	lic := payload.License{Product: o.product.value, Version: o.version.value, Serial: o.serial.value, Edition: o.edition.value}
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
		return lic, fmt.Errorf("expiry %s is past; give --allow-expired if you mean it", lic.Expiry)
	}
	if o.start != "" {
		if lic.Start, err = payload.ParseDay(o.start); err != nil {
			return lic, usageError("--start: %w", err)
		}
	}
	for _, i := range o.features {
		if i > 63 {
			return lic, usageError("--features %d: no layout has so many", i)
		}
		lic.Features |= 1 << i
	}
	if lic.Seats, err = o.seatCount(has("seats")); err != nil {
		return lic, err
	}
	return lic, o.setExtra(&lic)
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

func (o *mintOptions) setExtra(lic *payload.License) error {
	for _, s := range o.set {
		name, text, ok := strings.Cut(s, "=")
		var v number
		if !ok || v.Set(text) != nil {
			return usageError("--set %s: want name=number", s)
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

// lastSerial returns the serial of the last code, and refuses a range that the
// field can't hold before anything is minted.
func (o *mintOptions) lastSerial(key keys.Key) (uint64, error) {
	f, _ := key.Layout().Field("serial")
	first := o.serial.value
	if first == 0 {
		return 0, usageError("--serial 0: serials start at 1")
	}
	if first > f.Max() {
		return 0, usageError("--serial %d: the largest serial of key %d is %d; when they are used up, make a new key", first, key.Number(), f.Max())
	}
	if left := f.Max() - first + 1; o.count > left {
		return 0, usageError("--count %d: from serial %d on, key %d has %d left; when they are used up, make a new key", o.count, first, key.Number(), left)
	}
	return first + o.count - 1, nil
}

func (a *app) writeCodes(ctx context.Context, o mintOptions, s *signer.Signer, prefix string, lic payload.License) error {
	if o.output == "-" {
		return o.write(ctx, a.out, s, prefix, lic)
	}
	f, err := atomicfile.Create(o.output, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := o.write(ctx, f, s, prefix, lic); err != nil {
		return err
	}
	return f.Commit()
}

// write writes the codes, one a line.
func (o *mintOptions) write(ctx context.Context, out io.Writer, s *signer.Signer, prefix string, lic payload.License) error {
	w := bufio.NewWriterSize(out, 64<<10)
	var line []byte
	for range o.count {
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
		var err error
		if line, err = s.AppendCode(line[:0], &lic); err != nil {
			return err
		}
		if o.group != payload.GroupSize {
			line = append(line[:0], payload.Regroup(string(line), prefix, o.group)...)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
		lic.Serial++
	}
	return w.Flush()
}
