//go:build !race

package keyfile_test

const stride = 1
