package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

func sampleOf(values ...float64) *sample {
	s := new(sample)
	for _, x := range values {
		s.add(x)
	}
	return s
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

// Means 2.5 and 6, variances 5/3 and 10: t = -3.5 / sqrt(5/12 + 2).
func TestWelchByHand(t *testing.T) {
	a, b := sampleOf(1, 2, 3, 4), sampleOf(2, 4, 6, 8, 10)
	if !near(a.mean, 2.5) || !near(a.variance(), 5./3) || !near(b.mean, 6) || !near(b.variance(), 10) {
		t.Errorf("means %v, %v, variances %v, %v", a.mean, b.mean, a.variance(), b.variance())
	}
	if got, want := welch(a, b), -3.5/math.Sqrt(29./12); !near(got, want) {
		t.Errorf("t is %v, want %v", got, want)
	}
	if welch(a, b) != -welch(b, a) {
		t.Errorf("%v one way and %v the other", welch(a, b), welch(b, a))
	}
}

// The other formula for the variance: the mean of the squares less the square of the
// mean.
func TestWelchByAnotherFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var samples [2]sample
		var n, sum, squares [2]float64
		for range 10 + r.IntN(1000) {
			class := r.IntN(2)
			x := 500 + 20*r.NormFloat64() + 5*float64(class)
			samples[class].add(x)
			n[class]++
			sum[class] += x
			squares[class] += x * x
		}
		var mean, part [2]float64
		for i := range n {
			mean[i] = sum[i] / n[i]
			part[i] = (squares[i]/n[i] - mean[i]*mean[i]) / (n[i] - 1) // variance / n
		}
		want := (mean[0] - mean[1]) / math.Sqrt(part[0]+part[1])
		if got := welch(&samples[0], &samples[1]); math.Abs(got-want) > 1e-6 {
			t.Fatalf("t is %v, want %v", got, want)
		}
	}
}

func TestWelchOfFewAndOfEqualValues(t *testing.T) {
	for _, c := range []struct {
		a, b *sample
		want float64
	}{
		{sampleOf(), sampleOf(1, 2), 0},
		{sampleOf(1, 2), sampleOf(9), 0},
		{sampleOf(3, 3), sampleOf(3, 3), 0},
		{sampleOf(4, 4), sampleOf(3, 3), math.Inf(1)},
		{sampleOf(3, 3), sampleOf(4, 4), math.Inf(-1)},
	} {
		if got := welch(c.a, c.b); got != c.want {
			t.Errorf("%v, %v: t is %v, want %v", *c.a, *c.b, got, c.want)
		}
	}
}

func TestQuantile(t *testing.T) {
	sorted := make([]float64, 1000)
	for i := range sorted {
		sorted[i] = float64(i + 1)
	}
	for _, share := range crops {
		if got := quantile(sorted, share); !near(got, 1000*share) {
			t.Errorf("quantile %v is %v", share, got)
		}
	}
	if got := quantile([]float64{7}, 0.1); got != 7 {
		t.Errorf("quantile of one value is %v", got)
	}
}

// measured returns synthetic times of two classes in random order.
func measured(seed uint64, n int, time func(r *rand.Rand, class int) float64) ([]float64, []uint8) {
	r := rand.New(rand.NewPCG(seed, 0))
	times, classes := make([]float64, n), make([]uint8, n)
	for i := range times {
		classes[i] = uint8(r.IntN(2))
		times[i] = time(r, int(classes[i]))
	}
	return times, classes
}

func tail(r *rand.Rand) float64 {
	if r.IntN(10) == 0 {
		return 50_000 * r.ExpFloat64()
	}
	return 0
}

func TestCompare(t *testing.T) {
	const n = 100_000
	// No difference, in any of these runs.
	for seed := range uint64(10) {
		r := compare(measured(seed, n/10, func(r *rand.Rand, _ int) float64 { return 1000 + 20*r.NormFloat64() + tail(r) }))
		if math.Abs(r.t) > threshold {
			t.Errorf("run %d: equal classes have a t of %v", seed, r.t)
		}
	}

	// A difference that the tail hides until it is cropped.
	times, classes := measured(1, n, func(r *rand.Rand, class int) float64 {
		return 1000 + 20*r.NormFloat64() + 2*float64(class) + tail(r)
	})
	var whole [2]sample
	for i, x := range times {
		whole[classes[i]].add(x)
	}
	if got := welch(&whole[0], &whole[1]); math.Abs(got) > threshold {
		t.Errorf("without cropping t is %v already: the tail hides nothing", got)
	}
	r := compare(times, classes)
	if r.t > -2*threshold || r.kept == 1 {
		t.Errorf("t is %v with %v kept", r.t, r.kept)
	}
	if got := r.class[0].n + r.class[1].n; math.Abs(got-typical*n) > 1 {
		t.Errorf("means of %v values of %d", got, n)
	}
	d, limit := r.class[1].mean-r.class[0].mean, r.visible()
	if d < limit || !near(d/limit, -welch(&r.class[0], &r.class[1])/threshold) {
		t.Errorf("a difference of %v, seen from %v", d, limit)
	}
	for i := range classes {
		classes[i] ^= 1
	}
	if other := compare(times, classes); other.t != -r.t {
		t.Errorf("t is %v, and %v with the classes exchanged", r.t, other.t)
	}

	// A difference in the slowest hundredth only, which cropping to less would lose.
	r = compare(measured(2, n, func(r *rand.Rand, class int) float64 {
		if r.IntN(100) == 0 {
			return 2000 + 500*float64(class) + 20*r.NormFloat64()
		}
		return 1000 + 20*r.NormFloat64()
	}))
	if math.Abs(r.t) <= threshold || r.kept < 0.99 {
		t.Errorf("t is %v with %v kept", r.t, r.kept)
	}
}
