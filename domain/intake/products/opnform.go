package products

// OpnForm has a message of its own for the person who sets the webhook up.
var opnForm = Product{
	Name: "opnform",
	Envelopes: []Envelope{{
		Marks: "form_slug", Of: when(beside("submission data"), map[string]Reading{"message": drops("opnform envelope")}),
	}},
}
