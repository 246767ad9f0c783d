package app

import (
	"net/netip"
	"sync"
	"time"

	"fichario/domain/access"
)

const (
	// strangersMost is how many keys that nobody has may come from one network within a minute, and be looked for, but for
	// those that come at one moment. Keys that this instance has seen are no strangers.
	strangersMost = 300
	// networksMost is of how many networks that is known. With more of them all begin anew: memory is bounded, and each
	// one has its limit again.
	networksMost = 1024
)

// strangers counts the keys that nobody has, by the network that they come from, so that guessing asks the database for
// no more than strangersMost.
type strangers struct {
	mu       sync.Mutex
	networks map[netip.Prefix]*access.Window
}

// wait is how long a network has to wait before another key is looked for.
func (s *strangers) wait(from netip.Addr, now time.Duration) time.Duration {
	s.mu.Lock()
	w := s.networks[access.NetworkOf(from)]
	s.mu.Unlock()
	if w == nil || w.Used(now) < strangersMost {
		return 0
	}
	return w.Allow(now, strangersMost).Reset // which a refusal does not change
}

// count adds a key that nobody has.
func (s *strangers) count(from netip.Addr, now time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	network := access.NetworkOf(from)
	w := s.networks[network]
	if w == nil {
		if s.networks == nil || len(s.networks) >= networksMost {
			s.networks = map[netip.Prefix]*access.Window{}
		}
		w = &access.Window{}
		s.networks[network] = w
	}
	w.Allow(now, strangersMost)
}
