package intake

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// takingSeveral stores each person of a post like a single one, and the delivery once.
func takingSeveral(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	a := kit.ArrivalOf(w, kit.ID(), 200)
	receipts, err := repos.Inbox.Take(ctx, a)
	kit.Must(t, err)
	kit.Same(t, "receipts", len(receipts), 200)
	told, err := repos.Notifications.List(ctx, o.ID, "", 300)
	kit.Must(t, err)
	kit.Same(t, "notifications", len(told), 200)
	for i, n := range a.People {
		kit.Same(t, "receipt", receipts[i], ports.Receipt{ContactID: n.Contact.ID})
		got, err := repos.Contacts.Find(ctx, ports.AnyOrg, n.Contact.ID)
		kit.Must(t, err)
		kit.Same(t, "contact", got, n.Contact)
		events, err := repos.ContactHistory.Events(ctx, o.ID, n.Contact.ID)
		kit.Must(t, err)
		kit.Same(t, "history", events, []crm.Event{kit.Came(n.Contact, w)})
		kit.Same(t, "notification", told[199-i], kit.Told(n.Contact, w))
		job, err := repos.JobRuns.Find(ctx, ports.AnyOrg, n.Job.ID)
		kit.Must(t, err)
		kit.Same(t, "job", job, n.Job)
	}
	kit.Same(t, "counter", kit.Received(t, s, w.ID), 200)

	lone, two := kit.Arrival(w, kit.ID()), kit.ArrivalOf(w, kit.ID(), 2)
	repeated := webhook.Delivery{
		ID: kit.ID(), OrgID: o.ID, WebhookID: w.ID, At: kit.At, Outcome: webhook.Repeated, Body: []byte("{}"),
		ContactID: a.Delivery.ContactID, Others: a.Delivery.Others,
	}
	for _, more := range []ports.Arrival{lone, two, {Delivery: repeated}, {Delivery: kit.Refusal(w)}} {
		_, err := repos.Inbox.Take(ctx, more)
		kit.Must(t, err)
	}
	delivery, err := repos.Deliveries.Find(ctx, ports.AnyOrg, a.Delivery.ID)
	kit.Must(t, err)
	kit.Same(t, "delivery", delivery, a.Delivery)
	log, err := repos.Deliveries.Page(ctx, w.OrgID, w.ID, "", "", 10)
	kit.Must(t, err)
	kit.Same(t, "log", log[1:], []webhook.Delivery{repeated, two.Delivery, lone.Delivery, a.Delivery})
	kit.Same(t, "counter", kit.Received(t, s, w.ID), 203)
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
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	take := func(a ports.Arrival) []ports.Receipt {
		t.Helper()
		receipts, err := repos.Inbox.Take(ctx, a)
		kit.Must(t, err)
		return receipts
	}
	first := keyed(kit.ArrivalOf(w, kit.ID(), 3), "first", "a", "b", "")
	take(first)
	contactOf := func(i int) string { return first.People[i].Contact.ID }
	known := func(i int, same bool) ports.Receipt {
		return ports.Receipt{ContactID: contactOf(i), Repeated: true, Same: same}
	}
	kit.Same(t, "again", take(keyed(kit.ArrivalOf(w, kit.ID(), 3), "first", "a", "b", "")),
		[]ports.Receipt{known(0, true), known(1, true), {}})
	overlap := keyed(kit.ArrivalOf(w, kit.ID(), 3), "second", "c", "b", "d")
	kit.Same(t, "in part", take(overlap), []ports.Receipt{{}, known(1, false), {}})
	kit.Same(t, "one alone", take(keyed(kit.Arrival(w, kit.ID()), "third", "b")), []ports.Receipt{known(1, false)})
	kit.Same(t, "contacts", contactCount(t, s, o.ID), 3)
	kit.Same(t, "counter", kit.Received(t, s, w.ID), 3)
	_, err := repos.Deliveries.Find(ctx, ports.AnyOrg, overlap.Delivery.ID)
	kit.WantErr(t, "its delivery", err, ports.ErrNotFound)
	_, err = repos.Inbox.Known(ctx, w.OrgID, w.ID, []string{"c"}, nil)
	kit.WantErr(t, "a key of what was not kept", err, ports.ErrNotFound)

	// The others, listed with the known one.
	overlap.Delivery.ContactID, overlap.Delivery.Others = overlap.People[0].Contact.ID,
		[]string{contactOf(1), overlap.People[2].Contact.ID}
	overlap.People = []ports.Newcomer{overlap.People[0], overlap.People[2]}
	kit.Same(t, "the others", take(overlap),
		[]ports.Receipt{{ContactID: overlap.People[0].Contact.ID}, {ContactID: overlap.People[1].Contact.ID}})
	delivery, err := repos.Deliveries.Find(ctx, ports.AnyOrg, overlap.Delivery.ID)
	kit.Must(t, err)
	kit.Same(t, "delivery in part", delivery, overlap.Delivery)
	one := keyed(kit.Arrival(w, kit.ID()), "fourth", "e")
	one.Delivery.ContactID, one.Delivery.Others = contactOf(0), []string{one.People[0].Contact.ID}
	kit.Same(t, "one other", take(one), []ports.Receipt{{ContactID: one.People[0].Contact.ID}})
	delivery, err = repos.Deliveries.Find(ctx, ports.AnyOrg, one.Delivery.ID)
	kit.Must(t, err)
	kit.Same(t, "delivery of one other", delivery, one.Delivery)
	kit.Same(t, "counter", kit.Received(t, s, w.ID), 6)

	n, err := repos.Inbox.Forget(ctx, time.Now().Add(time.Minute))
	kit.Must(t, err)
	kit.Same(t, "forgotten: deliveries, their further contacts, and keys", n, 3+5+5)
}

// severalAtOnce: of concurrent posts that share keys, one that is not first at every key is not stored at all.
func severalAtOnce(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	var mu sync.Mutex
	var kept []ports.Arrival
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			a := kit.Arrival(w, kit.ID())
			keys := []string{fmt.Sprint("k", i%4)}
			if i%3 > 0 {
				a = kit.ArrivalOf(w, kit.ID(), 3)
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
			kit.Same(t, "first with "+n.Key, keys[n.Key], false)
			keys[n.Key] = true
			_, err := repos.Contacts.Find(ctx, ports.AnyOrg, n.Contact.ID)
			kit.Must(t, err)
		}
	}
	kit.Same(t, "contacts", contactCount(t, s, o.ID), people)
	kit.Same(t, "counter", kit.Received(t, s, w.ID), int64(people))
	log, err := repos.Deliveries.Page(ctx, w.OrgID, w.ID, "", "", 100)
	kit.Must(t, err)
	kit.Same(t, "deliveries", len(log), len(kept))
	for i := range 4 {
		kit.Same(t, "somebody was first", keys[fmt.Sprint("k", i)], true)
	}
}

// oneOfSeveralFails: one that cannot be stored leaves nothing of the others.
func oneOfSeveralFails(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	a := keyed(kit.ArrivalOf(w, kit.ID(), 3), "body", "a", "b", "c")
	a.People[2].Job.ID = a.People[0].Job.ID // no two jobs have the same id
	if _, err := repos.Inbox.Take(ctx, a); err == nil {
		t.Fatal("it is kept")
	}
	kit.Same(t, "contacts", contactCount(t, s, o.ID), 0)
	kit.Same(t, "counter", kit.Received(t, s, w.ID), 0)
	told, err := repos.Notifications.List(ctx, o.ID, "", 10)
	kit.Must(t, err)
	kit.Same(t, "notifications", len(told), 0)
	_, err = repos.Deliveries.Find(ctx, ports.AnyOrg, a.Delivery.ID)
	kit.WantErr(t, "delivery", err, ports.ErrNotFound)
	for _, n := range a.People {
		_, err = repos.Inbox.Known(ctx, w.OrgID, w.ID, []string{n.Key}, nil)
		kit.WantErr(t, "key", err, ports.ErrNotFound)
		_, err = repos.JobRuns.Find(ctx, ports.AnyOrg, n.Job.ID)
		kit.WantErr(t, "job", err, ports.ErrNotFound)
		events, err := repos.ContactHistory.Events(ctx, o.ID, n.Contact.ID)
		kit.Must(t, err)
		kit.Same(t, "history", len(events), 0)
	}
}

func contactCount(t *testing.T, s ports.Store, orgID string) int {
	t.Helper()
	all, err := s.Repos().Contacts.Page(t.Context(), orgID, "", 1000)
	kit.Must(t, err)
	return len(all)
}
