package keys

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Package encoding/json takes the last of two equal members, matches names
// without regard to case, and lets null stand for anything. A ring is a trust
// anchor and must have one reading, so its objects are read member by member.

// members maps the names of an object's members to where their values go: a
// pointer, or a readFunc.
type members map[string]any

type readFunc func(dec *json.Decoder, path string) error

// object reads one object. The required members must be there.
func object(dec *json.Decoder, path string, m members, required ...string) error {
	if err := delimiter(dec, path, '{'); err != nil {
		return err
	}
	var seen []string
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return syntaxError(path, err)
		}
		name := token.(string) // the decoder takes nothing else here
		dst, known := m[name]
		switch {
		case !known:
			return ringError(ProblemUnknownMember, "%s: unknown member %q; names are lower-case", place(path), name)
		case slices.Contains(seen, name):
			return ringError(ProblemDuplicateMember, "%s: member %q occurs twice", place(path), name)
		}
		seen = append(seen, name)
		if err := value(dec, path+"."+name, dst); err != nil {
			return err
		}
	}
	for _, name := range required {
		if !slices.Contains(seen, name) {
			return ringError(ProblemSyntax, "%s: member %q is missing", place(path), name)
		}
	}
	return delimiter(dec, path, '}')
}

// list returns the reader of an array of objects, which appends to dst.
func list[T any](dst *[]T, fields func(*T) members) readFunc {
	return func(dec *json.Decoder, path string) error {
		if err := delimiter(dec, path, '['); err != nil {
			return err
		}
		for dec.More() {
			var v T
			if err := object(dec, path+"[]", fields(&v)); err != nil {
				return err
			}
			*dst = append(*dst, v)
		}
		return delimiter(dec, path, ']')
	}
}

func value(dec *json.Decoder, path string, dst any) error {
	if read, ok := dst.(readFunc); ok {
		return read(dec, path)
	}
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return syntaxError(path, err)
	}
	if bytes.Contains(raw, []byte("null")) && hasNull(raw) {
		return ringError(ProblemSyntax, "%s: null is not allowed", place(path))
	}
	if err := json.Unmarshal(raw, dst); err != nil {
		return syntaxError(path, err)
	}
	return nil
}

// hasNull reports whether raw is null or an array with a null in it.
func hasNull(raw json.RawMessage) bool {
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		return false
	}
	return elements == nil || slices.ContainsFunc(elements, hasNull)
}

func delimiter(dec *json.Decoder, path string, want json.Delim) error {
	token, err := dec.Token()
	if err != nil {
		return syntaxError(path, err)
	}
	if token != want {
		return ringError(ProblemSyntax, "%s: want %q", place(path), want)
	}
	return nil
}

// syntaxError keeps only the kind of a decoding error: its text may quote a secret.
func syntaxError(path string, err error) error {
	switch e := err.(type) {
	case *json.SyntaxError:
		return ringError(ProblemSyntax, "%s: not JSON, at byte %d", place(path), e.Offset)
	case *json.UnmarshalTypeError:
		return ringError(ProblemSyntax, "%s: %s where %s is expected", place(path), e.Value, e.Type)
	}
	return ringError(ProblemSyntax, "%s: the text ends too early or is not JSON", place(path))
}

func place(path string) string {
	if path == "" {
		return "top level"
	}
	return path[1:]
}
