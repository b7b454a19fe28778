//go:build race

package signer_test

// raceEnabled tells that sync.Pool drops items at random, as it does under the
// race detector, so that allocations can't be counted.
const raceEnabled = true
