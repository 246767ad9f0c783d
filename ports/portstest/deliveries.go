package portstest

import (
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

	sums, err := repos.Deliveries.Summaries(ctx, o.ID, time.Now().Add(-time.Minute))
	must(t, err)
	sum := sums[w.ID]
	same(t, "summary", [3]int{sum.Accepted, sum.Repeated, sum.Refused}, [3]int{2, 0, 1})
	same(t, "the last one is of now", time.Since(sum.Last) < time.Minute, true)
	sums, err = repos.Deliveries.Summaries(ctx, o.ID, time.Now().Add(time.Minute))
	must(t, err)
	same(t, "summary of the future", len(sums), 0)
}
