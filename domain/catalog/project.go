package catalog

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"time"
)

// Project makes the named fields of an answer from what a bureau's mapping gave:
// a JSON object with every field of the product in order, null where the value is
// absent, blank, an empty list, or of the wrong type (design, section 3). It also
// returns the paths of the values that were of the wrong type, without the values.
//
// Values are what encoding/json and jq know: nil, bool, int, float64, *big.Int,
// json.Number, string, []any and map[string]any.
func (p Product) Project(values map[string]any) (fields []byte, dropped []string) {
	pr := projector{}
	pr.object(p.Fields, values, "")
	return pr.buf.Bytes(), pr.dropped
}

// Complete brings the named fields of a stored answer up to the product's present fields: new fields become null,
// fields that no longer exist are dropped.
func (p Product) Complete(stored []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(stored))
	dec.UseNumber()
	values := map[string]any{}
	if err := dec.Decode(&values); err != nil {
		return nil, err
	}
	fields, _ := p.Project(values)
	return fields, nil
}

// IsNull reports whether a named field of an answer is null.
func IsNull(fields []byte, name string) bool {
	var values map[string]json.RawMessage
	return json.Unmarshal(fields, &values) != nil || len(values[name]) == 0 || string(values[name]) == "null"
}

// Fill gives an answer the named fields that it has not and that an earlier one has, and returns their names, in the
// product's order.
func (p Product) Fill(fields, earlier []byte) (filled []byte, names []string) {
	var has, had map[string]json.RawMessage
	if json.Unmarshal(fields, &has) != nil || json.Unmarshal(earlier, &had) != nil {
		return fields, nil
	}
	for _, f := range p.Fields {
		if IsNull(fields, f.Name) && !IsNull(earlier, f.Name) {
			has[f.Name] = had[f.Name]
			names = append(names, f.Name)
		}
	}
	if text, err := json.Marshal(has); err == nil && len(names) > 0 {
		if all, err := p.Complete(text); err == nil {
			return all, names
		}
	}
	return fields, nil
}

type projector struct {
	buf     bytes.Buffer
	dropped []string
}

// object writes a JSON object of the fields and reports whether any is not null.
func (p *projector) object(fields []Field, values map[string]any, path string) bool {
	anyValue := false
	p.buf.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			p.buf.WriteByte(',')
		}
		p.text(f.Name)
		p.buf.WriteByte(':')
		v := values[f.Name]
		if f.Twin != "" && blank(v) {
			v = values[f.Twin]
		}
		anyValue = p.value(f, v, path+f.Name) || anyValue
	}
	p.buf.WriteByte('}')
	return anyValue
}

// value writes one value, or null, and reports whether it wrote something other than null.
func (p *projector) value(f Field, v any, path string) bool {
	start := p.buf.Len()
	ok, right := p.write(f, v, path)
	if !right {
		p.dropped = append(p.dropped, path)
	}
	if !ok {
		p.buf.Truncate(start)
		p.buf.WriteString("null")
	}
	return ok
}

// write reports whether something was written and whether the type was right.
func (p *projector) write(f Field, v any, path string) (ok, right bool) {
	if v == nil {
		return false, true
	}
	switch f.Kind {
	case String, Date:
		s, is := v.(string)
		if !is {
			return false, false
		}
		if strings.TrimSpace(s) == "" {
			return false, true
		}
		if f.Kind == Date {
			if _, err := time.Parse(time.DateOnly, s); err != nil {
				return false, false
			}
		}
		p.text(s)
		return true, true
	case Boolean:
		b, is := v.(bool)
		if is {
			p.any(b)
		}
		return is, is
	case Number:
		if !number(v) {
			return false, false
		}
		p.any(v)
		return true, true
	case Object:
		m, is := v.(map[string]any)
		if !is {
			return false, false
		}
		if len(f.Fields) > 0 {
			return p.object(f.Fields, m, path+"."), true
		}
		return len(m) > 0 && p.any(m), true
	case List:
		l, is := v.([]any)
		if !is {
			return false, false
		}
		return p.list(f, l, path+"[]"), true
	}
	return false, false
}

func (p *projector) list(f Field, l []any, path string) bool {
	item := Field{Kind: f.Items, Fields: f.Fields}
	if len(f.Fields) > 0 {
		item.Kind = Object
	}
	n := 0
	p.buf.WriteByte('[')
	for _, v := range l {
		start := p.buf.Len()
		if n > 0 {
			p.buf.WriteByte(',')
		}
		wrote := false
		if item.Kind == "" {
			wrote = v != nil && p.any(v)
		} else {
			// An element that says nothing is left out: a list of nulls would
			// assert that something is there.
			wrote = p.value(item, v, path)
		}
		if !wrote {
			p.buf.Truncate(start)
			continue
		}
		n++
	}
	p.buf.WriteByte(']')
	return n > 0
}

func (p *projector) text(s string) { p.any(s) }

// any writes a value as JSON without escaping characters that JSON does not need
// escaped, and reports whether it could.
func (p *projector) any(v any) bool {
	start := p.buf.Len()
	enc := json.NewEncoder(&p.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		p.buf.Truncate(start)
		return false
	}
	p.buf.Truncate(p.buf.Len() - 1) // the encoder's newline
	return true
}

func blank(v any) bool {
	s, is := v.(string)
	return v == nil || is && strings.TrimSpace(s) == ""
}

func number(v any) bool {
	switch n := v.(type) {
	case int, *big.Int:
		return true
	case float64:
		return !math.IsNaN(n) && !math.IsInf(n, 0)
	case json.Number:
		return json.Valid([]byte(n))
	}
	return false
}
