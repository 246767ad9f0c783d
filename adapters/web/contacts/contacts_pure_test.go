package contacts

import (
	"net/url"
	"testing"
)

func TestContactsPhoneText(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"+5511987654321", "x", "(11) 98765-4321"}, {"+552125550100", "x", "(21) 2555-0100"},
		{"+12125550100", "+1 212 555 0100", "+1 212 555 0100"},
		{"", "ramal 3", "ramal 3"}, {"", "", ""}, {"+55", "y", "y"},
	} {
		if got := phoneText(c[0], c[1]); got != c[2] {
			t.Errorf("phoneText(%q, %q) = %q, want %q", c[0], c[1], got, c[2])
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
		all := columnsOf(query, order)
		if got := [3]string{all[0].Sort, all[4].Sort, all[6].Sort}; got != want {
			t.Errorf("%q: %v, want %v", order, got, want)
		}
		if order == "nome" && all[0].Address != "/contatos?ordem=nome-z&q=ana" ||
			order != "nome" && all[0].Address != "/contatos?ordem=nome&q=ana" {
			t.Errorf("%q: the name's head leads to %s", order, all[0].Address)
		}
	}
}
