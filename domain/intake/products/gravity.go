package products

// Gravity Forms numbers the entries of each form.
var gravity = Product{
	Name: "gravity",
	IDs: []ID{
		{Has: "entry.form_id entry.id", From: "entry.form_id entry.id"},
	},
}
