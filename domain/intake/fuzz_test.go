package intake

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"fichario/domain/text"
)

// FuzzRead holds three promises over any body: it is read without a panic, what comes out can be stored, and no answer vanishes.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/payloads/*")
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		typ := "application/json"
		switch filepath.Ext(file) {
		case ".form":
			typ = formType
		case ".multipart":
			typ = "multipart/form-data; boundary=----LeadBoundary7MA4YWxk"
		}
		f.Add(typ, body, true)
	}
	for _, p := range products {
		typ := p.typ
		if typ == "" {
			typ = "application/json"
		}
		f.Add(typ, []byte(p.body), false)
	}
	f.Fuzz(func(t *testing.T, typ string, body []byte, service bool) {
		if len(body) > 1<<16 {
			t.Skip()
		}
		o := Options{Kind: Generic, Band: BandMiddle}
		if service {
			o.Kind = FormService
		}
		d, dropped, err := ReadTraced(o, typ, body)
		if err != nil {
			return
		}
		checkStorable(t, d)
		accountFor(t, body, d, dropped)
	})
}

// checkStorable checks what every store needs: valid UTF-8, no NUL, fields within their bounds.
func checkStorable(t *testing.T, d Draft) {
	t.Helper()
	texts := []string{d.Email, d.Name, d.Phone, d.PhoneE164, d.Company, d.Message, d.Origin, d.FallbackOrigin, d.DeliveryID, d.Note(),
		d.DisplayName(Generic), d.DisplayName(FormService)}
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
	for _, s := range texts {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			t.Fatalf("cannot be stored: %q", s)
		}
	}
	for _, s := range []string{d.Email, d.Name, d.Phone, d.Company, d.Origin} {
		if strings.ContainsAny(s, "\n\r\t") || s != strings.TrimSpace(s) {
			t.Fatalf("not one line: %q", s)
		}
	}
	long := func(s string, n int) bool { return utf8.RuneCountInString(s) > n }
	if long(d.Email, 320) || long(d.Name, 200) || long(d.Company, 200) || long(d.Origin, 200) || long(d.Phone, 63) || len(d.Keys) > 40 {
		t.Fatalf("too long: %+v", d)
	}
	if d.Email != "" && !strings.Contains(d.Email, "@") {
		t.Fatalf("e-mail %q", d.Email)
	}
	if d.Amount%100 != 0 {
		t.Fatalf("amount %d is not whole cents", d.Amount)
	}
	if d.CheckEmail() == nil != strings.Contains(d.Email, "@") {
		t.Fatal("CheckEmail")
	}
}

// accountFor walks a JSON object on its own and looks for each of its texts in the draft, or among what a listed rule dropped.
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
	var walk func(v any)
	leaf := func(s string) {
		s = text.Clean(s)
		if s == "" || strings.Contains(have, text.Fold(s)) || looksJSON(s) {
			return
		}
		// Read as something else than a text: a value, a phone without its decoration, an address without its brackets.
		if n, ok := ParseAmount(s); ok && n == d.Amount {
			return
		}
		if n, ok := parseNumber(s); ok && n == d.Amount || plainNumber(s) == d.Phone {
			return
		}
		if samePhone(s, &d) || trimEmail(s) == d.Email || findEmail([]string{s}) == d.Email && d.Email != "" {
			return
		}
		// In the note a text of several lines is indented.
		for line := range strings.SplitSeq(s, "\n") {
			if !strings.Contains(have, text.Fold(line)) {
				t.Fatalf("%q vanished from %s\n%+v\n%q", s, body, d, dropped)
			}
		}
	}
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, m := range v {
				walk(m)
			}
		case []any:
			for _, m := range v {
				walk(m)
			}
		case string:
			leaf(v)
		case json.Number:
			leaf(v.String())
		}
	}
	walk(v)
}
