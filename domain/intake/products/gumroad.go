package products

// Gumroad sends a sale.
var gumroad = Product{
	Name: "gumroad",
	Cents: []Cents{
		{Has: "permalink seller_id price", Amounts: `price - gumroadfee`},
	},
}
