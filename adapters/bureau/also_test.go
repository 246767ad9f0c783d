package bureau_test

import (
	"fmt"
	"strings"
	"testing"

	"fichario/adapters/bureau"
)

// together is a bureau file in which an answer about a person says more; %s stands for the base URL, and for what a
// person's answer also is.
const together = `name: teste
base_url: %s
products:
  cpf:
    price: "0.45"
    inputs: { nascimento: { type: date, required: true } }
    also: [%s]
    request: { method: GET, path: "/pessoas/{documento}" }
    fields: { nome: .nome, sexo: .sexo }
  situacao_cadastral:
    price: "0.15"
    inputs: { nascimento: { type: date, required: true } }
    request: { method: GET, path: "/situacao/{documento}" }
    found: .situacao != null
    fields: { nome: .nome, situacao: .situacao }
  obito: { price: "1", request: { path: "/o/{documento}" }, found: .obito, fields: { obito: .obito } }
  cnpj: { price: "1", request: { path: "/e/{documento}" }, fields: { razaoSocial: .nome } }
  score: { price: "1", inputs: { uf: { type: state, required: true } }, request: { path: "/s/{documento}" }, fields: { score: .s } }
`

// TestAnAnswerSaysMore: what it says of other products is read by their own rules; what they cannot read is left out.
func TestAnAnswerSaysMore(t *testing.T) {
	t.Parallel()
	url, calls := serve(t, body(200, `{"nome":"Ana","situacao":"REGULAR"}`))
	c := client(t, fmt.Sprintf(together, url, "situacao_cadastral, obito"))
	q := question(t, c, "cpf", cpf)
	q.Inputs = map[string]string{"nascimento": "1980-02-29"}
	answer, err := c.Ask(t.Context(), q)
	if err != nil || len(answer.Also) != 1 || calls.Load() != 1 {
		t.Fatalf("%d parts in %d calls, %v", len(answer.Also), calls.Load(), err)
	}
	part := answer.Also[0]
	if part.Product != "situacao_cadastral" || !part.Found || !strings.Contains(string(part.Fields), `"situacao":"REGULAR"`) {
		t.Errorf("%+v", part)
	}
	trial, err := c.Examine(t.Context(), q, []byte(`{"nome":"Ana","situacao":null,"mais":1}`))
	if err != nil || len(trial.Also) != 1 || trial.Also[0].Found || strings.Join(trial.Unread, " ") != ".mais" {
		t.Errorf("%+v, %v", trial, err)
	}
}

// TestFaultsOfAlso are each named with their place.
func TestFaultsOfAlso(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"renda": "is no product of this file", "cpf": "is the product itself", "cnpj": "does not take a cpf",
		"obito, obito": "is repeated", "score": "needs the input uf",
	} {
		_, err := bureau.Parse("f", fmt.Appendf(nil, together, "https://x.example", list), noEnv)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "products.cpf.also") {
			t.Errorf("%s: %v, want %s", list, err, want)
		}
	}
}
