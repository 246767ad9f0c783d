package app_test

import (
	"testing"
	"time"

	"fichario/app/contacts"
	"fichario/domain/crm"
	"fichario/domain/webhook"
)

// TestFirstAnswers: a member's first note, call or move ends the wait, once; automatic ones do not.
func TestFirstAnswers(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, ana := s.add("dona", crm.Owner), s.add("ana", crm.Common)
		theirs := s.another().add("rui", crm.Owner)
		hook, stages := s.hook(webhook.Signature{}), s.funnel(owner).Stages
		var ids []string
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			ids = append(ids, s.arrive(hook, name).ID)
		}
		waiting := func() int {
			t.Helper()
			return must(s.contacts.Count(t.Context(), ana, contacts.ContactSearch{Waiting: true}))
		}
		equal(t, "all wait", waiting(), 5)
		must(s.contacts.Create(t.Context(), ana, bia()))
		done(s.contacts.Assign(t.Context(), owner, ids[0], ana.MemberID()))
		equal(t, "assigned and made by hand", waiting(), 5)
		time.Sleep(time.Hour)
		done(s.contacts.Note(t.Context(), ana, ids[0], "oi"))
		must(s.contacts.Move(t.Context(), ana, ids[1], stages[1].ID))
		equal(t, "called by another", said(s.contacts.Called(t.Context(), theirs, ids[2])), "nao_encontrado contact")
		time.Sleep(2 * time.Hour)
		done(s.contacts.Called(t.Context(), ana, ids[2]))
		done(s.contacts.Called(t.Context(), ana, ids[0]))
		move := contacts.NewBulk{Kind: crm.BulkMove, TargetID: stages[2].ID,
			Of: contacts.Selection{IDs: []string{ids[0], ids[3]}}}
		wrong := must(s.bulks.Start(t.Context(), owner, move))
		equal(t, "who waits after many were moved", waiting(), 1)
		must(s.bulks.Undo(t.Context(), owner, wrong.ID))
		equal(t, "and when that was a mistake", waiting(), 2)
		must(s.bulks.Start(t.Context(), owner, move))
		equal(t, "who still waits", waiting(), 1)
		equal(t, "history", s.kinds(ids[2]), "criado ligacao")
		got := must(s.contacts.Waits(t.Context(), ana, 30))
		equal(t, "by who answered", line(got.Waiting, got.Members[0].Name, got.Members[0].Answers, got.Members[0].Mean,
			got.Members[1].Name, got.Members[1].Answers, got.Members[1].Mean), "1 dona 1 3h0m0s ana 3 1h40m0s")
		equal(t, "by origin", line(len(got.Origins), got.Origins[0].Answers), "1 4")

		move.Of.IDs = ids[4:]
		wrong = must(s.bulks.Start(t.Context(), owner, move))
		done(s.contacts.Called(t.Context(), ana, ids[4]))
		must(s.bulks.Undo(t.Context(), owner, wrong.ID))
		equal(t, "who was called before the mistake was undone", waiting(), 0)
		got = must(s.contacts.Waits(t.Context(), ana, 30))
		equal(t, "who called", line(got.Members[0].Answers, got.Members[1].Answers), "1 4")
	})
}
