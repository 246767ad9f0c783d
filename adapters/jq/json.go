package jq

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

var (
	errEmpty   = errors.New("is empty")
	errNotUTF8 = errors.New("is not UTF-8")
	errNotJSON = errors.New("is not JSON")
)

// Decode parses one JSON text as the input of a program, with numbers as they are written. The decoder also refuses
// nesting of more than 10 000 levels. A number too long for arithmetic becomes null. The error says what is wrong with
// the text, and quotes nothing of it.
func Decode(raw []byte) (any, error) {
	switch {
	case len(bytes.TrimSpace(raw)) == 0:
		return nil, errEmpty
	case !utf8.Valid(raw):
		return nil, errNotUTF8
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil || len(bytes.TrimLeft(raw[dec.InputOffset():], " \t\r\n")) > 0 {
		return nil, errNotJSON
	}
	if holdsLongNumber(raw) {
		v = withoutLongNumbers(v)
	}
	return v, nil
}

// holdsLongNumber reports whether a number in raw may be longer than maxDigits.
func holdsLongNumber(raw []byte) bool {
	run := 0
	for _, b := range raw {
		if run++; b < '+' || b > '9' && b|0x20 != 'e' {
			run = 0
		}
		if run > maxDigits {
			return true
		}
	}
	return false
}

func withoutLongNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if len(v) > maxDigits {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = withoutLongNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = withoutLongNumbers(v[k])
		}
	}
	return v
}

// Encode is json.Marshal without HTML escapes.
func Encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
