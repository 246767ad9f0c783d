// Package shape validates external input: bodies and parameters of the contract, forms, the configuration, bureau
// files. Shapes are `validate` tags on the structs read; domain rules stay in the domain.
package shape

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"fichario/domain/fault"
)

// The words of `validate` tags that are no rules alone: what comes after the first two is asked only of something. A
// pointer to an empty value is something for omitempty, and nothing for omitzero.
const omitEmpty, omitZero, required = "omitempty", "omitzero", "required"

// asked is what is asked of a field of a struct.
type asked struct {
	index      int
	name, omit string
	rules      []ruled
}

type ruled struct{ name, param string }

// shapes has, by the type of a struct, what is asked of its fields.
var shapes sync.Map

func shapeOf(t reflect.Type) []asked {
	if known, ok := shapes.Load(t); ok {
		return known.([]asked)
	}
	var all []asked
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() && !f.Anonymous {
			continue
		}
		a := asked{index: i, name: wireName(f)}
		for word := range strings.SplitSeq(f.Tag.Get("validate"), ",") {
			name, param, _ := strings.Cut(word, "=")
			switch _, known := rules[name]; {
			case name == omitEmpty || name == omitZero:
				a.omit = name
			case known:
				a.rules = append(a.rules, ruled{name, param})
			case name != "":
				panic("no rule has the name " + name) // tags are our own
			}
		}
		all = append(all, a)
	}
	shapes.Store(t, all)
	return all
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
		return fmt.Errorf("%T has no fields whose shape is known", v) // our own mistake
	}
	if field, wrong := check(of); wrong != "" {
		return wrongField(v, field, wrong)
	}
	return nil
}

// check returns the first field of a struct that does not have its shape, with a sentence; both are empty if all have.
func check(v reflect.Value) (field, wrong string) {
	for _, a := range shapeOf(v.Type()) {
		of, pointed := v.Field(a.index), false
		for of.Kind() == reflect.Pointer && !of.IsNil() {
			of, pointed = of.Elem(), true
		}
		switch {
		case of.Kind() == reflect.Pointer && a.omit == "" && len(a.rules) > 0:
			return a.name, missed(a.name)
		case of.Kind() == reflect.Pointer, a.omit != "" && of.IsZero() && (!pointed || a.omit == omitZero):
			continue
		}
		for _, r := range a.rules {
			if r.name == required && pointed || rules[r.name].holds(of, r.param) {
				continue
			}
			if r.name == required {
				return a.name, missed(a.name)
			}
			return a.name, "O campo " + a.name + " " + rules[r.name].says(of, r.param) + "."
		}
		if of.Kind() == reflect.Struct {
			if field, wrong = check(of); wrong != "" {
				return field, wrong
			}
		}
	}
	return "", ""
}

func missed(name string) string { return "Falta o campo " + name + "." }

// Unreadable returns the fault for a field, by its name on the wire, whose input does not parse as the field's type.
func Unreadable(v any, field string) error {
	return wrongField(v, field, "O campo "+field+" "+unshaped+".")
}

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
