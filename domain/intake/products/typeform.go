package products

import "fichario/domain/intake/tree"

// Typeform sends the questions in a definition beside the answers.
var typeform = Product{
	Name: "typeform",
	IDs: []ID{
		{Has: "form_response.token", From: "form_response.token"},
	},
	Envelopes: []Envelope{{Marks: "definition", Of: typeformDefinition}},
}

// typeformDefinition learns the questions, and keeps the form's title.
func typeformDefinition(w Walk, object, definition *tree.Node) *Members {
	questions := definition.Child("fields")
	if questions == nil || object.Child("answers") == nil {
		return nil
	}
	w.Learn(questions)
	return &Members{By: map[string]Reading{"definition": func(w Walk, k *tree.Node) bool {
		for i := range k.Children {
			if c := &k.Children[i]; c.Key == "title" {
				w.ReadInside("form", c)
			} else {
				w.Drop("definition", c)
			}
		}
		return true
	}}}
}
