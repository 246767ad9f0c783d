// Package shape validates external input: bodies and parameters of the contract, forms, the configuration, bureau
// files. Shapes are `validate` tags on the structs read; domain rules stay in the domain.
package shape

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"fichario/domain/fault"
)

// checked is a field to check: its tags, or what is in it.
type checked struct {
	index int
	name  string
	tags  []tag
}

type tag struct{ name, param string }

// types caches the fields to check of each type.
var types sync.Map

func fieldsOf(t reflect.Type) []checked {
	if known, ok := types.Load(t); ok {
		return known.([]checked) //nolint:forcetypeassert // nothing else is stored
	}
	var fields []checked
	for f := range t.Fields() {
		if !f.IsExported() && !f.Anonymous {
			continue
		}
		c := checked{index: f.Index[0], name: wireName(f)}
		if said := f.Tag.Get("validate"); said != "" {
			for one := range strings.SplitSeq(said, ",") {
				name, param, _ := strings.Cut(one, "=")
				c.tags = append(c.tags, tag{name, param})
			}
		}
		fields = append(fields, c)
	}
	types.Store(t, fields)
	return fields
}

// wireName is the name of a field as clients know it.
func wireName(f reflect.StructField) string {
	for _, tag := range []string{"form", "json", "yaml", "env"} {
		if name, _, _ := strings.Cut(f.Tag.Get(tag), ","); name != "" && name != "-" {
			return name
		}
	}
	return f.Name
}

// Check returns the fault of the first field of a struct that does not have its shape: an InvalidRequest with the
// field's name on the wire and a Portuguese sentence that repeats nothing of the input. The field's `says` tag, if any,
// gives the sentence. Nested structs are checked too.
func Check(v any) error {
	of := reflect.Indirect(reflect.ValueOf(v))
	if of.Kind() != reflect.Struct {
		return errors.New("only the fields of a struct have a shape") // our own mistake
	}
	if field, says := wrongIn(of); field != "" {
		return wrongField(v, field, says)
	}
	return nil
}

// wrongIn finds the first field that does not have its shape, and what to say of it; "" where all have.
func wrongIn(of reflect.Value) (field, says string) {
	for _, c := range fieldsOf(of.Type()) {
		value := of.Field(c.index)
		if t := c.broken(value); t != nil {
			return c.name, t.sentence(c.name, reflect.Indirect(value).Kind() == reflect.String)
		}
		if value = reflect.Indirect(value); value.Kind() == reflect.Struct {
			if field, says = wrongIn(value); field != "" {
				return field, says
			}
		}
	}
	return "", ""
}

// broken is the first tag that does not hold for a value; nil where all do. A pointer was given if it points to
// something, be it zero.
func (c checked) broken(value reflect.Value) *tag {
	given := !value.IsZero()
	value = reflect.Indirect(value)
	for i, t := range c.tags {
		switch {
		case t.name == "omitempty" && !given, t.name == "omitzero" && (!given || value.IsZero()):
			return nil
		case t.name == "omitempty", t.name == "omitzero", t.name == "required" && given:
		case t.name == "required", !value.IsValid(), !t.holds(value):
			return &c.tags[i]
		}
	}
	return nil
}

// holds reports whether a value is as a tag says. A tag that is not known holds for nothing.
func (t tag) holds(value reflect.Value) bool {
	if t.name != "min" && t.name != "max" {
		of, known := rules[t.name]
		return known && of.holds(value.String(), t.param)
	}
	size := int64(utf8.RuneCountInString(value.String()))
	if value.CanInt() {
		size = value.Int()
	}
	bound, err := strconv.ParseInt(t.param, 10, 64)
	if err != nil {
		within, err := time.ParseDuration(t.param)
		if bound = int64(within); err != nil {
			return false
		}
	}
	return t.name == "min" && size >= bound || t.name == "max" && size <= bound
}

// Unreadable returns the fault for a field, by its name on the wire, whose input does not parse as the field's type.
func Unreadable(v any, field string) error { return wrongField(v, field, unshaped(field)) }

// wrongField prefers the field's own sentence, which names a form's label rather than a field name.
func wrongField(v any, field, otherwise string) error {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for _, f := range reflect.VisibleFields(t) {
		if says := f.Tag.Get("says"); says != "" && wireName(f) == field {
			otherwise = says
		}
	}
	return fault.New(fault.InvalidRequest, otherwise).At(field)
}
