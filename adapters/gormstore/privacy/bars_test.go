package privacy_test

import (
	"testing"
	"time"

	"fichario/adapters/gormstore/privacy"
)

// TestWhatAnErasureBars: what began before it ended, however late the question reached the server; what began after
// it is free, and where the question took longer than lies between the two, nobody is sure.
func TestWhatAnErasureBars(t *testing.T) {
	t.Parallel()
	now := time.Now()
	micros := func(d time.Duration) int64 { return d.Microseconds() }
	for name, c := range map[string]struct {
		since      time.Time
		ago        time.Duration
		bars, sure bool
	}{
		"it runs":                              {now.Add(-time.Minute), -time.Hour, true, true},
		"it runs, and nothing is said":         {time.Time{}, -time.Hour, true, true},
		"it ended, and nothing is said":        {time.Time{}, time.Millisecond, false, true},
		"it ended after the beginning":         {now.Add(-time.Minute), time.Second, true, true},
		"it ended before the beginning":        {now.Add(-time.Minute), 2 * time.Minute, false, true},
		"by how long the question took, after": {now.Add(-time.Minute), time.Minute - time.Second, true, true},
	} {
		bars, sure := privacy.AskNow().Bars(c.since, micros(c.ago))
		if bars != c.bars || sure != c.sure {
			t.Errorf("%s: barred %t, sure %t", name, bars, sure)
		}
	}
	asked := privacy.AskNow()
	since := time.Now().Add(-time.Hour)
	for time.Since(since) < time.Hour+20*time.Millisecond {
		continue // the question takes that long
	}
	if bars, sure := asked.Bars(since, micros(time.Hour+10*time.Millisecond)); !bars || sure {
		t.Errorf("while it was asked: barred %t, sure %t", bars, sure)
	}
}
