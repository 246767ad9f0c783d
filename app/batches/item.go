package batches

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/batch"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

const (
	// bureauPause is how long a batch waits at least for a bureau that could not be reached.
	bureauPause = 5 * time.Second
	// outPause is how long it waits for one that is out, however long that is to be: somebody may call it back. As long,
	// where this instance does not offer the product.
	outPause = time.Minute
	// refusedPause is how long it waits where only items are left that were refused, and refusedFor how long one of them
	// is asked again: a bureau's outage may look like that too.
	refusedPause = time.Minute
	refusedFor   = 10 * time.Minute
)

const (
	// unreadableCode marks an item whose stored value cannot be opened, and no other.
	unreadableCode = fault.Internal
	unreadableItem = "O que está gravado deste item não pode ser lido: nada foi consultado nem cobrado. Envie o " +
		"documento em outro lote, ou peça a quem opera o serviço que restaure o que falta e retome este com o que falhou."
)

// itemEnd is the outcome of an item, and its consequence for the batch.
type itemEnd struct {
	batch.Outcome
	// reason is why the batch must pause; empty if it need not. after is the delay until it resumes by itself, zero for
	// never.
	reason batch.Reason
	note   string
	after  time.Duration
	// own says that the reason may be this item's alone.
	own bool
}

// ask looks an item up, by the same use case as a single lookup.
func (b *Batches) ask(ctx context.Context, item claimedItem) (end itemEnd) {
	end.Outcome = batch.Outcome{
		ItemID: item.ID, BatchID: item.BatchID, LookupID: item.LookupID, State: batch.InFlight,
		Refused: item.Refused,
	}
	defer func() {
		if r := recover(); r != nil {
			// The value may contain what was sent.
			b.Log.ErrorContext(ctx, "panic", "work", "batches", "type", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
		}
	}()
	ctx, span := ports.Trace(ctx, ports.Inner, "batches.item")
	defer func() {
		span.Set("fichario.item.state", string(end.State))
		span.End()
	}()
	span.Set("fichario.batch", item.BatchID)
	if item.Unreadable {
		// Left pending, it would be handed out first again, and block all others. The store has already logged which value it
		// is.
		end.State, end.Code = batch.Failed, string(unreadableCode)
		return end
	}
	if item.Document.IsZero() { // it was erased meanwhile
		end.State, end.Code = batch.Failed, string(fault.InvalidDocument)
		return end
	}
	product, _ := b.Catalog.Find(item.of.Product)
	inputs, err := batch.Inputs(product, item.of.Columns, item.Cells)
	if err != nil { // the product needs something else since the batch was quoted
		end.State, end.reason, end.note = batch.Pending, batch.Asked, app.Sentence(err)
		return end
	}
	result, err := b.Asker.Do(ctx, item.by, lookups.Request{
		Product: item.of.Product, Document: item.Document.Value(), Inputs: inputs, ID: item.LookupID,
		BatchID: item.BatchID,
		Ceiling: item.of.Limit(), Purpose: item.of.Purpose, Since: item.since,
		// Answers newer than the quote are new enough, so that nothing is asked for twice.
		Refresh: item.of.Refresh && item.SeenID != "", Seen: item.SeenID, Free: !b.paced(item.of, item.Item),
	})
	if err == nil && result.Entry.Status == lookup.Running {
		return end // in flight: the bureau answers later
	}
	if err == nil {
		end.State, end.Kept, end.Charged = batch.Answered, true, result.Entry.AnyCharged()
		return end
	}
	b.refused(ctx, item, &end, err)
	return end
}

// refused translates an error of a lookup into the outcome of its item and the consequence for its batch.
func (b *Batches) refused(ctx context.Context, item claimedItem, end *itemEnd, err error) {
	pause := func(r batch.Reason, after time.Duration) {
		end.State, end.reason, end.after = batch.Pending, r, after
	}
	f := app.FaultOf(err)
	switch {
	case errors.Is(err, lookups.ErrNotInHistory): // it waits for its turn at the bureau
		end.State, end.Unseen = batch.Pending, true
	case errors.Is(err, ports.ErrCeiling):
		pause(batch.Ceiling, 0)
	case errors.Is(err, ports.ErrEnded): // the next step pauses the batch
		end.State = batch.Pending
	case errors.Is(err, lookups.ErrBusy):
		ports.Sleep(lookAgain / 10)
		end.State = batch.Pending
	case f == nil:
		// In flight: whoever checks again learns the outcome from the entry.
	case f.Code == fault.SubjectBlocked:
		end.State, end.Code = batch.Failed, string(f.Code)
	case f.Code == fault.DailyLimit:
		pause(batch.DailyLimit, f.RetryAfter)
	case f.Code == fault.MonthlyLimit:
		pause(batch.MonthlyLimit, 0)
	case f.Code == fault.BureauUnavailable:
		wait := max(f.RetryAfter, bureauPause)
		if lookups.BureauIsOut(err) {
			wait = outPause
		}
		if pause(batch.BureauAway, wait); mayBeItsOwn(err) {
			end.turnAway(b.Clock())
		}
	case f.Code == fault.BureauFailed, f.Code == fault.BureauNoAnswer:
		e, err := b.Store.Repos().Statement.Find(ctx, item.OrgID, item.LookupID)
		switch {
		case err == nil:
			*end = byEntry(item.Item, e, true, b.Clock())
		case errors.Is(err, ports.ErrNotFound): // it was somebody else's call
			end.State = batch.Failed
			if f.Code == fault.BureauNoAnswer {
				end.State = batch.NoAnswer
			}
			end.Code = codeOf(end.State)
		}
	case f.Code == fault.UnknownProduct: // another instance may offer it
		pause(batch.BureauAway, outPause)
		end.note = f.Message
	case f.Code == fault.MissingScope, f.Code == fault.InvalidDocument, f.Code == fault.MissingPurpose:
		pause(batch.Asked, 0)
		end.note = f.Message
	}
}

// mayBeItsOwn reports whether an item that no bureau answered may never be answered, while others are.
func mayBeItsOwn(err error) bool {
	var said *ports.BureauError
	return errors.As(err, &said) && said.Own
}

// turnAway puts an item that was refused now behind the others of its batch, which it would hold up for ever. Asked
// again after refusedFor it ends, free: whoever wants it asked once more retries the failures. The batch waits, also
// where the item ends, unless another item was answered: it may be the bureau after all.
func (end *itemEnd) turnAway(now time.Time) {
	end.State, end.own, end.reason, end.after = batch.Pending, true, batch.BureauAway, bureauPause
	switch {
	case end.Refused.IsZero():
		end.Refused = now
	case now.Sub(end.Refused) < refusedFor:
		end.after = refusedPause
	default:
		end.State, end.Code = batch.Failed, codeOf(batch.Failed)
	}
}

// codeOf is the contract's word for why an item has no answer.
func codeOf(s batch.State) string {
	switch s {
	case batch.Failed:
		return string(fault.BureauFailed)
	case batch.NoAnswer:
		return string(fault.BureauNoAnswer)
	}
	return ""
}
