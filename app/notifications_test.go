package app_test

import (
	"testing"

	"fichario/app"
	"fichario/domain/crm"
	"fichario/domain/webhook"
)

// TestNotificationsAreReadByEach: what one has read, the others have not, and newer ones nobody has.
func TestNotificationsAreReadByEach(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, ana := s.add("dona", crm.Owner), s.add("ana", crm.Common)
	hook := s.hook(webhook.Signature{})
	list := func(by app.Caller) []crm.Notification {
		return must(s.notifications.List(t.Context(), by, s.orgID, by.MemberID(), 10))
	}
	unread := func(what string, ofOwner, ofAna int) {
		t.Helper()
		for who, want := range map[app.Caller]int{owner: ofOwner, ana: ofAna} {
			equal(t, what+": counted", must(s.notifications.Unread(t.Context(), who)), want)
			n := 0
			for _, note := range list(who) {
				if !note.Read {
					n++
				}
			}
			equal(t, what+": shown", n, want)
		}
	}
	unread("before any", 0, 0)
	done(s.notifications.ReadAll(t.Context(), ana, s.orgID, ana.MemberID())) // nothing to read yet
	for _, name := range []string{"bia", "rui", "lia"} {
		c := s.arrive(hook, name)
		equal(t, "the newest", list(ana)[0].ContactID, c.ID)
	}
	unread("three came", 3, 3)
	done(s.notifications.ReadUpTo(t.Context(), ana, list(ana)[1].ID))
	unread("one has read two", 3, 1)
	done(s.notifications.ReadAll(t.Context(), owner, s.orgID, owner.MemberID()))
	unread("the other one all", 0, 1)
	s.arrive(hook, "eva")
	unread("one more came", 1, 2)

	stranger := s.another().add("ze", crm.Owner)
	for what, c := range map[string]struct {
		err  error
		want string
	}{
		"no limit": {func() error {
			_, err := s.notifications.List(t.Context(), ana, s.orgID, ana.MemberID(), 0)
			return err
		}(), "requisicao_invalida limit"},
		"of another organisation": {func() error {
			_, err := s.notifications.List(t.Context(), stranger, s.orgID, "", 1)
			return err
		}(), "nao_encontrado org"},
		"for a member of another one": {
			s.notifications.ReadAll(t.Context(), app.Operator(), s.orgID, stranger.MemberID()), "nao_encontrado member",
		},
		"up to what is no id": {s.notifications.ReadUpTo(t.Context(), ana, "x"), "nao_encontrado notification"},
	} {
		equal(t, what, said(c.err), c.want)
	}
}
