package keyfile_test

import (
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys/keyfile"
)

func TestReadPassphrase(t *testing.T) {
	for _, test := range []struct{ name, data, want string }{
		{"printf", phrase, phrase},
		{"echo", phrase + "\n", phrase},
		{"Notepad", phrase + "\r\n", phrase},
		{"byte order mark", "\ufeff" + phrase + "\r\n", phrase},
		{"spaces", "  " + phrase + " \t\n", "  " + phrase + " \t"},
		{"one space", " \n", " "},
		{"not ASCII", "Straße ☂\n", "Straße ☂"},
		{"mark inside", "a\ufeffb\n", "a\ufeffb"},
		{"comment", "# no comment\n", "# no comment"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := keyfile.ReadPassphrase(file(t, test.data))
			if err != nil || got != test.want {
				t.Errorf("%q, %v, want %q", got, err, test.want)
			}
			if err := keyfile.CheckPassphrase(test.want); err != nil {
				t.Errorf("CheckPassphrase: %v", err)
			}
		})
	}
}

func TestReadPassphraseRefuses(t *testing.T) {
	for _, test := range []struct{ name, data, want string }{
		{"empty", "", "it is empty"},
		{"only LF", "\n", "it is empty"},
		{"only CRLF", "\r\n", "it is empty"},
		{"only a mark", "\ufeff", "it is empty"},
		{"mark and newline", "\ufeff\n", "it is empty"},
		{"two lines", phrase + "\nb\n", "more than one line"},
		{"blank line after", phrase + "\n\n", "more than one line"},
		{"blank line after, CRLF", phrase + "\r\n\r\n", "more than one line"},
		{"blank line before", "\n" + phrase, "more than one line"},
		{"CR inside", phrase + "\rb\n", "carriage return"},
		{"CR at the end", phrase + "\r", "carriage return"},
		{"two CRs", phrase + "\r\r\n", "carriage return"},
		{"Latin-1", phrase + "\xe9\n", "not valid UTF-8"},
		{"UTF-16", utf16(phrase + "\n"), "UTF-16"},
		{"UTF-16, the other order", "\xfe\xff\x00a", "UTF-16"},
		{"UTF-16 without mark", utf16(phrase)[2:], "perhaps UTF-16"},
		{"two marks", "\ufeff\ufeff" + phrase, "byte order mark"},
		{"too large", strings.Repeat("a", keyfile.MaxSize+1), "larger than 64 KiB"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := file(t, test.data)
			pass, err := keyfile.ReadPassphrase(path)
			refused(t, err, nil, "passphrase file "+path+": ", test.want)
			if pass != "" {
				t.Errorf("got %q", pass)
			}
		})
	}
	_, err := keyfile.ReadPassphrase(t.TempDir() + "/none")
	refused(t, err, nil, "passphrase file: open ")
}

func TestCheckPassphrase(t *testing.T) {
	for _, test := range []struct{ pass, want string }{
		{"", "it is empty"},
		{phrase + "\n", "more than one line"},
		{phrase + "\r", "carriage return"},
		{phrase + "\xff", "not valid UTF-8"},
		{phrase + "\x00", "zero byte"},
		{"\ufeff" + phrase, "byte order mark"},
	} {
		refused(t, keyfile.CheckPassphrase(test.pass), nil, "passphrase: ", test.want)
		r, err := keyfile.PassphraseRecipient(test.pass)
		refused(t, err, nil, "passphrase: ", test.want)
		id, err := keyfile.PassphraseIdentity(test.pass)
		refused(t, err, nil, "passphrase: ", test.want)
		if r != nil || id != nil {
			t.Errorf("%q: %v, %v", test.pass, r, id)
		}
	}
}

// Whatever CheckPassphrase takes reads back the same from a file.
func FuzzPassphrase(f *testing.F) {
	for _, s := range []string{phrase, " a ", "\ufeffa", "a\r", "a\nb", "\x00", "ß"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, pass string) {
		if keyfile.CheckPassphrase(pass) != nil || len(pass) > 1000 {
			return
		}
		for _, data := range []string{pass, pass + "\n", pass + "\r\n", "\ufeff" + pass + "\n"} {
			if got, err := keyfile.ReadPassphrase(file(t, data)); err != nil || got != pass {
				t.Errorf("%q reads as %q, %v", data, got, err)
			}
		}
	})
}
