package products

// Lemon Squeezy sends an order.
var lemonSqueezy = Product{
	Name: "lemonsqueezy",
	Cents: []Cents{
		{Has: "total_formatted total", Amounts: `total - subtotal tax discounttotal setupfee refundedamount price`},
	},
}
