package portstest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
)

// takingSeveral stores each person of a post like a single one, and the delivery once.
func takingSeveral(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	w, _ := hook(t, s, o.ID)
	a := arrivalOf(w, id(), 200)
	receipts, err := repos.Inbox.Take(ctx, a)
	must(t, err)
	same(t, "receipts", len(receipts), 200)
	told, err := repos.Notifications.List(ctx, o.ID, "", 300)
	must(t, err)
	same(t, "notifications", len(told), 200)
	for i, n := range a.People {
		same(t, "receipt", receipts[i], ports.Receipt{ContactID: n.Contact.ID})
		got, err := repos.Contacts.Find(ctx, n.Contact.ID)
		must(t, err)
		same(t, "contact", got, n.Contact)
		events, err := repos.ContactHistory.Events(ctx, n.Contact.ID)
		must(t, err)
		same(t, "history", events, []crm.Event{n.Event})
		same(t, "notification", told[199-i], n.Notification)
		job, err := repos.JobRuns.Find(ctx, n.Job.ID)
		must(t, err)
		same(t, "job", job, n.Job)
	}
	same(t, "counter", received(t, s, w.ID), 200)

	lone, two := arrival(w, id()), arrivalOf(w, id(), 2)
	repeated := webhook.Delivery{
		ID: id(), OrgID: o.ID, WebhookID: w.ID, At: at, Outcome: webhook.Repeated, Body: []byte("{}"),
		ContactID: a.Delivery.ContactID, Others: a.Delivery.Others,
	}
	for _, more := range []ports.Arrival{lone, two, {Delivery: repeated}, {Delivery: refusal(w)}} {
		_, err := repos.Inbox.Take(ctx, more)
		must(t, err)
	}
	delivery, err := repos.Deliveries.Find(ctx, a.Delivery.ID)
	must(t, err)
	same(t, "delivery", delivery, a.Delivery)
	log, err := repos.Deliveries.Page(ctx, w.ID, "", "", 10)
	must(t, err)
	same(t, "log", log[1:], []webhook.Delivery{repeated, two.Delivery, lone.Delivery, a.Delivery})
	same(t, "counter", received(t, s, w.ID), 203)
}

// keyed sets the keys of a post's people, and its fingerprint.
func keyed(a ports.Arrival, body string, keys ...string) ports.Arrival {
	for i, key := range keys {
		a.People[i].Key = key
	}
	a.Fingerprint = []byte(body)
	return a
}

// takingSeveralOnce stores nothing of a post with a known key, and says which.
func takingSeveralOnce(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	w, _ := hook(t, s, o.ID)
	take := func(a ports.Arrival) []ports.Receipt {
		t.Helper()
		receipts, err := repos.Inbox.Take(ctx, a)
		must(t, err)
		return receipts
	}
	first := keyed(arrivalOf(w, id(), 3), "first", "a", "b", "")
	take(first)
	contactOf := func(i int) string { return first.People[i].Contact.ID }
	known := func(i int, same bool) ports.Receipt {
		return ports.Receipt{ContactID: contactOf(i), Repeated: true, Same: same}
	}
	same(t, "again", take(keyed(arrivalOf(w, id(), 3), "first", "a", "b", "")),
		[]ports.Receipt{known(0, true), known(1, true), {}})
	overlap := keyed(arrivalOf(w, id(), 3), "second", "c", "b", "d")
	same(t, "in part", take(overlap), []ports.Receipt{{}, known(1, false), {}})
	same(t, "one alone", take(keyed(arrival(w, id()), "third", "b")), []ports.Receipt{known(1, false)})
	same(t, "contacts", contactCount(t, s, o.ID), 3)
	same(t, "counter", received(t, s, w.ID), 3)
	_, err := repos.Deliveries.Find(ctx, overlap.Delivery.ID)
	wantErr(t, "its delivery", err, ports.ErrNotFound)
	_, err = repos.Inbox.Known(ctx, w.ID, "c", nil)
	wantErr(t, "a key of what was not kept", err, ports.ErrNotFound)

	// The others, listed with the known one.
	overlap.Delivery.ContactID, overlap.Delivery.Others = overlap.People[0].Contact.ID,
		[]string{contactOf(1), overlap.People[2].Contact.ID}
	overlap.People = []ports.Newcomer{overlap.People[0], overlap.People[2]}
	same(t, "the others", take(overlap),
		[]ports.Receipt{{ContactID: overlap.People[0].Contact.ID}, {ContactID: overlap.People[1].Contact.ID}})
	delivery, err := repos.Deliveries.Find(ctx, overlap.Delivery.ID)
	must(t, err)
	same(t, "delivery in part", delivery, overlap.Delivery)
	one := keyed(arrival(w, id()), "fourth", "e")
	one.Delivery.ContactID, one.Delivery.Others = contactOf(0), []string{one.People[0].Contact.ID}
	same(t, "one other", take(one), []ports.Receipt{{ContactID: one.People[0].Contact.ID}})
	delivery, err = repos.Deliveries.Find(ctx, one.Delivery.ID)
	must(t, err)
	same(t, "delivery of one other", delivery, one.Delivery)
	same(t, "counter", received(t, s, w.ID), 6)

	n, err := repos.Inbox.Forget(ctx, time.Now().Add(time.Minute))
	must(t, err)
	same(t, "forgotten: deliveries, their further contacts, and keys", n, 3+5+5)
}

// severalAtOnce: of concurrent posts that share keys, one that is not first at every key is not stored at all.
func severalAtOnce(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	w, _ := hook(t, s, o.ID)
	var mu sync.Mutex
	var kept []ports.Arrival
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			a := arrival(w, id())
			keys := []string{fmt.Sprint("k", i%4)}
			if i%3 > 0 {
				a = arrivalOf(w, id(), 3)
				// In either order, so that two posts deadlock if they can.
				keys = []string{fmt.Sprint("k", i%4), fmt.Sprint("own", i), fmt.Sprint("k", (i+i%3)%4)}
			}
			receipts, err := repos.Inbox.Take(ctx, keyed(a, "body", keys...))
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			for _, r := range receipts {
				if r.Repeated {
					return
				}
			}
			kept = append(kept, a)
		})
	}
	wg.Wait()
	people, keys := 0, map[string]bool{}
	for _, a := range kept {
		for _, n := range a.People {
			people++
			same(t, "first with "+n.Key, keys[n.Key], false)
			keys[n.Key] = true
			_, err := repos.Contacts.Find(ctx, n.Contact.ID)
			must(t, err)
		}
	}
	same(t, "contacts", contactCount(t, s, o.ID), people)
	same(t, "counter", received(t, s, w.ID), int64(people))
	log, err := repos.Deliveries.Page(ctx, w.ID, "", "", 100)
	must(t, err)
	same(t, "deliveries", len(log), len(kept))
	for i := range 4 {
		same(t, "somebody was first", keys[fmt.Sprint("k", i)], true)
	}
}

// oneOfSeveralFails: one that cannot be stored leaves nothing of the others.
func oneOfSeveralFails(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	w, _ := hook(t, s, o.ID)
	a := keyed(arrivalOf(w, id(), 3), "body", "a", "b", "c")
	a.People[2].Job.ID = a.People[0].Job.ID // no two jobs have the same id
	if _, err := repos.Inbox.Take(ctx, a); err == nil {
		t.Fatal("it is kept")
	}
	same(t, "contacts", contactCount(t, s, o.ID), 0)
	same(t, "counter", received(t, s, w.ID), 0)
	told, err := repos.Notifications.List(ctx, o.ID, "", 10)
	must(t, err)
	same(t, "notifications", len(told), 0)
	_, err = repos.Deliveries.Find(ctx, a.Delivery.ID)
	wantErr(t, "delivery", err, ports.ErrNotFound)
	for _, n := range a.People {
		_, err = repos.Inbox.Known(ctx, w.ID, n.Key, nil)
		wantErr(t, "key", err, ports.ErrNotFound)
		_, err = repos.JobRuns.Find(ctx, n.Job.ID)
		wantErr(t, "job", err, ports.ErrNotFound)
		events, err := repos.ContactHistory.Events(ctx, n.Contact.ID)
		must(t, err)
		same(t, "history", len(events), 0)
	}
}

func contactCount(t *testing.T, s ports.Store, orgID string) int {
	t.Helper()
	all, err := s.Repos().Contacts.Page(t.Context(), orgID, "", 1000)
	must(t, err)
	return len(all)
}
