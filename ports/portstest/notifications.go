package portstest

import (
	"testing"

	"fichario/domain/batch"
	"fichario/domain/crm"
	"fichario/ports"
)

func notifications(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	w, _ := hook(t, s, o.ID)
	ana, rui := member(t, s, o.ID, crm.Owner, true), member(t, s, o.ID, crm.Common, true)
	post := arrival(w, id())
	_, err := repos.Inbox.Take(ctx, post)
	must(t, err)
	a := post.People[0]
	dead := crm.Notification{
		ID: id(), OrgID: o.ID, Kind: crm.JobDead, ContactID: a.Contact.ID, ContactName: a.Contact.Name,
		Subject: "A automação X", At: at,
	}
	must(t, repos.Notifications.Create(ctx, dead))
	read := func(m crm.Member) (out []bool) {
		t.Helper()
		list, err := repos.Notifications.List(ctx, o.ID, m.ID, 10)
		must(t, err)
		for _, n := range list {
			out = append(out, n.Read)
		}
		return out
	}
	list, err := repos.Notifications.List(ctx, o.ID, "", 1)
	must(t, err)
	same(t, "newest", list, []crm.Notification{dead})
	unread := func(want int) {
		t.Helper()
		n, err := repos.Notifications.Unread(ctx, o.ID, ana.ID)
		must(t, err)
		same(t, "number unread", n, want)
	}
	same(t, "unread", read(ana), []bool{false, false})
	unread(2)
	must(t, repos.Notifications.ReadAll(ctx, o.ID, ana.ID, a.Notification.ID))
	same(t, "read up to the first", read(ana), []bool{false, true})
	unread(1)
	must(t, repos.Notifications.ReadAll(ctx, o.ID, ana.ID, dead.ID))
	must(t, repos.Notifications.ReadAll(ctx, o.ID, ana.ID, a.Notification.ID))
	same(t, "reading never goes back", read(ana), []bool{true, true})
	unread(0)
	same(t, "each for himself", read(rui), []bool{false, false})
	stranger := org(t, s)
	must(t, repos.Notifications.ReadAll(ctx, stranger.ID, rui.ID, dead.ID))
	same(t, "of another organisation nothing is read", read(rui), []bool{false, false})
	once := crm.Notification{ID: id(), OrgID: o.ID, Kind: crm.CeilingReached, Subject: "O teto", At: at}
	for i, want := range []bool{true, false} {
		once.ID = id()
		must(t, s.InTx(ctx, func(r ports.Repos) error {
			told, err := r.Notifications.CreateOnce(ctx, once, o.ID, "teto:2026-11")
			same(t, "told once", told, want)
			return err
		}))
		unread([]int{1, 1}[i])
	}
	b, _ := quoted(t, s, o.ID, batch.Answered)
	ended := crm.Notification{
		ID: id(), OrgID: o.ID, Kind: crm.BatchEnded, BatchID: b.ID, BatchName: b.Name, Subject: "Concluído", At: at,
	}
	must(t, repos.Notifications.Create(ctx, ended))
	list, err = repos.Notifications.List(ctx, o.ID, "", 1)
	must(t, err)
	same(t, "of a batch", list, []crm.Notification{ended})
	list, err = repos.Notifications.List(ctx, o.ID, "", 10)
	must(t, err)
	list = list[1:]
	same(t, "without a contact", [2]string{list[0].Subject, list[0].ContactID}, [2]string{"O teto", ""})
}
