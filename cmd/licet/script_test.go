package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	_ "time/tzdata" // scripts set TZ
	_ "unsafe"      // for go:linkname

	"github.com/rogpeppe/go-internal/testscript"
)

// The work of scrypt. The scripts encrypt with passphrases many times, at a
// strength of the tests.
//
//go:linkname workFactor github.com/licet-dev/licet/keys/keyfile.workFactor
var workFactor int

var update = flag.Bool("update", false, "write what the scripts compare with, where it differs")

func TestMain(m *testing.M) {
	workFactor = 4
	testscript.Main(m, map[string]func(){
		"licet":     func() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		"notty":     func() { os.Exit(notty(os.Args[1:])) },
		"firstline": func() { os.Exit(firstLine(os.Args[1:])) },
	})
}

// Scripts have these variables besides those of testscript:
//
//	REFHOME    a licensing home with the two reference keys of SPEC.md, section 10
//	ID         the identity that opens its keys
//	RECIPIENT  the recipient to that identity
//	CODE       the reference code of its hs256 key 8: product 7, version 3, 2027-12-31, serial 1000
//	ESCODE     the same licence with its es256 key 9
//	FORGED     CODE with another symbol, and check symbols that fit
//	UNKNOWN    a well-formed text that names key 11
//	LATER      a well-formed text that names key 0, which is for later formats
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup:               setup,
		Condition: func(cond string) (bool, error) {
			if cond == "tty" { // testscript has pseudo-terminals
				return runtime.GOOS == "linux" || runtime.GOOS == "darwin", nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"endpoint": cmdEndpoint,
			"exits":    cmdExits,
			"mode":     cmdMode,
			"replace":  cmdReplace,
			"write":    cmdWrite,
		},
	})
}

const (
	hs256Code  = "ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ"
	forgedCode = "ACME-AHJY-YQET-69FW-H3QZ-JG9E-69PS-6HVK-EHVB"
	otherCode  = "DHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ETWY"
	laterCode  = "2HJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ENW2"
	es256Code  = "BQVC-Y3VX-47H5-Q275-AP2U-ELRJ-YT8P-YFFG-CYX9-U7QG-VL5P-JUAS-3DH8-HZ9M-JM58-SERY-CDTA-FDV8-QGXW-9JMW-2A8N-5JNE-VSGZ-3KCU-CABJ-NQ2B-WEWE-S2ZH-MF89-E2Y"
)

func setup(env *testscript.Env) error {
	refHome := filepath.Join(env.WorkDir, "refhome")
	if err := os.CopyFS(refHome, os.DirFS(filepath.Join("testdata", "home"))); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(refHome, "recipients.txt"))
	if err != nil {
		return err
	}
	lines := strings.Fields(string(text))
	env.Setenv("GORACE", "atexit_sleep_ms=0") // else each process takes a second longer under the race detector
	env.Setenv("REFHOME", refHome)
	env.Setenv("ID", filepath.Join(refHome, "identity.txt"))
	env.Setenv("RECIPIENT", lines[len(lines)-1])
	env.Setenv("CODE", hs256Code)
	env.Setenv("ESCODE", es256Code)
	env.Setenv("FORGED", forgedCode)
	env.Setenv("UNKNOWN", otherCode)
	env.Setenv("LATER", laterCode)
	return nil
}

// cmdExits runs a program that must end with an exit code:
//
//	exits 3 licet verify ABC
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// cmdMode checks the permissions of files, where there are any:
//
//	mode 0600 acme/keys/*.age
func cmdMode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: mode octal pattern...")
	}
	want, err := strconv.ParseUint(args[0], 8, 32)
	ts.Check(err)
	for _, pattern := range args[1:] {
		paths, err := filepath.Glob(ts.MkAbs(pattern))
		ts.Check(err)
		if len(paths) == 0 {
			ts.Fatalf("%s: no such file", pattern)
		}
		for _, path := range paths {
			info, err := os.Lstat(path)
			ts.Check(err)
			if got := info.Mode().Perm(); runtime.GOOS != "windows" && got != fs.FileMode(want) {
				ts.Fatalf("%s: mode %#o, want %#o", path, got, want)
			}
		}
	}
}

// cmdReplace replaces a text that occurs in a file:
//
//	replace active withdrawn ring.json
func cmdReplace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace old new file")
	}
	text := ts.ReadFile(args[2])
	if !strings.Contains(text, args[0]) {
		ts.Fatalf("%s does not have %q", args[2], args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.ReplaceAll(text, args[0], args[1])), 0o644))
}

// cmdWrite writes a text, in which Go's escapes may be, some times over to a file:
//
//	write long.txt 'A' 70000
func cmdWrite(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: write file text [times]")
	}
	text, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	times := 1
	if len(args) == 3 {
		times, err = strconv.Atoi(args[2])
		ts.Check(err)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(text, times)), 0o644))
}

// notty runs a program that has no terminal to ask on, although the tests may.
func notty(args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	newSession(cmd)
	return exitCodeOf(cmd.Run())
}

// firstLine runs a program, prints the first line that it writes and then hangs
// up, as head -1 does. The exit code is that of the program.
func firstLine(args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return exitCodeOf(err)
	}
	line, err := bufio.NewReaderSize(out, 16).ReadString('\n')
	fmt.Print(line)
	out.Close()
	return exitCodeOf(errors.Join(err, cmd.Wait()))
}

func exitCodeOf(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	fmt.Fprintln(os.Stderr, err)
	return 99
}
