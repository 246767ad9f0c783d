package products

// Tilda numbers what was sent through its forms.
var tilda = Product{
	Name: "tilda",
	IDs: []ID{
		{Has: "tranid formid", From: "tranid"},
	},
}
