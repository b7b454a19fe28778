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
// files, is licet divided by bare, both from the same run and in the processor
// time cpu-ns/code. The functions are those behind the commands.

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

// measure runs f, which does something with some codes, and reports the times of a
// code.
func measure(b *testing.B, codes int, f func()) {
	b.Helper()
	runtime.GC() // what was before is not to be paid for here
	begin := processorTime(b)
	for b.Loop() {
		f()
	}
	used := processorTime(b) - begin
	all := float64(b.N) * float64(codes)
	b.ReportMetric(float64(used.Nanoseconds())/all, "cpu-ns/code")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/all, "ns/code")
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

// benchBareHS256 computes what an hs256 code of the standard layout takes, for
// minting and for verifying: three HMACs, over 8, 10 and 8 bytes.
func benchBareHS256(b *testing.B) {
	measure(b, benchHS256, func() {
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
	b.Run("bare", benchBareHS256)
	b.Run("licet", func(b *testing.B) {
		_, mint := benchMint(b, newTestApp(b), 8, benchHS256)
		measure(b, benchHS256, mint)
	})
}

func BenchmarkVerifyStdin(b *testing.B) {
	b.Run("bare", benchBareHS256)
	b.Run("licet", func(b *testing.B) {
		a := newTestApp(b)
		path := filepath.Join(b.TempDir(), "codes.txt")
		o := mintOptions{
			key: number{8, true}, product: number{7, true}, version: number{3, true}, perpetual: true, count: number{benchHS256, true},
			output: outputFlags{path: path, group: payload.GroupSize, quiet: true},
		}
		if err := a.mint(context.Background(), o); err != nil {
			b.Fatal(err)
		}
		measure(b, benchHS256, func() {
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
	})
}

func BenchmarkBatchVerify(b *testing.B) {
	b.Run("bare", benchBareHS256)
	b.Run("licet", func(b *testing.B) {
		a := newTestApp(b)
		path, mint := benchMint(b, a, 8, benchHS256)
		mint()
		measure(b, benchHS256, func() {
			if err := a.verifyBatch(context.Background(), batchVerifyOptions{quiet: true}, path); err != nil {
				b.Fatal(err)
			}
		})
	})
}

// An es256 code takes a deterministic signature, and a look whether it is good.
func BenchmarkMintES256(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
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
		measure(b, benchES256, func() {
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
		})
	})
	b.Run("licet", func(b *testing.B) {
		_, mint := benchMint(b, newTestApp(b), 9, benchES256)
		measure(b, benchES256, mint)
	})
}
