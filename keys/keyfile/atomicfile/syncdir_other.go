//go:build !unix

package atomicfile

// SyncDir does nothing where a folder cannot be opened and synced, as on Windows.
func SyncDir(string) error { return nil }
