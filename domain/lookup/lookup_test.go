package lookup_test

import (
	"testing"
	"time"

	"fichario/domain/catalog"
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

func TestForecast(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 11, 1, 3, 0, 0, 0, time.UTC)
	for gone, want := range map[time.Duration]catalog.Money{
		0: 0, 23 * time.Hour: 0, 24 * time.Hour: 300 * catalog.Real, 10 * 24 * time.Hour: 30 * catalog.Real,
		30 * 24 * time.Hour: 10 * catalog.Real,
	} {
		if got := lookup.Forecast(10*catalog.Real, begin, begin.Add(gone), begin.AddDate(0, 0, 30)); got != want {
			t.Errorf("after %s: %s, not %s", gone, got, want)
		}
	}
	const most = 100_000_000 * catalog.Real
	if got := lookup.Forecast(most, begin, begin.AddDate(0, 0, 15), begin.AddDate(0, 0, 30)); got != 2*most {
		t.Errorf("of much %s", got)
	}
}
