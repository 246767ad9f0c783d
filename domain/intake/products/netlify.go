package products

// Netlify counts the posts of a form in a number of its own.
var netlify = Product{
	Name: "netlify",
	IDs: []ID{
		{Has: "id form_id site_url", From: "id"},
		{Has: "id form_id human_fields", From: "id"},
	},
	Envelopes: []Envelope{{
		Marks: "human_fields ordered_human_fields",
		Of:    when(always, map[string]Reading{"number": drops("netlify envelope")}),
	}},
}
