package bureau

import (
	"slices"

	"fichario/domain/catalog"
)

// also is where a product, of, names another one that reads the same answer.
type also struct {
	at
	of, name string
}

// alsoOf reads the products that read the answers about another. They are checked once all products are known.
func (p *parser) alsoOf(v at, product string) (names []string) {
	for _, item := range p.List(v) {
		name := p.Text(item)
		if slices.Contains(names, name) {
			p.Fault(item, "is repeated")
		}
		names = append(names, name)
		p.also = append(p.also, also{item, product, name})
	}
	return names
}

// alsoFit reports each product that is named although an answer about the other is none about it.
func (p *parser) alsoFit() {
	for _, a := range p.also {
		product, _ := p.file.Catalog().Find(a.of)
		other, known := p.file.Catalog().Find(a.name)
		switch {
		case !known:
			p.Fault(a.at, "is no product of this file")
		case a.name == a.of:
			p.Fault(a.at, "is the product itself")
		}
		for _, t := range product.Documents {
			if known && !other.Takes(t) {
				p.Fault(a.at, "does not take a %s, which %s is asked about", t, a.of)
			}
		}
		for _, in := range other.Inputs {
			same := func(o catalog.Input) bool { return o.Name == in.Name && o.Type == in.Type && o.Required }
			if in.Required && !slices.ContainsFunc(product.Inputs, same) {
				p.Fault(a.at, "needs the input %s, which %s does not", in.Name, a.of)
			}
		}
	}
}
