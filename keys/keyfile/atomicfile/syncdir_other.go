//go:build !unix

package atomicfile

// syncDir does nothing where a folder cannot be opened and synced, as on Windows.
func syncDir(string) error { return nil }
