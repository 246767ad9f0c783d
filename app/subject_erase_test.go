package app_test

import (
	"errors"
	"testing"

	"fichario/adapters/gormstore"
	"fichario/adapters/gormstore/engine"
	privacyapp "fichario/app/privacy"
	"fichario/domain/crm"
	"fichario/domain/privacy"
	"fichario/ports"
)

// TestAnErasureThatCannotBeReadIsNotDone: nobody can tell whose it is until the data key is found again. Others are
// completed.
func TestAnErasureThatCannotBeReadIsNotDone(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	known := must(s.contacts.Create(t.Context(), owner, bia()))
	lost := must(s.subjects.Erase(t.Context(), owner, privacyapp.SubjectQuery{OrgID: s.orgID, Email: known.Email}, false))
	erasures := s.store.(*gormstore.Store).Writer.Table("erasures").Where("id = ?", lost.ID)
	done(erasures.Update("content", engine.Blob("not sealed")).Error)
	other := must(s.subjects.Erase(t.Context(), owner, privacyapp.SubjectQuery{OrgID: s.orgID, Email: "rui@x.example"},
		false))
	equal(t, "work", errors.Is(s.subjects.Work(t.Context()), ports.ErrUnreadable), true)
	for id, want := range map[string]privacy.State{lost.ID: privacy.Running, other.ID: privacy.Done} {
		equal(t, "state", must(s.subjects.Erasure(t.Context(), owner, id)).State, want)
	}
	must(s.store.Repos().Contacts.Find(t.Context(), s.orgID, known.ID))
}
