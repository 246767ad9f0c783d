package app_test

import (
	"fmt"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/contacts"
	"fichario/domain/crm"
	"fichario/domain/webhook"
)

// TestUndoingADeletionLeavesWhatBecameOfAContact: two contacts were restored meanwhile; one was merged into another,
// somebody deleted the other by itself.
func TestUndoingADeletionLeavesWhatBecameOfAContact(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, hook := s.add("dona", crm.Owner), s.hook(webhook.Signature{})
		stays, goes, alone := s.arrive(hook, "ana").ID, s.arrive(hook, "bia").ID, s.arrive(hook, "caio").ID
		again := s.arrive(hook, "davi").ID
		gone := must(s.bulks.Start(t.Context(), owner, contacts.NewBulk{
			Kind: crm.BulkDelete, Of: contacts.Selection{IDs: []string{goes, alone, again}},
		}))
		time.Sleep(time.Millisecond)
		done(s.contacts.Undelete(t.Context(), owner, goes))
		done(s.contacts.Merge(t.Context(), owner, stays, goes))
		done(s.contacts.Undelete(t.Context(), owner, again))
		done(s.contacts.Delete(t.Context(), owner, again))
		undone := must(s.bulks.Undo(t.Context(), owner, gone.ID))
		equal(t, "undone", line(undone.Done, undone.Skipped), "3 2")
		equal(t, "who is there", must(s.contacts.Count(t.Context(), owner, contacts.ContactSearch{})), 2)
		equal(t, "who came back", s.contact(alone).ID, alone)
	})
}

// TestManyContactsAtOnce: by ids or by a search, with undo; what somebody changed meanwhile stays.
func TestManyContactsAtOnce(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, ana := s.add("dona", crm.Owner), s.add("ana", crm.Common)
		other := s.another()
		theirs := other.add("rui", crm.Owner)
		foreign := other.arrive(other.hook(webhook.Signature{}), "zoe")
		hook, stages := s.hook(webhook.Signature{}), s.funnel(owner).Stages
		var ids []string
		for i := range 50 {
			ids = append(ids, s.arrive(hook, fmt.Sprintf("bia%d", i)).ID)
		}
		for what, c := range map[string]struct {
			by   app.Caller
			n    contacts.NewBulk
			want string
		}{
			"nobody": {ana, contacts.NewBulk{Kind: crm.BulkDelete, Of: contacts.Selection{}}, "nao_permitido"},
			"none":   {owner, contacts.NewBulk{Kind: crm.BulkDelete}, "requisicao_invalida contacts"},
			"another's": {owner, contacts.NewBulk{Kind: crm.BulkDelete,
				Of: contacts.Selection{IDs: []string{ids[0], foreign.ID}}}, "nao_encontrado contact"},
			"no id": {owner, contacts.NewBulk{Kind: crm.BulkDelete, Of: contacts.Selection{IDs: []string{"x"}}},
				"nao_encontrado contact"},
			"another's member": {ana, contacts.NewBulk{Kind: crm.BulkAssign, TargetID: theirs.MemberID(),
				Of: contacts.Selection{IDs: ids}}, "nao_encontrado member"},
			"no stage": {ana, contacts.NewBulk{Kind: crm.BulkMove, TargetID: ids[0], Of: contacts.Selection{IDs: ids}},
				"nao_encontrado stage"},
			"import": {ana, contacts.NewBulk{Kind: crm.BulkImport, Of: contacts.Selection{IDs: ids}},
				"requisicao_invalida kind"},
		} {
			_, err := s.bulks.Start(t.Context(), c.by, c.n)
			equal(t, what, said(err), c.want)
		}
		equal(t, "nothing happened", s.kinds(ids[0]), "criado")

		some := contacts.Selection{IDs: append([]string{ids[0]}, ids[:3]...)}
		moved := must(s.bulks.Start(t.Context(), ana, contacts.NewBulk{Kind: crm.BulkMove, TargetID: stages[1].ID, Of: some}))
		equal(t, "moved", line(moved.Status, moved.Total, moved.Done, moved.Skipped), "concluida 3 3 0")
		equal(t, "history", s.kinds(ids[0]), "criado etapa")
		must(s.contacts.Move(t.Context(), owner, ids[1], stages[2].ID))
		_, err := s.bulks.Undo(t.Context(), theirs, moved.ID)
		equal(t, "undone by another", said(err), "nao_encontrado bulk")
		_, err = s.bulks.Undo(t.Context(), s.add("leo", crm.Common), moved.ID)
		equal(t, "undone by somebody else", said(err), "nao_permitido")
		undone := must(s.bulks.Undo(t.Context(), ana, moved.ID))
		equal(t, "undone", line(undone.Status, undone.Done, undone.Skipped), "desfeita 3 1")
		equal(t, "their stages", line(s.contact(ids[0]).StageID == stages[0].ID, s.contact(ids[1]).StageID == stages[2].ID),
			"true true")
		_, err = s.bulks.Undo(t.Context(), ana, moved.ID)
		equal(t, "undone twice", app.FaultOf(err).Message, "Esta ação já foi desfeita.")
		same := must(s.bulks.Start(t.Context(), ana, contacts.NewBulk{
			Kind: crm.BulkMove, TargetID: stages[0].ID, Of: contacts.Selection{IDs: ids[:1]},
		}))
		_, err = s.bulks.Undo(t.Context(), ana, same.ID)
		equal(t, "undone where nothing was changed", app.FaultOf(err).Message,
			"Esta ação não mudou nenhum contato, e não há o que desfazer.")

		all := contacts.Selection{Search: &contacts.ContactSearch{StageID: stages[0].ID}}
		given := must(s.bulks.Start(t.Context(), ana,
			contacts.NewBulk{Kind: crm.BulkAssign, TargetID: ana.MemberID(), Of: all}))
		equal(t, "assigned", line(given.Status, given.Done, s.contact(ids[49]).AssigneeID == ana.MemberID()),
			"concluida 49 true")
		must(s.bulks.Undo(t.Context(), owner, given.ID))
		equal(t, "whose it is again", s.contact(ids[49]).AssigneeID, owner.MemberID())
		events := must(s.store.Repos().ContactHistory.Events(t.Context(), s.orgID, ids[49]))
		by, undo := events[len(events)-2], events[len(events)-1]
		equal(t, "who did it, and who undid it", line(by.Actor, by.MemberID, undo.Actor, undo.MemberID),
			line("ana", ana.MemberID(), "dona", owner.MemberID()))

		gone := must(s.bulks.Start(t.Context(), owner, contacts.NewBulk{Kind: crm.BulkDelete, Of: all}))
		equal(t, "what is left", must(s.contacts.Count(t.Context(), owner, contacts.ContactSearch{})), 1)
		time.Sleep(crm.UndoBulk - time.Second)
		done(s.contacts.ForgetRemoved(t.Context()))
		must(s.bulks.Undo(t.Context(), owner, gone.ID))
		equal(t, "what is there again", must(s.contacts.Count(t.Context(), owner, contacts.ContactSearch{})), 50)
		equal(t, "its history", s.kinds(ids[49]), "criado responsavel responsavel restaurado")
		gone = must(s.bulks.Start(t.Context(), owner, contacts.NewBulk{Kind: crm.BulkDelete, Of: all}))
		time.Sleep(crm.UndoBulk + time.Second)
		_, err = s.bulks.Undo(t.Context(), owner, gone.ID)
		equal(t, "undone too late", said(err), "requisicao_invalida contact")
		view := must(s.bulks.Show(t.Context(), ana, gone.ID))
		equal(t, "what is shown", line(view.By, view.Done), "dona 49")
		_, err = s.bulks.Show(t.Context(), theirs, gone.ID)
		equal(t, "shown to another", said(err), "nao_encontrado bulk")
	})
}
