package integration

import (
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
)

// TestFromLeadToDecision runs the chain from a lead with a CNPJ to its end.
func TestFromLeadToDecision(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		p := intaketest.StartProduct(t, env)
		o := p.Leads
		hook := o.NewHook("Crédito", "generic")
		when := `.produto == "cnpj" and .contato != null and .campos.razaoSocial != null`
		first, _ := o.Automate("Receita", "lookup", "--product", "cnpj", "--monthly-ceiling", "50.00")
		o.Automate("Qualificar", "move_stage", "--stage", "Proposta", "--event", "lookup.completed", "--when", when)
		o.Automate("Anotar", "add_note", "--text", "Falar com {nome}", "--event", "contact.moved",
			"--when", `.etapa == "Proposta"`)
		o.Automate("Condição que falha", "add_note", "--text", "nunca", "--event", "lookup.completed", "--when", ".campos + 1")
		id := o.Accept(hook, `{"nome":"Bia `+intaketest.Surname+`","email":"`+intaketest.Email("bia")+
			`","cnpj":"11.222.333/0001-81"}`)
		o.Eventually("the chain has ended", func() bool {
			c := o.Contact(id)
			return c.Etapa == "Proposta" && strings.Contains(c.Nota, "Falar com Bia")
		})
		expect(t, "calls at the bureau", p.Bureau.Calls(), 1)
		runs := o.Runs("--automation", first)
		expect(t, "the lookup's run", len(runs) == 1 && strings.Contains(runs[0].Result, "consultado, R$"), true)
		o.Eventually("the one that fails says so", func() bool {
			for _, r := range o.Runs("--state", "dead") {
				if strings.HasPrefix(r.Result, "a condição falhou") {
					return true
				}
			}
			return false
		})
	})
}
