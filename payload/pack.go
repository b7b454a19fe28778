package payload

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// A Refusal is why a licence can't be minted. It is an error, so that callers
// can match it with errors.Is.
type Refusal string

// The refusals.
const (
	FieldTooWide      Refusal = "field-too-wide"
	ZeroProduct       Refusal = "zero-product"
	ZeroSerial        Refusal = "zero-serial"
	FieldNotInLayout  Refusal = "field-not-in-layout"
	ExpiryMissing     Refusal = "expiry-missing"
	ExpiryTooEarly    Refusal = "expiry-too-early"
	ExpiryTooLate     Refusal = "expiry-too-late"
	StartOutOfRange   Refusal = "start-out-of-range"
	StartAfterExpiry  Refusal = "start-after-expiry"
	ProductNotAllowed Refusal = "product-not-allowed"
	KeyNotActive      Refusal = "key-not-active"
)

// Error returns the refusal as a code such as "field-too-wide".
func (r Refusal) Error() string { return string(r) }

// A RefusedError says which value of a licence can't be minted and why.
type RefusedError struct {
	Refusal Refusal
	Field   string // field name, or "key"
	Message string // names field, value and limit
}

// Error returns the message.
func (e *RefusedError) Error() string { return e.Message }

// Unwrap returns the refusal.
func (e *RefusedError) Unwrap() error { return e.Refusal }

func refuse(r Refusal, field, format string, args ...any) error {
	return &RefusedError{r, field, field + ": " + fmt.Sprintf(format, args...)}
}

// AppendPayload appends the payload of a licence as ByteCount(l.Bits()) bytes.
// A licence that does not fit the layout is a [RefusedError]: nothing wraps, is
// cut or is left out.
func (l *Layout) AppendPayload(dst []byte, lic *License) ([]byte, error) {
	standard := lic.standard()
	if err := l.check(lic, &standard); err != nil {
		return dst, err
	}
	var hi, mid, lo uint64
	for i, s := range l.slots {
		var v uint64
		if s < slotExtra {
			v = standard[s]
		} else {
			v, _ = lic.Extra.Get(l.extra[s-slotExtra])
		}
		w := uint(l.fields[i].Bits) & 63 // tells the compiler that no shift is too wide
		if v>>w != 0 {
			return dst, tooWide(l.fields[i], v)
		}
		hi = hi<<w | mid>>((64-w)&63)
		mid = mid<<w | lo>>((64-w)&63)
		lo = lo<<w | v
	}
	var b [24]byte
	binary.BigEndian.PutUint64(b[0:], hi)
	binary.BigEndian.PutUint64(b[8:], mid)
	binary.BigEndian.PutUint64(b[16:], lo)
	return append(dst, b[len(b)-ByteCount(l.bits):]...), nil
}

// NextSerial adds 1 to the serial in a payload of this layout, in place. The field
// must have room for it.
func (l *Layout) NextSerial(payload []byte) {
	low := l.ranges[slotSerial].low
	add := uint(1) << (low % 8)
	for i := len(payload) - 1 - int(low/8); add != 0; i-- {
		sum := uint(payload[i]) + add
		payload[i], add = byte(sum), sum>>8
	}
}

// standard returns the values of the fields with a meaning, as bits. Those of
// dates mean something only when the dates are in range.
func (lic *License) standard() [slotExtra]uint64 {
	v := [slotExtra]uint64{
		slotProduct: lic.Product, slotVersion: lic.Version, slotStart: uint64(lic.Start), slotSerial: lic.Serial,
		slotEdition: lic.Edition, slotFeatures: lic.Features, slotSeats: lic.Seats,
	}
	if lic.Expiry != Never {
		v[slotExpiry] = uint64(lic.Expiry)
	}
	return v
}

func tooWide(f Field, v uint64) error {
	if f.Name == "features" {
		return refuse(FieldTooWide, f.Name, "the layout has features 0 to %d only", f.Bits-1)
	}
	return refuse(FieldTooWide, f.Name, "%d does not fit %d bits; the largest value is %d", v, f.Bits, f.Max())
}

func (l *Layout) check(lic *License, standard *[slotExtra]uint64) error {
	if lic.Product == 0 {
		return refuse(ZeroProduct, "product", "0 is not a product number; products start at 1")
	}
	if lic.Serial == 0 {
		return refuse(ZeroSerial, "serial", "0 is not a serial number; serials start at 1")
	}
	if err := l.checkDates(lic); err != nil {
		return err
	}
	for _, s := range l.absent {
		if v := standard[s]; v != 0 {
			return refuse(FieldNotInLayout, slotNames[s], "%d given, but the layout %s has no such field", v, l)
		}
	}
	for _, name := range lic.Extra.names {
		if _, ok := l.Field(name); !ok || isStandard(name) {
			return refuse(FieldNotInLayout, name, "the layout %s has no such field of the vendor's own", l)
		}
	}
	return nil
}

func (l *Layout) checkDates(lic *License) error {
	start, expiry := l.width[slotStart], l.width[slotExpiry]
	if lic.Start != 0 {
		switch last := lastDay(start); {
		case start == 0:
			return refuse(FieldNotInLayout, "start", "%s given, but the layout %s has no such field", lic.Start, l)
		case lic.Start < 0 || lic.Start > last:
			return refuse(StartOutOfRange, "start", "%s does not fit %d bits, which hold %s to %s", lic.Start, start, Day(1), last)
		}
	}
	switch last := lastDay(expiry); {
	case expiry == 0 && lic.Expiry != 0 && lic.Expiry != Never:
		return refuse(FieldNotInLayout, "expiry", "%s given, but the layout %s has no such field", lic.Expiry, l)
	case expiry == 0 || lic.Expiry == Never:
		return nil
	case lic.Expiry == 0:
		return refuse(ExpiryMissing, "expiry", "none given; give a date, or state that the licence never expires")
	case lic.Expiry < 0:
		return refuse(ExpiryTooEarly, "expiry", "%s is too early; the first day a code can carry is %s", lic.Expiry, Day(1))
	case lic.Expiry > last:
		return refuse(ExpiryTooLate, "expiry", "%s is too late; the last day that fits %d bits is %s", lic.Expiry, expiry, last)
	case lic.Start > lic.Expiry:
		return refuse(StartAfterExpiry, "start", "%s is after the expiry %s", lic.Start, lic.Expiry)
	}
	return nil
}

// lastDay returns the last day that a field of the given width holds.
func lastDay(bits int) Day { return 1<<bits - 1 }

func isStandard(name string) bool { return slices.Contains(slotNames[:], name) }

// Unpack sets lic to the licence of a payload, which must have ByteCount(l.Bits())
// bytes. Any bits are a licence; whether they are genuine only a signature says.
func (l *Layout) Unpack(lic *License, payload []byte) {
	var b [24]byte
	copy(b[len(b)-len(payload):], payload)
	w := [4]uint64{binary.BigEndian.Uint64(b[16:]), binary.BigEndian.Uint64(b[8:]), binary.BigEndian.Uint64(b[0:])}
	get := func(s slot) uint64 {
		r := &l.ranges[s]
		i, shift := r.low/64&3, r.low%64
		return (w[i]>>shift | w[(i+1)&3]<<1<<(63-shift)) & r.mask
	}
	lic.Product, lic.Version, lic.Serial = get(slotProduct), get(slotVersion), get(slotSerial)
	lic.Expiry, lic.Start = Day(get(slotExpiry)), Day(get(slotStart))
	if lic.Expiry == 0 {
		lic.Expiry = Never
	}
	lic.Edition, lic.Features, lic.Seats = get(slotEdition), get(slotFeatures), get(slotSeats)
	lic.Extra = Extra{names: l.extra}
	for i := range l.extra {
		lic.Extra.values[i] = get(slotExtra + slot(i))
	}
}
