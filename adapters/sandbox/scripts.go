package sandbox

import (
	"slices"
	"strconv"

	"fichario/domain/document"
)

// Effect is what a scripted document makes the sandbox do.
type Effect string

// The effects.
const (
	// Ordinary is a complete answer, as for any document that is not scripted.
	Ordinary Effect = "ordinary"
	// Nulls is an answer without any data.
	Nulls Effect = "nulls"
	// Deceased is a person with a death record.
	Deceased Effect = "deceased"
	// Irregular is a CPF or CNPJ with an irregular status at the tax authority.
	Irregular Effect = "irregular"
	// NotFound is a 404 with a JSON body.
	NotFound Effect = "not_found"
	// NotFoundEmpty is a 404 without a body.
	NotFoundEmpty Effect = "not_found_empty"
	// Slow is a complete answer after SlowDelay.
	Slow Effect = "slow"
	// Timeout never answers.
	Timeout Effect = "timeout"
	// Error is a status 500.
	Error Effect = "error"
	// NotJSON is a page of HTML with status 200.
	NotJSON Effect = "not_json"
	// Reset breaks the connection after reading the request.
	Reset Effect = "reset"
	// WhatsAppYes, WhatsAppNo and WhatsAppUnknown are the three values of a phone.
	WhatsAppYes     Effect = "whatsapp_yes"
	WhatsAppNo      Effect = "whatsapp_no"
	WhatsAppUnknown Effect = "whatsapp_unknown"
	// Single has an object where other answers have a list.
	Single Effect = "single"
	// NoPartners is a company without partners.
	NoPartners Effect = "no_partners"
	// Gaps is an answer without what costs most to know: contacts, parents and the score.
	Gaps Effect = "gaps"
	// TooMany is a status 429, which Cheap does not charge for.
	TooMany Effect = "too_many"
	// NoCredit is a status 402, by which Cheap says that no credit is left.
	NoCredit Effect = "no_credit"
)

// Script is a document with a special effect, for the documentation.
type Script struct {
	Type document.Type
	// Document is the document without punctuation, valid in the API.
	Document string
	// What describes the effect in Portuguese.
	What   string
	Effect Effect
	// Only is the bureau that does so, for which this document is no ordinary one; empty for those that are not Complete.
	Only string
}

// English describes the effect in English.
func (s Script) English() string { return english[s.Effect] }

var english = map[Effect]string{
	Ordinary: "Ordinary, with all data", Nulls: "No data at all: every named field is null",
	Deceased: "A person with a death record", Irregular: "Irregular at the tax authority",
	NotFound: "No record: 404 with a JSON body", NotFoundEmpty: "No record: 404 with an empty body",
	Slow: "A complete answer after 2 seconds", Timeout: "Never answers", Error: "Error 500",
	NotJSON: "A page of HTML with status 200", Reset: "The connection is cut after the request",
	WhatsAppYes: "Phones with WhatsApp: true", WhatsAppNo: "Phones without WhatsApp: false",
	WhatsAppUnknown: "WhatsApp not informed: null", Single: "An object where other answers have a list",
	NoPartners: "A company without partners", Gaps: "Only sandbox-barato: no contacts, parents or score",
	TooMany:  "Only sandbox-barato: 429, which is free, and to be asked again after a second",
	NoCredit: "Only sandbox-barato: 402, no credit left: it is out until somebody calls it back",
}

// both are the effects that CPFs and CNPJs share, in the order of their numbers.
var both = []struct {
	effect    Effect
	cpf, cnpj string
}{
	{Nulls, "Pessoa sem nenhum dado: todo campo nomeado é null", "Empresa sem nenhum dado: todo campo nomeado é null"},
	{Deceased, "Pessoa com registro de óbito", ""},
	{Irregular, "Situação irregular: CPF suspenso", "Situação irregular: CNPJ inapto"},
	{NotFound, "Sem registro: 404 com corpo JSON", "Sem registro: 404 com corpo JSON"},
	{NotFoundEmpty, "Sem registro: 404 com corpo vazio", "Sem registro: 404 com corpo vazio"},
	{Slow, "Resposta completa depois de 2 segundos", "Resposta completa depois de 2 segundos"},
	{Timeout, "Nunca responde", "Nunca responde"},
	{Error, "Erro 500", "Erro 500"},
	{NotJSON, "Página HTML com status 200", "Página HTML com status 200"},
	{Reset, "Conexão cortada depois do pedido", "Conexão cortada depois do pedido"},
	{WhatsAppYes, "Telefones com WhatsApp: true", "Telefones com WhatsApp: true"},
	{WhatsAppNo, "Telefones sem WhatsApp: false", "Telefones sem WhatsApp: false"},
	{WhatsAppUnknown, "WhatsApp não informado: null", "WhatsApp não informado: null"},
	{Single, "Um objeto onde outras respostas têm uma lista", "Um objeto onde outras respostas têm uma lista"},
	{NoPartners, "", "Empresa sem sócios"},
}

// cheap are the effects of documents that are ordinary at the other bureaus.
var cheap = []struct {
	effect Effect
	what   string
}{
	{Gaps, "Só no sandbox-barato: sem contatos, filiação e score"},
	{TooMany, "Só no sandbox-barato: 429, grátis; perguntar de novo em um segundo"},
	{NoCredit, "Só no sandbox-barato: 402, crédito esgotado; fica fora até alguém o chamar de volta"},
}

var table = makeTable()

// Scripts returns the published documents and their effects, which do not depend on the product.
func Scripts() []Script { return slices.Clone(table) }

func makeTable() []Script {
	list := []Script{{document.CPF, "52998224725", "Pessoa comum, com todos os dados", Ordinary, ""}}
	for i, s := range both {
		if s.cpf != "" {
			list = append(list, Script{document.CPF, cpfOf("9000000" + two(i+1)), s.cpf, s.effect, ""})
		}
	}
	for i, s := range cheap {
		list = append(list, Script{document.CPF, cpfOf("9000000" + two(i+21)), s.what, s.effect, Cheap})
	}
	list = append(list,
		Script{document.CNPJ, "11222333000181", "Empresa comum, com todos os dados", Ordinary, ""},
		Script{document.CNPJ, "12ABC34501DE35", "Empresa comum com CNPJ alfanumérico", Ordinary, ""})
	for i, s := range both {
		if s.cnpj != "" {
			list = append(list, Script{document.CNPJ, cnpjOf("900000" + two(i+1) + "0001"), s.cnpj, s.effect, ""})
		}
	}
	for i, s := range cheap {
		list = append(list, Script{document.CNPJ, cnpjOf("900000" + two(i+21) + "0001"), s.what, s.effect, Cheap})
	}
	return append(list,
		Script{document.Plate, "ABC1D23", "Veículo comum, com todos os dados", Ordinary, ""},
		Script{document.Plate, "NUL0A00", "Veículo sem nenhum dado: todo campo nomeado é null", Nulls, ""},
		Script{document.Plate, "SEM0A00", "Sem registro: 404 com corpo JSON", NotFound, ""},
		Script{document.Plate, "ERR0A00", "Erro 500", Error, ""},
		Script{document.Email, "ana@exemplo.com.br", "E-mail comum, com todos os dados", Ordinary, ""},
		Script{document.Email, "nulo@sandbox.example", "Nenhum dado: todo campo nomeado é null", Nulls, ""},
		Script{document.Email, "sem-registro@sandbox.example", "Sem registro: 404 com corpo JSON", NotFound, ""},
		Script{document.Email, "erro@sandbox.example", "Erro 500", Error, ""},
	)
}

// effectOf returns what a document does at a bureau, and whether all its lists are to have several elements.
func effectOf(name string, d document.Document) (effect Effect, full bool) {
	i := slices.IndexFunc(table, func(s Script) bool {
		return s.Type == d.Type() && s.Document == d.Value() && (s.Only == "" || s.Only == name)
	})
	if i >= 0 {
		effect = table[i].Effect
	}
	switch {
	case name == Complete && effect != Deceased && effect != Irregular && effect != WhatsAppYes && effect != WhatsAppNo:
		return Ordinary, true
	case i >= 0:
		return effect, effect != Single
	case name == Cheap && newDice("gaps|"+d.Value()).n(3) == 0:
		return Gaps, false
	}
	return Ordinary, false
}

func two(n int) string { return string([]byte{'0' + byte(n/10), '0' + byte(n%10)}) }

// cpfOf and cnpjOf add the check digits.
func cpfOf(base string) string {
	for range 2 {
		sum := 0
		for i := range len(base) {
			sum += int(base[i]-'0') * (len(base) + 1 - i)
		}
		base += digit(sum)
	}
	return base
}

func cnpjOf(base string) string {
	for range 2 {
		sum := 0
		for i := range len(base) {
			sum += int(base[i]-'0') * (2 + (len(base)-1-i)%8)
		}
		base += digit(sum)
	}
	return base
}

func digit(sum int) string {
	if r := sum % 11; r >= 2 {
		return strconv.Itoa(11 - r)
	}
	return "0"
}
