package products

import "fichario/domain/intake/tree"

// Kommo calls a deal a lead.
var kommo = Product{
	Name: "kommo",
	IDs: []ID{
		{Has: "unsorted.add.uid", From: "unsorted.add.uid"},
		{Has: "leads.add.id", From: "leads.add.id", Late: true},
	},
	Envelopes: []Envelope{{Marks: "contacts", Of: when(besideContacts, map[string]Reading{
		"lead": trees(reads(Deal)), "leads": trees(reads(Deal)),
	})}},
}

// besideContacts: leads beside contacts are deals.
func besideContacts(_, contacts *tree.Node) bool { return !contacts.Scalar() }
