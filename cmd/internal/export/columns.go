package export

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/licet-dev/licet/payload"
)

// A kind is what stands in a column.
type kind int

const (
	kindCode kind = iota
	kindKey
	kindKeyID
	kindProduct
	kindVersion
	kindExpiry
	kindSerial
	kindStart
	kindEdition
	kindFeatures
	kindSeats
	kindOwn // a field that has no meaning to licet
	kindLabel
)

// A column is a column of the list.
type column struct {
	name string
	kind kind
	own  string // name of the vendor's own field

	// Of a label, in each format.
	value, cell, json string
}

// columns are those of a list, in order, and what their cells are made of.
type columns struct {
	list  []column
	key   int
	keyID [8]byte
	own   []string // the vendor's own fields among them
}

// meanings are the fields that a layout may have and that mean something to licet.
// These four come first in a row, the rest in the order of the layout.
var meanings = map[string]kind{
	"product": kindProduct, "version": kindVersion, "expiry": kindExpiry, "serial": kindSerial,
	"start": kindStart, "edition": kindEdition, "features": kindFeatures, "seats": kindSeats,
}

// taken are the names that a vendor's own field can't have as a column.
var taken = []string{"code", "key", "labels"}

// layoutColumns returns the columns of a layout in their usual order, key_id last
// since nobody gets it unasked.
func layoutColumns(layout *payload.Layout) []column {
	list := []column{{name: "code", kind: kindCode}, {name: "key", kind: kindKey}}
	first := []string{"product", "version", "expiry", "serial"}
	for _, name := range first {
		if _, ok := layout.Field(name); ok {
			list = append(list, column{name: name, kind: meanings[name]})
		}
	}
	for _, f := range layout.Fields() {
		k, known := meanings[f.Name]
		switch {
		case slices.Contains(first, f.Name):
		case known:
			list = append(list, column{name: f.Name, kind: k})
		case slices.Contains(taken, f.Name):
			list = append(list, column{name: "field_" + f.Name, kind: kindOwn, own: f.Name})
		default:
			list = append(list, column{name: f.Name, kind: kindOwn, own: f.Name})
		}
	}
	return append(list, column{name: "key_id", kind: kindKeyID})
}

// newColumns returns the columns that the options ask for.
func newColumns(opts Options) (*columns, error) {
	if err := opts.Format.check(); err != nil {
		return nil, err
	}
	if opts.Layout == nil {
		return nil, errors.New("export: no layout given")
	}
	all := layoutColumns(opts.Layout)
	for _, l := range opts.Labels {
		c, err := newLabel(l, all, opts.Format)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	cs := &columns{key: opts.Key, keyID: opts.KeyID}
	switch {
	case opts.Format == TXT && opts.Columns != nil && !slices.Equal(opts.Columns, []string{"code"}):
		return nil, fmt.Errorf("columns %s: a txt file has codes only; choose csv, jsonl or xlsx", strings.Join(opts.Columns, ","))
	case opts.Columns == nil:
		cs.list = slices.DeleteFunc(all, func(c column) bool { return c.kind == kindKeyID })
	default:
		var err error
		if cs.list, err = selectColumns(all, opts.Columns); err != nil {
			return nil, err
		}
		for _, c := range all {
			switch listed := slices.ContainsFunc(cs.list, func(l column) bool { return l.name == c.name }); {
			case listed:
			case c.kind == kindCode:
				return nil, fmt.Errorf("columns %s: the codes are not among them; add code", strings.Join(opts.Columns, ","))
			case c.kind == kindLabel && opts.Format != TXT:
				return nil, fmt.Errorf("columns %s: the label %s is not among them; add it, or leave the label out", strings.Join(opts.Columns, ","), c.name)
			}
		}
	}
	for _, c := range cs.list {
		if c.kind == kindOwn {
			cs.own = append(cs.own, c.own)
		}
	}
	return cs, nil
}

func selectColumns(all []column, names []string) ([]column, error) {
	known := (&columns{list: all}).names()
	var list []column
	for i, name := range names {
		at := slices.Index(known, name)
		switch {
		case at < 0:
			return nil, fmt.Errorf("column %q: there is none of this name; the columns are %s", name, strings.Join(known, ", "))
		case slices.Contains(names[:i], name):
			return nil, fmt.Errorf("column %q: given twice; the columns are %s", name, strings.Join(known, ", "))
		}
		list = append(list, all[at])
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no column given; the columns are %s", strings.Join(known, ", "))
	}
	return list, nil
}

func (cs *columns) names() []string {
	var names []string
	for _, c := range cs.list {
		names = append(names, c.name)
	}
	return names
}

const (
	maxLabelName  = 64
	maxLabelValue = 1024
)

// newLabel returns the column of a label that comes after the others. A name that
// differs from another in case only is refused too: spreadsheets and their users
// take both for one.
func newLabel(l Label, others []column, format Format) (column, error) {
	if !validLabelName(l.Name) {
		return column{}, fmt.Errorf("label %q: want a name of 1 to %d letters, digits, - and _ that begins with a letter, all ASCII", l.Name, maxLabelName)
	}
	for _, c := range others {
		switch {
		case !strings.EqualFold(c.name, l.Name):
		case c.kind == kindLabel:
			return column{}, fmt.Errorf("label %q: there are two of this name", l.Name)
		default:
			return column{}, fmt.Errorf("label %q: this is the name of a column; choose another", l.Name)
		}
	}
	switch {
	case len(l.Value) > maxLabelValue:
		return column{}, fmt.Errorf("label %q: the value has %d bytes; want %d at most", l.Name, len(l.Value), maxLabelValue)
	case !utf8.ValidString(l.Value):
		return column{}, fmt.Errorf("label %q: the value is not UTF-8", l.Name)
	case strings.ContainsRune(l.Value, 0):
		return column{}, fmt.Errorf("label %q: the value has a character U+0000; take it out", l.Name)
	}
	if i := strings.IndexFunc(l.Value, notXML); format == XLSX && i >= 0 {
		r, _ := utf8.DecodeRuneInString(l.Value[i:])
		return column{}, fmt.Errorf("label %q: an xlsx file can't have the character %U; take it out, or choose csv or jsonl", l.Name, r)
	}
	return column{
		name: l.Name, kind: kindLabel, value: l.Value,
		cell: string(appendCell(nil, Neutralize(l.Value))),
		json: string(appendJSON(nil, l.Value)),
	}, nil
}

func validLabelName(s string) bool {
	for i, c := range []byte(s) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '-' && c != '_') {
			return false
		}
	}
	return len(s) >= 1 && len(s) <= maxLabelName
}

// notXML reports whether XML 1.0 has no way to write r.
func notXML(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}

// terms are the facts of a licence that its row shows, other than the serial.
type terms struct {
	product, version, edition, features, seats uint64
	expiry, start                              payload.Day
	own                                        [payload.MaxFields]uint64
}

func (cs *columns) terms(lic *payload.License) terms {
	t := terms{
		product: lic.Product, version: lic.Version, edition: lic.Edition, features: lic.Features, seats: lic.Seats,
		expiry: lic.Expiry, start: lic.Start,
	}
	for i, name := range cs.own {
		t.own[i], _ = lic.Extra.Get(name)
	}
	return t
}

// same reports whether t are the terms of a licence.
func (cs *columns) same(t *terms, lic *payload.License) bool {
	if t.product != lic.Product || t.version != lic.Version || t.edition != lic.Edition || t.features != lic.Features ||
		t.seats != lic.Seats || t.expiry != lic.Expiry || t.start != lic.Start {
		return false
	}
	for i, name := range cs.own {
		if v, _ := lic.Extra.Get(name); v != t.own[i] {
			return false
		}
	}
	return true
}

// appendText appends what a column says of a licence, as text.
func (cs *columns) appendText(dst []byte, c *column, lic *payload.License) []byte {
	switch c.kind {
	case kindKey:
		return strconv.AppendInt(dst, int64(cs.key), 10)
	case kindKeyID:
		return hex.AppendEncode(dst, cs.keyID[:])
	case kindExpiry:
		return appendDay(dst, lic.Expiry)
	case kindStart:
		return appendDay(dst, lic.Start)
	case kindFeatures:
		return appendFeatures(dst, lic.Features, ' ')
	case kindSeats:
		if lic.Seats == 0 {
			return append(dst, "unlimited"...)
		}
	case kindLabel:
		return append(dst, c.value...)
	}
	return strconv.AppendUint(dst, c.number(lic), 10)
}

// number returns the value of a column of numbers.
func (c *column) number(lic *payload.License) uint64 {
	switch c.kind {
	case kindProduct:
		return lic.Product
	case kindVersion:
		return lic.Version
	case kindSerial:
		return lic.Serial
	case kindEdition:
		return lic.Edition
	case kindSeats:
		return lic.Seats
	}
	v, _ := lic.Extra.Get(c.own)
	return v
}

// appendDay appends d.String().
func appendDay(dst []byte, d payload.Day) []byte {
	if d == payload.Never {
		return append(dst, "never"...)
	}
	return d.Time().AppendFormat(dst, time.DateOnly)
}

func appendFeatures(dst []byte, features uint64, sep byte) []byte {
	for n := len(dst); features != 0; features &= features - 1 {
		if len(dst) > n {
			dst = append(dst, sep)
		}
		dst = strconv.AppendInt(dst, int64(bits.TrailingZeros64(features)), 10)
	}
	return dst
}
