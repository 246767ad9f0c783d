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
	// changesEvery is how often changes are looked for while somebody watches, and changesBack how far back at least: an
	// event may become visible that much later than its id says, when clocks differ or a transaction takes long.
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
	watchers map[*Watcher]struct{}
	running  bool
}

// Watcher is who is told of changes. Stop must be called at the end.
type Watcher struct {
	of              *Changes
	orgID, memberID string
	changed         chan struct{}
	mark            string // what is before any event that it was not told of
	looked          bool   // whether changes were looked for since it is there
}

// Changed gets a value after contacts of the organisation have changed; changes that come fast are told once.
func (w *Watcher) Changed() <-chan struct{} { return w.changed }

// Mark is from where whoever comes back has to watch, so that he misses nothing. What happened just before is told to
// him again.
func (w *Watcher) Mark() string {
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	return w.mark
}

// Stop ends it.
func (w *Watcher) Stop() {
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	delete(w.of.watchers, w)
}

// NewChanges returns the use case.
func NewChanges(store ports.Store, clock Clock, log *slog.Logger) *Changes {
	return &Changes{store: store, clock: clock, log: log, watchers: map[*Watcher]struct{}{}}
}

// Mark is the present moment among changes, for Watch.
func (c *Changes) Mark() string { return newID() }

// Watch has the caller told of changes of his organisation's contacts, since a mark that is not long ago, or from now
// on where it is none. Faults: NotFound; ServiceUnavailable when too many watch.
func (c *Changes) Watch(by Caller, since string) (*Watcher, error) {
	orgID, err := by.org()
	if err != nil {
		return nil, err
	}
	if !validID(since) {
		since = c.Mark()
	}
	w := &Watcher{of: c, orgID: orgID, memberID: by.memberID, changed: make(chan struct{}, 1), mark: since}
	c.mu.Lock()
	defer c.mu.Unlock()
	own := 0
	for other := range c.watchers {
		if other.memberID == w.memberID {
			own++
		}
	}
	if own >= memberWatchers || len(c.watchers) >= watchersMax {
		return nil, fault.New(fault.ServiceUnavailable, "Há páginas demais abertas ao mesmo tempo.").After(time.Minute)
	}
	c.watchers[w] = struct{}{}
	if !c.running {
		c.running = true
		go c.run()
	}
	return w, nil
}

// run looks until nobody watches.
func (c *Changes) run() {
	tick := time.NewTicker(changesEvery)
	defer tick.Stop()
	known := happened{since: c.clock().Add(-changesBack)}
	for failed := false; ; <-tick.C {
		c.mu.Lock()
		if len(c.watchers) == 0 {
			c.running = false
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), changesEvery)
		err := c.look(ctx, &known)
		cancel()
		if err != nil {
			if !failed {
				c.log.Warn("checking for changes failed; pages update only when loaded", "error", err)
			}
			failed = true
			continue
		}
		failed = false
	}
}

// happened is what was found since a time, by organisation.
type happened struct {
	since time.Time
	in    map[string]ports.ContactChanges
}

// look finds out what has happened since the last look, and tells it. An event that becomes visible late is not the
// newest: it is one more than there were since the same time. That time moves on now and then.
func (c *Changes) look(ctx context.Context, known *happened) error {
	contacts, now := c.store.Repos().Contacts, c.clock()
	var next *happened
	if age := now.Sub(known.since); age < changesBack || age > 2*changesBack {
		next = &happened{since: now.Add(-changesBack)}
		var err error
		if next.in, err = contacts.Changed(ctx, next.since); err != nil {
			return err
		}
	} // before what is told, so that nothing is in it that was not told
	in, err := contacts.Changed(ctx, known.since)
	if err != nil {
		return err
	}
	c.tell(known.in, in, idAt(now.Add(-changesBack)))
	if known.in = in; next != nil {
		*known = *next
	}
	return nil
}

// tell tells those who watch an organisation in which something happened; whoever was not there at the last look, when
// it is after his mark. From upTo on they may not have been told all.
func (c *Changes) tell(was, is map[string]ports.ContactChanges, upTo string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.watchers {
		news := is[w.orgID] != was[w.orgID]
		if !w.looked {
			news = is[w.orgID].Newest > w.mark
		}
		w.looked, w.mark = true, max(w.mark, upTo)
		if !news {
			continue
		}
		select {
		case w.changed <- struct{}{}:
		default:
		}
	}
}
