package main

import (
	"math"
	"slices"
)

// A sample has the number, the mean and the spread of values.
type sample struct {
	n, mean float64
	squares float64 // sum of the squared distances from the mean
}

// add adds a value, by Welford's method.
func (s *sample) add(x float64) {
	s.n++
	d := x - s.mean
	s.mean += d / s.n
	s.squares += d * (x - s.mean)
}

func (s *sample) variance() float64 { return s.squares / (s.n - 1) }

// standardError returns that of the difference between the means of two samples.
func standardError(a, b *sample) float64 { return math.Sqrt(a.variance()/a.n + b.variance()/b.n) }

// welch returns the t of Welch's t-test: the difference between two means in units of
// its standard error. Samples too small for one have no difference.
func welch(a, b *sample) float64 {
	if a.n < 2 || b.n < 2 || a.mean == b.mean {
		return 0
	}
	return (a.mean - b.mean) / standardError(a, b)
}

// crops are the shares of the measurements that are kept, the fastest ones.
var crops = []float64{0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1}

// typical is the crop whose means are printed.
const typical = 0.9

// A result is what the t-tests say of a run.
type result struct {
	t, kept float64   // the t with the largest |t|, and the crop that has it
	class   [2]sample // of the typical crop
}

// visible returns the smallest difference between the means of the typical crop that
// would have been seen.
func (r *result) visible() float64 { return threshold * standardError(&r.class[0], &r.class[1]) }

// quantile returns the value that a share of ascending values does not exceed.
func quantile(sorted []float64, share float64) float64 {
	return sorted[max(1, int(math.Round(share*float64(len(sorted)))))-1]
}

// compare returns the result for times of the given classes. Which times a crop keeps
// does not depend on their classes.
func compare(times []float64, classes []uint8) result {
	sorted := slices.Clone(times)
	slices.Sort(sorted)
	var r result
	for _, kept := range crops {
		limit := quantile(sorted, kept)
		var class [2]sample
		for i, x := range times {
			if x <= limit {
				class[classes[i]].add(x)
			}
		}
		if t := welch(&class[0], &class[1]); r.kept == 0 || math.Abs(t) > math.Abs(r.t) {
			r.t, r.kept = t, kept
		}
		if kept == typical {
			r.class = class
		}
	}
	return r
}
