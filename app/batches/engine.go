package batches

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/batch"
	"fichario/ports"
)

const (
	// itemLease is how long an instance holds an item without renewing its lease, which it does every renewEvery.
	itemLease  = 4 * time.Second
	renewEvery = time.Second
	// gatherEnds is how long a finished item waits for others, so that they share a transaction.
	gatherEnds = 5 * time.Millisecond
	// lookAgain is when an item is checked again whose lookup may or may not have been made.
	lookAgain = time.Second
	// yieldGather is how long finished items wait for others while single lookups come in.
	yieldGather = 50 * time.Millisecond
	// itemsMax leaves half of an instance's calls to single lookups.
	itemsMax = lookups.CallsMax / 2
	// stepRetry is when a step that failed is tried again, stepTries how often while the service stops.
	stepRetry = 500 * time.Millisecond
	stepTries = 10
)

// Wake signals that there may be work. It never blocks.
func (b *Batches) Wake() { b.woken.Call() }

// Run looks up the items of batches until ctx ends, and then finishes what it has begun. Any number of instances may
// run: a transaction hands items out, so that each is looked up once, and no more than Concurrency of an organisation
// at a time. An item whose instance died is settled by the statement entry of its lookup, and retried only where there
// is none.
func (b *Batches) Run(ctx context.Context) {
	var working sync.WaitGroup
	var mu sync.Mutex
	busy := map[string]*batchWorker{}
	b.woken.Loop(ctx, b.Log, "batches", 0, func() (bool, error) {
		orgs, err := b.busy(ctx)
		mu.Lock()
		defer mu.Unlock()
		for _, orgID := range orgs {
			if w := busy[orgID]; w != nil {
				w.woken.Call()
				continue
			}
			w := &batchWorker{
				Batches: b, orgID: orgID, ended: make(chan itemEnd, b.Concurrency), woken: app.NewWake(),
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
		return false, err
	})
	working.Wait()
}

func (b *Batches) busy(ctx context.Context) ([]string, error) {
	repos := b.Store.Repos()
	now, err := repos.Clock.Now(ctx, b.Clock())
	if err != nil {
		return nil, err
	}
	return repos.BatchRuns.Busy(ctx, now)
}

// batchWorker is an instance's work for the batches of one organisation, as long as there is any.
type batchWorker struct {
	*Batches
	orgID string
	ended chan itemEnd
	woken app.Wake
	// running are the ids of this worker's lookups in flight, untold the outcomes of items that are not written yet.
	running map[string]bool
	untold  []itemEnd
	// queue holds claimed items that replace those that end, without waiting for a transaction; started are the ids of
	// those that did so, which is not written yet.
	queue   []claimedItem
	started []string
}

// work hands out items and writes their outcomes until nothing is left for this instance.
func (w *batchWorker) work(ctx context.Context) {
	going := context.WithoutCancel(ctx)
	renewed := ports.Now()
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
			if w.Pace.busy() {
				w.await(ctx, yieldGather)
			} else {
				w.await(ctx, gatherEnds)
			}
		case <-w.woken:
		case <-ports.After(next):
		}
		if len(w.running) > 0 && ports.Since(renewed) > renewEvery {
			renewed = ports.Now()
			w.renew(going)
		}
	}
}

// take records an item's outcome, and starts the next one in its place, unless the place may not be free.
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

// await waits briefly until at least as many items have ended as still run, so that they share a transaction.
func (w *batchWorker) await(ctx context.Context, most time.Duration) {
	over := ports.After(most)
	for len(w.untold) < len(w.running) {
		select {
		case end := <-w.ended:
			w.take(ctx, end)
		case <-over:
			return
		}
	}
}

// gather takes the outcomes that are ready.
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

// renew extends the leases of the items that this worker knows of, and of no others: a step whose answer was lost may
// have claimed some that it does not look up.
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
		_ = repos.BatchRuns.Renew(ctx, w.orgID, ids, now.Add(itemLease)) // else the next time, or the next instance
	}
}

// step is one transaction: it writes outcomes and hands out as many items as allowed, which are then started. next is
// when to try again although nothing happens; zero for never.
func (w *batchWorker) step(ctx context.Context, stopping bool) (next time.Duration, err error) {
	if stopping || len(w.running) == 0 { // no running item will make room for a queued one
		w.release(func(claimedItem) bool { return true })
	}
	room := itemsMax - int(w.flying.Load())
	var s batchStep
	since := ports.Now()
	err = w.Store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		s = batchStep{
			Batches: w.Batches, r: r, orgID: w.orgID, known: map[string]*readBatch{}, started: w.started, since: since,
		}
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
	// A batch that no longer runs starts no more items.
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
			Refused: item.Refused,
		}})
		return true
	})
}

// start looks an item up in the background.
func (w *batchWorker) start(ctx context.Context, item claimedItem) {
	w.running[item.LookupID] = true
	w.flying.Add(1)
	go func() {
		w.Pace.turn()
		end := w.ask(ctx, item)
		w.flying.Add(-1)
		w.ended <- end
	}()
}
