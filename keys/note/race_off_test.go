//go:build !race

package note_test

const stride = 1
