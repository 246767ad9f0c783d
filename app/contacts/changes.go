package contacts

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"fichario/app"
	"fichario/domain/fault"
	"fichario/ports"
)

const (
	// changesEvery is how often changes are polled while somebody watches. changesBack is how far back at least: an event
	// may become visible that much later than its id says, because its instance's clock is behind the database's or a
	// transaction takes long.
	changesEvery = 2 * time.Second
	changesBack  = 15 * time.Second
	// watchersMax and memberWatchers bound how many watch at once, in all and per member.
	watchersMax, memberWatchers = 2000, 12
)

// Changes tells pages that contacts of their organisation have changed, whichever instance changed them. It asks the
// database only while somebody watches, once for all of them.
type Changes struct {
	store ports.Store
	clock app.Clock
	log   *slog.Logger

	mu       sync.Mutex
	watchers map[*Watcher]struct{}
	running  bool
}

// Watcher is notified of changes. Stop must be called at the end.
type Watcher struct {
	of              *Changes
	orgID, memberID string
	changed         app.Wake
	place           string // every event that it was not told of comes after this
	looked          bool   // whether changes were polled since it began
}

// Changed gets a value after contacts of the organisation have changed; changes in quick succession may give only one.
func (w *Watcher) Changed() <-chan struct{} { return w.changed }

// Place is where a returning watcher must continue to miss nothing. What happened just before is told again.
func (w *Watcher) Place() string {
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	return w.place
}

// Stop ends the watch.
func (w *Watcher) Stop() {
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	delete(w.of.watchers, w)
}

// NewChanges returns the use case.
func NewChanges(store ports.Store, clock app.Clock, log *slog.Logger) *Changes {
	return &Changes{store: store, clock: clock, log: log, watchers: map[*Watcher]struct{}{}}
}

// Present returns the present moment as a place for Watch.
func (c *Changes) Present() string { return app.NewID() }

// Watch notifies the caller of changes of their organisation's contacts, since a recent place, or from now on if since
// is not a place. Faults: NotFound; ServiceUnavailable when too many watch.
func (c *Changes) Watch(by app.Caller, since string) (*Watcher, error) {
	orgID, err := by.Org()
	if err != nil {
		return nil, err
	}
	if !app.ValidID(since) {
		since = c.Present()
	}
	w := &Watcher{of: c, orgID: orgID, memberID: by.MemberID(), changed: app.NewWake(), place: since}
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

// run polls until nobody watches.
func (c *Changes) run() {
	tick := ports.NewTicker(changesEvery)
	defer tick.Stop()
	var seen happened
	for failed := false; ; <-tick.C {
		c.mu.Lock()
		if len(c.watchers) == 0 {
			c.running = false
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), changesEvery)
		err := c.look(ctx, &seen)
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

// look finds out what has happened since the last look, and tells it. An event that becomes visible late may not be the
// newest, but it raises the number of events since the same time, which moves on now and then.
func (c *Changes) look(ctx context.Context, known *happened) error {
	history := c.store.Repos().ContactHistory
	now, err := c.store.Repos().Clock.Now(ctx, c.clock())
	if err != nil {
		return err
	}
	if known.since.IsZero() {
		known.since = now.Add(-changesBack)
	}
	var next *happened
	if age := now.Sub(known.since); age < changesBack || age > 2*changesBack {
		next = &happened{since: now.Add(-changesBack)}
		if next.in, err = history.Changed(ctx, next.since); err != nil {
			return err
		}
	} // read before what is told, so that it holds nothing untold
	in, err := history.Changed(ctx, known.since)
	if err != nil {
		return err
	}
	c.tell(known.in, in, app.IDAt(now.Add(-changesBack)))
	if known.in = in; next != nil {
		*known = *next
	}
	return nil
}

// tell notifies those who watch an organisation in which something happened; a watcher that was not there at the last
// look only if that is after its place. From upTo on they may not have been told everything.
func (c *Changes) tell(was, is map[string]ports.ContactChanges, upTo string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.watchers {
		news := is[w.orgID] != was[w.orgID]
		if !w.looked {
			news = is[w.orgID].Newest > w.place
		}
		w.looked, w.place = true, max(w.place, upTo)
		if news {
			w.changed.Call()
		}
	}
}
