// Dudect looks for verdicts that show in the time they take. It measures the real
// functions, many times and in random order, with inputs of two classes that must
// not be told apart, and compares the means of the two by Welch's t-test, as the
// program dudect does (Reparaz, Balasch, Verbauwhede: Dude, is my code constant
// time?, 2017).
//
//	go run ./verifier/internal/dudect
//	go run ./verifier/internal/dudect -n 10000000 -run tag
//
// Let the machine do nothing else meanwhile. It takes some minutes.
//
// # What is measured
//
//   - tag: [keys.MAC.Open] on forgeries made with the secret, so that the tag they
//     carry differs from the one that is recomputed in its first bit only or in its
//     last bit only.
//   - revoked, below-minimum, expired: policy.Rules.Check, which returns the verdict
//     as bits before any error is built, with a list of 100,000 entries. One class has
//     the property, the other does not; neither fails another check.
//   - same: as revoked, but no licence of either class is. What is seen here
//     is a fault of the method or of the machine.
//   - leaky-tag, leaky-list: controls, which are to be seen. The one compares tags
//     byte by byte and stops at the first difference; the other is a binary search
//     that stops where it finds the serial.
//
// All inputs are random and used once. Which memory the search in a list reads depends on
// the serial, and a serial is no secret. So both classes have serials that lead to the
// same entries, a revoked one inside an entry and another behind it.
//
// # How
//
// A measurement is the time of several calls with inputs of one class, since the
// clock itself takes tens of nanoseconds. The order of the classes comes from
// crypto/rand. The inputs lie ready in memory in the order of use, and the class is
// not looked at while the clock runs. The garbage collector is off. Every result is
// compared with what the class must give.
//
// The t-test is done with all measurements and with the fastest 50 to 99.9 % of them,
// as interrupts make a long tail. The largest |t| counts. Of two classes without a
// difference it is above 4.5 in less than one run of ten thousand: 7 in a million for one
// t-test, and at most eleven times that for eleven, which are not independent. The table
// has the means of the fastest 90 %, and of which share the largest |t| is.
//
// A noisy machine has more such runs, so one above 4.5 is repeated, and a leak
// is reported when three in a row are above. That favours small leaks: one whose |t| is
// 4.5 on average is found once in eight times, one of 7 in 98 of 100. The controls go by
// the same rule.
//
// The program exits with status 1 when a leak is reported that is none of the controls,
// or when a control is not reported.
//
// # What it shows, and what not
//
// That no difference was seen is no proof. The last column has the smallest difference
// between the means in the table that would have been. The |t| of a leak grows with the
// square root of the number of measurements, that of chance does not: in doubt, make more.
//
// It holds for this machine, this compiler and these inputs, and for the functions named
// above. Reading the text before them and building an error after them take what time
// they take.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"regexp"
	"runtime"
)

const (
	threshold = 4.5 // |t| above it is a difference
	attempts  = 3   // runs that must all be above it
	entries   = 100_000
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("dudect: ")
	n := flag.Int("n", 1_000_000, "measurements in a run, at least 1000")
	run := flag.String("run", "", "run only the tests whose names match this `regexp`")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}
	if *n < 1000 {
		log.Fatalf("-n %d: want at least 1000", *n)
	}
	re, err := regexp.Compile(*run)
	if err != nil {
		log.Fatalf("-run: %v", err)
	}
	var chosen []*experiment
	for _, e := range experiments(entries) {
		if re.MatchString(e.name) {
			chosen = append(chosen, e)
		}
	}
	if len(chosen) == 0 {
		log.Fatalf("-run %s: no test has such a name", *run)
	}
	good, err := runAll(os.Stdout, chosen, *n)
	if err != nil {
		log.Fatal(err)
	}
	if !good {
		os.Exit(1)
	}
}

// experiments returns all of them. The list of those that need one has so many
// entries.
func experiments(entries int) []*experiment {
	random := newRandom()
	return append(tagExperiments(random), policyExperiments(random, entries)...)
}

// runAll makes the experiments with n measurements in a run, prints a table, and
// reports whether all went as they should.
func runAll(w io.Writer, all []*experiment, n int) (good bool, err error) {
	fmt.Fprintf(w, "%d measurements in a run, %s, %s/%s\n\n", n, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	fmt.Fprintln(w, "test           first class       ns a call  second class      ns a call   max |t|  of fastest  seen from")
	good = true
	for _, e := range all {
		leak := true
		for i := 0; i < attempts && leak; i++ {
			r, err := e.measure(n)
			if err != nil {
				return false, fmt.Errorf("%s: %w", e.name, err)
			}
			calls := float64(e.calls)
			fmt.Fprintf(w, "%-13s  %-16s %10.2f  %-16s %10.2f  %8.2f  %8.1f %%  %6.2f ns\n", e.name,
				e.classes[0], r.class[0].mean/calls, e.classes[1], r.class[1].mean/calls, math.Abs(r.t), 100*r.kept, r.visible()/calls)
			leak = math.Abs(r.t) > threshold
		}
		if leak != e.control {
			good = false
		}
		fmt.Fprintf(w, "%-13s  %s\n", "", verdict(leak, e.control))
	}
	return good, nil
}

func verdict(leak, control bool) string {
	switch {
	case leak && control:
		return "a difference, as there must be"
	case leak:
		return "FAIL: a difference"
	case control:
		return "FAIL: no difference seen where there is one; nothing above counts"
	}
	return "no difference seen"
}
