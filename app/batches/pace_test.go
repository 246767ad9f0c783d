package batches

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestItemsOfBatchesGiveWayToSingleLookups(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		single bool
		since  time.Duration
		want   time.Duration
	}{
		"nobody else asks":              {want: 0},
		"a single lookup came":          {single: true, want: 7 * yieldGap},
		"a single lookup came long ago": {single: true, since: yieldFor, want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				pace := NewPace()
				if c.single {
					pace.Single()
				}
				time.Sleep(c.since)
				began := time.Now()
				var items sync.WaitGroup
				for range 8 {
					items.Go(pace.turn)
				}
				items.Wait()
				if took := time.Since(began); took != c.want {
					t.Errorf("eight items began within %v, want %v", took, c.want)
				}
			})
		})
	}
}
