package app

import (
	"sync"
	"testing"
	"time"
)

func TestIDsAreUUIDv7InOrder(t *testing.T) {
	t.Parallel()
	const workers, each = 8, 500
	all := make([][]string, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for range each {
				all[w] = append(all[w], NewID())
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, ids := range all {
		for i, id := range ids {
			if !ValidID(id) || id[14] != '7' || id[19] < '8' || id[19] > 'b' {
				t.Fatalf("%s is no UUIDv7", id)
			}
			if seen[id] || i > 0 && id <= ids[i-1] {
				t.Fatalf("%s repeats or goes back", id)
			}
			seen[id] = true
		}
	}
	before := time.Now().UnixMilli()
	id := NewID()
	if got := hexMillis(t, id); got < before || got > time.Now().UnixMilli()+1000 {
		t.Errorf("%s holds %d ms, made after %d", id, got, before)
	}
}

func hexMillis(t *testing.T, id string) (ms int64) {
	t.Helper()
	for _, r := range id[:8] + id[9:13] {
		d := int64(r - '0')
		if r >= 'a' {
			d = int64(r-'a') + 10
		}
		ms = ms<<4 | d
	}
	return ms
}
