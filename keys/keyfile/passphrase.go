package keyfile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"filippo.io/age"
)

// The work of scrypt to turn a passphrase into a key, as the exponent of a power
// of two. Tests lower the first.
var workFactor = 18 // age's own default: about a second and 256 MiB

const maxWorkFactor = 22 // what age itself reads: some 15 seconds and 4 GiB

// ReadPassphrase returns the passphrase in the file at path. It removes a UTF-8
// byte order mark and exactly one line end at the end, LF or CRLF, and changes
// nothing else: spaces count. See [CheckPassphrase] for what it refuses.
//
// So a phrase is the same whether it was typed, or written to the file with
// printf, with echo or with an editor.
func ReadPassphrase(path string) (string, error) {
	data, err := load("passphrase file", path)
	if err != nil {
		return "", err
	}
	if line, ok := bytes.CutSuffix(data, []byte("\n")); ok {
		data = bytes.TrimSuffix(line, []byte("\r"))
	}
	if err := checkPassphrase(string(data)); err != nil {
		return "", fmt.Errorf("passphrase file %s: %w", path, err)
	}
	return string(data), nil
}

// CheckPassphrase refuses a passphrase that could not be in a file of one line: an
// empty one, one with a line end, and one that is not UTF-8. A phrase it accepts
// reads back the same from a file, see [ReadPassphrase].
func CheckPassphrase(pass string) error {
	if err := checkPassphrase(pass); err != nil {
		return fmt.Errorf("passphrase: %w", err)
	}
	return nil
}

func checkPassphrase(pass string) error {
	switch {
	case pass == "":
		return errors.New("it is empty")
	case strings.Contains(pass, "\n"):
		return errors.New("more than one line: want one, and at most one line end after it")
	case strings.Contains(pass, "\r"):
		return errors.New("a carriage return in it: want one line, ended by LF or CRLF")
	case !utf8.ValidString(pass):
		return errors.New("not valid UTF-8: save it as UTF-8")
	case strings.Contains(pass, "\x00"):
		return errors.New("a zero byte in it, so this is perhaps UTF-16: save it as UTF-8")
	case strings.HasPrefix(pass, byteOrderMark):
		return errors.New("a byte order mark before it: remove it")
	}
	return nil
}

// PassphraseRecipient returns the recipient that encrypts with a passphrase. It must
// be the only recipient of its file.
func PassphraseRecipient(pass string) (age.Recipient, error) {
	if err := CheckPassphrase(pass); err != nil {
		return nil, err
	}
	r, err := age.NewScryptRecipient(pass)
	if err != nil {
		return nil, fmt.Errorf("passphrase: %w", err)
	}
	r.SetWorkFactor(workFactor)
	return r, nil
}

// PassphraseIdentity returns the identity that opens what was encrypted with the
// passphrase.
func PassphraseIdentity(pass string) (age.Identity, error) {
	if err := CheckPassphrase(pass); err != nil {
		return nil, err
	}
	id, err := age.NewScryptIdentity(pass)
	if err != nil {
		return nil, fmt.Errorf("passphrase: %w", err)
	}
	id.SetMaxWorkFactor(maxWorkFactor)
	return id, nil
}
