package products

import (
	"strings"

	"fichario/domain/intake/tree"
)

// Formstack sends the parts of an answer as lines of one text.
var formstack = Product{
	Name: "formstack",
	IDs: []ID{
		{Has: "FormID UniqueID", From: "FormID UniqueID"},
	},
	Envelopes: []Envelope{{Marks: "UniqueID", Of: formstackPost}},
}

func formstackPost(_ Walk, object, _ *tree.Node) *Members {
	if object.Child("FormID") == nil {
		return nil
	}
	return &Members{Rest: linesOfParts}
}

// linesOfParts reads an answer that came as lines of "first = Ana".
func linesOfParts(w Walk, k *tree.Node) bool {
	if k.Kind != tree.String || !strings.Contains(k.Text, " = ") {
		return false
	}
	parts := tree.Node{Kind: tree.Object, Key: k.Key, At: k.At}
	for line := range strings.SplitSeq(k.Text, "\n") {
		key, value, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok || key == "" || len(key) > tree.MaxKeyText || len(parts.Children) > 30 {
			return false
		}
		parts.Children = append(parts.Children, tree.Node{Kind: tree.String, Key: key, At: k.At, Text: value})
	}
	tree.SortMembers(parts.Children)
	w.Read(&parts, Answer)
	return true
}
