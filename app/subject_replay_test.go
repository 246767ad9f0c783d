package app_test

import (
	"testing"
	"time"

	"fichario/app"
	"fichario/domain/crm"
	"fichario/domain/privacy"
)

// TestWhoHasNoDocumentIsNotBlocked: nobody could look him up, so that there is nothing to keep; he is not erased
// either, as long as nobody says so without the block.
func TestWhoHasNoDocumentIsNotBlocked(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	who := app.SubjectQuery{OrgID: s.orgID, Phone: "(11) 98765-4321"}
	_, err := s.subjects.Erase(t.Context(), owner, who, true)
	equal(t, "with a block", said(err), "requisicao_invalida")
	equal(t, "erasures", len(must(s.subjects.Erasures(t.Context(), owner, s.orgID))), 0)
	must(s.subjects.Erase(t.Context(), owner, who, false))
}

// TestReplayWaitsForAnErasureThatSomebodyHas: a copy may have been made in the middle of one, so that its lease is
// still that of an instance that is gone. The erasures after it in the journal are done too.
func TestReplayWaitsForAnErasureThatSomebodyHas(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, repos := s.add("dona", crm.Owner), s.store.Repos()
		first := must(s.subjects.Erase(t.Context(), owner, app.SubjectQuery{OrgID: s.orgID, Email: "bia@x.example"}, false))
		second := must(s.subjects.Erase(t.Context(), owner, app.SubjectQuery{OrgID: s.orgID, Email: "rui@x.example"}, false))
		must(repos.Subjects.LeaseErasure(t.Context(), first.ID, app.NewKeyID(), first.At, first.At.Add(time.Minute)))
		var entries []privacy.Entry
		for _, e := range []privacy.Erasure{first, second} {
			entries = append(entries, privacy.Entry{ID: e.ID, OrgID: e.OrgID, KeyID: e.KeyID, Hashes: e.Hashes, At: e.At})
		}
		again, known, err := s.subjects.Replay(t.Context(), app.Operator(), "", entries)
		equal(t, "replayed", line(again, known, err), "2 0 <nil>")
		for _, e := range entries {
			equal(t, "state", must(repos.Subjects.FindErasure(t.Context(), e.ID)).State, privacy.Done)
		}
	})
}
