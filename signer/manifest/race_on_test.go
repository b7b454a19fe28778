//go:build race

package manifest_test

// stride thins out tests that try every value where the race detector makes them
// slow.
const stride = 17
