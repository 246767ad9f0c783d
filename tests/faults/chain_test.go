package faults

import (
	"fmt"
	"strings"
	"testing"

	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// TestSlowAChainIsKilledAtEachStep: it completes all the same, and each document is looked up and charged once.
func TestSlowAChainIsKilledAtEachStep(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		p := intaketest.StartProduct(t, env)
		o := p.Leads
		hook := o.NewHook("Crédito", "generic")
		first, _ := o.Automate("Receita", "lookup", "--product", "cnpj", "--monthly-ceiling", "50.00")
		o.Automate("Mover", "move_stage", "--stage", "Proposta", "--event", "lookup.completed",
			"--when", `.produto == "cnpj" and .contato != null`)
		o.Automate("Anotar", "add_note", "--text", "fim da cadeia", "--event", "contact.moved")
		companies := []string{"11222333000181", "90021382000122", "90024778000123", "90025108000121"}
		release, asked := func() {}, 0
		var ids []string
		for step, company := range companies {
			o.Hide(company)
			if step == 1 {
				release = p.Bureau.Hold(company)
			}
			id := o.Accept(hook, fmt.Sprintf(`{"nome":"Bia %s","email":"%s","cnpj":"%s"}`, intaketest.Surname,
				intaketest.Email(fmt.Sprint("bia", step)), company))
			ids = append(ids, id)
			switch step {
			case 1: // while the bureau is being called
				p.Bureau.Await(t, asked+1)
			case 2: // once it has answered
				p.Bureau.Await(t, asked+1)
				o.Eventually("it is looked up", func() bool {
					runs := o.Runs("--automation", first, "--contact", id)
					return len(runs) == 1 && runs[0].State == "done"
				})
			case 3: // once it has moved
				o.Eventually("it has moved", func() bool { return o.Contact(id).Etapa == "Proposta" })
			}
			o.Kill()
			release()
			release = func() {}
			o.Restart()
			asked = step + 1
			lookuptest.Eventually(t, "the bureau was asked", func() bool { return p.Bureau.Calls() >= asked })
		}
		for step, id := range ids {
			o.Eventually(fmt.Sprint("chain ", step, " has ended"), func() bool {
				c, runs := o.Contact(id), o.Runs("--automation", first, "--contact", id)
				if step == 1 { // its instance died during the call: charged, and not called again
					return len(runs) == 1 && strings.Contains(runs[0].Result, "não respondeu, cobrado")
				}
				return c.Etapa == "Proposta" && strings.Count(c.Nota, "fim da cadeia") == 1
			})
		}
		for _, n := range p.Bureau.Ledger() {
			if n != 1 {
				t.Errorf("a company was asked about %d times", n)
			}
		}
		expect(t, "calls", p.Bureau.Calls(), len(companies))
	})
}
