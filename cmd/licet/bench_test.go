//go:build unix

package main

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/sha256"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/payload"
)

// What a code costs beyond its cryptography, in a whole run of a command with its
// files. The cryptography alone and the command take turns, so that both meet the
// same state of the machine. The functions are those behind the commands.

const (
	benchHS256 = 200_000 // codes of an iteration
	benchES256 = 2_000
)

// processorTime returns what this process has used of all processors.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A stopwatch adds up the time of several runs, in nanoseconds: that of a clock, and
// that of all processors.
type stopwatch struct{ clock, processors float64 }

func (s *stopwatch) run(b *testing.B, f func()) {
	b.Helper()
	begin, used := time.Now(), processorTime(b)
	f()
	s.clock += float64(time.Since(begin))
	s.processors += float64(processorTime(b) - used)
}

// compare runs bare and licet in turns. Both do something with so many codes.
func compare(b *testing.B, codes int, bare, licet func()) {
	b.Helper()
	var without, with stopwatch
	for b.Loop() {
		without.run(b, bare)
		with.run(b, licet)
	}
	all := float64(b.N) * float64(codes)
	b.ReportMetric(without.processors/all, "bare-cpu-ns/code")
	b.ReportMetric(with.processors/all, "cpu-ns/code")
	b.ReportMetric(with.processors/without.processors, "times-bare-cpu")
	b.ReportMetric(with.clock/without.clock, "times-bare-clock")
	b.ReportMetric(0, "ns/op") // of a number of codes that tells nobody anything
}

// onAll does a job that is so many pieces on all processors.
func onAll(pieces int, job func(n int)) {
	procs := runtime.GOMAXPROCS(0)
	var all sync.WaitGroup
	for i := range procs {
		all.Go(func() { job(pieces*(i+1)/procs - pieces*i/procs) })
	}
	all.Wait()
}

// bareHS256 computes what an hs256 code of the standard layout takes, for
// minting and for verifying: three HMACs, over 8, 10 and 8 bytes.
func bareHS256() {
	onAll(benchHS256, func(n int) {
		tag := hmac.New(sha256.New, make([]byte, 32))
		mask := hmac.New(sha256.New, make([]byte, 32))
		cover := hmac.New(sha256.New, make([]byte, 32))
		in := make([]byte, 10)
		sum := make([]byte, 0, 32)
		for range n {
			tag.Reset()
			tag.Write(in[:8])
			sum = tag.Sum(sum[:0])
			mask.Reset()
			mask.Write(in)
			sum = mask.Sum(sum[:0])
			cover.Reset()
			cover.Write(in[:8])
			sum = cover.Sum(sum[:0])
		}
	})
}

// benchMint returns what mints so many codes with a key into a csv file.
func benchMint(b *testing.B, a *app, key, count uint64) (path string, mint func()) {
	path = filepath.Join(b.TempDir(), "codes.csv")
	o := mintOptions{
		key: number{key, true}, product: number{7, true}, version: number{3, true}, perpetual: true, count: number{count, true},
		output: outputFlags{path: path, group: payload.GroupSize, quiet: true},
	}
	return path, func() {
		if err := a.mint(context.Background(), o); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMintCSV(b *testing.B) {
	_, mint := benchMint(b, newTestApp(b), 8, benchHS256)
	compare(b, benchHS256, bareHS256, mint)
}

func BenchmarkVerifyStdin(b *testing.B) {
	a := newTestApp(b)
	path := filepath.Join(b.TempDir(), "codes.txt")
	o := mintOptions{
		key: number{8, true}, product: number{7, true}, version: number{3, true}, perpetual: true, count: number{benchHS256, true},
		output: outputFlags{path: path, group: payload.GroupSize, quiet: true},
	}
	if err := a.mint(context.Background(), o); err != nil {
		b.Fatal(err)
	}
	compare(b, benchHS256, bareHS256, func() {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		a.stdin = f
		if err := a.verify(context.Background(), judgeFlags{}, []string{"-"}); err != nil {
			b.Fatal(err)
		}
	})
}

// The digest of the file is not part of bare.
func BenchmarkBatchVerify(b *testing.B) {
	a := newTestApp(b)
	path, mint := benchMint(b, a, 8, benchHS256)
	mint()
	compare(b, benchHS256, bareHS256, func() {
		if err := a.verifyBatch(context.Background(), batchVerifyOptions{quiet: true}, path); err != nil {
			b.Fatal(err)
		}
	})
}

// An es256 code takes a deterministic signature, and a look whether it is good.
func BenchmarkMintES256(b *testing.B) {
	a := newTestApp(b)
	h, err := home.Open(a.dir)
	if err != nil {
		b.Fatal(err)
	}
	key, _ := h.Ring.MintKey(9)
	private, err := h.Private(key, &a.unlock)
	if err != nil {
		b.Fatal(err)
	}
	ec, err := private.ECDSA()
	if err != nil {
		b.Fatal(err)
	}
	_, mint := benchMint(b, a, 9, benchES256)
	compare(b, benchES256, func() {
		onAll(benchES256, func(n int) {
			for i := range n {
				digest := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
				sig, err := ec.Sign(nil, digest[:], crypto.SHA256)
				if err != nil || !ecdsa.VerifyASN1(&ec.PublicKey, digest[:], sig) {
					b.Error("the signature is bad")
					return
				}
			}
		})
	}, mint)
}
