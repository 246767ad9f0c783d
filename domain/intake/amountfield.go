package intake

import (
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
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
	priceWords = names.Set(`value amount price total`)
	feeWords   = names.Set(`
		tax discount shipping fee refund refunded commission subtotal spent net balance frete desconto taxa juros imposto id
		type`)
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
