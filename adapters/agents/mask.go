package agents

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"fichario/domain/document"
)

// token is a string or a number of a JSON text, with the colon behind a name.
var token = regexp.MustCompile(`"(?:[^"\\]|\\.)*"\s*:?|-?[0-9][0-9.eE+-]*`)

// masked hides documents in the named fields of an answer: those whose digits are right, and the one that was asked
// about. Everything else stays as it is, byte for byte.
func masked(fields []byte, asked document.Document) []byte {
	return token.ReplaceAllFunc(fields, func(t []byte) []byte {
		if bytes.HasSuffix(t, []byte(":")) {
			return t
		}
		text := string(t) // of a number
		if t[0] == '"' {
			if err := json.Unmarshal(t, &text); err != nil {
				return t
			}
		} else if text != strings.TrimLeft(asked.Value(), "0") {
			return t
		} else {
			text = asked.Value()
		}
		hidden := hide(text, asked)
		if hidden == text {
			return t
		}
		out, err := json.Marshal(hidden)
		if err != nil {
			return []byte("null")
		}
		return out
	})
}

// written are documents with or without punctuation, among other words too.
var written = map[document.Type]*regexp.Regexp{
	document.CPF:   regexp.MustCompile(`\b\d{3}\.?\d{3}\.?\d{3}-?\d{2}\b`),
	document.CNPJ:  regexp.MustCompile(`(?i)\b[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}/?[0-9A-Z]{4}-?\d{2}\b`),
	document.Plate: regexp.MustCompile(`(?i)\b[A-Z]{3}-?\d[0-9A-Z]\d{2}\b`),
}

// hide masks the documents in a text.
func hide(text string, asked document.Document) string {
	for _, t := range document.Types() {
		if pattern := written[t]; pattern != nil {
			text = pattern.ReplaceAllStringFunc(text, func(found string) string {
				if d, err := document.Normalize(t, found); err == nil {
					return d.Masked()
				}
				return found
			})
		}
	}
	if asked.Type() == document.Email && strings.EqualFold(strings.TrimSpace(text), asked.Value()) {
		return asked.Masked()
	}
	return text
}
