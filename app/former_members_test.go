package app_test

import (
	"fmt"
	"testing"

	"fichario/app/contacts"
	"fichario/app/team"
	"fichario/domain/crm"
	"fichario/domain/webhook"
)

// TestManyContactsGoToNobodyWhoLeft: an assignment that is under way ends where its member's access does, and is not
// undone towards somebody who has left.
func TestManyContactsGoToNobodyWhoLeft(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, ana, leo := s.add("dona", crm.Owner), s.add("ana", crm.Common), s.add("leo", crm.Common)
		hook := s.hook(webhook.Signature{})
		var ids []string
		for i := range 50 {
			ids = append(ids, s.arrive(hook, fmt.Sprintf("bia%d", i)).ID)
		}
		give := func(to string) contacts.NewBulk {
			return contacts.NewBulk{Kind: crm.BulkAssign, TargetID: to, Of: contacts.Selection{IDs: ids}}
		}
		access := func(id string, active bool) {
			done(s.members.Update(t.Context(), owner, id, team.MemberChange{Active: at(active)}))
		}
		must(s.bulks.Start(t.Context(), owner, give(ana.MemberID())))
		half := must(contacts.NewBulks(&dying{s.store, 3}, s.now).Start(t.Context(), owner, give(leo.MemberID())))
		equal(t, "in the middle", line(half.Status, half.Done), "fazendo 40")
		access(leo.MemberID(), false)
		done(s.bulks.Work(t.Context()))
		after := must(s.bulks.Show(t.Context(), owner, half.ID))
		equal(t, "it went on", line(after.Status, after.Done, after.Skipped), "concluida 50 10")
		equal(t, "whose they are", line(s.contact(ids[0]).AssigneeID == leo.MemberID(),
			s.contact(ids[49]).AssigneeID == ana.MemberID()), "true true")
		access(ana.MemberID(), false)
		undone := must(s.bulks.Undo(t.Context(), owner, half.ID))
		equal(t, "undone", line(undone.Status, undone.Done, undone.Skipped), "desfeita 40 40")
		equal(t, "whose it stays", s.contact(ids[0]).AssigneeID, leo.MemberID())
	})
}

// TestAnImportGoesToNobodyWhoLeft: it was prepared by a member who has left since, and becomes the owner's.
func TestAnImportGoesToNobodyWhoLeft(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, ana := s.add("dona", crm.Owner), s.add("ana", crm.Common)
		made := must(s.bulks.PrepareImport(t.Context(), ana, tableOf("Nome|E-mail", "Caio|caio@example.com")))
		done(s.members.Update(t.Context(), owner, ana.MemberID(), team.MemberChange{Active: at(false)}))
		must(s.bulks.StartImport(t.Context(), owner, made.ID, contacts.ImportChoices{Duplicates: crm.SkipDuplicates}))
		found := must(s.contacts.Search(t.Context(), owner, contacts.ContactSearch{}, "", "", 10))
		equal(t, "contacts", len(found.Contacts), 1)
		equal(t, "whose it is", found.Contacts[0].Assignee.Name, "dona")
	})
}
