package intake

import (
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"strings"
)

// centsRule recognises, by the members of an object, a product whose integers are cents.
type centsRule struct {
	product string
	has     []string              // the members that identify the product
	when    func(*tree.Node) bool // what else must hold; nil for nothing
	// amounts are the members that hold cents, in normal form: the total first, then less complete ones. Those after "-"
	// are never the value.
	amounts map[string]int8
}

// centsRules are tried in order, on every object.
var centsRules = []centsRule{
	{"stripe", []string{"livemode", "object"}, nil, amountsOf(`
		amounttotal total amountpaid amountdue amount unitamount - amountsubtotal subtotal amountremaining amountcaptured
		amountrefunded applicationfeeamount unitamountdecimal`)},
	{"pagarme", []string{"charges", "amount"}, nil, amountsOf(`amount paidamount - canceledamount unitamount`)},
	{"pagarme", []string{"amount", "currency", "closed"}, nil, amountsOf(`amount paidamount - unitamount`)},
	{"pagbank", []string{"reference_id", "charges"}, nil, amountsOf(`amount value - unitamount total paid refunded`)},
	{"kiwify", []string{"webhook_event_type", "Commissions"}, nil, amountsOf(`
		chargeamount productbaseprice - kiwifyfee mycommission settlementamount saletaxamount fundsstatus value`)},
	{"polar", []string{"total_amount", "net_amount", "currency"}, nil, amountsOf(`
		totalamount amount - subtotalamount discountamount netamount taxamount refundedamount`)},
	{"pagarme", []string{"account", "type", "data"}, fromPagarme, amountsOf(`
		amount paidamount - canceledamount unitamount price totaldiscount totalincrement`)},
	{"pagarme", []string{"authorized_amount", "paid_amount", "amount"}, nil, amountsOf(`
		amount paidamount - authorizedamount refundedamount cost unitprice`)},
	{"pagarme", []string{"object", "customer", "items", "amount", "paid_amount"}, nil, amountsOf(`
		amount paidamount - unitprice`)},
	{"tickettailor", []string{"buyer_details", "total"}, nil, amountsOf(`total - subtotal tax refundamount`)},
	{"woovi", []string{"correlationID", "value"}, nil, amountsOf(`value - fee discount`)},
	{"lemonsqueezy", []string{"total_formatted", "total"}, nil, amountsOf(`
		total - subtotal tax discounttotal setupfee refundedamount price`)},
	{"vtex", []string{"clientProfileData", "value"}, nil, amountsOf(`value - price listprice sellingprice tax`)},
	{"ticto", []string{"transaction_hash", "paid_amount"}, nil, amountsOf(`paidamount - commission`)},
	{"gumroad", []string{"seller_id", "permalink", "price"}, nil, amountsOf(`price - gumroadfee`)},
}

// notTheValue is the rank of an amount that is in cents and never the value.
const notTheValue = 100

func amountsOf(list string) map[string]int8 {
	m, place := map[string]int8{}, int8(0)
	for w := range strings.FieldsSeq(list) {
		if w == "-" {
			place = notTheValue
			continue
		}
		if m[w] = place; place < notTheValue {
			place++
		}
	}
	return m
}

// centsRuleOf returns the number, from 1, of the rule that fits an object, or 0.
func centsRuleOf(n *tree.Node) uint8 {
	for i := range centsRules {
		if centsRules[i].fits(n) {
			return uint8(i + 1)
		}
	}
	return 0
}

func (c *centsRule) fits(n *tree.Node) bool {
	for _, k := range c.has {
		if n.Child(k) == nil {
			return false
		}
	}
	return c.when == nil || c.when(n)
}

// fromPagarme recognises an event of Pagar.me by its ids.
func fromPagarme(n *tree.Node) bool {
	return strings.HasPrefix(n.Str("id"), "hook_") && strings.HasPrefix(n.Str("account", "id"), "acc_")
}

// inCents appends "_cents" to the key of an amount that is in cents, for the note and for readAmount.
func (a *answer) inCents() {
	if a.cents == 0 || len(a.values) != 1 || a.title != "" {
		return
	}
	amounts := centsRules[a.cents-1].amounts
	place, known := amounts[names.Of(a.key)]
	if v := a.values[0]; known && names.CountDigits(v) == len(v) && v != "0" {
		a.key += "_cents"
		a.entry = entry{}
		a.centsPlace = place + 1
	}
}

// byCents believes what a product's envelope says about its amounts.
func (q *candidate) byCents() bid {
	if q.centsPlace == 0 || q.centsPlace > notTheValue {
		return bid{}
	}
	return bid{field: fieldAmount, strength: weakName, penalty: 10 + q.centsPlace}
}

// payment reads what was paid, of which only the whole sum is the value: the rest is about the card, the fees and the
// bank.
func (r *reader) payment(k *tree.Node, s scope) bool {
	switch names.Of(k.Key) {
	case "payment", "pagamento":
	case "charge", "cobranca":
		if centsRuleOf(k) == 0 {
			return false
		}
	default:
		return false
	}
	if cents := centsRuleOf(k); cents != 0 {
		s.cents = cents
	}
	paid, rest := s.within(k.Key, dealTree), s.within(k.Key, closedTree)
	for i := range k.Children {
		c := &k.Children[i]
		if c.Scalar() && wholeSum(c, s.cents != 0) {
			r.member(c, paid)
		} else {
			r.member(c, rest)
		}
	}
	return true
}

// wholeSum reports whether a member of a payment is the whole of it. An "amount" without decimals may be cents.
func wholeSum(n *tree.Node, cents bool) bool {
	switch names.Of(n.Key) {
	case "total", "value", "valor", "valortotal", "totalvalue":
		return true
	case "amount":
		return cents || strings.ContainsAny(n.Text, ".,")
	}
	return false
}
