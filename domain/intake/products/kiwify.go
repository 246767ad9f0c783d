package products

// Kiwify puts what the buyer paid among the commissions.
var kiwify = Product{
	Name: "kiwify",
	Cents: []Cents{
		{
			Has: "webhook_event_type Commissions",
			Amounts: `
				chargeamount productbaseprice - kiwifyfee mycommission settlementamount saletaxamount fundsstatus
				value`,
		},
	},
	Envelopes: []Envelope{{
		Marks: "webhook_event_type", Of: when(beside("Commissions"), map[string]Reading{"Commissions": reads(Deal)}),
	}},
}
