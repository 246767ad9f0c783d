package app_test

import (
	"fmt"
	"testing"

	"fichario/app/lookups"
	"fichario/app/privacy"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/ports"
)

// TestAnErasureEmptiesNoLineOfAnotherKind: a line's person is not covered by its hash, so whoever has the database can
// say that a change of settings was about somebody; an erasure of that person does not empty it.
func TestAnErasureEmptiesNoLineOfAnotherKind(t *testing.T) {
	t.Parallel()
	behind(t, func(t *testing.T, s *setting, _ string, edit func(string, ...any)) {
		owner, who := s.add("dona", crm.Owner), privacy.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
		must(s.origins.Add(t.Context(), owner, s.orgID, "Feira"))
		sheet := must(s.ask(owner, lookups.Request{Document: cpfs[0]})).Entry
		done(s.lookups.Opened(t.Context(), owner, must(s.lookups.Show(t.Context(), owner, sheet.ID))))
		edit(fmt.Sprintf("UPDATE audit_lines SET subject = (SELECT subject FROM audit_lines WHERE subject IS NOT NULL AND org_id = '%s') "+
			"WHERE action = 'origem.criada' AND org_id = '%[1]s'", s.orgID))
		e := must(s.subjects.Erase(t.Context(), owner, who, false))
		done(s.subjects.Finish(t.Context(), e.ID))
		details := map[audit.Action]bool{}
		for _, l := range must(s.store.Repos().Audit.Page(t.Context(), s.orgID, ports.AuditQuery{Limit: 20})) {
			details[l.Action] = l.Detail != nil
		}
		equal(t, "the details of the change, and of the opened record",
			line(details[audit.OriginCreated], details[audit.SheetOpened]), "true false")
		equal(t, "the check", must(s.audit.Verify(t.Context(), owner, s.orgID, audit.Hash{})).Finding == nil, true)
	})
}
