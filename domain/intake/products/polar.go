package products

// Polar sends an order.
var polar = Product{
	Name: "polar",
	Cents: []Cents{
		{
			Has: "net_amount total_amount currency",
			Amounts: `
				totalamount amount - subtotalamount discountamount netamount taxamount refundedamount`,
		},
	},
}
