package intake

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// checkStorable checks what every store needs: valid UTF-8, no NUL, fields within their bounds.
func checkStorable(t *testing.T, d Draft) {
	t.Helper()
	for _, s := range textsOf(d) {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			t.Fatalf("cannot be stored: %q", s)
		}
	}
	for _, line := range []struct {
		text string
		most int // characters
	}{{d.Email, 320}, {d.Name, 200}, {d.Company, 200}, {d.Origin, 200}, {d.Phone, 63}} {
		if strings.ContainsAny(line.text, "\n\r\t") || line.text != strings.TrimSpace(line.text) {
			t.Fatalf("not one line: %q", line.text)
		}
		if utf8.RuneCountInString(line.text) > line.most {
			t.Fatalf("too long: %+v", d)
		}
	}
	if len(d.Keys) > 40 {
		t.Fatalf("%d keys", len(d.Keys))
	}
	if hasAt := strings.Contains(d.Email, "@"); d.Email != "" && !hasAt || d.CheckEmail() == nil != hasAt {
		t.Fatalf("e-mail %q, %v", d.Email, d.CheckEmail())
	}
	if d.Amount%100 != 0 {
		t.Fatalf("amount %d is not whole cents", d.Amount)
	}
}

// textsOf returns all texts of a draft, and those derived from it.
func textsOf(d Draft) []string {
	texts := []string{
		d.Email, d.Name, d.Phone, d.PhoneE164, d.Company, d.Message, d.Origin, d.FallbackOrigin, d.DeliveryID, d.Note(),
		d.DisplayName(Generic), d.DisplayName(FormService),
	}
	texts = append(texts, d.Keys...)
	for _, list := range [][]Pair{d.Attribution, d.Leftover} {
		for _, p := range list {
			texts = append(texts, p.Key, p.Value)
		}
	}
	for _, s := range d.Fields {
		texts = append(texts, s.Field, s.Key)
	}
	if err := d.CheckEmail(); err != nil {
		texts = append(texts, err.Error())
	}
	return texts
}

// accountFor walks a JSON object by itself and looks for each of its texts in the draft, or among what rules dropped.
func accountFor(t *testing.T, body []byte, d Draft, dropped []string) {
	t.Helper()
	var v map[string]any
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if !utf8.Valid(body) || dec.Decode(&v) != nil || len(v) == 0 {
		return
	}
	var all strings.Builder
	for _, s := range append([]string{d.Email, d.Name, d.Phone, d.Company, d.Message, d.Origin, d.Note()}, dropped...) {
		all.WriteString(text.Fold(s) + "\n")
	}
	for _, p := range d.Attribution {
		all.WriteString(text.Fold(p.Value) + "\n")
	}
	have := all.String()
	eachText(v, func(s string) {
		s = text.Clean(s)
		if s == "" || strings.Contains(have, text.Fold(s)) || tree.LooksJSON(s) || readAsField(s, d) {
			return
		}
		// The note indents a text of several lines.
		for line := range strings.SplitSeq(s, "\n") {
			if !strings.Contains(have, text.Fold(line)) {
				t.Fatalf("%q vanished from %s\n%+v\n%q", s, body, d, dropped)
			}
		}
	})
}

// eachText calls visit with every string and number of a JSON value.
func eachText(v any, visit func(string)) {
	switch v := v.(type) {
	case map[string]any:
		for _, m := range v {
			eachText(m, visit)
		}
	case []any:
		for _, m := range v {
			eachText(m, visit)
		}
	case string:
		visit(v)
	case json.Number:
		visit(v.String())
	}
}

// readAsField reports whether a text was read as something other than text: a value, a phone without its decoration, an
// address without its brackets.
func readAsField(s string, d Draft) bool {
	if n, ok := fields.ParseAmount(s); ok && n == d.Amount {
		return true
	}
	if saysDocuments(s, d) {
		return true
	}
	if n, ok := fields.ParseNumber(s); ok && (n == d.Amount || n == d.Amount*100) || fields.PlainNumber(s) == d.Phone {
		return true
	}
	return samePhone(s, &d) || fields.TrimEmail(s) == d.Email || d.Email != "" && fields.FindEmail([]string{s}) == d.Email
}

// saysDocuments reports whether a text is one or several of the contact's documents, or one as a number.
func saysDocuments(s string, d Draft) bool {
	a := answer{values: []string{s}, number: fields.PlainNumber(s)}
	found := a.documents()
	for _, doc := range found {
		if !slices.Contains(d.Documents, doc) {
			return false
		}
	}
	return len(found) > 0
}
