package gormstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

// callAbout is a call about one document, whose lease has expired when the next one begins.
func callAbout(id, orgID string) ports.Charge {
	return ports.Charge{
		Entry: lookup.Entry{
			ID: id, OrgID: orgID, MemberID: testID(9), Product: "cpf", Document: document.Restore(document.CPF, "52998224725"),
			At: time.Now(), Charged: true, Amount: 4500, Status: lookup.Running, Day: "2026-11-20", Month: "2026-11",
		},
		Takes: -time.Minute, Shared: true, After: time.Now(),
	}
}

// TestACallThatFailsSpoilsNoneBeside: a call that fails leaves those alone that wait to be charged with it, whether
// they
// share its lease or not.
func TestACallThatFailsSpoilsNoneBeside(t *testing.T) {
	t.Parallel()
	s := each(t)[1]
	var all sync.WaitGroup
	// While its organisation's charges are held, the first call keeps the others waiting, so that they go together.
	err := s.InTx(t.Context(), func(_ context.Context, r ports.Repos) error {
		if err := r.Orgs.HoldCharges(t.Context(), testID(1)); err != nil {
			return err
		}
		asked := make(chan struct{})
		for i := range 9 {
			org, fails := testID(1), i%3 == 2
			if fails {
				org = "no id"
			}
			call := callAbout(fmt.Sprintf("01980000-0000-7000-8000-0000000000%02d", 20+i), org)
			all.Go(func() {
				asked <- struct{}{}
				begun, err := s.Repos().Calls.Begin(context.WithoutCancel(t.Context()), call)
				if fails != (err != nil) || begun != (ports.Begun{}) {
					t.Errorf("call %d: %+v, %v", i, begun, err)
				}
				_, err = s.Repos().Statement.Find(t.Context(), ports.AnyOrg, call.Entry.ID)
				if fails != errors.Is(err, ports.ErrNotFound) {
					t.Errorf("call %d is in the statement: %v", i, err)
				}
			})
			<-asked
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all.Wait()
}
