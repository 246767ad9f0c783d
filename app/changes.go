package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"fichario/domain/fault"
	"fichario/ports"
)

const (
	// changesEvery is how often changes are looked for while somebody watches, and changesBack how far back each time:
	// an event may become visible that much later than its id says, when clocks differ or a transaction takes long.
	changesEvery = 2 * time.Second
	changesBack  = 15 * time.Second
	// watchersMax and memberWatchers bound how many watch at once, all together and of one member.
	watchersMax, memberWatchers = 2000, 12
)

// Changes tells pages that contacts of their organisation have changed, whichever instance changed them. It asks the
// database only while somebody watches, once for all of them.
type Changes struct {
	store ports.Store
	clock Clock
	log   *slog.Logger

	mu       sync.Mutex
	watchers map[*watcher]struct{}
	running  bool
}

type watcher struct {
	orgID, memberID string
	changed         chan struct{}
	seen            string // the newest event that it knows, or what is before any that it does not
}

// NewChanges returns the use case.
func NewChanges(store ports.Store, clock Clock, log *slog.Logger) *Changes {
	return &Changes{store: store, clock: clock, log: log, watchers: map[*watcher]struct{}{}}
}

// Mark is the present moment among changes, for Watch.
func (c *Changes) Mark() string { return newID() }

// Watch returns a channel that gets a value after contacts of the caller's organisation have changed, since a mark that
// is not long ago, or from now on where it is none; changes that come fast are told once. stop must be called at the
// end. Faults: NotFound; ServiceUnavailable when too many watch.
func (c *Changes) Watch(by Caller, since string) (changed <-chan struct{}, stop func(), err error) {
	orgID, err := by.org()
	if err != nil {
		return nil, nil, err
	}
	if !validID(since) {
		since = c.Mark()
	}
	w := &watcher{orgID: orgID, memberID: by.memberID, changed: make(chan struct{}, 1), seen: since}
	c.mu.Lock()
	defer c.mu.Unlock()
	own := 0
	for other := range c.watchers {
		if other.memberID == w.memberID {
			own++
		}
	}
	if own >= memberWatchers || len(c.watchers) >= watchersMax {
		return nil, nil, fault.New(fault.ServiceUnavailable, "Há páginas demais abertas ao mesmo tempo.").After(time.Minute)
	}
	c.watchers[w] = struct{}{}
	if !c.running {
		c.running = true
		go c.run()
	}
	return w.changed, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.watchers, w)
	}, nil
}

// run looks until nobody watches.
func (c *Changes) run() {
	tick := time.NewTicker(changesEvery)
	defer tick.Stop()
	for failed := false; ; <-tick.C {
		c.mu.Lock()
		if len(c.watchers) == 0 {
			c.running = false
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), changesEvery)
		newest, err := c.store.Repos().Contacts.Changed(ctx, c.clock().Add(-changesBack))
		cancel()
		if err != nil {
			if !failed {
				c.log.Warn("changes could not be looked for; pages update when they are loaded", "error", err)
			}
			failed = true
			continue
		}
		failed = false
		c.tell(newest)
	}
}

// tell tells those who watch an organisation that has a newer event than they know.
func (c *Changes) tell(newest map[string]string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.watchers {
		is := newest[w.orgID]
		if is <= w.seen {
			continue
		}
		w.seen = is
		select {
		case w.changed <- struct{}{}:
		default:
		}
	}
}
