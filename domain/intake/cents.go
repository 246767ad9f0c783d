package intake

import (
	"strings"

	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
)

// centsRule recognises, by the members of an object, a product whose integers are cents.
type centsRule struct {
	has  []string              // the members that identify the product
	when func(*tree.Node) bool // what else must hold; nil for nothing
	// amounts are the members that hold cents, in normal form: the total first, then less complete ones. Those after "-"
	// are never the value.
	amounts map[string]int8
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
