package catalog

import "slices"

// BundleMax is the most products of a bundle.
const BundleMax = 12

// Bundle is a set of products that an organisation asks for together about one document: "Crédito PJ".
type Bundle struct {
	ID, OrgID, Name string
	// Products are the ids of two to BundleMax products, each once, in the order in which they are shown. One that the
	// bureau no longer offers is left out when the bundle is asked for.
	Products []string
}

// Valid reports whether the bundle has as many products as it may, each once and all in c.
func (b Bundle) Valid(c Catalog) bool {
	for i, id := range b.Products {
		if _, ok := c.Find(id); !ok || slices.Contains(b.Products[:i], id) {
			return false
		}
	}
	return len(b.Products) >= 2 && len(b.Products) <= BundleMax
}
