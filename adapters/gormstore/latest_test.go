package gormstore

import (
	"testing"
	"time"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// TestTheLatestPostIsSoughtInOlderPartitionsToo, where the newest have none.
func TestTheLatestPostIsSoughtInOlderPartitionsToo(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		now := time.Now().UTC().Truncate(time.Microsecond)
		// As if there had been partitions by day for a month.
		s.Edges.First.Store("deliveries", engine.FirstID(now.AddDate(0, 0, -40)))
		org := kit.Org(t, s)
		var hooks, want []string
		for _, days := range []int{0, 5, 20} {
			w, _ := kit.Hook(t, s, org.ID)
			for _, older := range []int{3, 0} {
				d := kit.Refusal(w)
				d.At = now.AddDate(0, 0, -days-older)
				d.ID = kit.IDOf(d.At)
				if _, err := s.Repos().Inbox.Take(t.Context(), ports.Arrival{Delivery: d}); err != nil {
					t.Fatal(err)
				}
				if older == 0 {
					hooks, want = append(hooks, w.ID), append(want, d.ID)
				}
			}
		}
		since := engine.IDsSince(now.AddDate(0, 0, -30))
		windows := engine.DeliveriesByDay.Windows(s.Reader, &s.Edges, since, engine.AfterAll)
		if s.IsPostgres() && len(windows) != 2 {
			t.Errorf("there are %d windows", len(windows))
		}
		for _, outcome := range []webhook.Outcome{"", webhook.Refused} {
			got, err := s.Repos().Deliveries.Latest(t.Context(), org.ID, hooks, outcome, now.AddDate(0, 0, -30), now)
			if err != nil {
				t.Fatal(err)
			}
			for i, hook := range hooks {
				if got[hook].ID != want[i] {
					t.Errorf("%s: of webhook %d, %q is the latest", s.Writer.Name(), i, got[hook].ID)
				}
			}
		}
	}
}
