package app_test

import (
	"testing"

	"fichario/app/automations"
	"fichario/app/lookups"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
)

// TestALookupSaysWhichAutomationAsked, in lists and on its sheet, where no member or key asked.
func TestALookupSaysWhichAutomationAsked(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	rule := s.rule(automations.NewAutomation{Name: "Consultar", Action: automation.AddNote, Text: "oi"})
	entry := lookup.Entry{
		ID: lookups.NewKeyID(), OrgID: s.orgID, AutomationID: rule.ID, Product: "cpf", At: s.now(), Status: lookup.Failed,
		Document: document.Restore(document.CPF, cpfs[0]),
	}
	done(s.store.Repos().Statement.Add(t.Context(), entry))
	view := must(s.lookups.Show(t.Context(), s.add("ana", crm.Common), entry.ID))
	equal(t, "who asked", view.Member, "automação Consultar")
}
