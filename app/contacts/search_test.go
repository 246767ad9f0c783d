package contacts

import (
	"slices"
	"strings"
	"testing"

	"fichario/domain/catalog"
	"fichario/domain/crm"
)

func TestSearchWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                           {},
		"  JOÃO  da Conceição ":      {"joao", "da", "conceicao"},
		"(11) 98765-4321":            {"11987654321"},
		"+55 11 98765-4321":          {"5511987654321"},
		"011 98765":                  {"1198765"},
		"ana 98765-4321":             {"ana", "987654321"},
		"24-7 serviços":              {"24-7", "servicos"},
		"Web 2.0":                    {"web", "2.0"},
		"007":                        {"007"},
		"(11)":                       {"11"},
		"ana@x.com":                  {"ana@x.com"},
		"%":                          {"%"},
		"00":                         {"00"},
		"a b c d e f g h i j":        {"a", "b", "c", "d", "e", "f", "g", "h"},
		strings.Repeat("é", 300_000): {strings.Repeat("e", 200)},
	} {
		if got := searchWords(text); !slices.Equal(got, want) {
			t.Errorf("searchWords(%.30q) = %.60q, want %.60q", text, got, want)
		}
	}
}

func TestContactForms(t *testing.T) {
	t.Parallel()
	known := crm.Names{"o": {Kind: crm.NamedOrigin, Name: "Site"}}
	before := crm.Contact{
		Name: strings.Repeat("n", 300), Email: "sem arroba", Phone: "x\ny", Amount: 2_0750, Note: "a\r\nb",
	}
	f := ContactForm{
		Name: before.Name, Email: before.Email, Phone: before.Phone, Amount: before.AmountText(), Note: "a\nb",
	}
	after := before
	if err := f.apply(&after, known); err != nil || len(changedFields(before, after)) != 0 {
		t.Errorf("what came from outside and stays as it was: %v, changed %v", err, changedFields(before, after))
	}
	for text, want := range map[string]catalog.Money{
		"": 0, "1.234,56": 1234_5600, "R$ 2.500": 2500_0000, "12": 12_0000, "0,5": 5000,
	} {
		c := crm.Contact{}
		if err := (ContactForm{Name: "a", Email: "a@b", Amount: text}).apply(&c, known); err != nil || c.Amount != want {
			t.Errorf("%q is %d, %v, want %d", text, c.Amount, err, want)
		}
	}
	for amount, want := range map[catalog.Money]string{0: "0,00", 1234_5600: "1234,56", 2_0750: "2,075", 5000: "0,50"} {
		if got := (crm.Contact{Amount: amount}).AmountText(); got != want {
			t.Errorf("AmountText of %d is %q, want %q", amount, got, want)
		}
	}
	c := crm.Contact{}
	if err := (ContactForm{Name: "a", Email: "a@b", OriginID: "other"}).apply(&c, known); err == nil {
		t.Error("an origin of nobody is taken")
	}
}
