package lookups

import (
	"cmp"
	"context"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/ports"
)

// Asked is a lookup that was checked and is about to be made.
type Asked struct {
	Product catalog.Product
	// ID is that of its entry, if it gets one. Refresh and Free are those of the request.
	ID            string
	Refresh, Free bool
}

// Around does something before and after a lookup, which do makes; where free is set, do asks history only.
type Around func(ctx context.Context, a Asked, do func(free bool) (Result, error)) (Result, error)

// Around is Do with something around the call. It goes on when ctx ends, and Close waits for it; a request that is
// repeated under its idempotency key does it once. Faults: those of Do and of around.
func (l *Lookups) Around(ctx context.Context, caller app.Caller, req Request, around Around) (_ Result, err error) {
	ctx, span := ports.Within(ctx, ports.Inner, "lookups.do")
	defer func() { ports.EndSpan(span, err) }()
	a, err := l.check(ctx, caller, req)
	if err != nil {
		return Result{}, err
	}
	within := func(ctx context.Context, a asking) (Result, string, error) {
		a.ID = cmp.Or(a.ID, app.NewID())
		result, err := around(ctx, Asked{a.product, a.ID, a.Refresh, a.Free}, func(free bool) (Result, error) {
			a := a
			a.Free = a.Free || free
			return l.do(ctx, a)
		})
		return result, "", err
	}
	type ended struct {
		result Result
		err    error
	}
	done := make(chan ended, 1)
	l.calls.Start(func() {
		var end ended
		goesOn := context.WithoutCancel(ctx)
		if a.RequestKey != "" {
			end.result, _, end.err = l.once(goesOn, a, false, within)
		} else {
			end.result, _, end.err = within(goesOn, a)
		}
		done <- end
	})
	select {
	case end := <-done:
		return end.result, end.err
	case <-ctx.Done():
		return Result{}, app.TimedOut(ctx.Err())
	}
}
