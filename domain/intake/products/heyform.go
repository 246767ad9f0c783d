package products

// HeyForm sends the choices of a question among its properties.
var heyForm = Product{
	Name: "heyform",
	IDs: []ID{
		{Has: "id formId formName answers", From: "id"},
	},
}
