package lookups

import (
	"net/netip"
	"sync"
	"time"

	"fichario/domain/access"
)

const (
	// strangersMost is how many unknown keys from one network are looked up within a minute, apart from concurrent ones.
	// Keys that this instance has seen do not count.
	strangersMost = 300
	// networksMost is how many networks are tracked. Beyond that all counts restart: memory is bounded, and each network
	// has its limit again.
	networksMost = 1024
)

// strangers counts unknown keys, by the network that they come from, so that guessing makes no more than strangersMost
// database queries.
type strangers struct {
	mu       sync.Mutex
	networks map[netip.Prefix]*access.Window
}

// wait returns how long a network must wait before another key is looked up.
func (s *strangers) wait(from netip.Addr, now time.Duration) time.Duration {
	s.mu.Lock()
	w := s.networks[access.NetworkOf(from)]
	s.mu.Unlock()
	if w == nil || w.Used(now) < strangersMost {
		return 0
	}
	return w.Allow(now, strangersMost).Reset // a refusal leaves the count as it is
}

// count records an unknown key.
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
