//go:build !race

package manifest_test

const stride = 1
