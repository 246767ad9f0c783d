package products

// Ticto sends a sale.
var ticto = Product{
	Name: "ticto",
	Cents: []Cents{
		{Has: "transaction_hash paid_amount", Amounts: `paidamount - commission`},
	},
}
