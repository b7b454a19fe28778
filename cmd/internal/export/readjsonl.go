package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// A jsonSource reads a jsonl file. Package encoding/json takes the last of two
// equal members and matches names without regard to case; here a line has one
// reading.
type jsonSource struct{ lines *lines }

func (s *jsonSource) next(row *Row) error {
	for {
		line, err := s.lines.next()
		*row = Row{Line: s.lines.n}
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := row.parseObject(line); err != nil {
			return s.lines.errorf("%w", err)
		}
		return nil
	}
}

func (*jsonSource) close() error { return nil }

// parseObject reads the code and the serial of an object.
func (row *Row) parseObject(line []byte) error {
	if !utf8.Valid(line) {
		return errors.New("the text is not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return errors.New("want one JSON object a line, with a member code")
	}
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return syntaxError(err)
		}
		name := token.(string) // the decoder takes nothing else here
		if seen[name] {
			return fmt.Errorf("member %q occurs twice", name)
		}
		seen[name] = true
		switch name {
		case "code":
			err = row.readCode(dec)
		case "serial":
			err = row.readSerial(dec)
		default:
			var skip json.RawMessage
			if err = dec.Decode(&skip); err != nil {
				err = syntaxError(err)
			}
		}
		if err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return syntaxError(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("text after the object: want one JSON object a line")
	}
	if row.Code == nil {
		return errors.New("the object has no member code")
	}
	return nil
}

func (row *Row) readCode(dec *json.Decoder) error {
	token, err := dec.Token()
	if err != nil {
		return syntaxError(err)
	}
	code, ok := token.(string)
	if !ok || blank([]byte(code)) {
		return errors.New("member code: want a string with a code")
	}
	row.Code = []byte(code)
	return nil
}

func (row *Row) readSerial(dec *json.Decoder) error {
	token, err := dec.Token()
	if err != nil {
		return syntaxError(err)
	}
	var text string
	switch v := token.(type) {
	case string:
		text = v
	case json.Number:
		text = v.String()
	}
	if row.Serial, row.HasSerial, err = parseSerial([]byte(text)); err == nil && !row.HasSerial {
		err = errors.New("member serial: want a string of digits")
	}
	return err
}

func syntaxError(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("JSON: %w", err)
}
