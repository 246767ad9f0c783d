package app_test

import (
	"testing"
	"time"

	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/catalog"
)

// TestARateHoldsForAnswersThatGrewOld between the quote and the run: history answered them then, and does not any more.
func TestARateHoldsForAnswersThatGrewOld(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		key, documents := s.byKey(access.Limits{PerMinute: 60, PerDay: 1000, PerMonth: 1000}), someCPFs(9500, 40)
		ask := func(some []string) {
			for _, d := range some {
				must(s.ask(key, lookups.Request{Document: d}))
			}
		}
		ask(documents[:20])
		time.Sleep(fresh - time.Hour)
		ask(documents[20:])
		s.batches.Bureau, s.batches.PerSecond = "b", 2
		n := quote(append(documents[20:], documents[:20]...)...)
		n.Ceiling = at(catalog.Money(40 * price))
		q := must(s.batches.Quote(t.Context(), key, n))
		equal(t, "from history", q.FromHistory, 40)
		time.Sleep(2 * time.Hour)
		before := len(s.bureau.Asked())
		defer running(s)()
		must(s.batches.Confirm(t.Context(), key, q.ID, nil))
		time.Sleep(time.Second)
		if n := len(s.bureau.Asked()) - before; n < 1 || n > 3 {
			t.Errorf("%d calls within a second, at two a second", n)
		}
		if n := must(s.batches.Show(t.Context(), key, q.ID)).Free; n != 20 {
			t.Errorf("%d of 20 answers from history in the first second", n)
		}
		equal(t, "the end", state(s.until(q.ID, ended)), "concluido  ended 40 charged 20 free 20 failed 0 spent 9")
	})
}
