//go:build unix

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/cmd/internal/export"
	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/cmd/internal/journal"
)

// A process is a run of the program, and what it wrote.
type process struct {
	*exec.Cmd
	out, err bytes.Buffer
}

// newProcess returns a run of licet in the home of an app. Its temporary files,
// should it leave any, are in the folder tmp beside the home.
func (a *app) newProcess(t testing.TB, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command("licet", args...)} // TestMain puts it in the path
	tmp := filepath.Join(filepath.Dir(a.dir), "tmp")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	p.Dir = filepath.Dir(a.dir)
	p.Env = append(os.Environ(), "LICET_DIR="+a.dir, "TMPDIR="+tmp, "GORACE=atexit_sleep_ms=0")
	p.Stdout, p.Stderr = &p.out, &p.err
	return p
}

// newMint returns a run of licet mint for key 8 or 9, product 7 and terms that
// never end.
func (a *app) newMint(t testing.TB, key int, args ...string) *process {
	t.Helper()
	all := []string{"mint", "--key", fmt.Sprint(key), "--identity", a.unlock.Identities[0], "--product", "7", "--version", "3", "--perpetual"}
	return a.newProcess(t, append(all, args...)...)
}

// exits runs a process, which must end with an exit code.
func (p *process) exits(t testing.TB, want int) {
	t.Helper()
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	p.ends(t, want)
}

// ends waits for a process that was started.
func (p *process) ends(t testing.TB, want int) {
	t.Helper()
	var exit *exec.ExitError
	if err := p.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := p.ProcessState.ExitCode(); got != want {
		t.Fatalf("%v: exit code %d, want %d: %s", p.Args[1:], got, want, &p.err)
	}
}

// files returns the names in the folder of the home, but for the home itself and
// the folder for temporary files, in which there must be nothing.
func (a *app) files(t testing.TB) []string {
	t.Helper()
	var names []string
	entries, err := os.ReadDir(filepath.Dir(a.dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "tmp" && e.Name() != filepath.Base(a.dir) {
			names = append(names, e.Name())
		}
	}
	left, err := os.ReadDir(filepath.Join(filepath.Dir(a.dir), "tmp"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
	return names
}

// entries returns what the journal of the home has, which must be readable, and
// must not have a serial of a key taken twice.
func (a *app) entries(t testing.TB) []journal.Entry {
	t.Helper()
	j, err := a.openJournal(&home.Home{Dir: a.dir})
	if err != nil {
		t.Fatal(err)
	}
	var all []journal.Entry
	for e, err := range j.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	taken := slices.DeleteFunc(slices.Clone(all), func(e journal.Entry) bool { return e.Kind != journal.Mint && e.Kind != journal.Stated })
	slices.SortFunc(taken, func(a, b journal.Entry) int {
		return cmp.Or(a.Key-b.Key, cmp.Compare(a.Serials.First, b.Serials.First))
	})
	for i, e := range taken[min(1, len(taken)):] {
		if before := taken[i]; e.Key == before.Key && e.Serials.First <= before.Serials.Last {
			t.Fatalf("lines %d and %d of the journal have %s and %s", before.Line, e.Line, before.Serials, e.Serials)
		}
	}
	return all
}

// serialsOf returns the serials of codes, which must all be good.
func (a *app) serialsOf(t testing.TB, codes []string) []uint64 {
	t.Helper()
	j, err := a.newJudge(judgeFlags{})
	if err != nil {
		t.Fatal(err)
	}
	var all []uint64
	for _, code := range codes {
		v, err := j.judge(code)
		if err != nil || v.err != nil {
			t.Fatalf("%q: %v, %v", code, err, v.err)
		}
		all = append(all, v.lic.Serial)
	}
	return all
}

var reserved = regexp.MustCompile(`(?m)^The run ended early\. Of key (\d) and product 7, (?:serial \d+ is|serials \d+ to \d+ are) reserved for it; to mint (?:it|them), repeat the run with --serials (\d+(?:-\d+)?) --again\.$`)

// wantReserved wants the serials of a run that ended early to be named on
// standard error, and returns them.
func (p *process) wantReserved(t testing.TB, a *app, key int) string {
	t.Helper()
	m := reserved.FindStringSubmatch(p.err.String())
	if m == nil || m[1] != fmt.Sprint(key) {
		t.Fatalf("standard error %q names no serials of key %d", &p.err, key)
	}
	last := a.entries(t)
	r := last[len(last)-1].Serials
	if want := rangeText(r); m[2] != want {
		t.Fatalf("standard error names %s; the journal has %s", m[2], want)
	}
	if one := r.First == r.Last; one != strings.Contains(m[0], " is reserved for it; to mint it, ") {
		t.Errorf("standard error %q about %s", &p.err, r)
	}
	if strings.Contains(p.err.String(), "Minted") {
		t.Errorf("standard error %q", &p.err)
	}
	return m[2]
}

// BO-11, BO-12: two runs at once never give a serial twice, and the manifests name
// the serials that they took.
func TestMintTwoAtOnce(t *testing.T) {
	t.Parallel()
	a := newTestApp(t)
	seen := map[uint64]string{}
	for round := range 50 {
		var both []*process
		for i := range 2 {
			output := "-"
			if round%2 == 1 {
				output = fmt.Sprintf("%d-%d.txt", round, i)
			}
			p := a.newMint(t, 8, "--count", fmt.Sprint(1+(round+i)%4), "-o", output)
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			both = append(both, p)
		}
		for i, p := range both {
			p.ends(t, 0)
			text := p.out.Bytes()
			if round%2 == 1 {
				path := filepath.Join(p.Dir, fmt.Sprintf("%d-%d.txt", round, i))
				if err := a.verifyBatch(context.Background(), batchVerifyOptions{}, path); err != nil {
					t.Fatal(err)
				}
				var err error
				if text, err = os.ReadFile(path); err != nil {
					t.Fatal(err)
				}
			}
			codes := strings.Fields(string(text))
			if want := 1 + (round+i)%4; len(codes) != want {
				t.Fatalf("round %d: %d codes, want %d", round, len(codes), want)
			}
			for j, serial := range a.serialsOf(t, codes) {
				if old, ok := seen[serial]; ok {
					t.Fatalf("round %d: serial %d was given twice: %s, %s", round, serial, old, codes[j])
				}
				seen[serial] = codes[j]
			}
		}
	}
	if n := len(a.entries(t)); n != 100 {
		t.Errorf("the journal has %d entries, want 100", n)
	}
	// Nobody was interrupted, so there are no gaps.
	for serial := range uint64(len(seen)) {
		if _, ok := seen[serial+1]; !ok {
			t.Errorf("serial %d was left out", serial+1)
		}
	}
}

// BO-11: of two runs at once for the same serials, one gets them, and the other says
// how to have the same codes.
func TestMintSameSerialsAtOnce(t *testing.T) {
	t.Parallel()
	a := newTestApp(t)
	for round := range 10 {
		serials := fmt.Sprintf("%d-%d", 10*round+1, 10*round+5)
		var both []*process
		for range 2 {
			p := a.newMint(t, 8, "--serials", serials)
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			both = append(both, p)
		}
		done := 0
		for _, p := range both {
			p.Wait()
			switch p.ProcessState.ExitCode() {
			case 0:
				done++
			case 2:
				if want := "\nTo mint once more what was handed out:\n  --serials " + serials + " --again\n"; !strings.Contains(p.err.String(), want) || p.out.Len() > 0 {
					t.Errorf("standard error %q, output %q", &p.err, &p.out)
				}
			default:
				t.Errorf("exit code %d: %s", p.ProcessState.ExitCode(), &p.err)
			}
		}
		if done != 1 {
			t.Fatalf("round %d: %d of 2 runs got the serials", round, done)
		}
	}
	if n := len(a.entries(t)); n != 10 {
		t.Errorf("the journal has %d entries, want 10", n)
	}
}

// BO-17: runs that are killed at any moment leave whole files or none, and no code
// of a serial that is not on record.
func TestMintKilled(t *testing.T) {
	t.Parallel()
	const count = 2000
	a := newTestApp(t)
	dir := filepath.Dir(a.dir)
	rnd := rand.New(rand.NewPCG(1, 2))
	rounds, end := 50, time.Now().Add(6*time.Second)
	if os.Getenv("LICET_LONG") != "" {
		end = time.Now().Add(time.Hour)
	}
	formats := []string{"txt", "csv", "jsonl", "xlsx", "txt.age"}
	begin := time.Now()
	a.newMint(t, 8, "--count", fmt.Sprint(count), "-o", "first.csv").exits(t, 0)
	whole := time.Since(begin)
	// A run that is killed after its file is in place and before its manifest is
	// leaves a file without manifest; none may be the other way round.
	checked := map[string]bool{}
	var told, files, bare, done int
	for ; done < rounds && time.Now().Before(end); done++ {
		name := "-"
		if done%3 > 0 {
			name = fmt.Sprintf("round-%d.%s", done, formats[done%len(formats)])
		}
		p := a.newMint(t, 8, "--count", fmt.Sprint(count), "-o", name)
		if strings.HasSuffix(name, ".age") {
			p.Args = append(p.Args, "--encrypt-to", a.recipient(t))
		}
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rnd.Int64N(int64(whole * 5 / 4))))
		p.Process.Kill()
		p.Wait()

		entries := a.entries(t)
		if name == "-" {
			codes := strings.SplitAfter(p.out.String(), "\n")
			codes = slices.DeleteFunc(codes, func(c string) bool { return !strings.HasSuffix(c, "\n") }) // half a line
			for i, code := range codes {
				codes[i] = strings.TrimSpace(code)
			}
			if len(codes) == 0 {
				continue
			}
			told++
			last := entries[len(entries)-1]
			for i, serial := range a.serialsOf(t, codes) {
				if want := last.Serials.First + uint64(i); serial != want || serial > last.Serials.Last {
					t.Fatalf("round %d: serial %d was printed where %d is due, and the journal ends with %s", done, serial, want, last.Serials)
				}
			}
			continue
		}
		for _, e := range entries {
			if e.Output == "" || e.Kind != journal.Mint || checked[e.Output] {
				continue
			}
			path := filepath.Join(dir, e.Output)
			_, err := os.Stat(path)
			_, beside := os.Stat(path + manifestSuffix)
			switch {
			case errors.Is(err, fs.ErrNotExist) && errors.Is(beside, fs.ErrNotExist):
			case errors.Is(beside, fs.ErrNotExist):
				bare++
				a.wantWhole(t, path, e)
			case err != nil || beside != nil:
				t.Fatalf("round %d: %v, %v", done, err, beside)
			default:
				files++
				if err := a.verifyBatch(context.Background(), batchVerifyOptions{}, path); err != nil {
					t.Fatalf("round %d: %v", done, err)
				}
			}
			checked[e.Output] = true
		}
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	// What else is there can be told from what is whole.
	leftovers := 0
	for _, e := range names {
		switch name := strings.TrimSuffix(e.Name(), manifestSuffix); {
		case checked[name], e.IsDir():
		case regexp.MustCompile(`^\.(first|round-\d+)\.[a-z.]+\.licet-tmp-\d+$`).MatchString(e.Name()):
			leftovers++
		default:
			t.Errorf("%s is left over", e.Name())
		}
	}
	// The next run goes on as if nothing had been.
	a.newMint(t, 8, "--count", "3", "-o", "last.txt").exits(t, 0)
	if err := a.verifyBatch(context.Background(), batchVerifyOptions{}, filepath.Join(dir, "last.txt")); err != nil {
		t.Error(err)
	}
	t.Logf("%d rounds: %d reservations, %d whole files, %d of them without manifest, %d temporary ones, %d times codes on standard output",
		done, len(a.entries(t))-2, files+bare, bare, leftovers, told)
}

// wantWhole wants all codes of a journal entry in a file.
func (a *app) wantWhole(t testing.TB, path string, e journal.Entry) {
	t.Helper()
	if strings.HasSuffix(path, ".age") {
		return // only the manifest could tell
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := export.NewReader(f, export.Format(e.Format))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer r.Close()
	var codes []string
	for {
		row, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		codes = append(codes, string(row.Code))
	}
	all := a.serialsOf(t, codes)
	if uint64(len(all)) != e.Serials.Count() || all[0] != e.Serials.First || all[len(all)-1] != e.Serials.Last || !slices.IsSorted(all) {
		t.Fatalf("%s has %d codes; the journal says %s", path, len(all), e.Serials)
	}
}

// BO-17: a run that is interrupted leaves nothing but the serials it took, which it
// names; --again then makes the file.
func TestMintInterrupted(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"out.csv", "out.xlsx", "out.txt.age"} {
		t.Run(name, func(t *testing.T) {
			a := newTestApp(t)
			args := []string{"-o", name}
			if strings.HasSuffix(name, ".age") {
				args = append(args, "--encrypt-to", a.recipient(t))
			}
			var p *process
			// As many codes as it takes for the signal to come in time.
			for count := 1500; ; count *= 4 {
				before := len(a.entries(t))
				p = a.newMint(t, 9, append(args, "--count", fmt.Sprint(count))...)
				if err := p.Start(); err != nil {
					t.Fatal(err)
				}
				for limit := time.Now().Add(20 * time.Second); len(a.entries(t)) == before && time.Now().Before(limit); {
					time.Sleep(time.Millisecond)
				}
				p.Process.Signal(os.Interrupt)
				err := p.Wait()
				if err == nil && count < 1e6 { // it was faster
					for _, n := range a.files(t) {
						os.Remove(filepath.Join(filepath.Dir(a.dir), n))
					}
					continue
				}
				if got := p.ProcessState.ExitCode(); got != 130 {
					t.Fatalf("exit code %d, want 130: %s", got, &p.err)
				}
				break
			}
			if !strings.HasSuffix(p.err.String(), "\nlicet: interrupted\n") {
				t.Errorf("standard error %q", &p.err)
			}
			again := p.wantReserved(t, a, 9)
			if left := a.files(t); len(left) > 0 {
				t.Errorf("%v left behind", left)
			}
			a.newMint(t, 9, append(args, "--serials", again, "--again")...).exits(t, 0)
			if err := a.verifyBatch(context.Background(), batchVerifyOptions{}, filepath.Join(filepath.Dir(a.dir), name)); err != nil {
				t.Error(err)
			}
			m, err := readManifest(filepath.Join(filepath.Dir(a.dir), name+manifestSuffix), mustRing(t, a))
			if got := fmt.Sprintf("%d-%d", m.First, m.Last); err != nil || got != again {
				t.Errorf("the manifest has serials %s, want %s: %v", got, again, err)
			}
			a.files(t)
		})
	}
}

// What an interrupted run has written to standard output is not taken for a whole
// workbook.
func TestMintInterruptedWorkbook(t *testing.T) {
	t.Parallel()
	a := newTestApp(t)
	p := a.newMint(t, 9, "--count", "1000000", "--format", "xlsx")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(20 * time.Second); len(a.entries(t)) == 0 && time.Now().Before(limit); {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(200 * time.Millisecond) // for some codes
	p.Process.Signal(os.Interrupt)
	p.ends(t, 130)
	p.wantReserved(t, a, 9)
	if r, err := export.NewReader(&p.out, export.XLSX); err == nil {
		r.Close()
		t.Error("it reads as a workbook")
	}
}

// CL-01: who hangs up ends the run quietly, but for the serials.
func TestMintClosedPipe(t *testing.T) {
	t.Parallel()
	a := newTestApp(t)
	for format, count := range map[string]string{"txt": "1", "csv": "30000", "jsonl": "3000", "xlsx": "1000"} {
		p := a.newMint(t, 8, "--count", count, "--format", format)
		p.closeOutput(t)
		p.exits(t, 141)
		p.wantReserved(t, a, 8)
		if strings.Count(p.err.String(), "\n") != 1 {
			t.Errorf("%s %s: standard error %q", count, format, &p.err)
		}
	}
	// An encrypted file, too, begins when all is checked and serials are taken.
	p := a.newMint(t, 8, "--encrypt-to", a.recipient(t))
	p.closeOutput(t)
	p.exits(t, 141)
	p.wantReserved(t, a, 8)
	if left := a.files(t); len(left) > 0 {
		t.Errorf("%v left behind", left)
	}
}

// CL-01: so it is with what batches are listed and judged by.
func TestBatchClosedPipe(t *testing.T) {
	t.Parallel()
	a := newTestApp(t)
	a.newMint(t, 8, "--count", "3", "-o", "out.csv").exits(t, 0)
	for _, args := range [][]string{
		{"batch", "list"}, {"batch", "list", "--json"},
		{"batch", "verify", "out.csv", "--identity", a.unlock.Identities[0]}, {"batch", "verify", "--json", "out.csv", "--identity", a.unlock.Identities[0]},
		{"inspect", es256Code}, {"verify", es256Code},
	} {
		p := a.newProcess(t, args...)
		p.closeOutput(t)
		p.exits(t, 141)
		if p.err.Len() > 0 {
			t.Errorf("%v: standard error %q", args, &p.err)
		}
	}
}

// CL-08: a command that needs no input does not wait for any.
func TestNoInputNeeded(t *testing.T) {
	t.Parallel()
	a := newTestApp(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close() // never written to, and open until the runs have ended
	for _, p := range []*process{
		a.newMint(t, 8, "--count", "3", "-o", "out.csv"),
		a.newProcess(t, "batch", "list"),
		a.newProcess(t, "batch", "verify", "out.csv", "--identity", a.unlock.Identities[0]),
		a.newProcess(t, "batch", "overlap", "out.csv.manifest"),
		a.newProcess(t, "qr", hs256Code),
		a.newProcess(t, "estimate"),
	} {
		p.Stdin = r
		p.exits(t, 0)
	}
}

// closeOutput makes standard output a pipe that nobody reads from.
func (p *process) closeOutput(t testing.TB) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	p.Stdout = w
	t.Cleanup(func() { w.Close() })
}

// recipient returns the recipient to the identity of the home.
func (a *app) recipient(t testing.TB) string {
	t.Helper()
	recipients, err := (&home.Home{Dir: a.dir}).Recipients()
	if err != nil || len(recipients) != 1 {
		t.Fatal(recipients, err)
	}
	return recipients[0]
}

// A renewal that ends early tells how to go on, too, and going on works.
func TestRenewEndsEarly(t *testing.T) {
	t.Parallel()
	a := newTestApp(t)
	a.newMint(t, 8, "--count", "5").exits(t, 0)
	terms := []string{"--key", "8", "--identity", a.unlock.Identities[0], "--product", "7", "--version", "4", "--perpetual"}
	p := a.newProcess(t, append(append([]string{"renew"}, terms...), "--serials", "2-4")...)
	p.closeOutput(t)
	p.exits(t, 141)
	want := "The run ended early. Of key 8 and product 7, serials 2 to 4 are reserved for it; to mint them, state the same to licet mint with --serials 2-4 --again.\n"
	if p.err.String() != want {
		t.Errorf("standard error %q, want %q", &p.err, want)
	}
	p = a.newProcess(t, append(append([]string{"mint"}, terms...), "--serials", "2-4", "--again")...)
	p.exits(t, 0)
	if got := a.serialsOf(t, strings.Fields(p.out.String())); !slices.Equal(got, []uint64{2, 3, 4}) {
		t.Errorf("serials %v", got)
	}
}

// The same licences make the same files, byte for byte, in copies of a home, on
// one processor and on two.
func TestMintSameBytes(t *testing.T) {
	t.Parallel()
	for _, key := range []int{8, 9} {
		for _, format := range []string{"txt", "csv", "jsonl"} {
			var first []byte
			for _, procs := range []string{"1", "2"} {
				a := newTestApp(t)
				p := a.newMint(t, key, "--serials", "1000-1599", "-o", "out."+format, "--label", "order=4711")
				p.Env = append(p.Env, "GOMAXPROCS="+procs)
				p.exits(t, 0)
				text, err := os.ReadFile(filepath.Join(filepath.Dir(a.dir), "out."+format))
				switch {
				case err != nil:
					t.Fatal(err)
				case first == nil:
					first = text
				case !bytes.Equal(text, first):
					t.Errorf("key %d: %s differs on one processor and on %s", key, format, procs)
				}
			}
			if n := bytes.Count(first, []byte("\n")); n < 600 || n > 601 {
				t.Errorf("key %d: %s has %d lines", key, format, n)
			}
		}
	}
}
