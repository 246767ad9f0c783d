package products

import (
	"strings"

	"fichario/domain/intake/tree"
)

// Tally repeats the options of a choice as answers of their own.
var tally = Product{
	Name: "tally",
	IDs: []ID{
		{Has: "eventType data.submissionId data.formId", From: "data.submissionId"},
	},
	Mirrors: optionMirrors,
}

// optionMirrors marks the answers that repeat one option of a sibling as a boolean: question_x_<option> beside
// question_x (Tally).
func optionMirrors(n *tree.Node) []bool {
	marks := make([]bool, len(n.Children))
	var choices map[string]bool
	for i := range n.Children {
		k := &n.Children[i]
		v := k.Child("value")
		if v == nil || v.Kind != tree.Bool && v.Kind != tree.Null {
			continue
		}
		if choices == nil {
			choices = choiceKeys(n)
		}
		key := k.Str("key")
		for end, tries := len(key), 0; end > 0 && tries < 6; tries++ {
			if end = strings.LastIndexByte(key[:end], '_'); end > 0 && choices[key[:end]] {
				marks[i] = true
				break
			}
		}
	}
	return marks
}

// choiceKeys are the keys of the answers that are choices.
func choiceKeys(n *tree.Node) map[string]bool {
	keys := make(map[string]bool, len(n.Children))
	for i := range n.Children {
		k := &n.Children[i]
		if v := k.Child("value"); v != nil && v.Kind == tree.Array || k.Child("options") != nil {
			keys[k.Str("key")] = true
		}
	}
	return keys
}
