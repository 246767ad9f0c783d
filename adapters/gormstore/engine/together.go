package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"fichario/domain/fault"
	"fichario/ports"
)

// togetherMax is the largest batch.
const togetherMax = 256

// Together runs concurrent requests as one batch: the round trip and the commit are the cost, not the row (group
// commit). There is no timer: a batch is what arrived while the previous one ran, so that a lone call never waits. Each
// caller waits until its own call is done.
type Together[In, Out any] struct {
	do func(context.Context, []In) ([]Out, error)
	// apart tells calls that may not share a batch; nil where all may.
	apart func(In) UID
	in    chan request[In, Out]
	stop  chan struct{} // closed to end the worker
	done  chan struct{} // closed by the worker
	once  sync.Once
}

type request[In, Out any] struct {
	in   In
	done chan<- response[Out]
}

type response[Out any] struct {
	out Out
	err error
}

// NewTogether starts a single worker; by measurement, a second one only makes smaller batches, each with its own
// commit. do gets at least one call and returns as many results, in order. When it fails for several calls, it is
// repeated for each alone, so that one bad call does not fail its neighbours, unless the first attempt may have been
// committed.
func NewTogether[In, Out any](do func(context.Context, []In) ([]Out, error)) *Together[In, Out] {
	return startTogether(do, nil)
}

// NewApart is NewTogether where Citus may divide the tables: there the calls of each organisation are a batch of their
// own, because a commit that touches one node has one phase.
func NewApart[In, Out any](
	e *Engine, org func(In) UID, do func(context.Context, []In) ([]Out, error),
) *Together[In, Out] {
	return startTogether(do, func(in In) UID {
		if !e.Distributed.Load() {
			return ""
		}
		return org(in)
	})
}

func startTogether[In, Out any](do func(context.Context, []In) ([]Out, error), apart func(In) UID) *Together[In, Out] {
	t := &Together[In, Out]{
		do: do, apart: apart,
		in: make(chan request[In, Out], togetherMax), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go t.run()
	return t
}

// Close runs what is waiting and ends the worker.
func (t *Together[In, Out]) Close() {
	t.once.Do(func() { close(t.stop) })
	<-t.done
}

var errClosed = fault.New(fault.ServiceUnavailable, "O serviço está sendo desligado. Tente de novo em instantes.").
	After(2 * time.Second)

// Call runs one call within a batch. Until the worker takes it, ctx may end it; from then on it waits, so that its
// answer matches what happened: do is bounded in time.
func (t *Together[In, Out]) Call(ctx context.Context, in In) (Out, error) {
	var none Out
	done := make(chan response[Out], 1)
	select {
	case t.in <- request[In, Out]{in, done}:
	case <-t.stop:
		return none, errClosed
	case <-ctx.Done():
		return none, Classify(ctx.Err())
	}
	select {
	case r := <-done:
		return r.out, r.err
	case <-t.done:
	}
	select { // it may have run just before the end
	case r := <-done:
		return r.out, r.err
	default:
		return none, errClosed
	}
}

func (t *Together[In, Out]) run() {
	defer close(t.done)
	batch := make([]request[In, Out], 0, togetherMax)
	for {
		batch = batch[:0]
		select {
		case r := <-t.in:
			batch = append(batch, r)
		case <-t.stop:
			select {
			case r := <-t.in:
				batch = append(batch, r)
			default:
				return
			}
		}
		for more := true; more && len(batch) < togetherMax; {
			select {
			case r := <-t.in:
				batch = append(batch, r)
			default:
				more = false
			}
		}
		t.divide(batch)
	}
}

// apartAtOnce is how many batches of one worker run side by side, so that they do not take all connections.
const apartAtOnce = 4

// divide answers what may not share a batch side by side.
func (t *Together[In, Out]) divide(batch []request[In, Out]) {
	if t.apart == nil || len(batch) == 1 {
		t.answer(batch)
		return
	}
	groups := map[UID][]request[In, Out]{}
	for _, r := range batch {
		key := t.apart(r.in)
		groups[key] = append(groups[key], r)
	}
	var all sync.WaitGroup
	turn := make(chan struct{}, apartAtOnce)
	for _, group := range groups {
		turn <- struct{}{}
		all.Go(func() { t.answer(group); <-turn })
	}
	all.Wait()
}

func (t *Together[In, Out]) answer(batch []request[In, Out]) {
	ins := make([]In, len(batch))
	for i, r := range batch {
		ins[i] = r.in
	}
	outs, err := t.try(ins)
	var away *fault.Error
	for i, r := range batch {
		var one response[Out]
		switch {
		case err == nil:
			one.out = outs[i]
		case len(batch) == 1 || errors.As(err, &away) || errors.Is(err, ports.ErrUncertain):
			one.err = err
		default:
			if alone, err := t.try(ins[i : i+1]); err != nil {
				one.err = err
			} else {
				one.out = alone[0]
			}
		}
		r.done <- one
	}
}

func (t *Together[In, Out]) try(ins []In) ([]Out, error) {
	ctx, cancel := context.WithTimeout(context.Background(), Timeout())
	defer cancel()
	outs, err := t.do(ctx, ins)
	return outs, Classify(err)
}
