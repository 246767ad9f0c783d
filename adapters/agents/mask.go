package agents

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"fichario/domain/document"
)

// token is a string or a number in a JSON text.
var token = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*`)

// masked hides documents in an answer: those with valid check digits, and the one that was looked up. Everything else
// stays unchanged, byte for byte. A name of a field is masked as well, since a bureau may key what it knows by
// document, but not what looks like a plate in it ("ano2024").
func masked(fields []byte, asked document.Document) []byte {
	var out []byte
	last := 0
	for _, at := range token.FindAllIndex(fields, -1) {
		isName := bytes.HasPrefix(bytes.TrimLeft(fields[at[1]:], " \t\r\n"), []byte(":"))
		out = append(out, fields[last:at[0]]...)
		out = append(out, maskedToken(fields[at[0]:at[1]], asked, isName)...)
		last = at[1]
	}
	return append(out, fields[last:]...)
}

func maskedToken(t []byte, asked document.Document, isName bool) []byte {
	text := string(t) // of a number
	if t[0] == '"' {
		if err := json.Unmarshal(t, &text); err != nil {
			return t
		}
	} else if text == strings.TrimLeft(asked.Value(), "0") {
		text = asked.Value()
	}
	hidden := hide(text, asked, isName)
	if hidden == text {
		return t
	}
	out, err := json.Marshal(hidden)
	if err != nil {
		return []byte("null")
	}
	return out
}

// written are documents inside a text, with or without punctuation: digits without another digit next to them, and
// letters as separate words. With letters, either all parts are separated or none is: "Travessa Jose 45" has the length
// of a CNPJ.
var written = []struct {
	of      document.Type
	pattern *regexp.Regexp
	beside  func(byte) bool
}{
	{document.CPF, regexp.MustCompile(`\d{3}[. ]?\d{3}[. ]?\d{3}[- ]?\d{2}`), isDigit},
	{document.CNPJ, regexp.MustCompile(`\d{2}[. ]?\d{3}[. ]?\d{3}[/ ]?\d{4}[- ]?\d{2}`), isDigit},
	{document.CNPJ, regexp.MustCompile(`(?i)[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}/?[0-9A-Z]{4}-?\d{2}`), isWord},
	{document.CNPJ, regexp.MustCompile(`(?i)[0-9A-Z]{2}[. ][0-9A-Z]{3}[. ][0-9A-Z]{3}[/ ][0-9A-Z]{4}[- ]\d{2}`), isWord},
	{document.Plate, regexp.MustCompile(`(?i)[A-Z]{3}[- ]?\d[0-9A-Z]\d{2}`), isWord},
}

// hide masks the documents in a text, or in the name of a field.
func hide(text string, asked document.Document, isName bool) string {
	for _, w := range written {
		if isName && w.of == document.Plate {
			continue
		}
		text = replaced(text, w.of, w.pattern, w.beside)
	}
	if asked.Type() == document.Email {
		whole := regexp.MustCompile("(?i)" + regexp.QuoteMeta(asked.Value()))
		text = whole.ReplaceAllLiteralString(text, asked.Masked())
	}
	return text
}

// replaced masks the documents of a type that a pattern finds, unless an adjacent character makes them part of
// something else. After a match that is no document, the search continues at its second byte: a document may begin
// inside it.
func replaced(text string, of document.Type, pattern *regexp.Regexp, beside func(byte) bool) string {
	var out strings.Builder
	last := 0
	for from := 0; ; {
		at := pattern.FindStringIndex(text[from:])
		if at == nil {
			return out.String() + text[last:]
		}
		begin, end := from+at[0], from+at[1]
		from = begin + 1
		if begin > 0 && beside(text[begin-1]) || end < len(text) && beside(text[end]) {
			continue
		}
		if d, err := document.Normalize(of, text[begin:end]); err == nil {
			out.WriteString(text[last:begin] + d.Masked())
			last, from = end, end
		}
	}
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isWord(b byte) bool {
	return isDigit(b) || b == '_' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}
