package gormstore_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest/kit"
	"fichario/tests/testkit/postgres"
)

// TestCallsWhileOneEnds: what asks on any instance while a call ends hears of that call, or has its answer, and is not
// charged. A batch that takes several leases may wait for one of them between a look at another and at its holder.
func TestCallsWhileOneEnds(t *testing.T) {
	t.Parallel()
	const rounds, questions, askers = 10, 6, 6
	url := postgres.New(t, migrate)
	stores, org := []ports.Store{open(t, url), open(t, url)}, kit.ID()
	charged := func(s ports.Store, product string) {
		e := kit.Running(t, "")
		e.OrgID, e.Product = org, product
		rec := lookup.Record{
			ID: kit.ID(), OrgID: org, Product: product, Document: e.Document, AnsweredAt: kit.At, Found: true,
			Fields: []byte("{}"), Raw: []byte("{}"),
		}
		for {
			begun, err := s.Repos().Calls.Begin(t.Context(), ports.Charge{
				Entry: e, Takes: time.Minute, Shared: true, After: kit.At.Add(-time.Second),
			})
			if err == nil && begun == (ports.Begun{}) {
				ends := ports.Outcome{Entry: e, Price: e.Amount, Record: &rec}
				ends.Entry.Status, ends.Entry.RecordID = lookup.Done, rec.ID
				_, err = s.Repos().Calls.End(t.Context(), ends)
			}
			if err != nil {
				t.Error(err)
			}
			if err != nil || begun.Holder == "" {
				return
			}
		}
	}
	for round := range rounds {
		var wg sync.WaitGroup
		for i := range questions * askers {
			wg.Go(func() { charged(stores[i%len(stores)], fmt.Sprint(round, "-", i/askers)) })
		}
		wg.Wait()
	}
	days, err := stores[0].Repos().Statement.Spend(t.Context(), lookup.Asker{OrgID: org}, "2026-11-20", "2026-11-20")
	kit.Must(t, err)
	for _, day := range days {
		if day.Count > 1 {
			t.Errorf("%s: %d calls were charged", day.Product, day.Count)
		}
	}
	kit.Same(t, "questions that were charged", len(days), rounds*questions)
}
