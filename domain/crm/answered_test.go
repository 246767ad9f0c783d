package crm

import (
	"testing"
	"time"
)

func TestBoundsOfAnswers(t *testing.T) {
	t.Parallel()
	for waited, want := range map[time.Duration]int{
		0: 0, 5 * time.Minute: 0, 5*time.Minute + 1: 1, time.Hour: 2, 24 * time.Hour: 4, 72 * time.Hour: 5, 73 * time.Hour: 6,
	} {
		if got := Bound(waited); got != want {
			t.Errorf("%s is in %d, not %d", waited, got, want)
		}
	}
	for _, one := range []struct {
		counts AnsweredWithin
		median time.Duration
		has    bool
	}{
		{},
		{AnsweredWithin{0: 1}, 150 * time.Second, true},
		{AnsweredWithin{0: 1, 2: 1}, 5 * time.Minute, true},
		{AnsweredWithin{0: 1, 2: 4}, 15*time.Minute + 45*time.Minute*3/8, true},
		{AnsweredWithin{3: 6, 4: 13}, 4*time.Hour + 20*time.Hour*7/26, true},
		{AnsweredWithin{0: 1, 6: 2}, 0, false},
		{AnsweredWithin{5: 1_000_000}, 48 * time.Hour, true},
	} {
		if got, has := one.counts.Median(); got != one.median || has != one.has {
			t.Errorf("the median of %v is %s, %t", one.counts, got, has)
		}
	}
}
