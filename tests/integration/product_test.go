package integration

import (
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
)

// TestALeadAndALookup is the pattern for a new test of the product; CONTRIBUTING shows it.
func TestALeadAndALookup(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		p := intaketest.StartProduct(t, env)
		key, hook := p.Lookups.NewKey(60, 100, 100), p.Leads.NewHook("Site", "generic")
		lead := p.Leads.Accept(hook, intaketest.Lead("Ana"))
		expect(t, "stage of the lead", p.Leads.Contact(lead).Etapa, "Novo")
		expect(t, "answer to the lookup", p.Lookups.CPF(key.Key, ana).String(), "200")
		expect(t, "calls at the bureau", p.Bureau.Calls(), 1)
	})
}
