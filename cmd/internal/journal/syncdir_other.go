//go:build !unix

package journal

// syncDir does nothing where a folder cannot be opened and synced, as on Windows.
func syncDir(string) error { return nil }
