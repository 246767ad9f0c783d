package destinations

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"fichario/domain/automation"
)

// maxValue bounds the value of a field, in characters.
const maxValue = 4000

// Filled is a destination with values for its fields. It is safe for concurrent use.
type Filled struct {
	*File
	values map[string]string
}

// Fill sets the fields, by name. The faults name the fields, and never hold a value.
func (f *File) Fill(values map[string]string) (*Filled, []automation.FieldFault) {
	filled := &Filled{File: f, values: map[string]string{}}
	var faults []automation.FieldFault
	fault := func(name, format string, args ...any) {
		faults = append(faults, automation.FieldFault{Field: "set." + name, Message: fmt.Sprintf(format, args...)})
	}
	for name := range values {
		switch _, has := f.field(name); {
		case has:
		case f.signed: // it has no destination
			fault(name, "Nada do pedido usa ${%s}: escreva-o no endereço ou em um cabeçalho.", name)
		default:
			fault(name, "O destino não tem o campo %s.", name)
		}
	}
	for _, field := range f.Fields {
		value := values[field.Name]
		if value == "" {
			value = field.Default
		}
		filled.values[field.Name] = value
		switch re := f.patterns[field.Name]; {
		case value == "" && field.Optional:
		case value == "":
			missing := field.Name
			if field.Title != field.Name {
				missing += " (" + field.Title + ")"
			}
			fault(field.Name, "Falta %s.", missing)
		case utf8.RuneCountInString(value) > maxValue:
			fault(field.Name, "%s pode ter até %d caracteres.", field.Name, maxValue)
		case re != nil && !re.MatchString(value):
			fault(field.Name, "%s não tem a forma que o destino pede. %s", field.Name, field.Help)
		default:
			if why := f.refuses(field.Name, value); why != "" {
				fault(field.Name, "%s %s.", field.Name, why)
			}
		}
	}
	slices.SortFunc(faults, func(a, b automation.FieldFault) int { return cmp.Compare(a.Field, b.Field) })
	return filled, faults
}

// refuses says what is wrong with a value, in any of the places that use it; empty when nothing is.
func (f *File) refuses(name, value string) string {
	requests := []request{f.main}
	if f.search != nil {
		requests = append(requests, *f.search)
	}
	if f.access != nil {
		requests = append(requests, request{address: f.access.address})
	}
	for _, r := range requests {
		for _, t := range append([]template{r.address}, values(r.headers)...) {
			for _, p := range t {
				if why := p.refuses(value); p.field == name && why != "" {
					return why
				}
			}
		}
	}
	return ""
}
