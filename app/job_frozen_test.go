package app_test

import (
	"sync"
	"testing"

	"fichario/app/lookups"
	"fichario/domain/catalog"
	"fichario/ports"
	"fichario/ports/portstest"
)

// TestARunWhoseInstanceWakesUp: a run's lookup has an id that follows from the run, so the instance that lost the run's
// lease and the one that has it charge it once together, and nobody else's charge in the same transaction is lost.
func TestARunWhoseInstanceWakesUp(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		s.bureau.Script = portstest.Fails(ports.Failed)
		run, key, both := s.byKey(wide), s.byKey(wide), []*desk{s.lookups, s.otherLookups(s.store)}
		docs := someCPFs(8000, 40)[:40]
		var asking sync.WaitGroup
		others := &seen[string]{}
		for i, d := range docs {
			id := lookups.NewKeyID()
			for n := range 4 {
				asking.Go(func() {
					_, _ = both[n%2].Do(t.Context(), run, lookups.Request{Product: catalog.CPF, Document: d, ID: id, Refresh: n > 1})
				})
			}
			asking.Go(func() {
				_, err := both[i%2].Do(t.Context(), key, lookups.Request{Product: "score", Document: d})
				others.add(said(err))
			})
		}
		asking.Wait()
		for _, o := range others.list() {
			equal(t, "somebody else's", o, "bureau_falhou")
		}
		equal(t, "calls", len(s.bureau.Asked()), 2*len(docs))
		equal(t, "charged to the runs", s.spent(run), "40 40 40 18")
	})
}
