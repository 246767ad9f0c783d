package products

import "fichario/domain/intake/tree"

// Notion's properties of people name members of the workspace, who made or keep the page.
var notion = Product{
	Name: "notion",
	Envelopes: []Envelope{{
		Marks: "people created_by last_edited_by",
		Of: when(isProperty, map[string]Reading{
			"people": reads(Ours), "created_by": reads(Ours), "last_edited_by": reads(Ours),
		}),
	}},
}

// isProperty reports whether an object is a property, whose value stands under the name of its type.
func isProperty(object, mark *tree.Node) bool { return object.Str("type") == mark.Key }
