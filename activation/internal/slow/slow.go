// Package slow imitates a slow disk, for measurements.
package slow

import "time"

// Commit is added to every commit of a ledger that is opened after it was set.
var Commit time.Duration
