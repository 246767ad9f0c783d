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

// Inputs reads the inputs of a product in the cells of a row, by name; nil where it has none. Error: *catalog.BadInput.
func Inputs(p catalog.Product, columns, cells []string) (map[string]string, error) {
	return p.ReadInputs(func(in catalog.Input) string {
		if at := columnOf(in, columns); at >= 0 {
			return cell(Row{Cells: cells}, at)
		}
		return ""
	})
}

// About is what an item of a table asks about. Error: *catalog.BadInput.
func About(p catalog.Product, columns []string, i Item) (lookup.About, error) {
	inputs, err := Inputs(p, columns, i.Cells)
	return lookup.About{Document: i.Document, Inputs: catalog.InputsText(inputs)}, err
}
