package products

// ThriveCart sends an order.
var thriveCart = Product{
	Name: "thrivecart",
	Cents: []Cents{
		{Has: "thrivecart_account order", Amounts: `total totalgross - tax amount`},
	},
}
