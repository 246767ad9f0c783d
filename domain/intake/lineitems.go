package intake

import (
	"math"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// Members of a line item, in normal form, and the lists that hold them. A price without "unit" in its name is also the
// price of one: what a line costs is called a total.
var (
	lineLists = names.Set(`
		items itens lineitems orderitems orderlines lines products produtos cartitems itensdopedido itenspedido`)
	unitPrices = names.Set(`
		unitprice unitpricecents price pricecents precounitario valorunitario preco precocents unitvalue valor`)
	quantities = names.Set(`quantity qty quantidade qtd qtde quant`)
	// chargeWords name what an order costs; beside line items they mean that the lines are not all of it.
	chargeWords = names.Set(`
		valor preco price amount total subtotal montante value discount desconto coupon cupom shipping frete tax taxa imposto
		juros fee tip gorjeta`)
	// numberWords exclude a number from that: how many, what share, and which one.
	numberWords = names.Set(`
		items itens products produtos lines id code codigo percent percentual rate weight peso currency moeda quantity qty
		quantidade qtd qtde quant count type`)
)

// lineSum is what the lines of an order in a body add up to.
type lineSum struct {
	amount int64 // in ten-thousandths
	lists  int
	key    string
}

// amountOfLines takes the value from line items, where nothing else in the body says what they cost together: each
// price times its quantity, added up exactly. In doubt it takes none: an item without price or quantity, two lists, a
// line with another total, a discount or a charge beside them, amounts in cents by the product's envelope. The lines
// stay in the note.
func (r *reader) amountOfLines(d *Draft, whole *tree.Node) {
	if r.chooser.best[fieldAmount].answer != nil {
		return
	}
	var sum lineSum
	if !sum.find(whole, 0) || sum.lists != 1 || sum.amount == 0 || charged(whole) {
		return
	}
	d.Amount = sum.amount
	d.Fields = append(d.Fields, Source{
		fieldNames[fieldAmount], text.Cut(text.OneLine(text.Clean(sum.key)), tree.MaxKeyText),
	})
}

// find adds up the lists of lines in a tree; false when one of them cannot be.
func (s *lineSum) find(n *tree.Node, depth int) bool {
	if n.Scalar() || depth > tree.MaxDepth {
		return true
	}
	if linesOfOrder(n) {
		s.lists++
		s.key = n.Key
		for i := range n.Children {
			amount, ok := lineAmount(&n.Children[i])
			if !ok || amount > math.MaxInt64-s.amount {
				return false
			}
			s.amount += amount
		}
		return true
	}
	for i := range n.Children {
		if !s.find(&n.Children[i], depth+1) {
			return false
		}
	}
	return true
}

// linesOfOrder reports whether a node is a list of line items: it has such a name, and one of its items has a price.
func linesOfOrder(n *tree.Node) bool {
	if n.Kind != tree.Array || len(n.Children) == 0 || !lineLists[names.Of(n.Key)] {
		return false
	}
	for i := range n.Children {
		if onlyMember(&n.Children[i], unitPrices) != nil {
			return true
		}
	}
	return false
}

// onlyMember returns the scalar member with one of these names, nil when there is none or more than one.
func onlyMember(n *tree.Node, among map[string]bool) (found *tree.Node) {
	for i := range n.Children {
		if k := &n.Children[i]; k.Scalar() && !k.Empty() && among[names.Of(k.Key)] {
			if found != nil {
				return nil
			}
			found = k
		}
	}
	return found
}

// lineAmount is the price of a line times its quantity; ok is false where either is missing, not a number or negative,
// where the result is not a whole number of ten-thousandths, and where the line itself states another cost.
func lineAmount(line *tree.Node) (amount int64, ok bool) {
	price, quantity := onlyMember(line, unitPrices), onlyMember(line, quantities)
	if price == nil || quantity == nil || centsRuleOf(line) != 0 {
		return 0, false
	}
	one, isPrice := amountOfMember(price)
	many, isQuantity := amountOfMember(quantity)
	if !isPrice || !isQuantity || one < 0 || many <= 0 || one > math.MaxInt64/many || one*many%10000 != 0 {
		return 0, false
	}
	amount = one * many / 10000
	for i := range line.Children {
		k := &line.Children[i]
		if said, isAmount := amountOfMember(k); k != price && charges(k) && isAmount && said != 0 && said != amount &&
			said != one {
			return 0, false
		}
	}
	return amount, true
}

// charged reports whether a tree states a cost beside its line items, or belongs to a product whose amounts are cents.
func charged(n *tree.Node) bool {
	if n.Kind == tree.Object && centsRuleOf(n) != 0 {
		return true
	}
	for i := range n.Children {
		k := &n.Children[i]
		if linesOfOrder(k) {
			continue
		}
		if charged(k) {
			return true
		}
		said, isAmount := amountOfMember(k)
		if isAmount && said != 0 && charges(k) || !isAmount && !k.Empty() && lookup(k.Key).field == fieldAmount {
			return true
		}
	}
	return false
}

// charges reports whether a member's name is that of an amount of money.
func charges(n *tree.Node) bool {
	name := names.Words(n.Key)
	return names.HasAny(name, chargeWords) && !names.HasAny(name, numberWords)
}

// amountOfMember reads a scalar as an amount, or as a number in ten-thousandths.
func amountOfMember(n *tree.Node) (int64, bool) {
	var amount int64
	var ok bool
	switch n.Kind {
	case tree.Number:
		amount, ok = fields.ParseNumber(n.Text)
	case tree.String:
		amount, ok = fields.ParseAmount(n.Text)
	}
	if ok && names.HasAny(names.Words(n.Key), centWords) {
		return amount / 100, amount%10000 == 0
	}
	return amount, ok
}
