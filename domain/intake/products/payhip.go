package products

// Payhip sends a sale.
var payhip = Product{
	Name: "payhip",
	Cents: []Cents{
		{Has: "payhip_fee price", Amounts: `price - payhipfee stripefee`},
	},
}
