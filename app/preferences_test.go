package app_test

import (
	"strings"
	"testing"

	"fichario/domain/crm"
)

// TestPreferencesAreListed: only what the list names is remembered, up to its longest value.
func TestPreferencesAreListed(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	ana := s.add("ana", crm.Common)
	set := func(name crm.Preference, value string) string {
		return said(s.preferences.Set(t.Context(), ana, name, value))
	}
	longest := strings.Repeat("é", crm.PreferenceMax/2)
	equal(t, "the longest", set(crm.ContactViews, longest), said(nil))
	equal(t, "one longer", set(crm.ContactViews, longest+"x"), "requisicao_invalida value")
	equal(t, "an unknown one", set("contatos.nome", "x"), "requisicao_invalida name")
	mine := must(s.preferences.Mine(t.Context(), ana))
	equal(t, "how many", len(mine), 1)
	equal(t, "what is remembered", mine[crm.ContactViews], longest)
}
