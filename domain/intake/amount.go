package intake

import (
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
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
		type coupon coupons cupom cupons voucher vouchers cashback partner`)
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
