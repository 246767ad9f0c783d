package catalog

import (
	"encoding/json"
	"strings"
	"time"

	"fichario/domain/text"
)

// Warning is something in an answer that must not be overlooked, in Portuguese.
type Warning struct {
	// Field is the name of the field that says it.
	Field string
	// Bad ones are worse than those that only deserve a look.
	Bad bool
	// Text is what there is, Said the bureau's own words for it where there are any, at any length, and Means what it
	// means for whoever reads it.
	Text, Said, Means string
}

// standings are what irregular statuses of a person or company at the tax authority mean, by a word in them, without
// accents.
var standings = []struct {
	word  string
	bad   bool
	means string
}{
	{"falecid", true, "A Receita registra que a pessoa faleceu. Não contrate nem cobre em nome dela."},
	{"pendente", false, "Falta alguma declaração à Receita. O cadastro vale, mas a pessoa deve regularizá-lo."},
	{"suspens", true, "O cadastro está incompleto ou sob análise da Receita."},
	{"cancelad", true, "O cadastro foi cancelado. Confira com a pessoa antes de contratar."},
	{"inapt", true, "A empresa deixou de entregar declarações, e os documentos fiscais dela podem não valer."},
	{"baixad", true, "A empresa foi encerrada."},
	{"nul", true, "A Receita anulou a inscrição, por fraude ou por erro."},
}

// Warnings returns the warnings of an answer's named fields, as Values reads them, the worst first.
func (p Product) Warnings(values map[string]any) []Warning {
	var bad, others []Warning
	for _, name := range []string{"obito", "situacaoCadastral", "situacao", "quantidade", "restricoes"} {
		w, ok := p.warning(name, values)
		w.Field = name
		switch {
		case ok && w.Bad:
			bad = append(bad, w)
		case ok:
			others = append(others, w)
		}
	}
	return append(bad, others...)
}

// warning returns the warning that one field gives.
func (p Product) warning(name string, values map[string]any) (Warning, bool) {
	switch v := values[name]; name {
	case "obito":
		dead, _ := v.(bool)
		return Warning{
			Bad: true, Text: deathOf(values["obitoEm"]), Means: "Não contrate nem cobre em nome desta pessoa.",
		}, dead
	case "situacaoCadastral", "situacao":
		f, _ := p.Field(name)
		return standing(strings.TrimSpace(Plain(v)), f.Kind == String)
	case "quantidade":
		n, _ := v.(json.Number)
		return Warning{
			Bad: true, Text: protested(n, values["valorTotal"]),
			Means: "Dívidas que foram a cartório e não foram pagas nem canceladas.",
		}, p.ID == "protestos" && positive(n)
	default:
		list := restrictions(v)
		return Warning{
			Bad: true, Text: "Com restrição", Said: strings.Join(list, ", "),
			Means: "O veículo pode não ser transferido, ou não servir de garantia, enquanto ela durar.",
		}, len(list) > 0
	}
}

func deathOf(day any) string {
	said := "Há registro de óbito"
	if t, err := time.Parse(time.DateOnly, Plain(day)); err == nil {
		said += ", de " + t.Format("02/01/2006")
	}
	return said
}

// standing is the warning of a status at the tax authority, if the field is one; none for a regular or absent one.
func standing(status string, is bool) (Warning, bool) {
	plain := text.Fold(status)
	if !is || plain == "" || strings.HasPrefix(plain, "regular") || strings.HasPrefix(plain, "ativ") {
		return Warning{}, false
	}
	w := Warning{Text: "Situação", Said: status, Means: "A situação na Receita não é regular. Confira antes de contratar."}
	for _, s := range standings {
		if strings.Contains(plain, s.word) {
			w.Bad, w.Means = s.bad, s.means
			break
		}
	}
	return w, true
}

func protested(n json.Number, sum any) string {
	said := Format("").Number(n.String()) + " protestos"
	if n.String() == "1" {
		said = "1 protesto"
	}
	if sum, _ := sum.(json.Number); positive(sum) {
		said += ", " + Reais.Number(sum.String())
	}
	return said
}

// restrictions are a vehicle's restrictions, without the phrases for having none.
func restrictions(v any) (out []string) {
	list, _ := v.([]any)
	for _, one := range list {
		switch said, plain := strings.TrimSpace(Plain(one)), text.Fold(Plain(one)); {
		case plain == "", strings.HasPrefix(plain, "sem "), strings.HasPrefix(plain, "nada"),
			strings.HasPrefix(plain, "nenhum"), strings.HasPrefix(plain, "nao "):
		default:
			out = append(out, said)
		}
	}
	return out
}

func positive(n json.Number) bool {
	f, err := n.Float64()
	return err == nil && f > 0
}
