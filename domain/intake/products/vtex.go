package products

// VTEX sends an order.
var vtex = Product{
	Name: "vtex",
	Cents: []Cents{
		{Has: "clientProfileData value", Amounts: `value - price listprice sellingprice tax`},
	},
}
