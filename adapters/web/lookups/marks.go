package lookups

import (
	"encoding/json"
	"strings"
	"time"

	"fichario/adapters/web"
	"fichario/domain/catalog"
	"fichario/domain/text"
)

// mark is something in an answer that must not be overlooked. Bad ones are worse than those that only deserve a look.
type mark struct {
	Bad         bool
	Text, Means string
}

// standings are irregular statuses of a person or company at the tax authority, by a word in them, without accents.
var standings = []struct {
	word string
	mark
}{
	{"falecid", mark{true, "", "A Receita registra que a pessoa faleceu. Não contrate nem cobre em nome dela."}},
	{"pendente", mark{false, "", "Falta alguma declaração à Receita. O cadastro vale, mas a pessoa deve regularizá-lo."}},
	{"suspens", mark{true, "", "O cadastro está incompleto ou sob análise da Receita."}},
	{"cancelad", mark{true, "", "O cadastro foi cancelado. Confira com a pessoa antes de contratar."}},
	{"inapt", mark{true, "", "A empresa deixou de entregar declarações, e os documentos fiscais dela podem não valer."}},
	{"baixad", mark{true, "", "A empresa foi encerrada."}},
	{"nul", mark{true, "", "A Receita anulou a inscrição, por fraude ou por erro."}},
}

// marksOf returns the marks of an answer's named fields, the worst first.
func marksOf(p catalog.Product, values map[string]any) []mark {
	var bad, others []mark
	add := func(m mark) {
		if m.Bad {
			bad = append(bad, m)
			return
		}
		others = append(others, m)
	}
	if dead, _ := values["obito"].(bool); dead {
		said := "Há registro de óbito"
		if day, err := time.Parse(time.DateOnly, plainText(values["obitoEm"])); err == nil {
			said += ", de " + day.Format("02/01/2006")
		}
		add(mark{true, said, "Não contrate nem cobre em nome desta pessoa."})
	}
	for _, name := range []string{"situacaoCadastral", "situacao"} {
		if f, ok := p.Field(name); ok && f.Kind == catalog.String {
			if m := standing(plainText(values[name])); m.Text != "" {
				add(m)
			}
		}
	}
	if n, _ := values["quantidade"].(json.Number); p.ID == "protestos" && positive(n) {
		said := decimal(n.String(), 0) + " protestos"
		if n.String() == "1" {
			said = "1 protesto"
		}
		if sum, _ := values["valorTotal"].(json.Number); positive(sum) {
			said += ", " + number(catalog.Reais, sum.String())
		}
		add(mark{true, said, "Dívidas que foram a cartório e não foram pagas nem canceladas."})
	}
	if list := restrictions(values["restricoes"]); len(list) > 0 {
		add(mark{true, "Com restrição: " + web.Shorten(cellText, strings.Join(list, ", ")),
			"O veículo pode não ser transferido, ou não servir de garantia, enquanto ela durar."})
	}
	return append(bad, others...)
}

// standing is the mark of a status at the tax authority; the zero value for a regular or absent one.
func standing(status string) mark {
	plain := text.Fold(status)
	if plain == "" || strings.HasPrefix(plain, "regular") || strings.HasPrefix(plain, "ativ") {
		return mark{}
	}
	for _, known := range standings {
		if strings.Contains(plain, known.word) {
			known.Text = "Situação: " + web.Shorten(labelText, strings.TrimSpace(status))
			return known.mark
		}
	}
	return mark{false, "Situação: " + web.Shorten(labelText, strings.TrimSpace(status)),
		"A situação na Receita não é regular. Confira antes de contratar."}
}

// restrictions are a vehicle's restrictions, without the phrases for having none.
func restrictions(v any) (out []string) {
	list, _ := v.([]any)
	for _, one := range list {
		switch said, plain := strings.TrimSpace(plainText(one)), text.Fold(plainText(one)); {
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
