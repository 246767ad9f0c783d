package products

// Eduzz sends a sale at each change of its state.
var eduzz = Product{
	Name: "eduzz",
	IDs: []ID{
		{Has: "trans_cod trans_status", From: "trans_cod trans_status", Late: true},
	},
}
