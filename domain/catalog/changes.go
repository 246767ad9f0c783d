package catalog

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Change is how a field differs between two answers. Values are decoded JSON, with numbers as json.Number.
type Change struct {
	Field Field
	// Was and Is are the value before and after; nil where the bureau gave none.
	Was, Is any
	// Gone and New are the elements of a list that only the older or only the newer answer has; Was and Is are then nil. A
	// list that the newer answer lacks altogether is reported in Was and Is: nobody knows whether its elements are gone.
	Gone, New []any
}

// Changes compares the named fields of two answers, in the order of the product's fields. Elements of a list are
// compared as wholes, wherever they stand in it. An answer that cannot be read has no changes.
func (p Product) Changes(was, is []byte) []Change {
	older, newer := Values(was), Values(is)
	if older == nil || newer == nil {
		return nil
	}
	var out []Change
	for _, f := range p.Fields {
		if f.Twin != "" && f.Group == "" {
			continue // its twin says the same
		}
		a, b := older[f.Name], newer[f.Name]
		if f.Kind != List || b == nil {
			if !same(a, b) {
				out = append(out, Change{Field: f, Was: a, Is: b})
			}
			continue
		}
		before, _ := a.([]any)
		after, _ := b.([]any)
		c := Change{Field: f, Gone: without(before, after), New: without(after, before)}
		if len(c.Gone)+len(c.New) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// Values reads the named fields of an answer, numbers as json.Number; nil for what cannot be read.
func Values(fields []byte) map[string]any {
	dec := json.NewDecoder(bytes.NewReader(fields))
	dec.UseNumber()
	values := map[string]any{}
	if dec.Decode(&values) != nil {
		return nil
	}
	return values
}

// NamesOf returns the names of an answer's fields, in its order; nil for what cannot be read.
func NamesOf(fields []byte) (names []string) {
	dec := json.NewDecoder(bytes.NewReader(fields))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	for dec.More() {
		var skipped json.RawMessage
		name, err := dec.Token()
		text, is := name.(string)
		if err != nil || !is || dec.Decode(&skipped) != nil {
			return nil
		}
		names = append(names, text)
	}
	return names
}

// without returns the elements of a list that another one lacks.
func without(list, other []any) (out []any) {
	for _, v := range list {
		if !slices.ContainsFunc(other, func(o any) bool { return same(v, o) }) {
			out = append(out, v)
		}
	}
	return out
}

// same compares two values by their JSON, in which the order of an object's fields makes no difference.
func same(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
