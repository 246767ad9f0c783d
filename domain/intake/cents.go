package intake

import "strings"

// centsRule recognises, by the members of an object, a product whose integers are cents.
type centsRule struct {
	product string
	has     []string // the members that identify the product
	// amounts are the members that hold cents, in normal form: the total first, then less complete ones. Those after "-"
	// are never the value.
	amounts map[string]int8
}

// centsRules are tried in order, on every object.
var centsRules = []centsRule{
	{"stripe", []string{"livemode", "object"}, amountsOf(`
		amounttotal total amountpaid amountdue amount unitamount - amountsubtotal subtotal amountremaining amountcaptured
		amountrefunded applicationfeeamount unitamountdecimal`)},
	{"pagarme", []string{"charges", "amount"}, amountsOf(`amount paidamount - canceledamount unitamount`)},
	{"pagarme", []string{"amount", "currency", "closed"}, amountsOf(`amount paidamount - unitamount`)},
	{"pagbank", []string{"reference_id", "charges"}, amountsOf(`amount value - unitamount total paid refunded`)},
	{"kiwify", []string{"webhook_event_type", "Commissions"}, amountsOf(`
		chargeamount productbaseprice - kiwifyfee mycommission settlementamount saletaxamount fundsstatus value`)},
	{"polar", []string{"total_amount", "net_amount", "currency"}, amountsOf(`
		totalamount amount - subtotalamount discountamount netamount taxamount refundedamount`)},
	{"gumroad", []string{"seller_id", "permalink", "price"}, amountsOf(`price - gumroadfee`)},
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
func centsRuleOf(n *node) uint8 {
	for i := range centsRules {
		if centsRules[i].fits(n) {
			return uint8(i + 1)
		}
	}
	return 0
}

func (c *centsRule) fits(n *node) bool {
	for _, k := range c.has {
		if n.child(k) == nil {
			return false
		}
	}
	return true
}

// inCents appends "_cents" to the key of an amount that is in cents, for the note and for readAmount.
func (a *answer) inCents() {
	if a.cents == 0 || len(a.values) != 1 || a.title != "" {
		return
	}
	amounts := centsRules[a.cents-1].amounts
	place, known := amounts[nameOf(a.key)]
	if v := a.values[0]; known && countDigits(v) == len(v) && v != "0" {
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
