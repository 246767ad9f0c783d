package automations

import (
	"slices"
	"strconv"
	"strings"

	"fichario/adapters/web"
	"fichario/app/automations"
	"fichario/app/lookups"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
)

// eventWords are the names, for people, of the fields of events that are fields of nothing else: web.ContactWords has
// those of a contact, the catalog those of an answer, and crm.Attribute those of an attribution.
var eventWords = map[string]string{
	"id": "Identificador", "telefoneE164": "Telefone com o código do país", "responsavelEmail": "E-mail do responsável",
	"webhook": "Webhook", "fonte": "De onde veio: webhook ou manual", "atribuicao": "Campanha e página",
	"respostas": "Respostas do formulário", "criadoEm": "Data de chegada", "alterados": "O que mudou",
	"responsavelAnterior": "Responsável anterior", "etapaAnterior": "Etapa anterior",
	"consultaId": "Identificador da consulta", "produto": "Produto", "documento": "Documento", "cache": "Veio do histórico",
	"valorCobrado": "Valor cobrado", "consultadoEm": "Data da resposta", "finalidade": "Finalidade",
	"automacao": "Automação que consultou", "bureau": "Bureau", "campos": "Resposta", "contato": "Contato",
	"situacao": "Situação", "teto": "Teto de gasto", "confirmadoEm": "Data da confirmação", "terminadoEm": "Data do fim",
	"itens.total": "Itens", "itens.validos": "Itens válidos", "itens.repetidos": "Itens repetidos",
	"itens.invalidos": "Itens inválidos", "progresso.feitos": "Itens feitos", "progresso.cobrados": "Itens cobrados",
	"progresso.gratis": "Itens sem custo", "progresso.falhas": "Itens com falha", "progresso.gasto": "Gasto",
	"chave": "Chave", "chave.id": "Identificador da chave", "chave.nome": "Nome da chave",
	"chave.prefixo": "Começo da chave", "periodo": "Período", "percentual": "Percentual do limite", "limite": "Limite",
	"cobradas": "Consultas cobradas", "codigo": "Código do erro", "mensagem": "Mensagem do erro",
}

// labelOf is what people call a field of an event.
func labelOf(path string, products []lookups.Offer) string {
	if rest, ok := strings.CutPrefix(path, "contato."); ok {
		return labelOf(rest, nil) + ", do contato"
	}
	if key, ok := strings.CutPrefix(path, "atribuicao."); ok {
		return crm.Attribute{Key: plainName(key)}.Title()
	}
	if question, ok := strings.CutPrefix(path, "respostas."); ok {
		return plainName(question)
	}
	if rest, ok := strings.CutPrefix(path, "campos."); ok {
		for _, offer := range products {
			if f, ok := fieldAt(offer.Product.Fields, rest); ok {
				return f.Called()
			}
		}
	}
	if word := eventWords[path]; word != "" {
		return word
	}
	if word := web.ContactWords[path]; word != "" {
		return word
	}
	return catalog.Field{Name: plainName(path[strings.LastIndexByte(path, '.')+1:])}.Called()
}

// line is an automation as pages show it, with what its condition needs to be said in words.
type line struct {
	automations.View
	products []lookups.Offer
	product  func(id string) string
}

func (s pages) lines(c *web.Call, all ...automations.View) []line {
	products, out := s.Terms.Offers(c.By), make([]line, len(all))
	for i, a := range all {
		out[i] = line{a, products, s.ProductName}
	}
	return out
}

// Words say the condition as the form's rows do; empty where only jq can.
func (l line) Words() string {
	rows, ok := automation.RowsOf(l.Conditions.When)
	if !ok {
		return ""
	}
	words := make([]string, len(rows))
	for i, row := range rows {
		is := slices.IndexFunc(comparisons, func(one comparison) bool { return one.Is == row.Is })
		words[i] = labelOf(row.Field, l.products) + " " + comparisons[is].Text
		if row.Is != automation.Exists {
			words[i] += " " + l.valueWords(row)
		}
	}
	return strings.Join(words, " e ")
}

// valueWords is the value of a row as people say it.
func (l line) valueWords(row automation.Row) string {
	switch row.Value {
	case "":
		return "vazio"
	case "true":
		return "sim"
	case "false":
		return "não"
	}
	if row.Field == "produto" {
		return l.product(row.Value)
	}
	return row.Value
}

// fieldAt is the named field of an answer at a path.
func fieldAt(fields []catalog.Field, path string) (catalog.Field, bool) {
	name, rest, deeper := strings.Cut(path, ".")
	i := slices.IndexFunc(fields, func(f catalog.Field) bool { return f.Name == name })
	if i < 0 {
		return catalog.Field{}, false
	}
	if !deeper {
		return fields[i], true
	}
	return fieldAt(fields[i].Fields, rest)
}

// plainName is a part of a field without its quotes.
func plainName(name string) string {
	if plain, err := strconv.Unquote(name); err == nil {
		return plain
	}
	return name
}

// answerFields are the plain fields that the answers of products have, whether or not one was looked up yet.
func answerFields(event automation.EventName, products []lookups.Offer) (out []eventField) {
	if event != automation.LookupCompleted {
		return nil
	}
	for _, offer := range products {
		for _, f := range offer.Product.Fields {
			if f.Kind != catalog.List && f.Kind != catalog.Object {
				out = append(out, eventField{Path: "campos." + fieldName(f.Name), Kind: f.Kind})
			}
		}
	}
	return out
}
