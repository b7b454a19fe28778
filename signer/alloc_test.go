//go:build !race

// Under the race detector sync.Pool drops items at random.

package signer_test

import "testing"

// A batch of a million hs256 codes must not make work for the garbage collector.
func TestAppendCodeAllocatesNothing(t *testing.T) {
	for _, descriptor := range []string{
		workedHS,
		"licet/v1 hs256 key=8 prefix= layout=product:53,serial:53,big:53,bit:1 bind=none sig=160",
	} {
		key, private := fixedKey(descriptor, 7)
		s := newSigner(t, key, private)
		lic := workedLicense
		if _, ok := key.Layout().Field("version"); !ok {
			lic.Version, lic.Expiry = 0, 0
		}
		buf := make([]byte, 0, 256)
		var err error
		allocs := testing.AllocsPerRun(1000, func() {
			buf, err = s.AppendCode(buf[:0], &lic)
			lic.Serial++
		})
		if err != nil || allocs != 0 {
			t.Errorf("%s: AppendCode allocates %v times, %v", descriptor, allocs, err)
		}
	}
}
