package products

// Stripe names the seller's account in each of its objects.
var stripe = Product{
	Name: "stripe",
	IDs: []ID{
		{Has: "id object type data.object", From: "id"},
	},
	Cents: []Cents{
		{
			Has: "livemode object",
			Amounts: `
				amounttotal total amountpaid amountdue amount unitamount - amountsubtotal subtotal amountremaining
				amountcaptured amountrefunded applicationfeeamount unitamountdecimal`,
		},
	},
	Envelopes: []Envelope{{
		Marks: "account_name", Of: when(beside("livemode"), map[string]Reading{"account_name": reads(Ours)}),
	}},
}
