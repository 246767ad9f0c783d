package access

import (
	"sync"
	"time"
)

// Window is a per-minute limit: at most that many requests in any sixty seconds, not just in each minute of the clock.
// Refused requests do not count. The zero value is ready to use.
type Window struct {
	mu sync.Mutex
	// used is a ring of the times of the requests that counted, oldest first.
	used  []time.Duration
	first int
	count int
}

// State is a limit's verdict on a request.
type State struct {
	// OK is false when the request is refused.
	OK bool
	// Limit is how many are allowed, Remaining how many are left now.
	Limit, Remaining int
	// Reset is how long until the oldest counted request stops counting; after a refusal, the wait after which a request
	// is allowed.
	Reset time.Duration
}

// Allow counts a request at now, a monotonic time since any fixed start, against
// the limit.
func (w *Window) Allow(now time.Duration, limit int) State {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forget(now)
	s := State{OK: w.count < limit, Limit: limit}
	if s.OK {
		w.push(now)
	}
	s.Remaining = max(limit-w.count, 0)
	if w.count > 0 {
		// After the limit was lowered, more than one must expire first.
		nth := w.first
		if !s.OK {
			nth = (w.first + w.count - max(limit, 1)) % len(w.used)
		}
		s.Reset = w.used[nth] + time.Minute - now
	}
	return s
}

// Used returns how many requests count at now, without adding one.
func (w *Window) Used(now time.Duration) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forget(now)
	return w.count
}

// forget drops the requests that no longer count.
func (w *Window) forget(now time.Duration) {
	for w.count > 0 && w.used[w.first] <= now-time.Minute {
		w.first = (w.first + 1) % len(w.used)
		w.count--
	}
}

func (w *Window) push(now time.Duration) {
	if w.count == len(w.used) {
		grown := make([]time.Duration, max(16, 2*len(w.used)))
		for i := range w.count {
			grown[i] = w.used[(w.first+i)%len(w.used)]
		}
		w.used, w.first = grown, 0
	}
	w.used[(w.first+w.count)%len(w.used)] = now
	w.count++
}
