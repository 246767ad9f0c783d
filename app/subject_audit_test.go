package app_test

import (
	"fmt"
	"testing"

	"fichario/app/lookups"
	"fichario/app/privacy"
	"fichario/domain/audit"
	"fichario/domain/crm"
)

// TestTheAuditForgetsWhoWasErased: lines about the person lose their details but stay, and the chain holds.
func TestTheAuditForgetsWhoWasErased(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		var sheets []lookups.View
		for _, document := range cpfs[:2] {
			sheet := must(s.ask(owner, lookups.Request{Document: document})).Entry
			sheets = append(sheets, must(s.lookups.Show(t.Context(), owner, sheet.ID)))
			done(s.lookups.Opened(t.Context(), owner, sheets[len(sheets)-1]))
		}
		documents := func() (all []string) {
			for _, l := range s.lines(0) {
				if l.Action == audit.SheetOpened {
					all = append(all, l.Detail["documento"])
				}
			}
			return all
		}
		equal(t, "before", line(documents()), line(cpfs[:2]))
		before := len(s.lines(0))
		who := privacy.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
		erased := must(s.subjects.Erase(t.Context(), owner, who, false))
		done(s.lookups.Opened(t.Context(), owner, sheets[0])) // during the erasure
		done(s.subjects.Finish(t.Context(), erased.ID))
		equal(t, "after", line(documents()), line([]string{"", cpfs[1], ""}))
		all := s.lines(0)
		equal(t, "lines", len(all), before+3)
		equal(t, "the one that says so", line(all[before].Action, all[before].ID), line(audit.SubjectErased, erased.ID))
		last := all[before+2]
		equal(t, "the one that says what was emptied", line(last.Action, last.Object, last.Detail["linhas"], last.Detail["numeros"]),
			line(audit.SubjectEmptied, erased.ID, 2, fmt.Sprintf("%d, %d", before-1, before+2)))
		found := must(s.audit.Verify(t.Context(), owner, s.orgID, audit.Hash{}))
		equal(t, "the chain", line(found.Finding == nil, found.Lines, found.Emptied), line(true, before+3, 2))
	})
}
