// Package catalog describes what can be asked of a bureau: the products, the documents that each takes, and the
// named fields of its answer, which are the contract with callers (specification, 2.1 and 2.2).
package catalog

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"fichario/domain/document"
)

// ValidID reports whether a text has the form of a product's id: a lower-case letter,
// then up to 63 letters, digits and underscores.
func ValidID(id string) bool {
	for i := range len(id) {
		c := id[i]
		if (c < 'a' || c > 'z') && (i == 0 || (c < '0' || c > '9') && c != '_') {
			return false
		}
	}
	return id != "" && len(id) <= 64
}

// Product is an item of the catalogue.
type Product struct {
	// ID is the word sent in `produto`.
	ID string
	// Name and Description are Portuguese text for people.
	Name, Description string
	// Documents are the types that the product takes; a request holds one document of any of them.
	Documents []document.Type
	// Inputs are what the product needs besides the document, in the order of the bureau file. They are part of what a
	// question asks.
	Inputs []Input
	// Fields are the named fields, in the order of the answer.
	Fields []Field
	// Price is the most that one call that reaches the bureau may cost, in ten-thousandths of a real; it is what the call
	// costs unless the bureau says otherwise.
	Price Money
	// UpTo is true where a question may cost less than Price: a bureau names what a call costs, or its chain has others.
	UpTo bool
}

// Cost is Price for people, in Portuguese: "R$ 0,45", or "até R$ 0,90".
func (p Product) Cost() string {
	if p.UpTo {
		return "até " + p.Price.Exact()
	}
	return p.Price.Exact()
}

// Takes reports whether the product takes documents of type t.
func (p Product) Takes(t document.Type) bool { return slices.Contains(p.Documents, t) }

// Field returns the named field with that name.
func (p Product) Field(name string) (Field, bool) {
	i := slices.IndexFunc(p.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return p.Fields[i], true
}

// Schema is a short fingerprint of the product's named fields. History keeps it
// beside an answer, so that an answer stored before a field existed can be
// completed with a null (specification, 2.1.1).
func (p Product) Schema() string {
	h := fnv.New64a()
	var write func([]Field)
	write = func(fields []Field) {
		for _, f := range fields {
			_, _ = h.Write([]byte(f.Name + ":" + string(f.Kind) + string(f.Items) + "{"))
			write(f.Fields)
			_, _ = h.Write([]byte("}"))
		}
	}
	write(p.Fields)
	return strconv.FormatUint(h.Sum64(), 36)
}

// Parse reads the document of a request for this product. A product that takes
// several types tells them apart by their shape. The error is always a
// *document.Invalid.
func (p Product) Parse(s string) (document.Document, error) {
	var first error
	for _, t := range p.Documents {
		d, err := document.Parse(t, s)
		if err == nil {
			return d, nil
		}
		if first == nil || t == likely(s) {
			first = err
		}
	}
	return document.Document{}, first
}

// likely guesses which document a text was meant to be, only to choose the more
// helpful of two error messages.
func likely(s string) document.Type {
	switch n := strings.Count(s, "") - 1; {
	case strings.Contains(s, "@"):
		return document.Email
	case n == 7:
		return document.Plate
	case n <= 11, n == 14 && strings.Count(s, ".") == 2 && !strings.Contains(s, "/"):
		return document.CPF
	}
	return document.CNPJ
}

// Catalog is the list of products that an instance offers, in display order.
type Catalog []Product

// Find returns the product with that id.
func (c Catalog) Find(id string) (Product, bool) {
	i := slices.IndexFunc(c, func(p Product) bool { return p.ID == id })
	if i < 0 {
		return Product{}, false
	}
	return c[i], true
}

// Known returns the product with that id as it is offered; where it no longer is, as the contract has it, and else with
// what its id says.
func (c Catalog) Known(id string) (p Product, offered bool) {
	if p, offered = c.Find(id); offered {
		return p, true
	}
	if p, known := Standard().Find(id); known {
		return p, false
	}
	return Product{ID: id, Name: id}, false
}
