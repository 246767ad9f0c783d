package batches

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"fichario/app"
	"fichario/domain/batch"
	"fichario/domain/lookup"
	"fichario/ports"
)

// batchStep is the state of one transaction of a batchWorker.
type batchStep struct {
	*Batches
	r     ports.Repos
	orgID string
	now   time.Time
	since time.Time // before the transaction, by the clock of this instance
	// known are the batches concerned, by id; order are those that may go on, the first started first.
	known   map[string]*readBatch
	order   []*readBatch
	claimed []claimedItem
	next    time.Duration
	// started are items that are no longer queued; mine counts the items that this instance looks up and has queued.
	started []string
	mine    struct{ asked, queued int }
	// held says that no charge of the organisation commits until this transaction ends.
	held bool
}

// readBatch is a batch as it was read, and as it has become.
type readBatch struct{ was, is batch.Batch }

// claimedItem is an item to be looked up.
type claimedItem struct {
	batch.Item
	of batch.Batch
	by app.Caller
	// since precedes the reading of the item.
	since time.Time
}

func (s *batchStep) do(ctx context.Context, ends []itemEnd, room int, stopping bool) (err error) {
	if err := s.holdIfExpired(ctx, ends); err != nil {
		return err
	}
	if err := s.r.Orgs.Lock(ctx, s.orgID); err != nil {
		return err
	}
	if s.now, err = s.r.Clock.Now(ctx, s.Clock()); err != nil {
		return err
	}
	due, err := s.r.BatchRuns.Due(ctx, s.orgID, s.now)
	if err != nil {
		return err
	}
	for _, b := range due {
		k := &readBatch{b, b}
		s.known[b.ID], s.order = k, append(s.order, k)
		if b.Status == batch.Paused {
			k.is.Run(s.now)
		}
	}
	inFlight, err := s.r.BatchItems.InFlight(ctx, s.orgID)
	if err != nil {
		return err
	}
	if err := s.r.BatchRuns.Start(ctx, s.orgID, s.started); err != nil {
		return err
	}
	left, err := s.settle(ctx, inFlight, ends)
	if err != nil {
		return err
	}
	if !stopping {
		places := max(0, min(s.Concurrency-left, room))
		queue := s.mine.asked + places - s.mine.queued
		if s.PerSecond > 0 {
			queue = 0 // queued items start whenever a place is free, which would break the pace
		}
		if err := s.claim(ctx, places, queue); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.known)) {
		k := s.known[id]
		k.is.Finish(s.now)
		if err := s.save(ctx, s.r, s.now, k.was, k.is); err != nil {
			return err
		}
	}
	return nil
}

// holdIfExpired holds charges back where an item's lease has expired: whoever had it may be about to charge its lookup,
// which must be in the statement by the time that is read, or be refused because the item is no longer that lookup's.
func (s *batchStep) holdIfExpired(ctx context.Context, ends []itemEnd) error {
	items, err := s.r.BatchItems.InFlight(ctx, s.orgID)
	if err != nil {
		return err
	}
	now, err := s.r.Clock.Now(ctx, s.Clock())
	if err != nil {
		return err
	}
	_, told := ofPresent(items, ends)
	s.held = slices.ContainsFunc(items, func(i batch.Item) bool { return !i.LeaseUntil.After(now) && !told[i.ID] })
	if !s.held {
		return nil
	}
	return s.r.Orgs.HoldCharges(ctx, s.orgID)
}

// ofPresent returns the outcomes of the lookups that items in flight have now, and the items they are of. An item whose
// lease expired may have been handed out again, to this worker too: the outcome of its earlier lookup does not count.
func ofPresent(inFlight []batch.Item, ends []itemEnd) (of []itemEnd, told map[string]bool) {
	current := map[string]string{}
	for _, item := range inFlight {
		current[item.ID] = item.LookupID
	}
	told = map[string]bool{}
	for _, end := range ends {
		if current[end.ItemID] == end.LookupID {
			of, told[end.ItemID] = append(of, end), true
		}
	}
	return of, told
}

// settle writes outcomes; for items whose lease has expired it takes them from their entries. It returns how many are
// still in flight, over all instances.
func (s *batchStep) settle(ctx context.Context, inFlight []batch.Item, ends []itemEnd) (left int, err error) {
	ends, told := ofPresent(inFlight, ends)
	for _, item := range inFlight {
		if item.LeaseUntil.After(s.now) || told[item.ID] {
			continue
		}
		if !s.held { // it has just expired
			s.next = time.Millisecond
			continue
		}
		e, err := s.r.Statement.Find(ctx, s.orgID, item.LookupID)
		if err != nil && !errors.Is(err, ports.ErrNotFound) {
			return 0, err
		}
		ends = append(ends, byEntry(item, e, err == nil, s.now))
	}
	outcomes, of := make([]batch.Outcome, len(ends)), map[string]itemEnd{}
	for i, end := range ends {
		if end.State == batch.InFlight {
			end.Until = s.now.Add(lookAgain)
		}
		outcomes[i], of[end.ItemID] = end.Outcome, end
	}
	settled, err := s.r.BatchRuns.Settle(ctx, s.orgID, outcomes)
	if err != nil {
		return 0, err
	}
	over := map[string]bool{}
	for _, o := range settled {
		over[o.ItemID] = o.State != batch.InFlight
	}
	for _, item := range inFlight {
		switch queued := item.Queued && !slices.Contains(s.started, item.ID); {
		case over[item.ID]:
		case !queued:
			if left++; item.Owner == s.owner {
				s.mine.asked++
			}
		case item.Owner == s.owner:
			s.mine.queued++
		}
	}
	return left, s.count(ctx, settled, of)
}

// count counts outcomes in their batches, and pauses those that must wait: not for what may be an item's own, where the
// bureau answered about another one.
func (s *batchStep) count(ctx context.Context, settled []batch.Outcome, of map[string]itemEnd) error {
	answers := map[string]bool{}
	for _, o := range settled {
		answers[o.BatchID] = answers[o.BatchID] || o.State == batch.Answered && o.Charged
	}
	for _, o := range settled {
		k, err := s.batch(ctx, o.BatchID)
		if err != nil {
			return err
		}
		k.is.Count(o)
		end := of[o.ItemID]
		if end.reason == "" || end.own && answers[o.BatchID] {
			continue
		}
		resume := time.Time{}
		if end.after > 0 {
			resume = s.now.Add(end.after)
		}
		k.is.Pause(end.reason, end.note, resume)
	}
	return nil
}

// batch locks the batch of an item that ended, which may be paused or cancelled by now.
func (s *batchStep) batch(ctx context.Context, id string) (*readBatch, error) {
	if k := s.known[id]; k != nil {
		return k, nil
	}
	b, err := s.r.Batches.Lock(ctx, s.orgID, id)
	k := &readBatch{b, b}
	s.known[id] = k
	return k, err
}

// claim hands out items, in the order of their batches and lines: places to be looked up now, and some to be queued.
func (s *batchStep) claim(ctx context.Context, places, queue int) error {
	for _, k := range s.order {
		room := places + max(0, queue)
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
		items, err := s.r.BatchItems.Next(ctx, s.orgID, k.is.ID, room)
		if err != nil {
			return err
		}
		if items, err = s.pace(ctx, k.is, items); err != nil {
			return err
		}
		for i := range items {
			items[i].LookupID, items[i].Owner, items[i].LeaseUntil = app.NewID(), s.owner, s.now.Add(itemLease)
			if places > 0 {
				places--
			} else {
				items[i].Queued = true
				queue--
			}
			s.claimed = append(s.claimed, claimedItem{items[i], k.is, by, s.since})
		}
		if err := s.r.BatchRuns.Claim(ctx, items); err != nil {
			return err
		}
	}
	return nil
}

// asker returns the caller in whose name a batch's items are looked up, or why nobody may any more.
func (s *batchStep) asker(ctx context.Context, b batch.Batch) (by app.Caller, refusal string, err error) {
	keyID, memberID := b.Payer()
	if keyID != "" {
		key, err := s.r.Keys.Find(ctx, s.orgID, keyID)
		if err == nil && !key.UsableAt(s.now) {
			refusal = "A chave que paga o lote foi revogada ou expirou. Alguém da organização pode retomá-lo, e passa a pagar."
		}
		return app.ByKey(&key), refusal, err
	}
	member, err := s.r.Members.Find(ctx, s.orgID, memberID)
	if err == nil && !member.Active {
		refusal = "Quem paga o lote não tem mais acesso. Outra pessoa pode retomá-lo, e passa a pagar."
	}
	return app.ByMember(member), refusal, err
}

// paced reports whether an item may ask the bureau. Where the calls per second are limited, one that history could
// answer when its batch was quoted does not count among them, and so asks history only.
func (b *Batches) paced(of batch.Batch, i batch.Item) bool {
	return b.PerSecond == 0 || of.Refresh || i.SeenID == ""
}

// pace reduces items to those that the bureau may be asked about now, if its file limits the calls per second.
func (s *batchStep) pace(ctx context.Context, b batch.Batch, items []batch.Item) ([]batch.Item, error) {
	if s.PerSecond == 0 || len(items) == 0 {
		return items, nil
	}
	wanted := 0
	for _, i := range items {
		if s.paced(b, i) {
			wanted++
		}
	}
	granted, err := s.r.BatchRuns.Pace(ctx, s.Bureau, s.PerSecond, wanted, s.now)
	if err != nil || granted == wanted {
		return items, err
	}
	s.next = max(time.Duration(float64(time.Second)/s.PerSecond), 5*time.Millisecond)
	for n, i := range items {
		if !s.paced(b, i) {
			continue
		}
		if granted == 0 {
			return items[:n], nil
		}
		granted--
	}
	return items, nil
}

// byEntry derives an item's outcome from the statement: no entry means that it was not looked up, and a running one
// will be settled.
func byEntry(item batch.Item, e lookup.Entry, found bool, now time.Time) itemEnd {
	end := itemEnd{Outcome: batch.Outcome{
		ItemID: item.ID, BatchID: item.BatchID, LookupID: item.LookupID, State: batch.Pending,
		Refused: item.Refused,
	}}
	if !found {
		return end
	}
	switch e.Status {
	case lookup.NotSent:
		end.turnAway(now) // it does not say why; a bureau that answers later has refused it
		return end
	case lookup.Running:
		end.State = batch.InFlight
		return end
	case lookup.Done, lookup.Failed, lookup.NoAnswer:
	}
	end.State, end.Kept, end.Charged = batch.State(e.Status), true, e.AnyCharged()
	end.Code = codeOf(end.State)
	return end
}
