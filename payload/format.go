package payload

import "strings"

// GroupSize is the number of symbols in a group of a code as it is printed.
const GroupSize = 4

// AppendCode appends a code as people read it: the prefix, if there is one, then
// the symbols in groups of size, all joined by hyphens. A size of 0 leaves the
// symbols in one group. Grouping is display only.
func AppendCode(dst []byte, prefix string, symbols []byte, size int) []byte {
	if prefix != "" {
		dst = append(dst, prefix...)
		dst = append(dst, '-')
	}
	for size > 0 && len(symbols) > size {
		dst = append(append(dst, symbols[:size]...), '-')
		symbols = symbols[size:]
	}
	return append(dst, symbols...)
}

// Regroup prints a code, as AppendCode makes it for this prefix, in groups of
// another size.
func Regroup(code, prefix string, size int) string {
	symbols := strings.ReplaceAll(strings.TrimPrefix(code, prefix), "-", "")
	return string(AppendCode(nil, prefix, []byte(symbols), size))
}
