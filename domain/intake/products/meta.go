package products

import (
	"strings"

	"fichario/domain/intake/tree"
)

// Meta (Facebook and Instagram) announces a lead of an instant form by its id; the answer of its Graph API, to which
// package meta of the adapters adds the words of the form, is read here. A webhook of another kind gets leads from an
// integrator or a sheet.
var meta = Product{
	Name: "meta",
	IDs: []ID{
		{Has: "leadgen_id", From: "leadgen_id"},
		{Has: "id form_id", When: fromMetaSheet, From: "id"},
		{Has: "id created_time field_data", From: "id"},
	},
	Envelopes:  []Envelope{{Marks: "field_data", Of: metaLead}},
	TestAnswer: "<test lead:",
	IDOnly:     "leadgen_id",
	Remedy: " O aviso da Meta só tem ids. Para que o Fichário busque o que a pessoa respondeu, o webhook tem de ser do " +
		"tipo meta, com a página conectada.",
}

// fromMetaSheet recognises a lead of Meta as it stands in a sheet and in Zapier: its ids have a letter before them.
func fromMetaSheet(n *tree.Node) bool {
	return strings.HasPrefix(n.Str("id"), "l:") && len(n.Str("id")) > len("l:") && n.Path("leadgenId") == nil
}

// metaLead reads the answer of the Graph API: its names of campaign, ad set, ad and form say how the contact came, and
// ticked consents are answers.
func metaLead(_ Walk, object, answers *tree.Node) *Members {
	if answers.Kind != tree.Array || object.Child("created_time") == nil {
		return nil
	}
	by := map[string]Reading{
		"id":                          attributes("lead_id"),
		"is_organic":                  drops("is organic"),
		"custom_disclaimer_responses": consents,
	}
	for _, name := range [...]string{"campaign_name", "adset_name", "ad_name", "form_name", "platform"} {
		by[name] = attributes(name)
	}
	for _, name := range [...]string{"campaign_id", "adset_id", "ad_id", "form_id", "created_time"} {
		by[name] = drops("of the advertisement") // and no key that a person may be shown as a question
	}
	return &Members{By: by}
}

// attributes is the reading as attribution under a key.
func attributes(key string) Reading {
	return scalars(func(w Walk, k *tree.Node) bool {
		w.Attribute(key, k)
		return true
	})
}

// consents reads consents of Meta's form that were ticked as answers "sim"; the others are no answers, but known.
func consents(w Walk, list *tree.Node) bool {
	for i := range list.Children {
		consent := &list.Children[i]
		if ticked := consent.Child("is_checked"); ticked == nil || ticked.Text != "1" && ticked.Text != "true" {
			w.Refuse(consent.Str("checkbox_key"), consent.Str("label"))
			w.Drop("consent not given", consent)
			continue
		}
		titled, key := consent.Child("label") != nil, consent.Str("checkbox_key")
		for j := range consent.Children {
			switch k := &consent.Children[j]; {
			case k.Key == "is_checked":
				w.Drop("ticked", k)
				k.Key, k.Kind, k.Text = "value", tree.String, "sim"
			case k.Key == "checkbox_key" && titled:
				k.Key = "name"
			case k.Key == "checkbox_key":
				k.Key, k.Text = "label", "Consentimento "+k.Text
			}
		}
		if !titled && key != "" {
			consent.Children = append(consent.Children, tree.Node{Key: "name", Kind: tree.String, Text: key})
		}
		w.Read(consent, Bare)
	}
	return true
}
