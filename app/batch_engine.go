package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"fichario/domain/batch"
	"fichario/domain/lookup"
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
	// stepRetry is when a step is tried again for which the database was away, stepTries how often while the service stops.
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
// at one time. An item whose instance died is settled by the entry of its lookup, and asked about again only where there
// is none.
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
			w := &batchWorker{Batches: b, orgID: orgID, ended: make(chan itemEnd, b.Concurrency), woken: make(chan struct{}, 1)}
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
	// running is how many items this worker asks about, untold what became of items and is not written yet.
	running int
	untold  []itemEnd
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
		w.gather()
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
		if w.running == 0 && next == 0 {
			return
		}
		if next == 0 {
			next = renewEvery
		}
		select {
		case end := <-w.ended:
			w.running--
			w.untold = append(w.untold, end)
			w.await(gatherEnds)
		case <-w.woken:
		case <-time.After(next):
		}
		if w.running > 0 && time.Since(renewed) > renewEvery {
			renewed = time.Now()
			w.renew(going)
		}
	}
}

// await waits until as much has ended as goes on, so that one transaction is for several items, but not for long.
func (w *batchWorker) await(most time.Duration) {
	over := time.After(most)
	for len(w.untold) < w.running {
		select {
		case end := <-w.ended:
			w.running--
			w.untold = append(w.untold, end)
		case <-over:
			return
		}
	}
}

// gather takes what has ended by now.
func (w *batchWorker) gather() {
	for {
		select {
		case end := <-w.ended:
			w.running--
			w.untold = append(w.untold, end)
		default:
			return
		}
	}
}

func (w *batchWorker) renew(ctx context.Context) {
	repos := w.Store.Repos()
	if now, err := repos.Clock.Now(ctx, w.Clock()); err == nil {
		_ = repos.Batches.Renew(ctx, w.orgID, w.owner, now.Add(itemLease)) // the next time, or the next instance
	}
}

// step is one transaction: it writes what became of items, hands out as many others as may be asked about, and has them
// asked about. next is when to try again though nothing happens; zero for not.
func (w *batchWorker) step(ctx context.Context, stopping bool) (next time.Duration, err error) {
	room := itemsMax - int(w.flying.Load())
	var s batchStep
	err = w.Store.InTx(ctx, func(r ports.Repos) error {
		s = batchStep{Batches: w.Batches, r: r, orgID: w.orgID, known: map[string]*known{}}
		return s.do(ctx, w.untold, room, stopping)
	})
	if err != nil {
		return 0, err
	}
	w.untold = nil
	for _, item := range s.claimed {
		w.running++
		w.flying.Add(1)
		go func() {
			defer w.flying.Add(-1)
			end := w.ask(ctx, item)
			w.ended <- end
		}()
	}
	return s.next, nil
}

// batchStep is what one transaction finds and does.
type batchStep struct {
	*Batches
	r     ports.Repos
	orgID string
	now   time.Time
	// known are the batches that it is about, by id, and order those that may go on, the first started first.
	known   map[string]*known
	order   []*known
	claimed []claimedItem
	next    time.Duration
}

// known is a batch as it was found, and as it has become.
type known struct{ was, is batch.Batch }

// claimedItem is an item that is to be asked about.
type claimedItem struct {
	batch.Item
	of batch.Batch
	by Caller
}

func (s *batchStep) do(ctx context.Context, ends []itemEnd, room int, stopping bool) (err error) {
	if err := s.r.Orgs.Lock(ctx, s.orgID); err != nil {
		return err
	}
	if s.now, err = s.r.Clock.Now(ctx, s.Clock()); err != nil {
		return err
	}
	due, err := s.r.Batches.Due(ctx, s.orgID, s.now)
	if err != nil {
		return err
	}
	for _, b := range due {
		k := &known{b, b}
		s.known[b.ID], s.order = k, append(s.order, k)
		if b.Status == batch.Paused {
			k.is.Run(s.now)
		}
	}
	inFlight, err := s.r.Batches.InFlight(ctx, s.orgID)
	if err != nil {
		return err
	}
	left, err := s.settle(ctx, inFlight, ends)
	if err != nil {
		return err
	}
	if !stopping {
		if err := s.claim(ctx, min(s.Concurrency-left, room)); err != nil {
			return err
		}
	}
	for _, k := range s.known {
		k.is.Finish(s.now)
		if err := s.save(ctx, s.r, k.was, k.is); err != nil {
			return err
		}
	}
	return nil
}

// settle writes what became of items, of those that nobody asks about any more by their entries. It returns how many are
// in flight still.
func (s *batchStep) settle(ctx context.Context, inFlight []batch.Item, ends []itemEnd) (left int, err error) {
	told := map[string]bool{}
	for _, end := range ends {
		told[end.ItemID] = true
	}
	for _, item := range inFlight {
		if item.LeaseUntil.After(s.now) || told[item.ID] {
			continue
		}
		e, err := s.r.Statement.Find(ctx, item.LookupID)
		if err != nil && !errors.Is(err, ports.ErrNotFound) {
			return 0, err
		}
		ends = append(ends, byEntry(item, e, err == nil))
	}
	outcomes, of := make([]batch.Outcome, len(ends)), map[string]itemEnd{}
	for i, end := range ends {
		if end.State == batch.InFlight {
			end.Until = s.now.Add(lookAgain)
		}
		outcomes[i], of[end.ItemID] = end.Outcome, end
	}
	settled, err := s.r.Batches.Settle(ctx, outcomes)
	left = len(inFlight)
	for _, o := range settled {
		k, err := s.batch(ctx, o.BatchID)
		if err != nil {
			return 0, err
		}
		if o.State != batch.InFlight {
			left--
		}
		k.is.Count(o)
		if end := of[o.ItemID]; end.reason != "" {
			resume := time.Time{}
			if end.after > 0 {
				resume = s.now.Add(end.after)
			}
			k.is.Pause(end.reason, end.note, resume)
		}
	}
	return left, err
}

// batch is one of which an item ended, which may be paused or cancelled by now.
func (s *batchStep) batch(ctx context.Context, id string) (*known, error) {
	if k := s.known[id]; k != nil {
		return k, nil
	}
	b, err := s.r.Batches.Lock(ctx, id)
	k := &known{b, b}
	s.known[id] = k
	return k, err
}

// claim hands out items, in the order of their batches and lines.
func (s *batchStep) claim(ctx context.Context, room int) error {
	for _, k := range s.order {
		if room <= 0 || k.is.Status != batch.Running {
			continue
		}
		by, refusal, err := s.asker(ctx, k.is)
		if err != nil {
			return err
		}
		if refusal != "" {
			k.is.Pause(batch.Asked, refusal, time.Time{})
			continue
		}
		items, err := s.r.Batches.Next(ctx, k.is.ID, room)
		if err != nil {
			return err
		}
		if items, err = s.pace(ctx, k.is, items); err != nil {
			return err
		}
		for i := range items {
			items[i].LookupID, items[i].Owner, items[i].LeaseUntil = newID(), s.owner, s.now.Add(itemLease)
			s.claimed = append(s.claimed, claimedItem{items[i], k.is, by})
		}
		if err := s.r.Batches.Claim(ctx, items); err != nil {
			return err
		}
		room -= len(items)
	}
	return nil
}

// asker is who the items of a batch are asked as, or why nobody may any more.
func (s *batchStep) asker(ctx context.Context, b batch.Batch) (by Caller, refusal string, err error) {
	if b.KeyID != "" {
		key, err := s.r.Keys.Find(ctx, b.KeyID)
		if err == nil && !key.UsableAt(s.Clock()) {
			refusal = "A chave que fez o lote foi revogada ou expirou. Faça outro lote com uma chave válida."
		}
		return ByKey(&key), refusal, err
	}
	member, err := s.r.Members.Find(ctx, b.MemberID)
	if err == nil && !member.Active {
		refusal = "Quem fez o lote não tem mais acesso. Faça outro lote."
	}
	return ByMember(member), refusal, err
}

// pace leaves those items that the bureau may be asked about now, where its file says how many a second it takes.
func (s *batchStep) pace(ctx context.Context, b batch.Batch, items []batch.Item) ([]batch.Item, error) {
	if s.PerSecond == 0 || len(items) == 0 {
		return items, nil
	}
	asks := func(i batch.Item) bool { return b.Refresh || i.SeenID == "" }
	wanted := 0
	for _, i := range items {
		if asks(i) {
			wanted++
		}
	}
	granted, err := s.r.Batches.Pace(ctx, s.Bureau, s.PerSecond, wanted, s.now)
	if err != nil || granted == wanted {
		return items, err
	}
	s.next = max(time.Duration(float64(time.Second)/s.PerSecond), 5*time.Millisecond)
	for n, i := range items {
		if !asks(i) {
			continue
		}
		if granted == 0 {
			return items[:n], nil
		}
		granted--
	}
	return items, nil
}

// byEntry is what became of an item, as the statement says: there is no entry of what was not asked, and one that is
// running will be settled.
func byEntry(item batch.Item, e lookup.Entry, found bool) itemEnd {
	end := itemEnd{Outcome: batch.Outcome{
		ItemID: item.ID, BatchID: item.BatchID, LookupID: item.LookupID, State: batch.Pending,
	}}
	if !found {
		return end
	}
	switch e.Status {
	case lookup.NotSent:
		return end
	case lookup.Running:
		end.State = batch.InFlight
		return end
	case lookup.Done, lookup.Failed, lookup.NoAnswer:
	}
	end.State, end.Kept, end.Charged = batch.State(e.Status), true, e.Charged
	end.Code = codeOf(end.State)
	return end
}
