// Package shape holds what comes from outside to its shape: bodies and parameters of the
// contract, forms of the interface, the configuration, the bureau file. A shape is said by
// `validate` tags on the struct that was read; rules of the field stay in the domain.
package shape

import (
	"errors"
	"reflect"
	"strings"

	"github.com/go-playground/validator/v10"

	"fichario/domain/fault"
)

// validate is safe for concurrent use and keeps what it learned about types.
var validate = func() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(wireName)
	for tag, rule := range rules {
		if err := v.RegisterValidation(tag, rule.holds); err != nil {
			panic(err) // only a tag of the library's own would fail
		}
	}
	return v
}()

// wireName is the name of a field for whoever sent it.
func wireName(f reflect.StructField) string {
	for _, tag := range []string{"form", "json", "yaml", "env"} {
		if name, _, _ := strings.Cut(f.Tag.Get(tag), ","); name != "" && name != "-" {
			return name
		}
	}
	return f.Name
}

// Check returns the fault of the first field of a struct that has not its shape: an
// InvalidRequest with the field's name on the wire and a Portuguese sentence, without
// what was sent. Structs within the struct are checked too.
func Check(v any) error {
	err := validate.Struct(v)
	var wrong validator.ValidationErrors
	if errors.As(err, &wrong) {
		return fault.New(fault.InvalidRequest, sentence(wrong[0])).At(wrong[0].Field())
	}
	return err // a value that is no struct: ours to mend
}
