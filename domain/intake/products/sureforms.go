package products

import "fichario/domain/intake/tree"

// SureForms sends what the site answered to its visitor.
var sureForms = Product{
	Name: "sureforms",
	Envelopes: []Envelope{{
		Marks: "success", Of: when(answered, map[string]Reading{"message": scalars(reads(Ours))}),
	}},
}

func answered(object, success *tree.Node) bool {
	return success.Kind == tree.Bool && object.Child("message") != nil && object.Child("data") != nil
}
