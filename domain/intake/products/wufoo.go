package products

import "fichario/domain/intake/tree"

// Wufoo sends its questions as a JSON text.
var wufoo = Product{
	Name:      "wufoo",
	Envelopes: []Envelope{{Marks: "FieldStructure", Of: fieldStructure}},
}

func fieldStructure(w Walk, _, mark *tree.Node) *Members {
	structure, ok, _ := tree.EmbeddedJSON(mark.Text, 1)
	if !ok {
		return nil
	}
	w.Learn(structure.Child("Fields"))
	return &Members{By: map[string]Reading{"FieldStructure": drops("definition")}}
}
