package note

import (
	"strconv"
	"strings"
)

// IsLater reports whether the first line of a text names a later version of a kind,
// such as "licet-manifest/v2" for the kind "licet-manifest/v1".
func IsLater(line, kind string) bool {
	name, known := splitVersion(kind)
	other, version := splitVersion(line)
	return other == name && version > known
}

// splitVersion splits a first line into its name and its version, which is 0 if it is
// not written as it must be.
func splitVersion(line string) (name string, version uint64) {
	name, digits, _ := strings.Cut(line, "/v")
	version, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || strconv.FormatUint(version, 10) != digits {
		return name, 0
	}
	return name, version
}
