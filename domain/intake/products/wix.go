package products

// Wix sends what was typed into its forms.
var wix = Product{
	Name: "wix",
	IDs: []ID{
		{Has: "data.submissionId", From: "data.submissionId"},
	},
}
