package products

// Webflow names the form beside the answers.
var webflow = Product{
	Name: "webflow",
	IDs: []ID{
		{Has: "triggerType payload.id", From: "payload.id"},
	},
}
