package intake

import (
	"math"
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// amountOf reads an answer as a value, once.
func (c *chooser) amountOf(a *answer) (int64, bool) {
	if !a.counted {
		a.counted = true
		a.amount, a.isAmount = c.readAmount(a)
	}
	return a.amount, a.isAmount
}

func (c *chooser) readAmount(a *answer) (int64, bool) {
	if a.logical || len(a.values) != 1 || strings.HasPrefix(a.key, "_") { // "_total" is how long filling in took
		return 0, false
	}
	if strings.Contains(strings.ToLower(a.key), "cent") && names.HasAny(names.Words(a.key), centWords) {
		n, ok := fields.ParseAmount(a.values[0])
		return n / 100, ok && n%10000 == 0
	}
	if a.number != "" {
		return fields.ParseNumber(a.number)
	}
	if n, ok := fields.ParseAmount(a.values[0]); ok {
		return n, true
	}
	a.isBand = true
	return fields.BandAmount(a.values[0], c.band)
}

// takeAmount takes the value. The text of a band says more than the number derived from it, so it stays in the note.
func (c *chooser) takeAmount(d *Draft) {
	a := c.best[fieldAmount].answer
	if a == nil {
		return
	}
	d.Amount, _ = c.amountOf(a)
	a.taken = !a.isBand
	d.take(fieldAmount, a)
}

// Words of a number question. The number is the value if the question speaks of money; the only number of a form is
// taken for money unless it counts or measures something.
var (
	moneyWords = names.Set(`
		valor orcamento budget investir investimento investment preco price custo reais amount ticket verba quantia montante
		credito lance entrada`)
	priceWords = names.Set(`value amount price total gross`)
	feeWords   = names.Set(`
		tax discount shipping fee refund refunded commission subtotal spent net balance frete desconto taxa juros imposto id
		type coupon coupons cupom cupons voucher vouchers cashback partner salary salario renda
		income revenue`)
	centWords   = names.Set(`cents centavos`)
	incomeWords = names.Set(`
		faturamento fatura receita renda salario atualmente atual hoje investe colaboradores revenue income`)
	countWords = names.Set(`
		quantos quantas quantidade qtd qtde idade anos ano numero number num nro many age quantity count cpf cnpj cep rg
		telefone celular phone whatsapp metros metragem m2 km quilometros peso altura nota score rating avaliacao pessoas
		funcionarios colaboradores vagas dias dia meses mes horas semanas ddd codigo code zip parcelas filhos quartos
		dormitorios andar matricula protocolo placa hectares area tamanho size percentual porcentagem escala scale nivel
		vezes unidades pecas litros passageiros hospedes convidados alunos employees year years inscricao pedido registro
		crm oab id`)
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
