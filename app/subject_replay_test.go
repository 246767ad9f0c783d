package app_test

import (
	"testing"
	"time"

	"fichario/app"
	"fichario/domain/crm"
	"fichario/domain/privacy"
)

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
