package products

// Calendly has an address for each invitee.
var calendly = Product{
	Name: "calendly",
	IDs: []ID{
		{Has: "event payload.uri", From: "event payload.uri"},
	},
}
