package intake

import (
	"errors"
	"sync"
	"testing"
	"time"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func taking(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	funnel := kit.FunnelOf(t, s, o.ID, true, "Novo")
	w, _ := kit.Hook(t, s, o.ID)
	a := kit.Arrival(w, funnel.Stages[0].ID)
	receipts, err := repos.Inbox.Take(ctx, a)
	kit.Must(t, err)
	n := a.People[0]
	kit.Same(t, "receipts", receipts, []ports.Receipt{{ContactID: n.Contact.ID}})

	got, err := repos.Contacts.Find(ctx, ports.AnyOrg, n.Contact.ID)
	kit.Must(t, err)
	kit.Same(t, "contact", got, n.Contact)
	events, err := repos.ContactHistory.Events(ctx, o.ID, n.Contact.ID)
	kit.Must(t, err)
	kit.Same(t, "history", events, []crm.Event{kit.Came(n.Contact, w)})
	told, err := repos.Notifications.List(ctx, o.ID, "", 10)
	kit.Must(t, err)
	kit.Same(t, "notifications", told, []crm.Notification{kit.Told(n.Contact, w)})
	delivery, err := repos.Deliveries.Find(ctx, ports.AnyOrg, a.Delivery.ID)
	kit.Must(t, err)
	kit.Same(t, "delivery", delivery, a.Delivery)
	job, err := repos.JobRuns.Find(ctx, ports.AnyOrg, n.Job.ID)
	kit.Must(t, err)
	kit.Same(t, "job", job, n.Job)
	kit.Same(t, "counter", kit.Received(t, s, w.ID), 1)

	bare := kit.Arrival(w, funnel.Stages[0].ID)
	c := &bare.People[0].Contact
	c.AssigneeID, c.OriginID, c.Attribution, c.Phone, c.PhoneE164, c.Company, c.Note = "", "", nil, "", "", "", ""
	c.Amount = -50_0000
	_, err = repos.Inbox.Take(ctx, bare)
	kit.Must(t, err)
	got, err = repos.Contacts.Find(ctx, ports.AnyOrg, c.ID)
	kit.Must(t, err)
	kit.Same(t, "bare contact", got, *c)

	refused := kit.Refusal(w)
	receipts, err = repos.Inbox.Take(ctx, ports.Arrival{Delivery: refused})
	kit.Must(t, err)
	kit.Same(t, "receipts of a refusal", len(receipts), 0)
	delivery, err = repos.Deliveries.Find(ctx, ports.AnyOrg, refused.ID)
	kit.Must(t, err)
	kit.Same(t, "refused delivery", delivery, refused)
	kit.Same(t, "counter after a refusal", kit.Received(t, s, w.ID), 2)
}

// jobsHeard: a new contact has a job where an enabled automation of its organisation is for new contacts, or members
// are told by e-mail.
func jobsHeard(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), kit.Org(t, s), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	rule := func(orgID string, event automation.EventName) automation.Automation {
		a := automation.Automation{
			ID: kit.ID(), OrgID: orgID, Name: "a", Event: event, Enabled: true, CreatedAt: kit.At,
			Action: automation.Action{Kind: automation.AddNote, Text: "x"},
		}
		kit.Must(t, repos.Automations.Create(ctx, a))
		return a
	}
	heard := func(what string, mails, want bool) {
		t.Helper()
		for people := range 2 {
			a := kit.ArrivalOf(w, kit.ID(), people+1)
			a.Mails = mails
			_, err := repos.Inbox.Take(ctx, a)
			kit.Must(t, err)
			for _, n := range a.People {
				_, err := repos.JobRuns.Find(ctx, ports.AnyOrg, n.Job.ID)
				if !errors.Is(err, ports.ErrNotFound) {
					kit.Must(t, err)
				}
				kit.Same(t, what, err == nil, want)
			}
		}
	}
	heard("nobody", false, false)
	heard("by e-mail", true, true)
	rule(o.ID, automation.ContactMoved)
	rule(other.ID, automation.ContactCreated)
	heard("others", false, false)
	own := rule(o.ID, automation.ContactCreated)
	heard("an automation", false, true)
	kit.Must(t, repos.Automations.SetEnabled(ctx, o.ID, own.ID, false))
	heard("one that is off", false, false)
}

// renamed: what a contact came by has the name of then, in its history and in what the team is told; also where the
// webhook got two names in one moment, or the later one of a clock that is behind.
func renamed(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	all := map[string]crm.Event{}
	for i, names := range [][]string{
		{"Anúncio"}, {"Anúncio de dezembro"}, {"Anúncio de dezembro"}, {"Por engano", "Natal"}, {"Natal"}, {"Janeiro"},
	} {
		a := kit.Arrival(w, kit.ID())
		c, at := &a.People[0].Contact, kit.At.Add(time.Duration(i)*time.Minute)
		a.Delivery.At, c.CreatedAt = at, at
		_, err := repos.Inbox.Take(ctx, a)
		kit.Must(t, err)
		all[c.ID] = kit.Came(*c, w)
		is := w
		for _, name := range names {
			w.Name = name
			kit.Must(t, repos.Webhooks.Update(ctx, w, at.Add(time.Second)))
		}
		told, err := repos.Notifications.List(ctx, o.ID, "", 1)
		kit.Must(t, err)
		kit.Same(t, "told", told, []crm.Notification{kit.Told(*c, is)})
	}
	for _, late := range []time.Duration{0, time.Millisecond} {
		w.Name += " e depois"
		kit.Must(t, repos.Webhooks.Update(ctx, w, kit.At.Add(5*time.Minute+time.Second-late)))
	}
	for id, want := range all {
		events, err := repos.ContactHistory.Events(ctx, o.ID, id)
		kit.Must(t, err)
		kit.Same(t, "history", events, []crm.Event{want})
	}
}

func takingOnce(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	other, _ := kit.Hook(t, s, o.ID)
	type taken struct {
		ports.Arrival
		ports.Newcomer
	}
	take := func(w webhook.Webhook, body string) (taken, ports.Receipt) {
		t.Helper()
		a := kit.Arrival(w, kit.ID())
		a.People[0].Key, a.Fingerprint = "k", []byte(body)
		r, err := repos.Inbox.Take(ctx, a)
		kit.Must(t, err)
		return taken{a, a.People[0]}, r[0]
	}
	first, r := take(w, "body")
	kit.Same(t, "first", r, ports.Receipt{ContactID: first.Contact.ID})
	again, r := take(w, "body")
	kit.Same(t, "again", r, ports.Receipt{ContactID: first.Contact.ID, Repeated: true, Same: true})
	different, r := take(w, "other body")
	kit.Same(t, "another body", r, ports.Receipt{ContactID: first.Contact.ID, Repeated: true})
	elsewhere, r := take(other, "body")
	kit.Same(t, "the key on another webhook", r, ports.Receipt{ContactID: elsewhere.Contact.ID})
	kit.Same(t, "counters", [2]int64{kit.Received(t, s, w.ID), kit.Received(t, s, other.ID)}, [2]int64{1, 1})
	for _, a := range []taken{again, different} {
		_, err := repos.Deliveries.Find(ctx, ports.AnyOrg, a.Delivery.ID)
		kit.WantErr(t, "delivery of a repetition", err, ports.ErrNotFound)
		_, err = repos.Contacts.Find(ctx, ports.AnyOrg, a.Contact.ID)
		kit.WantErr(t, "contact of a repetition", err, ports.ErrNotFound)
		_, err = repos.JobRuns.Find(ctx, ports.AnyOrg, a.Job.ID)
		kit.WantErr(t, "job of a repetition", err, ports.ErrNotFound)
	}

	known, err := repos.Inbox.Known(ctx, w.OrgID, w.ID, []string{"other", "k", ""}, []byte("body"))
	kit.Must(t, err)
	kit.Same(t, "known", known, []ports.Receipt{{}, {ContactID: first.Contact.ID, Repeated: true, Same: true}, {}})
	known, err = repos.Inbox.Known(ctx, w.OrgID, w.ID, []string{"k"}, []byte("other body"))
	kit.Must(t, err)
	kit.Same(t, "known by another body", known, []ports.Receipt{{ContactID: first.Contact.ID, Repeated: true}})
	_, err = repos.Inbox.Known(ctx, w.OrgID, w.ID, []string{"other"}, nil)
	kit.WantErr(t, "not known", err, ports.ErrNotFound)
}

func takingTogether(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	hooks := make([]webhook.Webhook, 3)
	for i := range hooks {
		hooks[i], _ = kit.Hook(t, s, o.ID)
	}
	const posts = 90
	var mu sync.Mutex
	ids, failed := map[string]int{}, 0
	var wg sync.WaitGroup
	for i := range posts {
		wg.Go(func() {
			a := kit.Arrival(hooks[i%3], kit.ID())
			switch i % 6 {
			case 0, 1:
				a.People[0].Key = "one key" // at the first and at the second webhook
			case 2:
				a.People[0].Contact.StageID = "no id at all" // affects nobody but itself
			}
			r, err := repos.Inbox.Take(ctx, a)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed++
				return
			}
			ids[r[0].ContactID]++
		})
	}
	wg.Wait()
	all, err := repos.Contacts.Page(ctx, o.ID, "", posts)
	kit.Must(t, err)
	kit.Same(t, "contacts", len(all), len(ids))
	var counted int64
	for _, w := range hooks {
		counted += kit.Received(t, s, w.ID)
	}
	kit.Same(t, "counters", counted, int64(len(all)))
	// PostgreSQL refuses an invalid id; SQLite takes any text.
	if failed != 0 && failed != posts/6 {
		t.Errorf("%d posts failed", failed)
	}
	most := 0
	for _, n := range ids {
		most = max(most, n)
	}
	kit.Same(t, "posts with one key that got one contact", most, posts/6)
	kit.Same(t, "posts answered", len(ids)+2*(posts/6-1)+failed, posts)
	told, err := repos.Notifications.List(ctx, o.ID, "", posts)
	kit.Must(t, err)
	kit.Same(t, "notifications", len(told), len(all))
}

func forgetting(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	a := kit.Arrival(w, kit.ID())
	a.People[0].Key = "k"
	// Ids hold the time when they were made: now.
	a.Delivery.At = time.Now().UTC().Truncate(time.Microsecond)
	a.People[0].Contact.CreatedAt = a.Delivery.At
	_, err := repos.Inbox.Take(ctx, a)
	kit.Must(t, err)
	n, err := repos.Inbox.Forget(ctx, time.Now().Add(-time.Minute))
	kit.Must(t, err)
	kit.Same(t, "forgotten before its time", n, 0)
	n, err = repos.Inbox.Forget(ctx, time.Now().Add(time.Minute))
	kit.Must(t, err)
	kit.Same(t, "forgotten: a delivery and a key", n, 2)
	_, err = repos.Deliveries.Find(ctx, ports.AnyOrg, a.Delivery.ID)
	kit.WantErr(t, "forgotten delivery", err, ports.ErrNotFound)
	_, err = repos.Inbox.Known(ctx, w.OrgID, w.ID, []string{"k"}, nil)
	kit.WantErr(t, "forgotten key", err, ports.ErrNotFound)
	_, err = repos.Contacts.Find(ctx, ports.AnyOrg, a.People[0].Contact.ID)
	kit.Must(t, err)
	kit.Same(t, "counter", kit.Received(t, s, w.ID), 1)
}
