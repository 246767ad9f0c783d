package lookups

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"fichario/domain/lookup"
	"fichario/ports"
)

const (
	// unwrittenMax and unwrittenBytes bound the endings that wait in memory to be written: beyond, no further call begins.
	// Those of calls already in flight are kept all the same.
	unwrittenMax   = 10_000
	unwrittenBytes = 64 << 20
	// endingBytes is roughly what an ending takes besides its answer.
	endingBytes = 1 << 10
	// rewriteFirst and rewriteMost are the first and the longest pause before another attempt to write.
	rewriteFirst = 50 * time.Millisecond
	rewriteMost  = 2 * time.Second
)

// sizeOf is roughly what an ending takes in memory.
func sizeOf(o ports.Outcome) int {
	if o.Record == nil {
		return endingBytes
	}
	size := endingBytes + len(o.Record.Raw) + len(o.Record.Fields)
	for _, part := range o.Parts {
		size += len(part.Raw) + len(part.Fields)
	}
	return size
}

// counts reports whether something is lost if an ending is never written: a paid answer, or a key's refund. Any other
// entry is settled as what it is, charged and without an answer.
func counts(o ports.Outcome) bool { return o.Record != nil || !o.Entry.Charged }

// saysLess reports whether an ending lacks an answer that another one has.
func saysLess(o, than ports.Outcome) bool {
	return o.Record == nil && than.Record != nil || o.Entry.Status != lookup.Done && than.Entry.Status == lookup.Done
}

// unwritten keeps endings that the database did not accept, and retries until it does.
type unwritten struct {
	write func(context.Context, ports.Outcome) error
	log   *slog.Logger

	mu      sync.Mutex
	kept    map[string]ports.Outcome // by the call's id
	bytes   int
	trying  bool
	stopped bool

	worker sync.WaitGroup
	ctx    context.Context //nolint:containedctx // the worker's, ended by stop
	end    context.CancelFunc
}

func newUnwritten(log *slog.Logger, write func(context.Context, ports.Outcome) error) *unwritten {
	u := &unwritten{write: write, log: log, kept: map[string]ports.Outcome{}}
	u.ctx, u.end = context.WithCancel(context.Background())
	return u
}

// keep adds an ending that could not be written. Where a call has two, as of who was slower than its turn, that with
// the answer stays.
func (u *unwritten) keep(o ports.Outcome, why error) {
	u.log.Error("the outcome of a lookup cannot be written; it is kept in memory and tried again", "lookup", o.Entry.ID,
		"error", why)
	u.mu.Lock()
	defer u.mu.Unlock()
	if was, twice := u.kept[o.Entry.ID]; twice {
		if saysLess(o, was) {
			return
		}
		u.bytes -= sizeOf(was)
	}
	u.kept[o.Entry.ID] = o
	u.bytes += sizeOf(o)
	if !u.trying && !u.stopped {
		u.trying = true
		u.worker.Go(u.try)
	}
}

// try writes what is kept until nothing is left.
func (u *unwritten) try() {
	written := 0
	for wait := rewriteFirst; ; wait = min(2*wait, rewriteMost) {
		select {
		case <-ports.After(wait):
		case <-u.ctx.Done():
			return
		}
		for _, o := range u.waiting(func(ports.Outcome) bool { return true }) {
			if u.flush(u.ctx, o) != nil {
				break // the others would most likely fail for the same reason
			}
			written++
		}
		u.mu.Lock()
		u.trying = len(u.kept) > 0
		done := !u.trying
		u.mu.Unlock()
		if done {
			u.log.Info("outcomes of lookups were written after all", "count", written)
			return
		}
	}
}

// flush writes one that is kept. Concurrent flushes do no harm: an entry is finished once.
func (u *unwritten) flush(ctx context.Context, o ports.Outcome) error {
	if err := u.write(ctx, o); err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if kept, ok := u.kept[o.Entry.ID]; ok {
		delete(u.kept, o.Entry.ID)
		u.bytes -= sizeOf(kept)
	}
	return nil
}

// waiting returns those that are wanted, in random order: one that is refused for its size must not hold up the others.
func (u *unwritten) waiting(wanted func(ports.Outcome) bool) (all []ports.Outcome) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, o := range u.kept {
		if wanted(o) {
			all = append(all, o)
		}
	}
	return all
}

// of returns the ending of a call, if it is kept.
func (u *unwritten) of(callID string) (ports.Outcome, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	o, ok := u.kept[callID]
	return o, ok
}

func (u *unwritten) full() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.kept) >= unwrittenMax || u.bytes >= unwrittenBytes
}

// stop keeps trying until ctx ends, and returns how many were lost.
func (u *unwritten) stop(ctx context.Context) (lost int) {
	u.mu.Lock()
	u.stopped = true // a trying worker goes on, and no other one begins
	u.mu.Unlock()
	idle := make(chan struct{})
	go func() {
		u.worker.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-ctx.Done():
	}
	u.end()
	<-idle
	u.mu.Lock()
	defer u.mu.Unlock()
	for id, o := range u.kept {
		u.log.Error("outcome of a lookup not written; it stays charged", "lookup", id, "answered", o.Record != nil)
		if counts(o) {
			lost++
		}
	}
	return lost
}
