package catalog_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestChanges: a sheet shows only where two answers differ in content, not in order or form.
func TestChanges(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct{ product, was, is, want string }{
		"nothing":         {"cpf", `{"nome":"Ana"}`, `{"nome":"Ana","nascimento":null}`, ""},
		"a value":         {"cpf", `{"situacaoCadastral":"REGULAR"}`, `{"situacaoCadastral":"SUSPENSA"}`, "situacaoCadastral REGULAR SUSPENSA"},
		"now informed":    {"obito", `{"obito":null}`, `{"obito":true}`, "obito <nil> true"},
		"no longer":       {"cpf", `{"nomeMae":"Rosa"}`, `{"nomeMae":null}`, "nomeMae Rosa <nil>"},
		"a number":        {"score", `{"score":742}`, `{"score":610.5}`, "score 742 610.5"},
		"another order":   {"cpf", `{"emails":["a@x.com","b@x.com"]}`, `{"emails":["b@x.com","a@x.com"]}`, ""},
		"a list":          {"cpf", `{"emails":["a@x.com","b@x.com"]}`, `{"emails":["b@x.com","c@x.com"]}`, "emails -[a@x.com] +[c@x.com]"},
		"the first ones":  {"cpf", `{"emails":null}`, `{"emails":["c@x.com"]}`, "emails -[] +[c@x.com]"},
		"not informed":    {"cpf", `{"emails":["a@x.com"]}`, `{"emails":null}`, "emails [a@x.com] <nil>"},
		"records":         {"cpf", `{"enderecos":[{"cep":"1","uf":"SP"}]}`, `{"enderecos":[{"uf":"SP","cep":"1"},{"cep":"2"}]}`, "enderecos -[] +[map[cep:2]]"},
		"twins, once":     {"cnpj", `{"nome":"A","razaoSocial":"A"}`, `{"nome":"B","razaoSocial":"B"}`, "razaoSocial A B"},
		"what is broken":  {"cpf", `{"nome":`, `{"nome":"Ana"}`, ""},
		"a whole product": {"veiculo", `{"cor":"PRATA","restricoes":["ROUBO"]}`, `{"cor":"PRETA","restricoes":[]}`, "cor PRATA PRETA, restricoes -[ROUBO] +[]"},
	} {
		got := []string{}
		for _, change := range product(t, c.product).Changes([]byte(c.was), []byte(c.is)) {
			if text := fmt.Sprintf("%s -%v +%v", change.Field.Name, change.Gone, change.New); len(change.Gone)+len(change.New) > 0 {
				got = append(got, text)
				continue
			}
			got = append(got, fmt.Sprintf("%s %v %v", change.Field.Name, change.Was, change.Is))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %q, want %q", what, text, c.want)
		}
	}
}
