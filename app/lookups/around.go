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
func (k *Asker) Around(ctx context.Context, caller app.Caller, req Request, around Around) (_ Result, err error) {
	ctx, span := ports.Within(ctx, ports.Inner, "lookups.do")
	defer func() { ports.EndSpan(span, err) }()
	checked, err := k.check(ctx, caller, req)
	if err != nil {
		return k.unlessAnswered(ctx, caller, req, err)
	}
	req = checked
	within := func(ctx context.Context, req Request) (Result, error) {
		req.ID = cmp.Or(req.ID, app.NewID())
		return around(ctx, Asked{req.product, req.ID, req.Refresh, req.Free}, func(free bool) (Result, error) {
			req := req
			req.Free = req.Free || free
			return k.ask(ctx, req)
		})
	}
	return k.ledger.goesOn(ctx, func(ctx context.Context) (Result, error) {
		if req.RequestKey != "" {
			return k.once(ctx, req, within)
		}
		return within(ctx, req)
	})
}
