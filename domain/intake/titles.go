package intake

import "strings"

// titleRule recognises a question by its words: one of the first list, and none of the second.
type titleRule struct {
	field field
	any   map[string]bool
	and   map[string]bool // one of these too, when there are any
	none  map[string]bool
}

// nameRule recognises a name.
var nameRule = titleRule{
	field: fieldName,
	any:   words(`nome name nombre`),
	none: words(`empresa company mae pai pet filho filha filhos conjuge produto product curso course usuario user page pagina form formulario
		campanha campaign ad adset social evento event marca brand loja store unidade owner seller vendedor producer plan plano oferta
		offer item items file arquivo list lista site domain dominio funnel team workspace organizacao organization negocio esposa marido
		crianca cachorro gato animal escola school survey quiz source medium channel tag group grupo bairro rua cidade city state
		estado country pais street host partner corretor agente agent imovel listing projeto project step stage pipeline status field
		campo template flow bot account conta app device browser affiliate afiliado webhook workflow automation utm operation inbox indicou indicado
		indicacao amigo referral username apelido nickname preferido preferred solteiro
		madre padre hijo hija mascota producto calle ciudad`),
}

// titleRules are tried in this order after the aliases, on titles and keys of two words or more. The company stands before the name: "Nome
// da empresa" names a company.
var titleRules = []titleRule{
	{
		field: fieldEmail,
		any:   words(`email emails correo`),
		none: words(`receber aceita aceito autoriza newsletter optin marketing consent consentimento opt owner receipt seller vendedor admin
			type verified verificado status subscription preferencia preference sent bounced permission template subject confirmacao
			indicado indicada amigo amiga conjuge friend`),
	},
	{
		field: fieldPhone,
		any:   words(`telefone telefones whatsapp whats celular cel fone zap wpp wsp phone mobile tel telephone telefono movil`),
		none: words(`receber aceita aceito autoriza consent usa horario hora periodo quantos quantas quanto tem modelo marca prefere preferencia
			type tipo owner seller vendedor verified status operadora aparelho optin country grupo group dia turno site
			indicado indicada amigo amiga conjuge friend`),
	},
	{
		field: fieldCompany,
		any:   words(`empresa company negocio organizacao organization organisation compania`),
		none: words(`quantos quantas faturamento fatura investe segmento ramo setor cargo funcao site website url instagram porte tamanho tempo
			colaboradores funcionarios employees marketing onde cidade cidades estado endereco cnpj email telefone whatsapp phone sobre size
			industry city state address atua faz tipo type area quando ano anos possui tem id desafio principal owner revenue como vai domain
			logradouro bairro cep numero member descreva descricao description fone celular valor revenda abertura nascimento objetivo`),
	},
	nameRule,
	{
		field: fieldAmount,
		any:   words(`valor orcamento budget investir verba presupuesto`),
		none: words(`faturamento fatura receita renda salario atualmente atual hoje investe colaboradores quando porque motivo tempo prazo
			onde como tem percebe entrega gera moeda currency type tipo id
			conta fipe`),
	},
	{
		field: fieldAmount,
		any:   words(`investimento investment`),
		and:   words(`previsto disponivel pretendido desejado estimado planejado inicial maximo available planned`),
		none:  words(`atualmente atual hoje faturamento retorno`),
	},
	{field: fieldMessage, any: words(`mensagem message comentario comentarios observacao observacoes duvida duvidas recado mensaje`), none: words(`id sid type status tipo template date time at count`)},
	{field: fieldOrigin, any: words(`conheceu encontrou sabendo hear conociste conocio`), none: words(`dificuldade problema desafio`)},
}

func words(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// mobileWords speak of the phone that its owner carries.
var mobileWords = words(`whatsapp whats wpp wsp zap celular cel cell mobile movil`)

// houseWords speak of the company's own address and phone, which serve where the person's are not given.
var houseWords = words(`empresa loja company store escritorio`)

// partWords are the words of the parts of a name: some say it alone, others beside a word for a name.
var partWords = func() map[string]uint8 {
	m := map[string]uint8{}
	for part, list := range map[uint8]string{
		firstOf: `first primeiro primer given`, firstOf | alone: `firstname`,
		lastOf: `last ultimo family`, lastOf | alone: `sobrenome sobrenomes surname apellido apellidos lastname`,
	} {
		for w := range strings.FieldsSeq(list) {
			m[w] = part
		}
	}
	return m
}()

const (
	firstOf uint8 = 1 << iota
	lastOf
	alone
)

// partOfName tells the title of a first or a last name from that of a whole one: "Nome e sobrenome" asks for both.
func partOfName(title []string) field {
	part := uint8(0)
	for _, w := range title {
		part |= partWords[w]
	}
	if part == 0 || part&firstOf != 0 && part&lastOf != 0 || speaksOf(title, nameRule.none) {
		return noField
	}
	whole := speaksOf(title, nameRule.any)
	switch {
	case part&firstOf != 0 && (whole || part&alone != 0):
		return fieldFirst
	case part&lastOf != 0 && whole != (part&alone != 0):
		return fieldLast
	}
	return noField
}

// hits reports whether a title satisfies the rule.
func (t titleRule) hits(title []string) bool {
	hit := false
	for _, w := range title {
		if t.none[w] {
			return false
		}
		hit = hit || t.any[w]
	}
	return hit && (t.and == nil || speaksOf(title, t.and))
}

// Words of a number question. It feeds the value when it speaks of money; when it is the only number of a form it is taken for money unless
// it counts or measures something.
var (
	moneyWords = words(`valor orcamento budget investir investimento investment preco price custo reais amount ticket verba quantia montante
		credito lance entrada`)
	priceWords  = words(`value amount price total`)
	feeWords    = words(`tax discount shipping fee refund refunded commission subtotal spent net balance frete desconto taxa juros imposto id type`)
	centWords   = words(`cents centavos`)
	incomeWords = words(`faturamento fatura receita renda salario atualmente atual hoje investe colaboradores revenue income`)
	countWords  = words(`quantos quantas quantidade qtd qtde idade anos ano numero number num nro many age quantity count cpf cnpj cep rg
		telefone celular phone whatsapp metros metragem m2 km quilometros peso altura nota score rating avaliacao pessoas funcionarios
		colaboradores vagas dias dia meses mes horas semanas ddd codigo code zip parcelas filhos quartos dormitorios andar matricula
		protocolo placa hectares area tamanho size percentual porcentagem escala scale nivel vezes unidades pecas litros passageiros
		hospedes convidados alunos employees year years inscricao pedido registro crm oab id`)
)

// speaksOf reports whether one of the words of a title is in a set.
func speaksOf(title []string, set map[string]bool) bool {
	for _, w := range title {
		if set[w] {
			return true
		}
	}
	return false
}

// answerType is the type that a form gives a field.
type answerType uint8

const (
	noType answerType = iota
	emailType
	phoneType
	numberType
	nameType
	textType
	longType
	choiceType
	otherType
)

// typeWords find the type in a product's word for it; the first that fits, so "phone_number" is a phone.
var typeWords = []struct {
	part string
	typ  answerType
}{
	{"email", emailType}, {"phone", phoneType}, {"whatsapp", phoneType}, {"telefone", phoneType}, {"celular", phoneType},
	{"textarea", longType}, {"longtext", longType}, {"longanswer", longType}, {"paragraph", longType}, {"multiline", longType},
	{"multiplechoice", choiceType}, {"choice", choiceType}, {"checkbox", choiceType}, {"dropdown", choiceType}, {"select", choiceType},
	{"radio", choiceType}, {"currency", numberType}, {"money", numberType}, {"number", numberType}, {"numeric", numberType},
	{"fullname", nameType}, {"contactname", nameType}, {"text", textType}, {"shortanswer", textType}, {"string", textType},
}

// typeOf reads a product's word for a type.
func typeOf(s string) answerType {
	if s == "" || len(s) > 40 {
		return noType
	}
	n := nameOf(s)
	switch n {
	case "tel", "controlphone":
		return phoneType
	case "name", "controlfullname", "inputname", "names":
		return nameType
	}
	for _, w := range typeWords {
		if strings.Contains(n, w.part) {
			return w.typ
		}
	}
	return otherType
}
