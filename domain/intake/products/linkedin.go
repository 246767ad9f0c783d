package products

import "fichario/domain/intake/tree"

// LinkedIn sends the answers of a lead form. Where they were fetched, package linkedin of the adapters has put the
// words of the form in.
var linkedIn = Product{
	Name: "linkedin",
	IDs: []ID{
		{Has: "id leadType formResponse", From: "id", Late: true},
		{Has: "id leadType linkedin_answers", From: "id"},
	},
	Envelopes: []Envelope{{Marks: "linkedin_answers", Of: linkedInLead}},
	IDOnly:    "leadGenFormResponse",
	Remedy: " O aviso do LinkedIn só tem ids. Para que o Fichário busque o que a pessoa respondeu, o webhook tem de ser do " +
		"tipo linkedin, com a conta de anúncios conectada.",
}

// linkedInLead reads a lead that was fetched: the names of campaign and form say how the contact came.
func linkedInLead(_ Walk, object, answers *tree.Node) *Members {
	if answers.Kind != tree.Array || object.Child("submittedAt") == nil {
		return nil
	}
	return &Members{By: map[string]Reading{
		"id": drops("of the lead"), "leadType": drops("of the lead"), "submittedAt": drops("of the lead"),
		"testLead": drops("of the lead"), "platform": attributes("platform"), "form_name": attributes("form_name"),
		"campaign_name": attributes("campaign_name"), "consents": consents,
	}}
}
