package gormstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

// callAbout is a call about one document, whose lease has expired when the next one begins.
func callAbout(s *Store, id, orgID string) beginning {
	doc := document.Restore(document.CPF, "52998224725")
	e := lookup.Entry{
		ID: id, OrgID: orgID, MemberID: testID(9), Product: "cpf", Document: doc, At: time.Now(), Charged: true, Amount: 4500,
		Status: lookup.Running, Day: "2026-11-20", Month: "2026-11",
	}
	indexes := s.vault.indexes(indexText(testID(1), "cpf", doc))
	return beginning{
		Charge: ports.Charge{Entry: e, Takes: -time.Minute, Shared: true, After: time.Now()}, entry: s.vault.lookupRow(e),
		indexes: indexes, lease: indexes[0],
	}
}

// TestACallThatFailsSpoilsNoneBeforeIt: later calls about the same document have their own transaction, so the charges
// of earlier ones are known even if it fails.
func TestACallThatFailsSpoilsNoneBeforeIt(t *testing.T) {
	t.Parallel()
	s := each(t)[1]
	good, bad := callAbout(s, testID(2), testID(1)), callAbout(s, testID(3), "no id")
	out, err := s.beginOnPostgres(t.Context(), []beginning{good, bad})
	if err != nil || len(out) != 2 || !out[0].writes() || out[1].refused == nil {
		t.Fatalf("begun: %+v, %v", out, err)
	}
	if _, err := s.Repos().Statement.Find(t.Context(), testID(2)); err != nil {
		t.Error(err)
	}
}

// TestWhatMayBeWrittenIsNotDoneAgain: a retry would run into what the first attempt wrote.
func TestWhatMayBeWrittenIsNotDoneAgain(t *testing.T) {
	t.Parallel()
	tried, begun, held := 0, make(chan struct{}), make(chan struct{})
	many := newTogether(func(_ context.Context, in []int) ([]int, error) {
		if tried++; tried == 1 {
			close(begun)
			<-held // until the others are waiting
			return in, nil
		}
		return nil, ports.ErrUncertain
	})
	defer many.close()
	ends := make(chan error, 3)
	for i := range 3 {
		go func() { _, err := many.call(t.Context(), i); ends <- err }()
		<-begun
	}
	for len(many.in) < 2 {
		time.Sleep(time.Millisecond)
	}
	close(held)
	uncertain := 0
	for range 3 {
		if errors.Is(<-ends, ports.ErrUncertain) {
			uncertain++
		}
	}
	if uncertain != 2 || tried != 2 {
		t.Errorf("%d are uncertain after %d tries", uncertain, tried)
	}
}

// TestWhatWasDoneAtTheEndIsAnswered: a caller whose work was done just before the worker ended is not told that the
// service is closing.
func TestWhatWasDoneAtTheEndIsAnswered(t *testing.T) {
	t.Parallel()
	for range 500 {
		many := &together[int, int]{
			in: make(chan request[int, int]), stop: make(chan struct{}), done: make(chan struct{}),
		}
		go func() {
			one := <-many.in
			one.done <- response[int]{out: one.in}
			close(many.done)
		}()
		if out, err := many.call(t.Context(), 7); err != nil || out != 7 {
			t.Fatal(out, err)
		}
	}
}
