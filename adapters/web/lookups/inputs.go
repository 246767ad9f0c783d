package lookups

import (
	"strings"
	"time"

	"fichario/adapters/web"
	"fichario/app"
	"fichario/domain/catalog"
)

// inputPrefix is what the names of the fields for a product's inputs begin with.
const inputPrefix = "entrada-"

// inputLine is an input of a product, with what was typed or sent.
type inputLine struct {
	catalog.Input
	Value string
	// Field is the name of its field, ID is unique on the page.
	Field, ID string
}

// Shown is the value as people write it.
func (l inputLine) Shown() string {
	if t, err := time.Parse(time.DateOnly, l.Value); err == nil && l.Type == catalog.InputDate {
		return t.Format("02/01/2006")
	}
	return l.Value
}

// States are what an input of a state may be.
func (l inputLine) States() []string { return catalog.States() }

// InputLines are the inputs of the product, with what is known of them.
func (l choiceLine) InputLines() []inputLine { return linesOf(l.Product, l.Inputs) }

func linesOf(p catalog.Product, values map[string]string) (out []inputLine) {
	for _, in := range p.Inputs {
		out = append(out, inputLine{in, values[in.Name], inputPrefix + in.Name, inputPrefix + p.ID + "-" + in.Name})
	}
	return out
}

// sentInputs are the inputs that a question was asked with.
func sentInputs(p catalog.Product, text string) (out []inputLine) {
	for _, line := range linesOf(p, catalog.InputsOf(text)) {
		if line.Value != "" {
			out = append(out, line)
		}
	}
	return out
}

// sentAs are the inputs that the form sent, by name, as they were typed.
func sentAs(c *web.Call) map[string]string {
	values := map[string]string{}
	for field := range c.PostForm {
		if name, is := strings.CutPrefix(field, inputPrefix); is {
			values[name] = c.PostForm.Get(field)
		}
	}
	return values
}

// readInputs reads the inputs of a product that the form sent; problem says what is missing or wrong.
func readInputs(c *web.Call, p catalog.Product) (values map[string]string, problem string) {
	typed := sentAs(c)
	values, err := p.ReadInputs(func(in catalog.Input) string { return typed[in.Name] })
	if err != nil {
		return nil, app.Sentence(err) + " Nada foi consultado nem cobrado."
	}
	return values, ""
}
