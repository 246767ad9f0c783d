package lookups

import (
	"strings"
	"testing"

	"fichario/adapters/web"
	"fichario/domain/catalog"
)

// TestASheetWarnsOfWhatOneMustNotOverlook: the warnings are at the top, and explain themselves.
func TestASheetWarnsOfWhatOneMustNotOverlook(t *testing.T) {
	t.Parallel()
	for answer, c := range map[string]struct{ product, want string }{
		`{"obito":true,"obitoEm":"2025-03-01"}`:                 {"obito", "Há registro de óbito, de 01/03/2025"},
		`{"obito":true}`:                                        {"obito", "Há registro de óbito"},
		`{"obito":false}`:                                       {"obito", ""},
		`{"obito":null}`:                                        {"obito", ""},
		`{"situacaoCadastral":"REGULAR"}`:                       {"cpf", ""},
		`{"situacaoCadastral":"Pendente de Regularização"}`:     {"cpf", "(Situação: Pendente de Regularização)"},
		`{"situacaoCadastral":"TITULAR FALECIDO"}`:              {"cpf", "Situação: TITULAR FALECIDO"},
		`{"situacaoCadastral":null}`:                            {"cpf", ""},
		`{"situacaoCadastral":"ATIVA"}`:                         {"cnpj", ""},
		`{"situacaoCadastral":"Inapta"}`:                        {"cnpj", "Situação: Inapta"},
		`{"situacao":"BAIXADA"}`:                                {"situacao_cadastral", "Situação: BAIXADA"},
		`{"situacao":"em análise"}`:                             {"situacao_cadastral", "(Situação: em análise)"},
		`{"quantidade":0,"valorTotal":0}`:                       {"protestos", ""},
		`{"quantidade":1}`:                                      {"protestos", "1 protesto"},
		`{"quantidade":12,"valorTotal":1234.5}`:                 {"protestos", "12 protestos, R$\u00a01.234,50"},
		`{"restricoes":["SEM RESTRIÇÃO"]}`:                      {"veiculo", ""},
		`{"restricoes":[]}`:                                     {"veiculo", ""},
		`{"restricoes":["Nada consta","ROUBO/FURTO","Alien."]}`: {"veiculo", "Com restrição: ROUBO/FURTO, Alien."},
	} {
		p, _ := catalog.Standard().Find(c.product)
		var got []string
		for _, m := range warningsOf(p, catalog.Values([]byte(answer))) {
			if m.Means == "" {
				t.Errorf("%s: a warning without a meaning", answer)
			}
			if !m.Bad {
				m.Text = "(" + m.Text + ")"
			}
			got = append(got, m.Text)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, want %q", answer, got, c.want)
		}
	}
}

// TestAScoreIsAPlaceOnAScale: whether it is good is for the bureau to say; numbers off the scale are plain.
func TestAScoreIsAPlaceOnAScale(t *testing.T) {
	t.Parallel()
	p, _ := catalog.Standard().Find(catalog.ScoreID)
	score, _ := p.Field("score")
	for answer, want := range map[string]string{
		"0": "score 0  0%", "301": "score 301  30%", "700.5": "score 700,5  70%", "1000": "score 1.000  100%",
		"1001": "text 1.001  0%", "-1": "text -1  0%",
	} {
		c := (&drawing{left: 100}).cell(score, catalog.Values([]byte(`{"v":` + answer + "}"))["v"])
		if got := strings.Join([]string{c.Kind, c.Text, c.Note, web.Count(c.Percent) + "%"}, " "); got != want {
			t.Errorf("%s: %q, want %q", answer, got, want)
		}
	}
}
