package products

// Ticket Tailor sends an order of tickets.
var ticketTailor = Product{
	Name: "tickettailor",
	Cents: []Cents{
		{Has: "buyer_details total", Amounts: `total - subtotal tax refundamount`},
	},
}
