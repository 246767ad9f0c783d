package portstest

import (
	"sync"
	"testing"
	"time"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/webhook"
	"fichario/ports"
)

func taking(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	funnel := funnelOf(t, s, o.ID, true, "Novo")
	w, _ := hook(t, s, o.ID)
	a := arrival(w, funnel.Stages[0].ID)
	receipt, err := repos.Inbox.Take(ctx, a)
	must(t, err)
	same(t, "receipt", receipt, ports.Receipt{ContactID: a.Contact.ID})

	got, err := repos.Contacts.Find(ctx, a.Contact.ID)
	must(t, err)
	same(t, "contact", got, *a.Contact)
	events, err := repos.Contacts.Events(ctx, a.Contact.ID)
	must(t, err)
	same(t, "history", events, []crm.Event{{ID: a.EventID, OrgID: o.ID, ContactID: a.Contact.ID, Kind: crm.ContactCreated, Actor: w.Name, At: at}})
	told, err := repos.Notifications.List(ctx, o.ID, "", 10)
	must(t, err)
	same(t, "notifications", told, []crm.Notification{{
		ID: a.NotificationID, OrgID: o.ID, Kind: crm.NewContact, ContactID: a.Contact.ID, ContactName: a.Contact.Name, Subject: w.Name, At: at,
	}})
	delivery, err := repos.Deliveries.Find(ctx, a.Delivery.ID)
	must(t, err)
	same(t, "delivery", delivery, a.Delivery)
	job, err := repos.Jobs.Find(ctx, a.JobID)
	must(t, err)
	same(t, "job", job, automation.Job{
		ID: a.JobID, OrgID: o.ID, Kind: automation.FanOut, ContactID: a.Contact.ID, State: automation.Ready, RunAt: at, CreatedAt: at,
	})
	same(t, "counter", received(t, s, w.ID), 1)

	bare := arrival(w, funnel.Stages[0].ID)
	c := bare.Contact
	c.AssigneeID, c.OriginID, c.Attribution, c.Phone, c.PhoneE164, c.Company, c.Note, c.Amount = "", "", nil, "", "", "", "", -50_0000
	_, err = repos.Inbox.Take(ctx, bare)
	must(t, err)
	got, err = repos.Contacts.Find(ctx, c.ID)
	must(t, err)
	same(t, "bare contact", got, *c)

	refused := refusal(w)
	receipt, err = repos.Inbox.Take(ctx, ports.Arrival{Delivery: refused})
	must(t, err)
	same(t, "receipt of a refusal", receipt, ports.Receipt{})
	delivery, err = repos.Deliveries.Find(ctx, refused.ID)
	must(t, err)
	same(t, "refused delivery", delivery, refused)
	same(t, "counter after a refusal", received(t, s, w.ID), 2)
}

func takingOnce(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	w, _ := hook(t, s, o.ID)
	other, _ := hook(t, s, o.ID)
	stage := id()
	mismatch := fault.New(fault.ReusedIdempotencyKey, "Já foi usada.")
	take := func(w webhook.Webhook, body string, m *fault.Error) (ports.Arrival, ports.Receipt, error) {
		a := arrival(w, stage)
		a.Key, a.Fingerprint, a.Mismatch = "k", []byte(body), m
		r, err := repos.Inbox.Take(ctx, a)
		return a, r, err
	}
	first, r, err := take(w, "body", mismatch)
	must(t, err)
	same(t, "first", r, ports.Receipt{ContactID: first.Contact.ID})
	again, r, err := take(w, "body", mismatch)
	must(t, err)
	same(t, "again", r, ports.Receipt{ContactID: first.Contact.ID, Repeated: true, Same: true})
	d, err := repos.Deliveries.Find(ctx, again.Delivery.ID)
	must(t, err)
	same(t, "log of a repetition", [2]string{string(d.Outcome), d.ContactID}, [2]string{string(webhook.Repeated), first.Contact.ID})
	different, _, err := take(w, "other body", mismatch)
	wantErr(t, "another body", err, mismatch)
	d, err = repos.Deliveries.Find(ctx, different.Delivery.ID)
	must(t, err)
	same(t, "log of another body", [4]string{string(d.Outcome), d.ContactID, d.Code, d.Reason}, [4]string{string(webhook.Refused), "", string(mismatch.Code), mismatch.Message})
	_, r, err = take(w, "other body", nil)
	must(t, err)
	same(t, "another body where that does not matter", r, ports.Receipt{ContactID: first.Contact.ID, Repeated: true})
	elsewhere, r, err := take(other, "body", mismatch)
	must(t, err)
	same(t, "the key on another webhook", r, ports.Receipt{ContactID: elsewhere.Contact.ID})
	same(t, "counters", [2]int64{received(t, s, w.ID), received(t, s, other.ID)}, [2]int64{1, 1})

	known, err := repos.Inbox.Known(ctx, w.ID, "k", []byte("body"))
	must(t, err)
	same(t, "known", known, ports.Receipt{ContactID: first.Contact.ID, Repeated: true, Same: true})
	_, err = repos.Inbox.Known(ctx, w.ID, "other", nil)
	wantErr(t, "not known", err, ports.ErrNotFound)
}

func takingTogether(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	hooks := make([]webhook.Webhook, 3)
	for i := range hooks {
		hooks[i], _ = hook(t, s, o.ID)
	}
	const posts = 90
	var mu sync.Mutex
	ids, failed := map[string]int{}, 0
	var wg sync.WaitGroup
	for i := range posts {
		wg.Go(func() {
			a := arrival(hooks[i%3], id())
			switch i % 6 {
			case 0, 1:
				a.Key = "one key" // on the first and on the second webhook
			case 2:
				a.Contact.StageID = "no id at all" // spoils nobody but itself
			}
			r, err := repos.Inbox.Take(ctx, a)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed++
				return
			}
			ids[r.ContactID]++
		})
	}
	wg.Wait()
	all, err := repos.Contacts.Page(ctx, o.ID, "", posts)
	must(t, err)
	same(t, "contacts", len(all), len(ids))
	var counted int64
	for _, w := range hooks {
		counted += received(t, s, w.ID)
	}
	same(t, "counters", counted, int64(len(all)))
	// On PostgreSQL a wrong id is refused; SQLite takes any text.
	if failed != 0 && failed != posts/6 {
		t.Errorf("%d posts failed", failed)
	}
	most := 0
	for _, n := range ids {
		most = max(most, n)
	}
	same(t, "posts with one key that got one contact", most, posts/6)
	same(t, "posts answered", len(ids)+2*(posts/6-1)+failed, posts)
	told, err := repos.Notifications.List(ctx, o.ID, "", posts)
	must(t, err)
	same(t, "notifications", len(told), len(all))
}

func forgetting(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	w, _ := hook(t, s, o.ID)
	a := arrival(w, id())
	a.Key = "k"
	// Ids say when they were made: now.
	a.Delivery.At = time.Now().UTC().Truncate(time.Microsecond)
	a.Contact.CreatedAt = a.Delivery.At
	_, err := repos.Inbox.Take(ctx, a)
	must(t, err)
	n, err := repos.Inbox.Forget(ctx, time.Now().Add(-time.Minute))
	must(t, err)
	same(t, "forgotten before its time", n, 0)
	n, err = repos.Inbox.Forget(ctx, time.Now().Add(time.Minute))
	must(t, err)
	same(t, "forgotten: a delivery and a key", n, 2)
	_, err = repos.Deliveries.Find(ctx, a.Delivery.ID)
	wantErr(t, "forgotten delivery", err, ports.ErrNotFound)
	_, err = repos.Inbox.Known(ctx, w.ID, "k", nil)
	wantErr(t, "forgotten key", err, ports.ErrNotFound)
	_, err = repos.Contacts.Find(ctx, a.Contact.ID)
	must(t, err)
	same(t, "counter", received(t, s, w.ID), 1)
}
