package lookup_test

import (
	"testing"
	"time"

	"fichario/domain/lookup"
)

func TestFreshAt(t *testing.T) {
	t.Parallel()
	const month = 30 * 24 * time.Hour
	answered := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	r := lookup.Record{AnsweredAt: answered}
	for age, want := range map[time.Duration]bool{
		-time.Hour: true, 0: true, month - time.Second: true, month: false, month + time.Second: false,
	} {
		if got := r.FreshAt(answered.Add(age), month); got != want {
			t.Errorf("after %s: %t", age, got)
		}
	}
	if r.FreshAt(answered, 0) {
		t.Error("with no history at all, nothing is fresh")
	}
}

func TestOnlyWhatWasNotSentIsFree(t *testing.T) {
	t.Parallel()
	for status, want := range map[lookup.Status]bool{
		lookup.Running: true, lookup.Done: true, lookup.Failed: true, lookup.NoAnswer: true, lookup.NotSent: false,
	} {
		if status.Charged() != want {
			t.Errorf("%s: charged %t", status, status.Charged())
		}
	}
}
