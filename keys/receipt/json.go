package receipt

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Package encoding/json takes the last of two equal members, matches names without
// regard to case, and lets null stand for anything. What is signed must have one
// reading, so objects are read member by member.

// An object is a JSON object whose members are taken one after the other. The first
// thing that is wrong is kept until end.
type object struct {
	path    string // of the names, such as ".license"
	members map[string]any
	err     error
}

// maxDepth is how deep objects may lie in each other: the fields in the licence in
// the claims.
const maxDepth = 3

// parseObject reads a text that is one object.
func parseObject(what string, text []byte) (*object, error) {
	if !utf8.Valid(text) || !json.Valid(text) {
		return nil, malformed("the %s is not JSON; it is damaged", what)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return nil, malformed("the %s is no JSON object", what)
	}
	members, err := readMembers(dec, what, maxDepth)
	if err != nil {
		return nil, err
	}
	return &object{path: what, members: members}, nil
}

// readMembers reads the members of an object whose opening brace was read.
func readMembers(dec *json.Decoder, path string, depth int) (map[string]any, error) {
	members := map[string]any{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, malformed("%s: not JSON", path)
		}
		name, _ := token.(string) // a valid text has nothing else here
		if _, twice := members[name]; twice {
			return nil, malformed("%s: member %.40q occurs twice", path, name)
		}
		value, err := dec.Token()
		if err != nil {
			return nil, malformed("%s: not JSON", path)
		}
		if delim, ok := value.(json.Delim); ok {
			if delim != '{' || depth == 1 {
				return nil, malformed("%s: member %.40q is an array, or an object where none can be", path, name)
			}
			if value, err = readMembers(dec, path+"."+name, depth-1); err != nil {
				return nil, err
			}
		}
		members[name] = value
	}
	_, err := dec.Token()
	if err != nil {
		return nil, malformed("%s: not JSON", path)
	}
	return members, nil
}

func (o *object) fail(format string, args ...any) {
	if o.err == nil {
		e := malformed(format, args...)
		e.Message = o.path + ": " + e.Message
		o.err = e
	}
}

// has reports whether a member is there that need not be.
func (o *object) has(name string) bool {
	_, ok := o.members[name]
	return ok
}

// take takes a member that must be there, and be of the type T.
func take[T any](o *object, name, want string) T {
	value, ok := o.members[name]
	delete(o.members, name)
	v, right := value.(T)
	switch {
	case !ok:
		o.fail("member %q is missing", name)
	case !right:
		o.fail("member %q: want %s", name, want)
	}
	return v
}

func (o *object) text(name string) string { return take[string](o, name, "a string") }

func (o *object) truth(name string) bool { return take[bool](o, name, "true or false") }

// number takes a number that is written in digits and exact in JavaScript.
func (o *object) number(name string) uint64 {
	n, ok := parseNumber(take[json.Number](o, name, "a number").String())
	if !ok {
		o.fail("member %q: want a number from 0 to 2^53-1, in digits", name)
	}
	return n
}

// serial takes a number in a string.
func (o *object) serial(name string) uint64 {
	n, ok := parseNumber(o.text(name))
	if !ok {
		o.fail("member %q: want a number from 0 to 2^53-1, in digits, in a string", name)
	}
	return n
}

// object takes a nested object. What is wrong with it is kept in o when it ends.
func (o *object) object(name string) *object {
	members := take[map[string]any](o, name, "an object")
	return &object{path: o.path + "." + name, members: members}
}

// end returns the first thing that was wrong, which may be a member that was not
// taken.
func (o *object) end() error {
	if names := slices.Sorted(maps.Keys(o.members)); len(names) > 0 {
		o.fail("unknown member %.40q", names[0])
	}
	return o.err
}

// parseNumber reads a number in its one spelling in digits.
func parseNumber(s string) (uint64, bool) {
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil && n <= maxNumber && strconv.FormatUint(n, 10) == s
}
