package integration

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
)

// TestTheOperatorMovesBureaus: order, out and back change who is asked, without a restart and after it.
func TestTheOperatorMovesBureaus(t *testing.T) {
	t.Parallel()
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		s := lookuptest.StartService(t, env, "sandbox-barato,sandbox-completo")
		key := s.NewKey(1000, 1000, 1000).Key
		const cheap, complete = "0.225", "0.9"
		asked := 0
		costs := func() string { // of a new person each time
			asked++
			return fmt.Sprint(s.CPF(key, lookuptest.CPF(asked)).JSON["valorCobrado"])
		}
		eventually := func(what, price string) {
			t.Helper()
			lookuptest.Eventually(t, what, func() bool { return costs() == price })
		}
		expect(t, "the first of the chain", costs(), cheap)
		s.Command("bureau", "order", "--product", "cpf", "sandbox-completo,sandbox-barato")
		eventually("the new order", complete)
		s.Command("bureau", "order", "--product", "cpf", "--reset")
		eventually("the order of the configuration", cheap)
		s.Command("bureau", "out", "sandbox-barato", "--for", "2h")
		eventually("without the one that is out", complete)
		s.Restart()
		expect(t, "the first question after a restart", costs(), complete)
		states := testkit.JSON[[]map[string]any](t, s.Command("bureau", "list", "--json"))
		expect(t, "states", fmt.Sprintln(states[0]["nome"], states[0]["situacao"], states[1]["nome"], states[1]["situacao"]),
			"sandbox-barato fora sandbox-completo ativo\n")
		expect(t, "figures", states[0]["falhas"] == 0.0 && states[0]["gastoMes"].(float64) > 0 && states[1]["p50"].(float64) > 0 &&
			len(states[0]) == 6, true)
		s.Command("bureau", "back", "sandbox-barato")
		eventually("the one that is back", cheap)

		for _, wrong := range [][]string{
			{"bureau", "order", "--product", "cpf", "agencia"}, {"bureau", "out", "agencia"}, {"bureau", "back", "agencia"},
		} {
			if f := testkit.RunErr(t, s.Env(), wrong...); !strings.Contains(f.Stderr, "sandbox-barato, sandbox-completo") {
				t.Errorf("%v: %s", wrong, f.Stderr)
			}
		}
		f := testkit.RunErr(t, s.Env(), "bureau", "out", "sandbox-completo", "--for", "0s") // not for ever
		expect(t, "no time at all", strings.Contains(f.Stderr, "--for: give a time above zero"), true)
		f = testkit.RunErr(t, s.Env(), "bureau", "order", "--product", "renda")
		expect(t, "the products that there are", strings.Contains(f.Stderr, "cnpj, cpf"), true)
		shown := testkit.JSON[map[string]any](t, s.Command("bureau", "order", "--product", "cpf", "--json"))
		expect(t, "the order", fmt.Sprint(shown["ordem"], shown["alterada"]), "[sandbox-barato sandbox-completo] false")
	})
}

// TestTheDoctorNamesABureauThatChargesMore than the price in its file, and how often.
func TestTheDoctorNamesABureauThatChargesMore(t *testing.T) {
	t.Parallel()
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, func(w http.ResponseWriter, _ *http.Request, document string) {
			price := map[bool]string{true: "0.60", false: "0.45"}[document == lookuptest.CPF(1)]
			_, _ = fmt.Fprintf(w, `{"nome":"Ana","preco":"%s"}`, price)
		})
		file := lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, file, strings.Replace(string(text), `price: "0.45"`, `price: { max: "0.45", from: .body.preco }`, 1))
		s := lookuptest.StartService(t, env, file)
		key := s.NewKey(100, 100, 100).Key
		s.CPF(key, lookuptest.CPF(2))
		s.Command("doctor")
		s.CPF(key, lookuptest.CPF(1))
		s.Get("/api/v1/cpf/"+lookuptest.CPF(1)+"?atualizar=true", key)
		said := testkit.RunErr(t, s.Env(), "doctor")
		if !strings.Contains(said.Stdout, "2 BROKEN    no call is charged above the price") ||
			!strings.Contains(said.Stdout, "teste (2)") || strings.Contains(said.Stdout, "and 1 more") {
			t.Error(said.Stdout)
		}
		if !strings.Contains(said.Stderr, "no fault of the data") {
			t.Error(said.Stderr)
		}
	})
}

// TestSlowBureausAreCompared: with chain.yaml, the shipped bureaus are asked the same, each call is a line, and the
// command says how often they agree and what each cost, within the month's limit.
func TestSlowBureausAreCompared(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		chain := filepath.Join(t.TempDir(), "chain.yaml")
		writeFile(t, chain, `bureaus: { comum: sandbox, barato: sandbox-barato, completo: sandbox-completo }
products:
  cpf: { chain: [barato], compare: { bureau: completo, share: 1, monthly: "2.70" } } # three calls
  cnpj: { chain: [comum], compare: { bureau: barato, share: 1, monthly: "50.00" } }
`)
		s := lookuptest.StartService(t, env, chain)
		expect(t, "nothing yet", s.Command("bureau", "compare", "--json"), "[]\n")
		key := s.NewKey(1000, 1000, 1000).Key
		type compared struct {
			Produto, Primeiro, Segundo string
			Perguntas                  int
			GastoPrimeiro              float64
			GastoSegundo               float64
			Campos                     []map[string]any
		}
		all := func(more ...string) []compared {
			t.Helper()
			return testkit.JSON[[]compared](t, s.Command(append([]string{"bureau", "compare", "--json"}, more...)...))
		}
		gaps := "90000002119" // the cheap one has no contacts of this person
		for n := range 3 {
			s.Hide(lookuptest.CPF(n))
			document := []string{gaps, lookuptest.CPF(0), lookuptest.CPF(1)}[n]
			expect(t, "what the client pays", fmt.Sprint(s.CPF(key, document).JSON["valorCobrado"]), "0.225")
			lookuptest.Eventually(t, "it is compared", func() bool {
				is := all("--product", "cpf")
				return len(is) == 1 && is[0].Perguntas == n+1
			})
		}
		s.CPF(key, lookuptest.CPF(2)) // beyond the limit
		s.CPF(key, gaps)              // from history
		s.Get("/api/v1/cnpj/11222333000181", key)
		lookuptest.Eventually(t, "the company is compared", func() bool { return len(all()) == 2 })
		is := all()[1]
		expect(t, "the bureaus", fmt.Sprintln(is.Produto, is.Primeiro, is.Segundo, is.Perguntas, is.GastoPrimeiro, is.GastoSegundo),
			"cpf sandbox-barato sandbox-completo 3 0.675 2.7\n")
		fields := map[string]map[string]any{}
		for _, f := range is.Campos {
			fields[fmt.Sprint(f["campo"])] = f
			sum := 0.0
			for _, count := range []string{"iguais", "diferentes", "soPrimeiro", "soSegundo", "nenhum"} {
				sum += f[count].(float64)
			}
			expect(t, "answers about "+fmt.Sprint(f["campo"]), sum, 3)
		}
		expect(t, "names agree", fields["nome"]["concordancia"], any(100.0))
		expect(t, "who has the telephones", fields["telefones"]["soSegundo"].(float64) >= 1, true)
		text := s.Command("bureau", "compare", "--product", "cpf")
		expect(t, "in words", strings.Contains(text, "cpf: sandbox-barato and sandbox-completo, 3 questions, R$ 0.675 and R$ 2.7"), true)

		statement := s.Statement(key)
		expect(t, "the key's calls", statement.Cobradas.Mes, 5)
		for _, line := range testkit.JSON[[]map[string]any](t, s.Command("bureau", "list", "--json")) {
			want := map[string]float64{"sandbox": 0.3, "sandbox-barato": 1.05, "sandbox-completo": 2.7}[fmt.Sprint(line["nome"])]
			expect(t, "spent at "+fmt.Sprint(line["nome"]), line["gastoMes"], any(want))
		}
		s.Command("doctor")
		if f := testkit.RunErr(t, s.Env(), "bureau", "compare", "--product", "renda"); !strings.Contains(f.Stderr, "cnpj, cpf") {
			t.Error(f.Stderr)
		}
		writeFile(t, chain, "bureaus: { a: sandbox }\nproducts: { cpf: { chain: [a], compare: { bureau: a, share: 2 } } }\n")
		refused := testkit.RunErr(t, s.Env(), "bureau", "list").Stderr
		for _, want := range []string{
			"products.cpf.compare.monthly: is missing", "products.cpf.compare.share: must be a number above 0 and at most 1",
		} {
			expect(t, want, strings.Contains(refused, want), true)
		}
	})
}
