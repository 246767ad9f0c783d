package intake

import (
	"sync"
	"testing"
	"time"

	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// latestDeliveries are found by webhook, whatever their outcomes, in the hours asked for.
func latestDeliveries(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	now := time.Now().UTC().Truncate(time.Microsecond)
	accepted, refused := kit.Arrival(w, kit.ID()), kit.Refusal(w)
	accepted.Delivery.At, refused.At = now, now
	for _, a := range []ports.Arrival{accepted, {Delivery: refused}} {
		_, err := repos.Inbox.Take(ctx, a)
		kit.Must(t, err)
	}
	hours := func(n int) time.Time { return now.Add(time.Duration(n) * time.Hour) }
	for what, c := range map[string]struct {
		org         string
		hooks       []string
		outcome     webhook.Outcome
		from, until time.Time
		want        string
	}{
		"any":               {o.ID, []string{w.ID, kit.ID()}, "", hours(-1), hours(1), refused.ID},
		"refused":           {o.ID, []string{w.ID}, webhook.Refused, hours(-1), hours(1), refused.ID},
		"accepted":          {o.ID, []string{w.ID}, webhook.Accepted, hours(-1), hours(1), accepted.Delivery.ID},
		"of months":         {o.ID, []string{w.ID}, "", hours(-90 * 24), hours(1), refused.ID},
		"in this very hour": {o.ID, []string{w.ID}, "", now.Add(time.Millisecond), hours(1), refused.ID},
		"of no webhook":     {o.ID, nil, "", hours(-1), hours(1), ""},
		"of another's":      {kit.ID(), []string{w.ID}, "", hours(-1), hours(1), ""},
		"later":             {o.ID, []string{w.ID}, "", hours(1), hours(2), ""},
		"an hour before":    {o.ID, []string{w.ID}, "", hours(-3), hours(-1).Add(-time.Minute), ""},
		"two months before": {o.ID, []string{w.ID}, "", hours(-90 * 24), hours(-60 * 24), ""},
		"of two days":       {o.ID, []string{w.ID}, "", hours(-24), hours(24), refused.ID},
	} {
		last, err := repos.Deliveries.Latest(ctx, c.org, c.hooks, c.outcome, c.from, c.until)
		kit.Must(t, err)
		kit.Same(t, what, last[w.ID].ID, c.want)
		if c.want == refused.ID {
			kit.Same(t, what+": its reason", last[w.ID].Reason, refused.Reason)
			kit.Same(t, what+": its time", last[w.ID].At, now)
		}
	}
}

func deliveries(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	first, second := kit.Arrival(w, kit.ID()), kit.Arrival(w, kit.ID())
	refused := kit.Refusal(w)
	for _, a := range []ports.Arrival{first, second, {Delivery: refused}} {
		_, err := repos.Inbox.Take(ctx, a)
		kit.Must(t, err)
	}
	found, err := repos.Deliveries.Find(ctx, ports.AnyOrg, refused.ID)
	kit.Must(t, err)
	kit.Same(t, "delivery", found, refused)
	_, err = repos.Deliveries.Find(ctx, ports.AnyOrg, kit.ID())
	kit.WantErr(t, "unknown delivery", err, ports.ErrNotFound)

	page := func(what string, outcome webhook.Outcome, after string, want ...webhook.Delivery) {
		t.Helper()
		log, err := repos.Deliveries.Page(ctx, w.OrgID, w.ID, outcome, after, 2)
		kit.Must(t, err)
		kit.Same(t, what, log, want)
	}
	page("log, newest first", "", "", refused, second.Delivery)
	page("the rest of the log", "", second.Delivery.ID, first.Delivery)
	page("refused ones only", webhook.Refused, "", refused)

	sums, err := repos.Deliveries.Summaries(ctx, o.ID, kit.At.Add(time.Minute)) // the hour counts as a whole
	kit.Must(t, err)
	sum := sums[w.ID]
	kit.Same(t, "summary", [3]int{sum.Accepted, sum.Repeated, sum.Refused}, [3]int{2, 0, 1})
	days := []time.Time{kit.At.Add(-24 * time.Hour), kit.At, kit.At.Add(24 * time.Hour), kit.At.Add(48 * time.Hour)}
	daily, err := repos.Figures.Deliveries(ctx, o.ID, "", days)
	kit.Must(t, err)
	kit.Same(t, "by day", daily, []ports.DeliveryFigure{{Day: 1, WebhookID: w.ID, Accepted: 2, Refused: 1}})
	for id, want := range map[string]int{w.ID: 1, kit.ID(): 0} {
		own, err := repos.Figures.Deliveries(ctx, o.ID, id, days)
		kit.Must(t, err)
		kit.Same(t, "by day, of one webhook", len(own), want)
	}
	// Of a zone like India's, whose days begin at half an hour.
	halves := []time.Time{kit.At.Add(-time.Hour), kit.At.Truncate(time.Hour).Add(30 * time.Minute)}
	daily, err = repos.Figures.Deliveries(ctx, o.ID, "", halves)
	kit.Must(t, err)
	kit.Same(t, "in the last hour of the last day", daily, []ports.DeliveryFigure{{WebhookID: w.ID, Accepted: 2, Refused: 1}})
	daily, err = repos.Figures.Deliveries(ctx, o.ID, "", append(halves, halves[1].Add(24*time.Hour)))
	kit.Must(t, err)
	kit.Same(t, "in an hour of two days", daily, []ports.DeliveryFigure{{Day: 1, WebhookID: w.ID, Accepted: 2, Refused: 1}})
	daily, err = repos.Figures.Deliveries(ctx, kit.ID(), "", days)
	kit.Must(t, err)
	kit.Same(t, "by day, of another organisation", len(daily), 0)
	sums, err = repos.Deliveries.Summaries(ctx, o.ID, kit.At.Add(time.Hour))
	kit.Must(t, err)
	kit.Same(t, "summary of the future", len(sums), 0)
	sums, err = repos.Deliveries.Summaries(ctx, kit.ID(), kit.At)
	kit.Must(t, err)
	kit.Same(t, "summary of another organisation", len(sums), 0)
}

// deliveryFigures are exact when posts of one and of several people, new, known, refused and wrong, come concurrently.
func deliveryFigures(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	var want struct {
		sync.Mutex
		accepted, failed int
	}
	var wg sync.WaitGroup
	const posts = 120
	for i := range posts {
		wg.Go(func() {
			a := kit.ArrivalOf(w, kit.ID(), 1+i%2)
			a.Delivery.At = kit.At.Add(time.Duration(i%3) * time.Hour)
			switch i % 6 {
			case 0:
				a = ports.Arrival{Delivery: kit.Refusal(w)}
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
	sums, err := repos.Deliveries.Summaries(ctx, o.ID, kit.At)
	kit.Must(t, err)
	sum := sums[w.ID]
	kit.Same(t, "summary", [3]int{sum.Accepted, sum.Repeated, sum.Refused}, [3]int{want.accepted, 0, posts / 6})
	log, err := repos.Deliveries.Page(ctx, w.OrgID, w.ID, webhook.Accepted, "", posts)
	kit.Must(t, err)
	kit.Same(t, "accepted deliveries", len(log), want.accepted)

	_, err = repos.Inbox.Forget(ctx, kit.At.Add(time.Hour))
	kit.Must(t, err)
	left, err := repos.Deliveries.Summaries(ctx, o.ID, kit.At.Add(-24*time.Hour))
	kit.Must(t, err)
	later, err := repos.Deliveries.Summaries(ctx, o.ID, kit.At.Add(time.Hour))
	kit.Must(t, err)
	kit.Same(t, "what is left when an hour is forgotten", left, later)
	kit.Same(t, "refusals of the forgotten hour", left[w.ID].Refused, 0)
}

// unsettledDeliveries are refused ones of which no replay has made a contact.
func unsettledDeliveries(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	refused := kit.Refusal(w)
	refused.Truncated, refused.ReplayOf = false, ""
	kept, err := repos.Inbox.Take(ctx, ports.Arrival{Delivery: refused})
	kit.Must(t, err)
	kit.Same(t, "people", len(kept), 0)
	other, _ := kit.Hook(t, s, o.ID)
	for range 3 {
		one := kit.Refusal(other)
		one.ReplayOf = ""
		_, err := repos.Inbox.Take(ctx, ports.Arrival{Delivery: one})
		kit.Must(t, err)
	}
	both, err := repos.Deliveries.Unsettled(ctx, o.ID, []string{w.ID, other.ID}, time.Now().Add(-time.Hour), 2)
	kit.Must(t, err)
	kit.Same(t, "of each, up to the most", both, map[string]int{w.ID: 1, other.ID: 2})
	unsettled := func(what, orgID string, since time.Time, want int) {
		t.Helper()
		n, err := repos.Deliveries.Unsettled(ctx, orgID, []string{w.ID, kit.ID()}, since, 10)
		kit.Must(t, err)
		kit.Same(t, what, n[w.ID], want)
	}
	again := refused
	again.ID, again.ReplayOf = kit.ID(), refused.ID
	_, err = repos.Inbox.Take(ctx, ports.Arrival{Delivery: again, Read: refused.ID})
	kit.Must(t, err)
	unsettled("refused, and again by a replay", o.ID, time.Now().Add(-time.Hour), 1)
	unsettled("since it came", o.ID, time.Now().Add(time.Hour), 0)
	unsettled("of another organisation", kit.ID(), time.Now().Add(-time.Hour), 0)
	made := kit.ArrivalOf(w, kit.ID(), 2)
	made.Delivery.ReplayOf, made.Read = refused.ID, again.ID
	_, err = repos.Inbox.Take(ctx, made)
	kit.Must(t, err)
	unsettled("of which a replay has made contacts", o.ID, time.Now().Add(-time.Hour), 0)
	for _, id := range []string{refused.ID, again.ID} {
		found, err := repos.Deliveries.Find(ctx, o.ID, id)
		kit.Must(t, err)
		kit.Same(t, "its contacts", found.Contacts(), made.Delivery.Contacts())
		kit.Same(t, "its outcome", found.Outcome, webhook.Refused)
	}
}
