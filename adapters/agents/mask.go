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
		} else if text == strings.TrimLeft(asked.Value(), "0") {
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

// written are documents with or without punctuation, among other words too: of digits wherever no other digit stands
// beside them, with letters as words of their own.
var written = []struct {
	of      document.Type
	pattern *regexp.Regexp
}{
	{document.CPF, regexp.MustCompile(`\d{3}[. ]?\d{3}[. ]?\d{3}[- ]?\d{2}`)},
	{document.CNPJ, regexp.MustCompile(`\d{2}[. ]?\d{3}[. ]?\d{3}[/ ]?\d{4}[- ]?\d{2}`)},
	{document.CNPJ, regexp.MustCompile(`(?i)\b[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}/?[0-9A-Z]{4}-?\d{2}\b`)},
	{document.Plate, regexp.MustCompile(`(?i)\b[A-Z]{3}[- ]?\d[0-9A-Z]\d{2}\b`)},
}

// hide masks the documents in a text.
func hide(text string, asked document.Document) string {
	for _, w := range written {
		text = replaced(text, w.pattern, func(found string) string {
			if d, err := document.Normalize(w.of, strings.ReplaceAll(found, " ", "")); err == nil {
				return d.Masked()
			}
			return found
		})
	}
	if asked.Type() == document.Email {
		whole := regexp.MustCompile("(?i)" + regexp.QuoteMeta(asked.Value()))
		text = whole.ReplaceAllLiteralString(text, asked.Masked())
	}
	return text
}

// replaced changes what a pattern finds and no digit stands beside.
func replaced(text string, pattern *regexp.Regexp, change func(string) string) string {
	var out strings.Builder
	last := 0
	for _, at := range pattern.FindAllStringIndex(text, -1) {
		if at[0] > 0 && isDigit(text[at[0]-1]) || at[1] < len(text) && isDigit(text[at[1]]) {
			continue
		}
		out.WriteString(text[last:at[0]] + change(text[at[0]:at[1]]))
		last = at[1]
	}
	return out.String() + text[last:]
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
