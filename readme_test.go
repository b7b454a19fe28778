package licet_test

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
)

// blocks returns the fenced blocks of a Markdown file with the given language.
func blocks(t *testing.T, file, language string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		if m[1] == language {
			all = append(all, m[2])
		}
	}
	if len(all) == 0 {
		t.Fatalf("%s has no %q block", file, language)
	}
	return all
}

func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestREADMEProgram builds the program of the README in a module of its own,
// without network, and runs it on a code. Its module must need no other module.
func TestREADMEProgram(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ring, code := newRing(t)
	for name, text := range map[string]string{
		"main.go":   blocks(t, "README.md", "go")[0],
		"ring.json": ring,
		"go.mod":    "module example.com/product\n\ngo 1.26\n\nrequire github.com/licet-dev/licet v0.0.0\n\nreplace github.com/licet-dev/licet => " + root + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off"}
	exe := filepath.Join(dir, "product.exe")
	run(t, dir, env, "go", "mod", "tidy")
	run(t, dir, env, "go", "build", "-o", exe, ".")
	want := "licence 1000, valid to the end of 2099-12-31 (UTC)\n"
	if got := run(t, dir, nil, exe, code); got != want {
		t.Errorf("the program printed %q, want %q", got, want)
	}
	if sum, err := os.ReadFile(filepath.Join(dir, "go.sum")); err == nil && len(sum) > 0 {
		t.Errorf("a product that embeds the verifier has other modules in its go.sum:\n%s", sum)
	}
}

// newRing returns a ring with an es256 key, and a code of that key.
func newRing(t *testing.T) (ring, code string) {
	t.Helper()
	d, err := keys.ParseDescriptor("licet/v1 es256 key=9 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=512")
	if err != nil {
		t.Fatal(err)
	}
	private, err := keys.GenerateMint(d)
	if err != nil {
		t.Fatal(err)
	}
	key, err := keys.NewKey(private, d, 7)
	if err != nil {
		t.Fatal(err)
	}
	r, err := keys.NewRing("Acme Tools", []keys.Product{{Number: 7, Name: "Widget"}}, []keys.Key{key})
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	s, err := signer.New(key, private, signer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	code, err = s.Mint(payload.License{Product: 7, Version: 3, Expiry: payload.Date(2099, 12, 31), Serial: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return string(text), code
}

// TestREADMETranscript runs the commands of the README's first screen and
// compares what they print, key ids and codes aside. Passphrases come from a
// file here; the tests of the command ask for them on a terminal.
func TestREADMETranscript(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("the transcript is that of a Unix shell; its commands are tested in cmd/licet")
		return
	}
	dir := t.TempDir()
	run(t, ".", nil, "go", "build", "-o", dir, "./cmd/licet")
	passphrase := filepath.Join(dir, "passphrase")
	if err := os.WriteFile(passphrase, []byte("correct horse battery staple\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code := ""
	cwd := dir
	for _, part := range strings.Split(blocks(t, "README.md", "")[0], "$ ")[1:] {
		command, want, _ := strings.Cut(part, "\n")
		if folder, ok := strings.CutPrefix(command, "cd "); ok {
			cwd = filepath.Join(cwd, folder)
			continue
		}
		if code != "" { // the code of the transcript stands for the one just minted
			command = regexp.MustCompile(`ACME(-[2-9A-Z]{4}){8}`).ReplaceAllString(command, code)
			typo := strings.ToLower(strings.ReplaceAll(code, "-", " "))
			command = regexp.MustCompile(`acme( [2-9a-z]{4}){8}`).ReplaceAllString(command, typo[:len(typo)-2]+differ(typo[len(typo)-2])+typo[len(typo)-1:])
		}
		if strings.Contains(want, "assphrase") {
			command += " --passphrase-file " + passphrase
		}
		cmd := exec.Command("sh", "-c", filepath.Join(dir, command))
		cmd.Dir = cwd
		out, _ := cmd.CombinedOutput() // the last command ends with a code of its own
		if code == "" {
			code = regexp.MustCompile(`ACME(-[2-9A-Z]{4}){8}`).FindString(string(out))
		}
		if got, want := neutral(string(out)), neutral(want); got != want {
			t.Errorf("%s printed\n%s\nbut the README says\n%s", command, got, want)
		}
	}
	if code == "" {
		t.Error("the transcript minted no code")
	}
}

// TestREADMEActivation runs the commands of the README's section on activation after
// those of its first screen, with an endpoint on ports that are free.
func TestREADMEActivation(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("the transcript is that of a Unix shell; its commands are tested in cmd/licet and cmd/licetd")
		return
	}
	dir := t.TempDir()
	run(t, ".", nil, "go", "build", "-o", dir, "./cmd/licet", "./cmd/licetd")
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "endpoint.txt"), []byte(identity.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	licet := filepath.Join(dir, "licet")
	// To the same recipient, which is quicker than a passphrase.
	run(t, dir, nil, licet, "init", "acme", "--issuer", "Acme Tools", "--product", "7=Widget", "--prefix", "ACME", "--recipient", identity.Recipient().String())
	out := run(t, dir, nil, licet, "mint", "--dir", "acme", "--product", "7", "--version", "3", "--expires", "2027-12-31", "--identity", "endpoint.txt")
	code := regexp.MustCompile(`ACME(-[2-9A-Z]{4}){8}`).FindString(out)
	key := regexp.MustCompile(`"id":"([0-9a-f]{16})"`).FindStringSubmatch(run(t, dir, nil, licet, "key", "list", "--dir", "acme", "--json"))[1]

	var api, admin string
	commands := 0
	for _, block := range blocks(t, "README.md", "") {
		if !strings.HasPrefix(block, "$ licet endpoint init ") {
			continue
		}
		for _, part := range strings.Split(block, "$ ")[1:] {
			command, want, _ := strings.Cut(part, "\n")
			commands++
			for _, r := range [][2]string{
				{`ACME(-[2-9A-Z]{4}){8}`, code}, {`age1[0-9a-z]+`, identity.Recipient().String()}, {`http://127\.0\.0\.1:8080`, api}, {`http://127\.0\.0\.1:8081`, admin},
				{`/seats/[0-9a-f]{16}/`, "/seats/" + key + "/"},
			} {
				command = regexp.MustCompile(r[0]).ReplaceAllString(command, r[1])
			}
			if strings.Contains(want, "assphrase") {
				command += " --identity endpoint.txt"
			}
			if command, ok := strings.CutSuffix(command, " 2>licetd.log &"); ok {
				api, admin = startEndpoint(t, dir, strings.Fields(command))
				continue
			}
			got := ""
			if url, ok := strings.CutPrefix(command, "curl -s "); ok {
				got = fetch(t, url)
			} else {
				cmd := exec.Command("sh", "-c", dir+"/"+command)
				cmd.Dir = dir
				text, _ := cmd.CombinedOutput() // what is refused ends with a code of its own
				got = string(text)
			}
			if got, want := neutral(got), neutral(want); got != want {
				t.Errorf("%s printed\n%s\nbut the README says\n%s", command, got, want)
			}
		}
	}
	if commands < 6 {
		t.Errorf("%d commands found", commands)
	}
}

// startEndpoint starts an endpoint and returns the URLs of its two servers.
func startEndpoint(t *testing.T, dir string, command []string) (api, admin string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(dir, command[0]), command[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LICETD_LISTEN=127.0.0.1:0", "LICETD_ADMIN_LISTEN=127.0.0.1:0")
	log, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s ended: %v", command, err)
		}
	})
	lines := bufio.NewScanner(log)
	for api == "" || admin == "" {
		if !lines.Scan() {
			t.Fatalf("%s ended before it listened", command)
		}
		m := regexp.MustCompile(`"for":"(api|admin)","address":"([^"]*)"`).FindStringSubmatch(lines.Text())
		switch {
		case m == nil:
		case m[1] == "api":
			api = "http://" + m[2]
		default:
			admin = "http://" + m[2]
		}
	}
	go io.Copy(io.Discard, log)
	return api, admin
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// differ returns another lower-case symbol than c.
func differ(c byte) string {
	if c == '9' {
		return "8"
	}
	return "9"
}

// neutral replaces what differs from run to run.
func neutral(text string) string {
	for _, r := range []struct{ pattern, with string }{
		{`(?m)^(New passphrase|Once more|Passphrase for .*):\s*\n`, ""},
		{`[0-9a-f]{32}`, "HASH"},
		{`[0-9a-f]{16}`, "ID"},
		{`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`, "TIME"},
		{`(?i)acme([- ][2-9A-Z]{4}){8}`, "CODE"},
		{`should be ., not .`, "should be X, not Y"},
	} {
		text = regexp.MustCompile(r.pattern).ReplaceAllString(text, r.with)
	}
	return strings.TrimSpace(text)
}

// TestREADMECommands holds the README to the two commands that work on a fresh
// machine, and to the list of commands that the program has.
func TestREADMECommands(t *testing.T) {
	if sh := blocks(t, "README.md", "sh")[0]; sh != "go run ./cmd/licet demo\ngo test ./...\n" {
		t.Errorf("the README gives\n%s", sh)
	}
	exe := filepath.Join(t.TempDir(), "licet.exe")
	run(t, ".", nil, "go", "build", "-o", exe, "./cmd/licet")
	all := blocks(t, "README.md", "")
	list := slices.IndexFunc(all, func(b string) bool { return strings.HasPrefix(b, "licet init DIR ") })
	if list < 0 {
		t.Fatal("the README has no list of commands")
	}
	for _, line := range strings.Split(strings.TrimSpace(all[list]), "\n") {
		command, _, _ := strings.Cut(line, "  ")
		var args []string
		for _, word := range strings.Fields(command)[1:] {
			if word == strings.ToLower(word) { // not the name of an argument
				args = append(args, word)
			}
		}
		out := run(t, ".", nil, exe, append(args, "--help")...)
		if !strings.Contains(out, "\n  licet "+strings.Join(args, " ")) {
			t.Errorf("licet %s --help does not explain that command:\n%s", strings.Join(args, " "), out)
		}
	}
}
