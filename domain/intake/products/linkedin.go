package products

// LinkedIn sends the answers of a lead form.
var linkedIn = Product{
	Name: "linkedin",
	IDs: []ID{
		{Has: "id leadType formResponse", From: "id", Late: true},
	},
}
