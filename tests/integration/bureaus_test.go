package integration

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
)

// TestTheOperatorMovesBureaus: order, out and back change who is asked, without a restart and after it.
func TestTheOperatorMovesBureaus(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
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
		f := testkit.RunErr(t, s.Env(), "bureau", "order", "--product", "renda")
		expect(t, "the products that there are", strings.Contains(f.Stderr, "cnpj, cpf"), true)
		shown := testkit.JSON[map[string]any](t, s.Command("bureau", "order", "--product", "cpf", "--json"))
		expect(t, "the order", fmt.Sprint(shown["ordem"], shown["alterada"]), "[sandbox-barato sandbox-completo] false")
	})
}

// TestTheDoctorNamesABureauThatChargesMore than the price in its file, and how often.
func TestTheDoctorNamesABureauThatChargesMore(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
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
		said := testkit.RunErr(t, s.Env(), "doctor").Stdout
		if !strings.Contains(said, "1 BROKEN    no call is charged above the price") || !strings.Contains(said, "teste (1)") {
			t.Error(said)
		}
	})
}
