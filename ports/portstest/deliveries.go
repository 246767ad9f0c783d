package portstest

import (
	"sync"
	"testing"
	"time"

	"fichario/domain/webhook"
	"fichario/ports"
)

func deliveries(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	w, _ := hook(t, s, o.ID)
	first, second := arrival(w, id()), arrival(w, id())
	refused := refusal(w)
	for _, a := range []ports.Arrival{first, second, {Delivery: refused}} {
		_, err := repos.Inbox.Take(ctx, a)
		must(t, err)
	}
	found, err := repos.Deliveries.Find(ctx, refused.ID)
	must(t, err)
	same(t, "delivery", found, refused)
	_, err = repos.Deliveries.Find(ctx, id())
	wantErr(t, "unknown delivery", err, ports.ErrNotFound)

	page := func(what string, outcome webhook.Outcome, after string, want ...webhook.Delivery) {
		t.Helper()
		log, err := repos.Deliveries.Page(ctx, w.ID, outcome, after, 2)
		must(t, err)
		same(t, what, log, want)
	}
	page("log, newest first", "", "", refused, second.Delivery)
	page("the rest of the log", "", second.Delivery.ID, first.Delivery)
	page("refused ones only", webhook.Refused, "", refused)

	sums, err := repos.Deliveries.Summaries(ctx, o.ID, at.Add(time.Minute)) // the hour counts as a whole
	must(t, err)
	sum := sums[w.ID]
	same(t, "summary", [3]int{sum.Accepted, sum.Repeated, sum.Refused}, [3]int{2, 0, 1})
	same(t, "the last one is of now", time.Since(sum.Last) < time.Minute, true)
	sums, err = repos.Deliveries.Summaries(ctx, o.ID, at.Add(time.Hour))
	must(t, err)
	same(t, "summary of the future", len(sums), 0)
	sums, err = repos.Deliveries.Summaries(ctx, id(), at)
	must(t, err)
	same(t, "summary of another organisation", len(sums), 0)
}

// deliveryFigures are exact when posts of one and of several people, new, known, refused and wrong, come concurrently.
func deliveryFigures(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	w, _ := hook(t, s, o.ID)
	var want struct {
		sync.Mutex
		accepted, failed int
	}
	var wg sync.WaitGroup
	const posts = 120
	for i := range posts {
		wg.Go(func() {
			a := arrivalOf(w, id(), 1+i%2)
			a.Delivery.At = at.Add(time.Duration(i%3) * time.Hour)
			switch i % 6 {
			case 0:
				a = ports.Arrival{Delivery: refusal(w)}
			case 1:
				a = keyed(a, "body", "a", "b")
			case 2:
				a = keyed(a, "body", "b")
			case 3:
				a.People[1].Contact.StageID = "no id at all" // PostgreSQL keeps nothing of it
			}
			receipts, err := repos.Inbox.Take(ctx, a)
			want.Lock()
			defer want.Unlock()
			if err != nil {
				want.failed++
			} else if i%6 > 0 && !receipts[0].Repeated && (len(receipts) < 2 || !receipts[1].Repeated) {
				want.accepted++
			}
		})
	}
	wg.Wait()
	if want.failed != 0 && want.failed != posts/6 {
		t.Errorf("%d posts failed", want.failed)
	}
	sums, err := repos.Deliveries.Summaries(ctx, o.ID, at)
	must(t, err)
	sum := sums[w.ID]
	same(t, "summary", [3]int{sum.Accepted, sum.Repeated, sum.Refused}, [3]int{want.accepted, 0, posts / 6})
	log, err := repos.Deliveries.Page(ctx, w.ID, webhook.Accepted, "", posts)
	must(t, err)
	same(t, "accepted deliveries", len(log), want.accepted)

	_, err = repos.Inbox.Forget(ctx, at.Add(time.Hour))
	must(t, err)
	left, err := repos.Deliveries.Summaries(ctx, o.ID, at.Add(-24*time.Hour))
	must(t, err)
	later, err := repos.Deliveries.Summaries(ctx, o.ID, at.Add(time.Hour))
	must(t, err)
	same(t, "what is left when an hour is forgotten", left, later)
	same(t, "refusals of the forgotten hour", left[w.ID].Refused, 0)
}
