package products

import (
	"fichario/domain/intake/fields"
	"fichario/domain/intake/tree"
)

// Formbricks sends its contact question as a list of five parts.
var formbricks = Product{
	Name: "formbricks",
	IDs: []ID{
		{Has: "webhookId data.surveyId data.id", From: "data.id"},
	},
	Parts: contactParts,
}

// contactParts recognises the answer to the contact question by the address in the middle.
func contactParts(list *tree.Node) []string {
	if list.Kind != tree.Array || len(list.Children) != len(contactKeys) || !list.ScalarList() ||
		!fields.WholeAddress(list.Children[2].Text) {
		return nil
	}
	return contactKeys
}

var contactKeys = []string{"first_name", "last_name", "email", "phone", "company"}
