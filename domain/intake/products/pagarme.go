package products

import (
	"strings"

	"fichario/domain/intake/tree"
)

// Pagar.me sends orders, charges, invoices and, in its old version, transactions.
var pagarme = Product{
	Name: "pagarme",
	Cents: []Cents{
		{Has: "charges amount", Amounts: `amount paidamount - canceledamount unitamount`},
		{Has: "closed amount currency", Amounts: `amount paidamount - unitamount`},
		{
			Has: "account type data", When: fromPagarme,
			Amounts: `
				amount paidamount - canceledamount unitamount price totaldiscount totalincrement`,
		},
		{
			Has: "authorized_amount paid_amount amount",
			Amounts: `
				amount paidamount - authorizedamount refundedamount cost unitprice`,
		},
		{Has: "paid_amount object customer items amount", Amounts: `amount paidamount - unitprice`},
	},
}

// fromPagarme recognises an event by its ids.
func fromPagarme(n *tree.Node) bool {
	return strings.HasPrefix(n.Str("id"), "hook_") && strings.HasPrefix(n.Str("account", "id"), "acc_")
}
