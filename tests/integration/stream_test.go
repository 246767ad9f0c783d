package integration

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// stream sends requests from several clients without pause until it is stopped, and reports the answers to those that
// began after an instant.
type stream struct {
	stop     chan struct{}
	work     sync.WaitGroup
	mu       sync.Mutex
	requests []requested
}

type requested struct {
	began time.Time
	what  string
}

// newStream starts a stream. send gets the number of requests before it.
func newStream(clients int, send func(n int) (answer string)) *stream {
	s := &stream{stop: make(chan struct{})}
	n := make(chan int)
	s.work.Go(func() {
		defer close(n)
		for i := 0; ; i++ {
			select {
			case n <- i:
			case <-s.stop:
				return
			}
		}
	})
	for range clients {
		s.work.Go(func() {
			for i := range n {
				r := requested{began: time.Now()}
				r.what = send(i)
				s.mu.Lock()
				s.requests = append(s.requests, r)
				s.mu.Unlock()
			}
		})
	}
	return s
}

// postsTo is a stream of leads.
func postsTo(o *org, h hook) *stream {
	return newStream(2, func(n int) string { return o.Post(h, intaketest.Lead(fmt.Sprint("fluxo ", n))).String() })
}

// after counts the answers to requests that began after an instant, waiting until there are some.
func (s *stream) after(t *testing.T, instant time.Time) map[string]int {
	t.Helper()
	out := map[string]int{}
	lookuptest.Eventually(t, "requests go on", func() bool {
		clear(out)
		s.mu.Lock()
		defer s.mu.Unlock()
		n := 0
		for _, r := range s.requests {
			if r.began.After(instant) {
				out[r.what]++
				n++
			}
		}
		return n >= 20
	})
	return out
}

func (s *stream) end() {
	close(s.stop)
	s.work.Wait()
}
