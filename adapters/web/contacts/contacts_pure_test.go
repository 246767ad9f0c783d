package contacts

import (
	"net/url"
	"strings"
	"testing"

	"fichario/adapters/web"
)

func TestContactsPhoneText(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"+5511987654321", "x", "(11) 98765-4321"}, {"+552125550100", "x", "(21) 2555-0100"},
		{"+12125550100", "+1 212 555 0100", "+1 212 555 0100"},
		{"", "ramal 3", "ramal 3"}, {"", "", ""}, {"+55", "y", "y"},
	} {
		if got := web.PhoneText(c[0], c[1]); got != c[2] {
			t.Errorf("PhoneText(%q, %q) = %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func TestContactsShortName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"": "", "Ana": "Ana", "Marina Tavares": "Marina T.", "Ana de Ávila": "Ana Á.",
	} {
		if got := shortName(name); got != want {
			t.Errorf("shortName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestContactsColumns(t *testing.T) {
	t.Parallel()
	query := url.Values{"q": {"ana"}, "ordem": {"nome"}}
	for order, want := range map[string][3]string{ // aria-sort of name, value and arrival
		"": {"", "", "descending"}, "antigos": {"", "", "ascending"}, "nome": {"ascending", "", ""},
		"nome-z": {"descending", "", ""},
		"valor":  {"", "descending", ""}, "valor-crescente": {"", "ascending", ""}, "outra": {"", "", "descending"},
	} {
		name, shown, sorting := columnsOf(query, order, "")
		if got := [3]string{name.Sort, sorting[1].Sort, sorting[2].Sort}; got != want || len(shown) != 7 {
			t.Errorf("%q: %v, want %v, in %d columns", order, got, want, len(shown))
		}
		if order == "nome" && name.Address != "/contatos?ordem=nome-z&q=ana" ||
			order != "nome" && name.Address != "/contatos?ordem=nome&q=ana" {
			t.Errorf("%q: the name's head leads to %s", order, name.Address)
		}
	}
}

// TestChosenColumns: those that a member keeps, in their order; what is no column is nothing, and none are the usual.
func TestChosenColumns(t *testing.T) {
	t.Parallel()
	usual := "telefone empresa etapa origem valor responsavel chegou"
	for kept, want := range map[string]string{
		"":                      usual,
		"x y":                   usual,
		"email telefone":        "email telefone",
		"chegou valor nome etc": "telefone, on a phone only; chegou valor",
		"email email etapa":     "telefone, on a phone only; email etapa",
	} {
		_, shown, _ := columnsOf(nil, "", kept)
		var got []string
		for _, col := range shown {
			key := col.Key
			if strings.Contains(col.Class, "only-n") {
				key += ", on a phone only;"
			}
			got = append(got, key)
		}
		// The number to call follows the chosen ones, and is the first on a phone by its style.
		if words := strings.Fields(want); strings.Contains(want, "only;") {
			want = strings.Join(words[5:], " ") + " " + strings.Join(words[:5], " ")
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", kept, strings.Join(got, " "), want)
		}
	}
}
