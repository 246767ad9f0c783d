// Package shape validates external input: bodies and parameters of the contract, forms, the configuration, bureau
// files. Shapes are `validate` tags on the structs read; domain rules stay in the domain.
package shape

import (
	"errors"
	"reflect"
	"strings"

	"github.com/go-playground/validator/v10"

	"fichario/domain/fault"
)

// validate is safe for concurrent use and caches what it learns about types.
var validate = func() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(wireName)
	for tag, rule := range rules {
		if err := v.RegisterValidation(tag, rule.holds); err != nil {
			panic(err) // only an invalid tag could fail
		}
	}
	return v
}()

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
	err := validate.Struct(v)
	var wrong validator.ValidationErrors
	if errors.As(err, &wrong) {
		return wrongField(v, wrong[0].Field(), sentence(wrong[0]))
	}
	return err // not a struct: our own mistake
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
