package privacy

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"fichario/adapters/web"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/intake"
	"fichario/domain/webhook"
)

// detailWords are the names in details that people would not read as they are stored.
var detailWords = map[string]string{ //nolint:gosec // words, no secrets
	"acao": "o que faz", "agradecimento": "página de agradecimento", "ativo": "tem acesso", "base": "base legal",
	"busca": "com busca", "campo_email": "campo do e-mail", "cabecalhos": "cabeçalhos", "codigo": "código", "compartilha": "histórico vale entre finalidades",
	"deixados": "de fora", "email": "e-mail", "encerradaEm": "encerrada em", "endereco": "endereço", "escopos": "pode consultar",
	"evento": "quando", "execucoes": "execuções", "expiraEm": "expira em", "faixa": "faixas de valor", "idade_maxima": "idade máxima em dias",
	"limite": "limite por lote", "metodo": "método", "orcamento": "orçamento por mês", "pagina": "página",
	"papeis": "papéis", "prefixo": "começa por",
	"porDia": "por dia", "porMes": "por mês", "porMinuto": "por minuto", "rodizio": "rodízio",
	"sobreposicao": "a anterior vale por mais", "token_de_verificacao": "token de verificação",
	"valor_minimo": "valor mínimo",
}

// codeWords are the codes in details, by the names of those. What bulk actions do are words already.
var codeWords = map[string]map[string]string{
	"acao": {
		string(automation.Lookup): "consulta os documentos", string(automation.HTTP): "envia a outro sistema",
		string(automation.Email): "manda um e-mail", string(automation.MoveStage): "move para uma etapa",
		string(automation.Assign): "muda o responsável", string(automation.AddNote): "escreve uma nota",
	},
	"assinatura": {
		string(webhook.TypeformScheme): "Typeform", string(webhook.TallyScheme): "Tally",
		string(webhook.StandardScheme): "Standard Webhooks", string(webhook.HMACScheme): "HMAC-SHA256",
		string(webhook.GoogleScheme): "chave do Google Ads",
	},
	"compartilha": {"true": "sim", "false": "não"},
	"faixa":       web.BandNames,
	"para":        {automation.ToContact: "o contato", automation.ToAssignee: "o responsável"},
	"tipo": {
		string(intake.Generic): "genérico", string(intake.FormService): "formulário", string(intake.Meta): "Meta",
		string(intake.LinkedIn): "LinkedIn",
	},
}

// outcomeWords are the outcomes of stages, as they stand behind the stages' names.
var outcomeWords = map[string]string{
	" (" + string(crm.Open) + ")": "", " (" + string(crm.Won) + ")": " (ganho)", " (" + string(crm.Lost) + ")": " (perdido)",
}

// arrow stands between what was and what is (app.Differing), nothing for what there was not or is no longer.
const arrow, nothing = " → ", "nada"

// said is what the organisation and its automations call what stands in details as a code.
type said struct {
	inDetail     func(string) string
	purposes     map[string]string
	destinations []automation.Destination
	// ofAutomation says that the line is about an automation, where "base" is the code of a purpose.
	ofAutomation bool
}

// destination is the one in a detail; without fields where there is none, or no longer.
func (w said) destination(name string) automation.Destination {
	for _, d := range w.destinations {
		if d.Name == name {
			return d
		}
	}
	return automation.Destination{Title: name}
}

// called are the titles of a destination's fields, by their names. A line about a change need not name the destination:
// there a field is called what all destinations call it that have one of that name, if they agree.
func (w said) called(destination, fields string) string {
	if _, is, changed := strings.Cut(destination, arrow); changed {
		destination = is
	}
	of := w.destinations
	if destination != "" {
		of = []automation.Destination{w.destination(destination)}
	}
	return eachSaid(fields, func(name string) string {
		titles := map[string]bool{}
		for _, d := range of {
			for _, f := range d.Fields {
				if f.Name == name {
					titles[f.Title] = true
				}
			}
		}
		for title := range titles {
			if len(titles) == 1 {
				return title
			}
		}
		return name
	})
}

// value is a value that the organisation has a name for; false for any other.
func (w said) value(name, value string) (string, bool) {
	switch name {
	case "base":
		if basis := crm.Basis(value); basis.Valid() && !w.ofAutomation {
			return basis.Name(), true
		}
		return cmp.Or(w.purposes[value], value), true
	case "finalidade", "finalidades":
		return eachSaid(value, func(word string) string { return cmp.Or(w.purposes[word], word) }), true
	case "destino":
		return w.destination(value).Title, true
	case "membros":
		return eachSaid(value, weightSaid), true
	}
	return "", false
}

// eachSaid says each of several values.
func eachSaid(value string, word func(string) string) string {
	words := strings.Split(value, ", ")
	for i := range words {
		words[i] = word(words[i])
	}
	return strings.Join(words, ", ")
}

// expression is the name of a condition in jq.
const expression = "condicao"

// detailSaid is a detail in words: ids by name, codes by what they mean, amounts in reais. What says nothing is left
// out, and so is an expression.
func (s pages) detailSaid(detail map[string]string, words said) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(detail)) {
		if name == expression || name == "pagina" && detail["nome"] != "" { // a number, beside what it is called
			continue
		}
		halves := strings.Split(detail[name], arrow)
		for i, half := range halves {
			if name == "preenchido" {
				half = words.called(detail["destino"], half)
			}
			if halves[i] = s.valueSaid(name, half, words); halves[i] == "" && len(halves) > 1 {
				halves[i] = nothing
			}
		}
		if value := strings.Join(halves, arrow); value != "" {
			parts = append(parts, cmp.Or(detailWords[name], name)+": "+words.inDetail(value))
		}
	}
	return strings.Join(parts, "; ")
}

func (s pages) valueSaid(name, value string, words said) string {
	if called, ok := words.value(name, value); ok {
		return called
	}
	each := func(word func(string) string) string { return eachSaid(value, word) }
	switch name {
	case "teto", "limite", "orcamento", "valor_minimo":
		if m, err := catalog.ParseNumber(value); err == nil && (m != 0 || name == "orcamento") {
			return m.Exact()
		} else if err == nil {
			return ""
		}
	case "porMinuto", "porDia", "porMes", "contatos", "execucoes", "linhas", "marcados":
		return counted(value)
	case "documento":
		return punctuated(value)
	case "evento":
		return web.EventText(automation.EventName(value))
	case "etapas":
		return each(outcomeSaid)
	case "papel", "papeis":
		return each(func(word string) string { return cmp.Or(web.RoleName(crm.Role(word)), word) })
	case "escopos":
		return each(func(word string) string { return cmp.Or(document.Type(word).Label(), word) })
	case "produto", "produtos":
		return each(s.ProductName)
	case "expiraEm", "encerradaEm", "até":
		if t, err := time.Parse(time.RFC3339, value); err == nil {
			return s.Datetime(t)
		}
	case "sobreposicao":
		if d, err := time.ParseDuration(value); err == nil {
			return web.Plural(int(d.Hours()), "hora", "horas")
		}
	}
	return cmp.Or(codeWords[name][value], value)
}

// weightSaid is a member of a rotation, with the weight where it is not the usual one.
func weightSaid(member string) string {
	id, weight, _ := strings.Cut(member, "=")
	if weight == "" || weight == "1" {
		return id
	}
	return id + " (peso " + weight + ")"
}

// counted is a number with its groups; anything else is itself.
func counted(value string) string {
	if _, err := strconv.Atoi(value); err != nil {
		return value
	}
	return web.Count(value)
}

// punctuated writes a document as people do, whichever it is.
func punctuated(value string) string {
	for _, t := range document.Types() {
		if d, err := document.Parse(t, value); err == nil {
			return d.Punctuated()
		}
	}
	return value
}

// outcomeSaid is a stage with its outcome in words; open ones have none.
func outcomeSaid(stage string) string {
	for code, words := range outcomeWords {
		if name, ok := strings.CutSuffix(stage, code); ok {
			return name + words
		}
	}
	return stage
}
