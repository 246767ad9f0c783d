package team

import (
	"context"
	"testing"

	"fichario/domain/batch"
	"fichario/domain/crm"
	"fichario/ports"
	"fichario/ports/portstest/batches"
	"fichario/ports/portstest/kit"
)

func notifications(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	ana, rui := kit.Member(t, s, o.ID, crm.Owner, true), kit.Member(t, s, o.ID, crm.Common, true)
	post := kit.Arrival(w, kit.ID())
	_, err := repos.Inbox.Take(ctx, post)
	kit.Must(t, err)
	a := post.People[0]
	dead := crm.Notification{
		ID: kit.ID(), OrgID: o.ID, Kind: crm.JobDead, ContactID: a.Contact.ID, ContactName: a.Contact.Name,
		Subject: "A automação X", At: kit.At,
	}
	kit.Must(t, repos.Notifications.Create(ctx, dead))
	read := func(m crm.Member) (out []bool) {
		t.Helper()
		list, err := repos.Notifications.List(ctx, o.ID, m.ID, 10)
		kit.Must(t, err)
		for _, n := range list {
			out = append(out, n.Read)
		}
		return out
	}
	list, err := repos.Notifications.List(ctx, o.ID, "", 1)
	kit.Must(t, err)
	kit.Same(t, "newest", list, []crm.Notification{dead})
	unread := func(want int) {
		t.Helper()
		n, err := repos.Notifications.Unread(ctx, o.ID, ana.ID)
		kit.Must(t, err)
		kit.Same(t, "number unread", n, want)
	}
	kit.Same(t, "unread", read(ana), []bool{false, false})
	unread(2)
	kit.Must(t, repos.Notifications.ReadAll(ctx, o.ID, ana.ID, a.Contact.ID))
	kit.Same(t, "read up to the first", read(ana), []bool{false, true})
	unread(1)
	kit.Must(t, repos.Notifications.ReadAll(ctx, o.ID, ana.ID, dead.ID))
	kit.Must(t, repos.Notifications.ReadAll(ctx, o.ID, ana.ID, a.Contact.ID))
	kit.Same(t, "reading never goes back", read(ana), []bool{true, true})
	unread(0)
	kit.Same(t, "each for himself", read(rui), []bool{false, false})
	stranger := kit.Org(t, s)
	kit.Must(t, repos.Notifications.ReadAll(ctx, stranger.ID, rui.ID, dead.ID))
	kit.Same(t, "of another organisation nothing is read", read(rui), []bool{false, false})
	once := crm.Notification{ID: kit.ID(), OrgID: o.ID, Kind: crm.CeilingReached, Subject: "O teto", At: kit.At}
	for i, want := range []bool{true, false} {
		once.ID = kit.ID()
		kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			told, err := r.Notifications.CreateOnce(ctx, once, o.ID, "teto:2026-11")
			kit.Same(t, "told once", told, want)
			return err
		}))
		unread([]int{1, 1}[i])
	}
	b, _ := batches.Quoted(t, s, o.ID, batch.Answered)
	ended := crm.Notification{
		ID: kit.ID(), OrgID: o.ID, Kind: crm.BatchEnded, BatchID: b.ID, BatchName: b.Name, Subject: "Concluído", At: kit.At,
	}
	kit.Must(t, repos.Notifications.Create(ctx, ended))
	list, err = repos.Notifications.List(ctx, o.ID, "", 1)
	kit.Must(t, err)
	kit.Same(t, "of a batch", list, []crm.Notification{ended})
	list, err = repos.Notifications.List(ctx, o.ID, "", 10)
	kit.Must(t, err)
	list = list[1:]
	kit.Same(t, "without a contact", [2]string{list[0].Subject, list[0].ContactID}, [2]string{"O teto", ""})

	unread(2)
	post = kit.Arrival(w, kit.ID())
	_, err = repos.Inbox.Take(ctx, post)
	kit.Must(t, err)
	earlier := kit.Told(post.People[0].Contact, w) // as earlier versions stored it, a moment after its contact
	earlier.ID = kit.ID()
	kit.Must(t, repos.Notifications.Create(ctx, earlier))
	list, err = repos.Notifications.List(ctx, o.ID, "", 2)
	kit.Must(t, err)
	kit.Same(t, "what is stored too, once", list, []crm.Notification{earlier, ended})
	unread(3)

	post = kit.Arrival(w, kit.ID())
	_, err = repos.Inbox.Take(ctx, post)
	kit.Must(t, err)
	gone := post.People[0].Contact // after a page has shown it
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		return r.Removals.Remove(ctx, crm.Removal{Contact: gone, By: "Ana", At: kit.At})
	}))
	unread(3)
	kit.Must(t, repos.Notifications.ReadAll(ctx, stranger.ID, ana.ID, gone.ID))
	unread(3)
	kit.Must(t, repos.Notifications.ReadAll(ctx, o.ID, ana.ID, gone.ID))
	unread(0)
}

// pages: a page has the newest, however many there are of what is stored, of contacts that came, and of such as an
// earlier version stored too; and as many are unread.
func pages(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	ana := kit.Member(t, s, o.ID, crm.Owner, true)
	var all []crm.Notification
	for i := range 130 {
		came := i%13 > 0
		var n crm.Notification
		if came {
			post := kit.Arrival(w, kit.ID())
			_, err := repos.Inbox.Take(ctx, post)
			kit.Must(t, err)
			n = kit.Told(post.People[0].Contact, w)
		} else {
			n = crm.Notification{OrgID: o.ID, Kind: crm.CeilingReached, Subject: "O teto", At: kit.At}
		}
		if stored := !came || i%3 == 0 && i < 60; stored {
			n.ID = kit.ID()
			kit.Must(t, repos.Notifications.Create(ctx, n))
		}
		all = append([]crm.Notification{n}, all...)
	}
	for limit := 1; limit <= 131; limit += 3 {
		list, err := repos.Notifications.List(ctx, o.ID, "", limit)
		kit.Must(t, err)
		kit.Same(t, "a page", list, all[:min(limit, len(all))])
	}
	for read := 129; read >= 0; read -= 7 {
		kit.Must(t, repos.Notifications.ReadAll(ctx, o.ID, ana.ID, all[read].ID))
		n, err := repos.Notifications.Unread(ctx, o.ID, ana.ID)
		kit.Must(t, err)
		kit.Same(t, "unread", n, min(read, 100))
	}
}
