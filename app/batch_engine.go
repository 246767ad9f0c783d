package app

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"fichario/domain/batch"
	"fichario/ports"
)

const (
	// itemLease is how long an item is one instance's without being renewed, which happens every renewEvery.
	itemLease  = 4 * time.Second
	renewEvery = time.Second
	// gatherEnds is how long what became of an item waits for others, so that they share a transaction.
	gatherEnds = 5 * time.Millisecond
	// lookAgain is when an item is looked at again of which it is not known whether it was asked about.
	lookAgain = time.Second
	// itemsMax leaves half of the calls of an instance to single lookups.
	itemsMax = callsMax / 2
	// stepRetry is when a step is tried again for which the database was away, stepTries how often while the service
	// stops.
	stepRetry = 500 * time.Millisecond
	stepTries = 10
)

// Wake says that there may be something to do. It never blocks.
func (b *Batches) Wake() {
	select {
	case b.woken <- struct{}{}:
	default:
	}
}

// Run asks about the items of batches until ctx ends, and then finishes what it has begun. Any number of instances may
// run: a transaction hands items out, so that each is asked about once, and no more than Concurrency of an organisation
// at one time. An item whose instance died is settled by the entry of its lookup, and asked about again only where
// there is none.
func (b *Batches) Run(ctx context.Context) {
	var working sync.WaitGroup
	var mu sync.Mutex
	busy := map[string]*batchWorker{}
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for ctx.Err() == nil {
		orgs, err := b.busy(ctx)
		if err != nil && ctx.Err() == nil {
			b.Log.WarnContext(ctx, "background work failed; it will be tried again", "work", "batches", "error", err)
		}
		mu.Lock()
		for _, orgID := range orgs {
			if w := busy[orgID]; w != nil {
				w.wake()
				continue
			}
			w := &batchWorker{
				Batches: b, orgID: orgID, ended: make(chan itemEnd, b.Concurrency), woken: make(chan struct{}, 1),
				running: map[string]bool{},
			}
			busy[orgID] = w
			working.Go(func() {
				w.work(ctx)
				mu.Lock()
				defer mu.Unlock()
				delete(busy, orgID)
			})
		}
		mu.Unlock()
		select {
		case <-ticker.C:
		case <-b.woken:
		case <-ctx.Done():
		}
	}
	working.Wait()
}

func (b *Batches) busy(ctx context.Context) ([]string, error) {
	repos := b.Store.Repos()
	now, err := repos.Clock.Now(ctx, b.Clock())
	if err != nil {
		return nil, err
	}
	return repos.Batches.Busy(ctx, now)
}

// batchWorker is an instance's work for the batches of one organisation, as long as there is some.
type batchWorker struct {
	*Batches
	orgID string
	ended chan itemEnd
	woken chan struct{}
	// running are the lookups of the items that this worker asks about, untold what became of items and is not written
	// yet.
	running map[string]bool
	untold  []itemEnd
	// queue are items that take the places of those that end, so that nobody waits for a transaction meanwhile; started
	// are the ids of those that have, and of whom it is not written yet.
	queue   []claimedItem
	started []string
}

func (w *batchWorker) wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

// work hands out items and writes what became of them until nothing is left that this instance may do.
func (w *batchWorker) work(ctx context.Context) {
	going := context.WithoutCancel(ctx)
	renewed := time.Now()
	for failed := 0; ; {
		w.gather(ctx)
		next, err := w.step(going, ctx.Err() != nil)
		if err != nil {
			next = stepRetry
			w.Log.WarnContext(ctx, "background work failed; it will be tried again", "work", "batches", "error", err)
			if failed++; ctx.Err() != nil && failed > stepTries {
				return // whoever finds the items settles them
			}
		} else {
			failed = 0
		}
		if len(w.running)+len(w.queue)+len(w.untold) == 0 && next == 0 {
			return
		}
		if next == 0 {
			next = renewEvery
		}
		select {
		case end := <-w.ended:
			w.take(ctx, end)
			if w.Lookups.courtesy.due() {
				w.await(ctx, courteousGather)
			} else {
				w.await(ctx, gatherEnds)
			}
		case <-w.woken:
		case <-time.After(next):
		}
		if len(w.running) > 0 && time.Since(renewed) > renewEvery {
			renewed = time.Now()
			w.renew(going)
		}
	}
}

// take notes what became of an item, and has the next one asked about in its place, unless it is not sure that the
// place is free.
func (w *batchWorker) take(ctx context.Context, end itemEnd) {
	delete(w.running, end.LookupID)
	w.untold = append(w.untold, end)
	if len(w.queue) > 0 && end.State != batch.InFlight && ctx.Err() == nil {
		item := w.queue[0]
		w.queue = w.queue[1:]
		w.started = append(w.started, item.ID)
		w.start(context.WithoutCancel(ctx), item)
	}
}

// await waits until as much has ended as goes on, so that one transaction is for several items, but not for long.
func (w *batchWorker) await(ctx context.Context, most time.Duration) {
	over := time.After(most)
	for len(w.untold) < len(w.running) {
		select {
		case end := <-w.ended:
			w.take(ctx, end)
		case <-over:
			return
		}
	}
}

// gather takes what has ended by now.
func (w *batchWorker) gather(ctx context.Context) {
	for {
		select {
		case end := <-w.ended:
			w.take(ctx, end)
		default:
			return
		}
	}
}

// renew prolongs the leases of the items that this worker knows of, and of no others: of a step whose answer was lost
// there may be some that it does not ask about.
func (w *batchWorker) renew(ctx context.Context) {
	ids := slices.Collect(maps.Keys(w.running))
	for _, item := range w.queue {
		ids = append(ids, item.LookupID)
	}
	for _, end := range w.untold {
		ids = append(ids, end.LookupID)
	}
	repos := w.Store.Repos()
	if now, err := repos.Clock.Now(ctx, w.Clock()); err == nil {
		_ = repos.Batches.Renew(ctx, w.orgID, ids, now.Add(itemLease)) // the next time, or the next instance
	}
}

// step is one transaction: it writes what became of items, hands out as many others as may be asked about, and has them
// asked about. next is when to try again though nothing happens; zero for not.
func (w *batchWorker) step(ctx context.Context, stopping bool) (next time.Duration, err error) {
	if stopping || len(w.running) == 0 { // nothing ends whose place a queued item could take
		w.release(func(claimedItem) bool { return true })
	}
	room := itemsMax - int(w.flying.Load())
	var s batchStep
	err = w.Store.InTx(ctx, func(r ports.Repos) error {
		s = batchStep{Batches: w.Batches, r: r, orgID: w.orgID, known: map[string]*known{}, started: w.started}
		return s.do(ctx, w.untold, room, stopping)
	})
	if err != nil {
		return 0, err
	}
	w.untold, w.started = nil, nil
	for _, item := range s.claimed {
		if item.Queued {
			w.queue = append(w.queue, item)
		} else {
			w.start(ctx, item)
		}
	}
	// Of a batch that does not run any more nothing is begun.
	w.release(func(item claimedItem) bool {
		k := s.known[item.BatchID]
		return k == nil || k.is.Status != batch.Running
	})
	if len(w.untold) > 0 {
		return time.Millisecond, nil
	}
	return s.next, nil
}

// release gives queued items back.
func (w *batchWorker) release(which func(claimedItem) bool) {
	w.queue = slices.DeleteFunc(w.queue, func(item claimedItem) bool {
		if !which(item) {
			return false
		}
		w.untold = append(w.untold, itemEnd{Outcome: batch.Outcome{
			ItemID: item.ID, BatchID: item.BatchID, LookupID: item.LookupID, State: batch.Pending,
		}})
		return true
	})
}

// start has an item asked about.
func (w *batchWorker) start(ctx context.Context, item claimedItem) {
	w.running[item.LookupID] = true
	w.flying.Add(1)
	go func() {
		w.Lookups.courtesy.turn()
		end := w.ask(ctx, item)
		w.flying.Add(-1)
		w.ended <- end
	}()
}
