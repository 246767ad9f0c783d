package agents

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"fichario/domain/document"
)

// FuzzMasked: whatever a bureau answers, an agent gets valid JSON, in which no text and no number is the document that
// was looked up.
func FuzzMasked(f *testing.F) {
	const asked = "52998224725"
	of, err := document.Parse(document.CPF, asked)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		`{"cpf":"529.982.247-25","nome":"Ana"}`, `{"cpf":52998224725}`, `["52998224725",[-52998224725]]`, `{"52998224725":1}`,
		`{"a":"\u0035\u0032998224725"}`, `{"a":"x 529 982 247 25, 52998224725"}`, `"1e5"`, `{"a": 1.5e+3 , "b" : "\"52998224725\""}`,
		`[null,true,0,"",{}]`, `{"a":"9529982247255"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, fields []byte) {
		if !json.Valid(fields) {
			t.Skip()
		}
		out := masked(bytes.Clone(fields), of)
		if !json.Valid(out) {
			t.Fatalf("no JSON any more")
		}
		var value any
		dec := json.NewDecoder(bytes.NewReader(out))
		dec.UseNumber()
		if err := dec.Decode(&value); err != nil {
			t.Fatal("it cannot be read any more")
		}
		if shows(value, asked) {
			t.Error("the document is shown")
		}
	})
}

// shows reports whether a value contains a document, alone or as digits without adjacent digits; field names are the
// program's own.
func shows(value any, asked string) bool {
	switch v := value.(type) {
	case string:
		for _, word := range strings.FieldsFunc(v, func(r rune) bool { return r < '0' || r > '9' }) {
			if word == asked {
				return true
			}
		}
	case json.Number:
		return strings.TrimPrefix(v.String(), "-") == asked
	case []any:
		for _, one := range v {
			if shows(one, asked) {
				return true
			}
		}
	case map[string]any:
		for _, one := range v {
			if shows(one, asked) {
				return true
			}
		}
	}
	return false
}
