package products

// Cognito Forms numbers the entries of each form.
var cognito = Product{
	Name: "cognito",
	IDs: []ID{
		{Has: "Form.Id Entry.Number", From: "Form.Id Entry.Number"},
	},
}
