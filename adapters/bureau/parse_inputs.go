package bureau

import (
	"slices"
	"strings"

	"fichario/domain/catalog"
)

// maxInputs keeps a request's head within its bounds, even if each input is as long as it may be.
const maxInputs = 8

// inputs reads what a product needs besides the document.
func (p *parser) inputs(v at) []catalog.Input {
	var list []catalog.Input
	for _, pair := range p.Pairs(v) {
		in := catalog.Input{Name: pair.Key}
		switch {
		case !goodField.MatchString(pair.Key):
			p.Fault(pair.At, "an input's name is at most 64 letters, digits and _, beginning with a letter")
		case pair.Key == slotDocument || pair.Key == slotProduct || pair.Key == slotPurpose:
			p.Fault(pair.At, "every question has a %s: choose another name", pair.Key)
		}
		keys := p.Known(pair.At, "type", "required", "name")
		p.Required(pair.At, keys, "type")
		if k, ok := keys["type"]; ok {
			in.Type = catalog.InputType(p.Text(k))
			if in.Type != "" && !slices.Contains(catalog.InputTypes(), in.Type) {
				p.Fault(k, "must be text, date, number or state")
			}
		}
		if k, ok := keys["required"]; ok {
			p.decide(k, &in.Required)
		}
		if k, ok := keys["name"]; ok {
			in.Label = p.Text(k)
		}
		list = append(list, in)
	}
	if len(list) > maxInputs {
		p.Fault(v, "must have at most %d inputs", maxInputs)
	}
	return list
}

// knows reports a fault for each input that a template uses and the product at hand has not, and for an id or an
// address where there is none.
func (p *parser) knows(v at, t template) template {
	for _, part := range t {
		switch {
		case part.slot == slotID && p.special != slotID:
			p.Fault(v, "{id} is for the poll of later only")
		case part.slot == slotCallback && p.special != slotCallback:
			p.Fault(v, "{retorno} is for the request of a product only")
		}
		name, is := strings.CutPrefix(part.slot, inputPrefix)
		if is && !slices.ContainsFunc(p.declared, func(in catalog.Input) bool { return in.Name == name }) {
			p.Fault(v, "{%s} is no input of a product here: declare it under the product's inputs", part.slot)
		}
	}
	return t
}

// sampleInputs are values of a product's inputs that belong to nobody.
func sampleInputs(list []catalog.Input) map[string]string {
	values := map[string]string{}
	for _, in := range list {
		values[in.Name] = map[catalog.InputType]string{
			catalog.InputText: "ANA SOUZA", catalog.InputDate: "1980-02-29", catalog.InputNumber: "1", catalog.InputState: "SP",
		}[in.Type]
	}
	return values
}
