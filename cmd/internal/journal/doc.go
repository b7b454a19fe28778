// Package journal keeps the record of the serials that a licensing home has handed
// out, so that no serial of a key and product is ever given to two licences.
//
// # The file
//
// The journal is journal.jsonl in the home: one JSON object a line, which is never
// changed afterwards.
//
//	{"time":"2026-12-01T09:30:00Z","kind":"mint","key":8,"key_id":"0123456789abcdef",
//	 "product":7,"first":"1","last":"500","version":"3","expiry":"2027-12-31",
//	 "start":"2027-01-01","fields":{"edition":"2","seats":"0"},"binding":"6f1e...",
//	 "labels":{"order":"1017"},"output":"batch.txt","format":"text",
//	 "tool":"licet 1.2.0","sum":"95624146ede94b2a"}
//
// It is one line in the file, without spaces between the members. They come in this
// order; version, expiry, start, fields, binding and labels are left out where there
// are none, and the names of fields and labels are sorted. See [Terms] for what they
// mean; the text of a binding may be a person's name, so only its hash is here. A
// line has one reading only: whatever this package would not
// have written so is refused.
//
// The sum is the first 16 hexadecimal digits of SHA-256 over the sum of the line
// before (nothing, on line 1) followed by the line without its sum, that is with
// ,"sum":"..." cut out. So a line that was edited, removed or moved is noticed and
// named by its number. The sum is no signature: who means to deceive can compute all
// of them anew. And it can't tell that lines are missing at the end.
//
// # Crashes
//
// A reservation is on the disk before [Journal.Reserve] returns: first the line is
// written and synced, then its newline is written and synced. A line without newline
// at the end of the file is what an interrupted program leaves. Nobody was told of
// it, so readers ignore it and say so, and the next writer cuts it off. If only the
// newline is missing, the next writer adds it instead: an editor may have removed it
// from a line that counts, and a gap is better than a serial given twice. Any other
// damage is an error of type [*DamageError], never skipped.
//
// A program that is killed after a reservation leaves a gap: serials that are
// recorded and have no codes. To mint them after all, record them as [Again].
//
// # Locking
//
// Writers hold an exclusive lock on journal.lock beside the journal, with flock on
// Unix and LockFileEx on Windows. It is a file of its own because on Windows a lock
// on the journal would keep readers out. Do not remove it while a program may be
// running: two programs could then lock two files. The system gives the lock back
// when a program ends, however it ends. Readers take no lock.
//
// Keep the home on a local disk. On NFS the lock holds only if all machines mount
// with locking (not nolock, not local_lock), version 4 or with the lock service, and
// have clocks and caches that agree; some network and FUSE file systems accept locks
// and keep none. A folder that a service copies between machines (Dropbox, OneDrive,
// Syncthing) has no locks between them at all. As a second defence each line is read
// back after it is written, and two lines written at once break the chain of sums;
// neither is a promise.
//
// # Copies
//
// A journal knows only what was recorded in it. A copy on another machine, or one
// put back from a backup, does not know what was minted elsewhere or since. Let one
// home mint with a key; give each machine a key of its own.
package journal
