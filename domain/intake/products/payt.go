package products

// Payt sends an order, or the cart that somebody left.
var payt = Product{
	Name: "payt",
	Cents: []Cents{
		{Has: "integration_key seller_id", Amounts: `totalprice - installmentprice price amount`},
	},
}
