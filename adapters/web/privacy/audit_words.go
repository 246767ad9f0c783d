package privacy

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"fichario/adapters/web"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
)

// detailWords are the names in details that people would not read as they are stored.
var detailWords = map[string]string{
	"acao": "o que faz", "agradecimento": "página de agradecimento", "ativo": "tem acesso", "base": "base legal",
	"busca": "com busca", "campo_email": "campo do e-mail", "cabecalhos": "cabeçalhos", "codigo": "código", "compartilha": "histórico vale entre finalidades",
	"condicao": "condição", "deixados": "de fora", "email": "e-mail", "encerradaEm": "encerrada em", "endereco": "endereço",
	"evento": "quando", "execucoes": "execuções", "expiraEm": "expira em", "idade_maxima": "idade máxima em dias",
	"limite": "limite por lote", "metodo": "método", "orcamento": "orçamento por mês", "papeis": "papéis",
	"porDia": "por dia", "porMes": "por mês", "porMinuto": "por minuto", "rodizio": "rodízio",
	"sobreposicao": "a anterior vale por mais", "valor_minimo": "valor mínimo",
}

// actionWords say what an automation does; bulk actions are words already.
var actionWords = map[automation.ActionKind]string{
	automation.Lookup: "consulta os documentos", automation.HTTP: "envia a outro sistema", automation.Email: "manda um e-mail",
	automation.MoveStage: "move para uma etapa", automation.Assign: "muda o responsável", automation.AddNote: "escreve uma nota",
}

// detailSaid is a detail in words: ids by name, codes by what they mean, amounts in reais. What says nothing is left
// out.
func (s pages) detailSaid(detail map[string]string, inDetail func(string) string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(detail)) {
		if value := s.valueSaid(name, detail[name]); value != "" {
			parts = append(parts, cmp.Or(detailWords[name], name)+": "+inDetail(value))
		}
	}
	return strings.Join(parts, "; ")
}

func (s pages) valueSaid(name, value string) string {
	each := func(word func(string) string) string {
		words := strings.Split(value, ", ")
		for i := range words {
			words[i] = word(words[i])
		}
		return strings.Join(words, ", ")
	}
	switch name {
	case "teto", "limite", "orcamento", "valor_minimo":
		if m, err := catalog.ParseNumber(value); err == nil && m != 0 {
			return m.Exact()
		} else if err == nil && name != "orcamento" {
			return ""
		}
	case "evento":
		return web.EventText(automation.EventName(value))
	case "acao":
		return cmp.Or(actionWords[automation.ActionKind(value)], value)
	case "papel", "papeis":
		return each(func(word string) string { return cmp.Or(web.RoleName(crm.Role(word)), word) })
	case "base":
		return cmp.Or(crm.Basis(value).Name(), value)
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
	return value
}
