package revocation

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	firstLine  = "licet-revocations/v1"
	timeLayout = "2006-01-02T15:04:05Z"
)

func formatTime(t time.Time) string { return t.UTC().Format(timeLayout) }

// Marshal returns the text of the list, in its one spelling. A nil list has none;
// then it is empty.
func (l *List) Marshal() string {
	if l == nil {
		return ""
	}
	head := l.head()
	var b strings.Builder
	b.Grow(len(head) + l.entries.textSize()) // a large text is not copied while it grows
	b.WriteString(head)
	var line []byte
	for e := range l.entries.all() {
		line = e.appendLine(line[:0])
		b.Write(line)
	}
	return b.String()
}

// head returns the lines before the entries.
func (l *List) head() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\nsequence %d\nissued %s\ndue %s\n", firstLine, l.issuer, l.sequence, formatTime(l.issued), formatTime(l.due))
	for _, m := range l.minimums {
		fmt.Fprintf(&b, "minimum %d %d\n", m.product, m.version)
	}
	for _, s := range l.states {
		fmt.Fprintf(&b, "key %s %s\n", s.id, s.state)
	}
	return b.String()
}

func (e *Entry) appendLine(b []byte) []byte {
	b = appendSeries(b, e)
	b = strconv.AppendUint(b, e.First, 10)
	b = append(b, ' ')
	b = strconv.AppendUint(b, e.Last, 10)
	if e.ReasonCode != "" {
		b = append(append(b, ' '), e.ReasonCode...)
	}
	return append(b, '\n')
}

// appendSeries appends what the lines of one key and product begin with.
func appendSeries(b []byte, e *Entry) []byte {
	b = append(b, "revoked "...)
	b = hex.AppendEncode(b, e.KeyID[:])
	b = append(b, ' ')
	b = strconv.AppendUint(b, e.Product, 10)
	return append(b, ' ')
}

// textSize returns the length of the lines of all entries.
func (t *table) textSize() int {
	size := 0
	var line [64]byte
	for s := range t.series {
		e := t.entry(&t.series[s], t.series[s].start)
		size += int(t.series[s].len()) * len(appendSeries(line[:0], &e))
	}
	for i := range t.n {
		size += digits(t.first(i)) + len(" ") + digits(t.last(i)) + len("\n")
		if code := t.code(i); code != "" {
			size += len(" ") + len(code)
		}
	}
	return size
}

// digits returns the number of decimal digits of n.
func digits(n uint64) int {
	d := 1
	for ; n >= 10; n /= 10 {
		d++
	}
	return d
}
