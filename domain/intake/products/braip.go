package products

// Braip sends a sale at each change of its state.
var braip = Product{
	Name: "braip",
	IDs: []ID{
		{Has: "trans_key trans_status_code", From: "trans_key trans_status_code"},
	},
	Cents: []Cents{
		{Has: "trans_key trans_value", Amounts: `transvalue transtotalvalue - transfreight`},
	},
}
