package products

// Olark sends the organisation that the visitor's network address belongs to.
var olark = Product{
	Name: "olark",
	Envelopes: []Envelope{{
		Marks: "organization", Of: when(beside("ip countryCode"), map[string]Reading{"organization": scalars(reads(Ours))}),
	}},
}
