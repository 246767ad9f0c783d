package gormstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

// TestAMovedAnswerSpoilsNobodyElse swaps the sealed answers of two rows. Neither opens any more, because a sealed value
// is bound to its row; other lookups in the same batch are answered all the same.
func TestAMovedAnswerSpoilsNobodyElse(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		id := func(n int) string { return fmt.Sprintf("01980000-0000-7000-8000-%012d", n) }
		if err := errors.Join(
			s.Repos().Orgs.Create(t.Context(), crm.Organisation{ID: id(99), Name: "Organização"}),
			s.Repos().Automations.Create(t.Context(), automation.Automation{
				ID: id(97), OrgID: id(99), Name: "Avisar", Event: automation.LookupCompleted, Enabled: true,
			}),
		); err != nil {
			t.Fatal(err)
		}
		var docs []document.Document
		for n, cpf := range []string{"52998224725", "11144477735", "40442820135"} {
			docs = append(docs, document.Restore(document.CPF, cpf))
			rec := lookup.Record{
				ID: id(n), OrgID: id(99), Product: "cpf", Document: docs[n], AnsweredAt: time.Now(),
				Fields: []byte(`{"nome":null}`), Raw: []byte("null"),
			}
			if err := s.Repos().History.Save(t.Context(), rec); err != nil {
				t.Fatal(err)
			}
		}
		swap := "UPDATE records SET answer = (SELECT o.answer FROM records o WHERE o.id = ?) WHERE id = ?"
		for _, pair := range [][2]int{{0, 1}, {2, 0}} {
			if err := s.Writer.Exec(swap, id(pair[0]), id(pair[1])).Error; err != nil {
				t.Fatal(err)
			}
		}
		var wg sync.WaitGroup
		for n := range 60 {
			wg.Go(func() {
				e := lookup.Entry{
					ID: id(1000 + n), OrgID: id(99), KeyID: id(98), Product: "cpf", Document: docs[n%3], At: time.Now(), Cache: true,
					Status: lookup.Done,
				}
				_, err := s.Repos().History.Serve(context.Background(), e, time.Time{})
				moved := n%3 != 2
				if moved != errors.Is(err, ports.ErrNotFound) || !moved && err != nil {
					t.Errorf("%s: lookup %d: %v", s.Writer.Name(), n, err)
				}
				if !moved {
					return
				}
				e.Cache, e.Status, e.SettleAt = false, lookup.Running, e.At.Add(time.Minute)
				charge := ports.Charge{Entry: e, Takes: time.Minute, Caps: access.Limits{PerDay: 100, PerMonth: 100}}
				if _, err := s.Repos().Calls.Begin(context.Background(), charge); err != nil {
					t.Errorf("%s: lookup %d is asked of the bureau: %v", s.Writer.Name(), n, err)
				}
			})
		}
		wg.Wait()
		for _, sum := range []string{
			"SELECT COUNT(*) FROM lookups WHERE cache", "SELECT SUM(cached) FROM lookup_hours",
			"SELECT COUNT(*) FROM jobs",
		} {
			var n int
			if err := s.Reader.Raw(sum).Scan(&n).Error; err != nil || n != 20 {
				t.Errorf("%s: %s: %d, %v", s.Writer.Name(), sum, n, err)
			}
		}
	}
}
