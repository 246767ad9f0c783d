package app_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"fichario/app/lookups"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/ports"
	"fichario/ports/portstest"
)

// TestSlowAnItemWhoseInstanceWakesUp: an instance that was given items stands still until their leases have expired,
// and wakes up while another one looks them up, or after that. Each item is charged at most once, even where the
// bureau fails, so that the history has no answer that would serve both.
func TestSlowAnItemWhoseInstanceWakesUp(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		key, docs := s.byKey(wide), someCPFs(7900, 60)[:60]
		n := quote(docs...)
		q := must(s.batches.Quote(t.Context(), key, n))
		must(s.batches.Confirm(t.Context(), key, q.ID, nil))
		items := must(s.store.Repos().BatchItems.Next(t.Context(), q.OrgID, q.ID, len(docs)))
		for i := range items {
			items[i].LookupID, items[i].Owner, items[i].LeaseUntil = lookups.NewKeyID(), "frozen", s.now()
		}
		done(s.store.InTx(t.Context(), func(_ context.Context, r ports.Repos) error {
			return r.BatchRuns.Claim(t.Context(), items)
		}))
		s.bureau.Script = portstest.Fails(ports.Failed)
		woken := s.otherLookups(s.store)
		wakes := func(i int) string {
			_, err := woken.Do(t.Context(), key, lookups.Request{
				Product: catalog.CPF, Document: items[i].Document.Value(), ID: items[i].LookupID, BatchID: q.ID, Ceiling: q.Limit(),
			})
			return said(err)
		}
		handedTo := func(i int) string {
			all := must(s.store.Repos().BatchItems.Items(t.Context(), ports.AnyOrg, q.ID, "", 0, len(docs)))
			return all[i].LookupID
		}
		stop := running(s)
		defer stop()
		var waking sync.WaitGroup
		for i := range items {
			waking.Go(func() {
				for i%2 == 0 && handedTo(i) == items[i].LookupID { // half of them after they are handed out again
					runtime.Gosched()
				}
				wakes(i)
			})
		}
		waking.Wait()
		s.until(q.ID, ended)
		for i := range items {
			wakes(i)
		}
		equal(t, "calls", len(s.bureau.Asked()), len(docs))
		end := s.until(q.ID, ended)
		equal(t, "charged", line(end.Status, end.Charged, end.Spent.Amount), line(batch.Done, len(docs), catalog.Money(len(docs))*price))
		equal(t, "what the key was charged", s.spent(key), "60 60 60 27")
	})
}
