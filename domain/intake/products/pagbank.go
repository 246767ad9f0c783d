package products

// PagBank sends an order with its charges.
var pagBank = Product{
	Name: "pagbank",
	Cents: []Cents{
		{Has: "charges reference_id", Amounts: `amount value - unitamount total paid refunded`},
	},
}
