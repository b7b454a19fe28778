// Package build tells how the programs were built.
package build

import "runtime/debug"

// version is set by the release build; other builds tell what Go recorded.
var version = ""

// Version returns the version of the programs, such as v1.2.3, or "(devel)" where
// nothing is known of it.
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
