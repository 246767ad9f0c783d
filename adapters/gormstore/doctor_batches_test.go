package gormstore

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fichario/domain/automation"
	"fichario/domain/batch"
	"fichario/domain/crm"
	"fichario/domain/document"
)

// brokenIn names the broken invariants.
func brokenIn(t *testing.T, s *Store) (names []string) {
	t.Helper()
	findings, err := s.Check(t.Context(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if f.Violations > 0 {
			names = append(names, fmt.Sprint(f.Name, " ", f.IDs))
		}
	}
	return names
}

// TestCheckCountsBatches breaks and restores the counters of a batch one by one.
func TestCheckCountsBatches(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		made := takeOne(t, s)
		b := batch.Batch{
			ID: testID(50), OrgID: testID(1), Name: "Carteira", Product: "cpf", Status: batch.Done, Total: 5, Valid: 3,
			Repeated: 1, Invalid: 1, Ended: 3, Charged: 2, Free: 1, Failed: 1, CreatedAt: made.Delivery.At,
			ExpiresAt: made.Delivery.At,
		}
		var items []batch.Item
		for i, state := range []batch.State{batch.Answered, batch.Answered, batch.NoAnswer, batch.Repeat, batch.Invalid} {
			items = append(items, batch.Item{
				ID: testID(60 + i), BatchID: b.ID, OrgID: b.OrgID, Line: i + 1, State: state,
				Document: document.Restore(document.CPF, "52998224725"),
			})
		}
		repo := s.Repos().Batches
		for _, err := range []error{repo.Create(t.Context(), b), s.Repos().BatchItems.AddItems(t.Context(), items)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if broken := brokenIn(t, s); len(broken) > 0 {
			t.Fatalf("%s: a sound database: %v", s.Writer.Name(), broken)
		}
		for _, counter := range []string{"total", "valid", "repeated", "invalid", "ended", "charged", "free", "failed"} {
			for _, step := range []string{" + 1", " - 1"} {
				if err := s.Writer.Exec("UPDATE batches SET " + counter + " = " + counter + step).Error; err != nil {
					t.Fatal(err)
				}
				broken := strings.Join(brokenIn(t, s), "")
				if found := broken == "a batch's counters match its items ["+b.ID+"]"; found != (step == " + 1") {
					t.Errorf("%s: %s%s: %q", s.Writer.Name(), counter, step, broken)
				}
			}
		}
		if err := s.Writer.Exec("DELETE FROM batch_items WHERE line = 4").Error; err != nil {
			t.Fatal(err)
		}
		if broken := brokenIn(t, s); len(broken) != 1 {
			t.Errorf("%s: an item that is gone: %v", s.Writer.Name(), broken)
		}
		if err := s.Writer.Exec("UPDATE batches SET status = 'expirado'").Error; err != nil {
			t.Fatal(err)
		}
		if broken := brokenIn(t, s); len(broken) > 0 {
			t.Errorf("%s: a quote whose items are gone: %v", s.Writer.Name(), broken)
		}
	}
}

// TestCheckKnowsWhatHasNoContact: events of a reached cap and a finished batch concern no contact.
func TestCheckKnowsWhatHasNoContact(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		made := takeOne(t, s)
		for _, err := range []error{
			s.Repos().Notifications.Create(t.Context(), crm.Notification{
				ID: testID(70), OrgID: testID(1), Kind: crm.BatchEnded, BatchID: testID(50), At: made.Delivery.At,
			}),
			s.Repos().Jobs.Add(t.Context(), automation.Job{
				ID: testID(71), OrgID: testID(1), Kind: automation.FanOut, Event: automation.CapReached, State: automation.Ready,
				RunAt: time.Now(), CreatedAt: time.Now(),
			}),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if broken := brokenIn(t, s); len(broken) > 0 {
			t.Errorf("%s: %v", s.Writer.Name(), broken)
		}
	}
}
