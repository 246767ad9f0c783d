package products

// WhatsApp sends the answers of a Flow as JSON, beside the name and body of the Flow.
var whatsApp = Product{
	Name: "whatsapp",
	Envelopes: []Envelope{{Marks: "response_json", Of: when(always, map[string]Reading{
		"response_json": reads(Bare), "name": scalars(reads(Ours)), "body": scalars(reads(Ours)),
	})}},
}
