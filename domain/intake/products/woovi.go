package products

import "fichario/domain/intake/tree"

// Woovi names the account's company beside a charge.
var woovi = Product{
	Name: "woovi",
	Cents: []Cents{
		{Has: "correlationID value", Amounts: `value - fee discount`},
	},
	Envelopes: []Envelope{{Marks: "charge", Of: when(ofWoovi, map[string]Reading{"company": reads(Ours)})}},
}

func ofWoovi(_, charge *tree.Node) bool { return charge.Child("correlationID") != nil }
