package batch

import (
	"slices"

	"fichario/domain/catalog"
	"fichario/domain/lookup"
	"fichario/domain/text"
)

// columnOf is the place of an input's column, by its name or by what people call it, or -1.
func columnOf(in catalog.Input, columns []string) int {
	return slices.IndexFunc(columns, func(column string) bool {
		folded := text.Fold(column)
		return folded == text.Fold(in.Name) || folded == text.Fold(in.Called())
	})
}

// Lacks returns the first input that a product requires and the table has no column for.
func (t Table) Lacks(p catalog.Product) (in catalog.Input, lacks bool) {
	at := slices.IndexFunc(p.Inputs, func(in catalog.Input) bool { return in.Required && columnOf(in, t.Columns) < 0 })
	if at < 0 {
		return in, false
	}
	return p.Inputs[at], true
}

// BadInput is the error of a row whose cell for an input is empty, or has no value of its type.
type BadInput struct {
	Input catalog.Input
	Empty bool
}

// Error is a sentence for the sender, without the value.
func (e *BadInput) Error() string {
	if e.Empty {
		return "falta " + e.Input.Called()
	}
	return "o valor de " + e.Input.Called() + " não é " + e.Input.Type.Form()
}

// Inputs reads the inputs of a product in the cells of a row, by name; nil where it has none. Error: *BadInput.
func Inputs(p catalog.Product, columns, cells []string) (values map[string]string, err error) {
	for _, in := range p.Inputs {
		at := columnOf(in, columns)
		written := ""
		if at >= 0 {
			written = cell(Row{Cells: cells}, at)
		}
		value, ok := in.Read(written)
		switch {
		case value == "" && ok && in.Required:
			return nil, &BadInput{in, true}
		case !ok:
			return nil, &BadInput{in, false}
		case value != "":
			if values == nil {
				values = map[string]string{}
			}
			values[in.Name] = value
		}
	}
	return values, nil
}

// About is what an item of a table asks about. Error: *BadInput.
func About(p catalog.Product, columns []string, i Item) (lookup.About, error) {
	inputs, err := Inputs(p, columns, i.Cells)
	return lookup.About{Document: i.Document, Inputs: catalog.InputsText(inputs)}, err
}
