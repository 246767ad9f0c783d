package catalog

import (
	"encoding/json"
	"strings"
)

// Text writes a value of the field, as encoding/json decodes it with numbers as json.Number, for one cell of a table:
// elements of a list are separated by semicolons, the parts of an object by commas. A missing value is empty.
func (f Field) Text(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case json.Number:
		return x.String()
	case bool:
		return map[bool]string{true: "sim", false: "não"}[x]
	case []any:
		element := f
		element.Kind = f.Items
		return joined(x, "; ", element.Text)
	case map[string]any:
		return f.parts(x)
	}
	return ""
}

func (f Field) parts(of map[string]any) string {
	switch {
	case f.Format == Phone:
		number := strings.TrimSpace(inWords(of["ddd"]) + " " + inWords(of["numero"]))
		if whatsApp, _ := of["whatsapp"].(bool); whatsApp {
			number += " (WhatsApp)"
		}
		return number
	case len(f.Fields) == 0: // passed on unchanged
		plain, err := json.Marshal(of)
		if err != nil {
			return ""
		}
		return string(plain)
	}
	values := make([]any, len(f.Fields))
	for i, part := range f.Fields {
		values[i] = part.Text(of[part.Name])
	}
	return joined(values, ", ", inWords)
}

// joined joins the texts of values, leaving out empty ones.
func joined(values []any, between string, write func(any) string) string {
	var all []string
	for _, v := range values {
		if s := write(v); s != "" {
			all = append(all, s)
		}
	}
	return strings.Join(all, between)
}

func inWords(v any) string { return Field{}.Text(v) }

// Plain returns a text or a number of an answer as the bureau wrote it; empty for any other value.
func Plain(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case json.Number:
		return x.String()
	}
	return ""
}
