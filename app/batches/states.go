package batches

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fichario/app"
	"fichario/app/privacy"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

// Actor returns the key or the member in whose name the operator makes a batch: the key with that id or secret, or the
// first active owner of an organisation. Faults: NotFound, ServiceUnavailable.
func (b *Batches) Actor(ctx context.Context, orgID, key string) (app.Caller, error) {
	repos := b.Store.Repos()
	if key != "" {
		found, err := b.keyOf(ctx, repos, key)
		if err == nil && !found.UsableAt(b.Clock()) {
			err = app.KeyKind.NotFound()
		}
		return app.ByKey(&found), err
	}
	return app.LeaderOf(ctx, repos, orgID, "A organização não tem titular ativo, em nome de quem o lote seria feito.")
}

// keyOf finds a key by its id or its secret.
func (b *Batches) keyOf(ctx context.Context, r ports.Repos, text string) (access.Key, error) {
	secret, ok := access.ParseSecret(text)
	if !ok {
		return app.KeyKind.Visible(ctx, r, app.Operator(), text)
	}
	key, err := r.Keys.BySecret(ctx, secret, b.Clock())
	if errors.Is(err, ports.ErrNotFound) {
		err = app.KeyKind.NotFound()
	}
	return key, err
}

// find returns a batch that is visible to the caller: a key's own, an organisation's for its members. Faults:
// UnknownBatch, ServiceUnavailable.
func (b *Batches) find(ctx context.Context, by app.Caller, id string) (batch.Batch, error) {
	unknown := fault.New(fault.UnknownBatch, "Não há lote com este id, ou ele não é desta chave.").At("id")
	if !app.ValidID(id) {
		return batch.Batch{}, unknown
	}
	found, err := b.Store.Repos().Batches.Find(ctx, by.FindsIn(), id)
	if errors.Is(err, ports.ErrNotFound) || err == nil && (found.Status == batch.Preparing ||
		by.Key() != nil && by.Key().ID != found.KeyID) {
		return batch.Batch{}, unknown
	}
	return found, err
}

// Show returns a batch. Faults: UnknownBatch, ServiceUnavailable.
func (b *Batches) Show(ctx context.Context, by app.Caller, id string) (View, error) {
	found, err := b.find(ctx, by, id)
	if err != nil || found.StartedAt.IsZero() || found.Status == batch.Done {
		return b.shown(ctx, found, nil, err)
	}
	flying, err := inFlight(ctx, b.Store.Repos(), found.OrgID)
	if err == nil {
		found, err = b.find(ctx, by, id)
	}
	return b.shown(ctx, found, flying, err)
}

func (b *Batches) shown(ctx context.Context, found batch.Batch, flying map[string]int, err error) (View, error) {
	if err != nil {
		return View{}, err
	}
	views, err := b.views(ctx, found.OrgID, []batch.Batch{found}, flying)
	if err != nil || found.Invalid == 0 {
		return append(views, View{})[0], err
	}
	items, err := b.Store.Repos().BatchItems.Items(ctx, found.OrgID, found.ID, batch.Invalid, 0, invalidShown)
	for _, item := range items {
		views[0].Invalids = append(views[0].Invalids, item.Item)
	}
	return views[0], err
}

// Page is a page of batches.
type Page struct {
	Batches []View
	// Next is the cursor of the next page; empty at the end.
	Next string
}

// List returns batches, newest first: a key's own, or all of the organisation for members. Faults: InvalidRequest,
// NotFound, ServiceUnavailable.
func (b *Batches) List(ctx context.Context, by app.Caller, cursor string, limit int) (page Page, err error) {
	orgID, err := by.Org()
	if err != nil {
		return page, err
	}
	if cursor != "" && !app.ValidID(cursor) {
		return page, app.WrongCursor()
	}
	if err := app.CheckPage(cursor, limit); err != nil {
		return page, err
	}
	flying, err := inFlight(ctx, b.Store.Repos(), orgID)
	if err != nil {
		return page, err
	}
	found, err := b.Store.Repos().Batches.Page(ctx, orgID, by.KeyID(), cursor, limit+1)
	if err != nil {
		return page, err
	}
	if len(found) > limit {
		found = found[:limit]
		page.Next = found[limit-1].ID
	}
	page.Batches, err = b.views(ctx, orgID, found, flying)
	return page, err
}

// Open returns the batches of the caller's organisation that run or are paused, in the order of their start. Faults:
// NotFound, ServiceUnavailable.
func (b *Batches) Open(ctx context.Context, by app.Caller, limit int) ([]View, error) {
	orgID, err := by.Org()
	if err != nil {
		return nil, err
	}
	flying, err := inFlight(ctx, b.Store.Repos(), orgID)
	if err != nil {
		return nil, err
	}
	found, err := b.Store.Repos().Batches.Open(ctx, orgID, limit)
	if err != nil {
		return nil, err
	}
	return b.views(ctx, orgID, found, flying)
}

// All returns the batches of an organisation, newest first, up to limit. Faults: InvalidRequest, NotFound,
// ServiceUnavailable.
func (b *Batches) All(ctx context.Context, by app.Caller, orgID string, limit int) ([]View, error) {
	repos := b.Store.Repos()
	if err := app.MaySeeOrg(ctx, repos, by, orgID); err != nil {
		return nil, err
	}
	flying, err := inFlight(ctx, repos, orgID)
	if err != nil {
		return nil, err
	}
	found, err := app.Paged(limit, func(after string, limit int) ([]batch.Batch, error) {
		return repos.Batches.Page(ctx, orgID, by.KeyID(), after, limit)
	}, func(one batch.Batch) string { return one.ID })
	if err != nil {
		return nil, err
	}
	return b.views(ctx, orgID, found, flying)
}

func (b *Batches) views(
	ctx context.Context, orgID string, found []batch.Batch, flying map[string]int,
) ([]View, error) {
	ids, views, repos := make([]string, len(found)), make([]View, len(found)), b.Store.Repos()
	for i, one := range found {
		ids[i] = one.ID
	}
	spent, err := repos.Usage.SpentByKeys(ctx, orgID, ids, lookup.BatchBucket)
	if err != nil {
		return nil, err
	}
	now, err := repos.Clock.Now(ctx, b.Clock())
	for i, one := range found {
		views[i] = View{Batch: one, Spent: spent[lookup.BatchBucket][one.ID], InFlight: flying[one.ID], Now: now,
			PriceNow: b.priceNow(one)}
	}
	return views, err
}

// inFlight counts the items in flight of an organisation, by their batch. It is read before the batches and what they
// spent: what has then ended is in their counts.
func inFlight(ctx context.Context, r ports.Repos, orgID string) (map[string]int, error) {
	items, err := r.BatchItems.InFlight(ctx, orgID)
	counts := map[string]int{}
	for _, item := range items {
		counts[item.BatchID]++
	}
	return counts, err
}

// Confirm lets a quoted batch run within a ceiling: the given one, else the quote's, else its maximum cost. Who
// confirms it pays. Faults: UnknownBatch, BatchState, Forbidden, MonthlyLimit, MissingPurpose, PurposeRefused,
// ServiceUnavailable.
func (b *Batches) Confirm(
	ctx context.Context, by app.Caller, id string, ceiling *catalog.Money,
) (_ View, err error) {
	ctx, span := ports.Within(ctx, ports.Inner, "batches.confirm")
	defer func() { ports.EndSpan(span, err) }()
	return b.move(ctx, by, id, audit.BatchConfirmed, func(
		ctx context.Context, r ports.Repos, now time.Time, q *batch.Batch,
	) error {
		if q.Status != batch.Quoted || !now.Before(q.ExpiresAt) {
			return wrongState(*q, "confirmado", "orçado e dentro do prazo")
		}
		q.Ceiling = q.Limit()
		if ceiling != nil {
			q.Ceiling = *ceiling
		}
		q.HasCeiling, q.StartedAt = true, now
		if _, err := b.pays(ctx, r, by, q); err != nil {
			return err
		}
		if err := b.maySpend(ctx, r, by, *q); err != nil {
			return err
		}
		q.Run(now)
		return nil
	})
}

// Pause stops a batch until somebody resumes it; items in flight end as usual. Faults: UnknownBatch, BatchState,
// ServiceUnavailable.
func (b *Batches) Pause(ctx context.Context, by app.Caller, id string) (View, error) {
	return b.move(ctx, by, id, audit.BatchPaused, func(
		_ context.Context, _ ports.Repos, _ time.Time, q *batch.Batch,
	) error {
		if q.Status != batch.Running && (q.Status != batch.Paused || q.Reason == batch.Asked) {
			return wrongState(*q, "pausado", "em andamento")
		}
		q.Status, q.Reason, q.Note, q.ResumeAt = batch.Paused, batch.Asked, "", time.Time{}
		return nil
	})
}

// Resume lets a paused batch go on, within another ceiling if one is given, which must cover what was spent. With
// failures, items without an answer are retried and charged anew; that also applies to a batch that is done. Who
// resumes it pays for the rest. Faults: UnknownBatch, BatchState, InvalidRequest, Forbidden, MonthlyLimit,
// MissingPurpose, PurposeRefused, ServiceUnavailable.
func (b *Batches) Resume(
	ctx context.Context, by app.Caller, id string, ceiling *catalog.Money, failures bool,
) (View, error) {
	return b.move(ctx, by, id, audit.BatchResumed, func(
		ctx context.Context, r ports.Repos, now time.Time, q *batch.Batch,
	) error {
		again := failures && q.Failed > 0
		if q.Status != batch.Paused && (q.Status != batch.Done || !again) {
			return wrongState(*q, "retomado", "pausado, ou concluído com falhas a repetir")
		}
		other, err := b.pays(ctx, r, by, q)
		if err != nil {
			return err
		}
		if ceiling != nil {
			if err := suffices(ctx, r, *q, *ceiling); err != nil {
				return err
			}
			q.Ceiling, q.HasCeiling = *ceiling, true
		}
		if ceiling != nil || again || other {
			if err := b.maySpend(ctx, r, by, *q); err != nil {
				return err
			}
		}
		if again {
			charged, free, err := r.BatchItems.Retry(ctx, q.OrgID, q.ID)
			if err != nil {
				return err
			}
			q.Charged, q.Free = q.Charged-charged, q.Free-free
			q.Ended, q.Failed, q.EndedAt = q.Ended-charged-free, q.Failed-charged-free, time.Time{}
		}
		q.Run(now)
		return nil
	})
}

// Cancel ends a batch; items in flight end as usual. Faults: UnknownBatch, BatchState, ServiceUnavailable.
func (b *Batches) Cancel(ctx context.Context, by app.Caller, id string) (View, error) {
	return b.move(ctx, by, id, audit.BatchCancelled, func(
		_ context.Context, _ ports.Repos, now time.Time, q *batch.Batch,
	) error {
		if q.Status.Ended() {
			return wrongState(*q, "cancelado", "orçado, em andamento ou pausado")
		}
		q.Status, q.Reason, q.Note, q.ResumeAt, q.EndedAt = batch.Cancelled, "", "", time.Time{}, now
		return nil
	})
}

func wrongState(q batch.Batch, become, when string) error {
	return fault.New(fault.BatchState, fmt.Sprintf("O lote está %s. Ele só pode ser %s quando está %s.",
		map[batch.Status]string{
			batch.Quoted: "orçado", batch.Running: "em andamento", batch.Paused: "pausado", batch.Done: "concluído",
			batch.Cancelled: "cancelado", batch.Expired: "expirado",
		}[q.Status], become, when))
}

// suffices returns the fault of a ceiling below what a batch was charged or has reserved. Charges must be held.
func suffices(ctx context.Context, r ports.Repos, q batch.Batch, ceiling catalog.Money) error {
	spent, err := r.Usage.SpentByKeys(ctx, q.OrgID, []string{q.ID}, lookup.BatchBucket)
	if least := spent[lookup.BatchBucket][q.ID].Amount; err == nil && ceiling < least {
		return app.Invalid("teto", "O lote já gastou ou reservou "+least.Exact()+": informe um teto que não seja menor.")
	}
	return err
}

// maySpend returns the fault of a caller who may not spend what a batch may cost: members may up to the organisation's
// limit, those who manage it any amount. A key is bounded by its caps instead.
func (b *Batches) maySpend(ctx context.Context, r ports.Repos, by app.Caller, q batch.Batch) error {
	if by.IsOperator() || by.Key() != nil || by.Role() != crm.Common {
		return nil
	}
	org, err := r.Orgs.Find(ctx, q.OrgID)
	if err != nil || q.Limit() <= org.MemberBatchLimit {
		return err
	}
	return fault.New(fault.Forbidden, fmt.Sprintf("O teto deste lote é de %s, e membros confirmam até %s. "+
		"Peça a quem administra a organização que o confirme, ou informe um teto menor.",
		q.Limit().Exact(), org.MemberBatchLimit.Exact())).At("teto")
}

// pays holds the organisation's charges back, and makes the caller pay for a batch from now on, by their own rights:
// whoever confirms or resumes it spends. The operator acts for whoever paid before. It reports whether that was
// somebody else. Faults: MonthlyLimit where the caller's budget does not allow a single call, MissingPurpose where the
// batch is older than the organisation's purposes, and what choosing the batch's purpose returns.
func (b *Batches) pays(ctx context.Context, r ports.Repos, by app.Caller, q *batch.Batch) (other bool, err error) {
	if err := r.Orgs.HoldCharges(ctx, q.OrgID); err != nil {
		return false, err
	}
	rules, err := privacy.ReadPurposeRules(ctx, r, q.OrgID)
	if err == nil {
		err = rules.Still(q.Purpose)
	}
	if err != nil || by.IsOperator() {
		return false, err
	}
	if other = q.PaidBy(by.KeyID(), by.MemberID()); other && q.Purpose != "" {
		if _, err := rules.Choose(by, q.Purpose); err != nil {
			return other, err
		}
	}
	if by.MemberID() == "" || q.ToAsk() == 0 {
		return other, nil
	}
	member, err := r.Members.Find(ctx, by.OrgID(), by.MemberID())
	if err != nil || member.Budget == nil {
		return other, err
	}
	month := b.Calendar.Month(b.Clock())
	spent, err := r.Usage.SpentByKeys(ctx, by.OrgID(), []string{by.MemberID()}, month)
	price := b.priceNow(*q)
	if left := *member.Budget - spent[month][by.MemberID()].Amount; err == nil && left < price {
		return other, fault.New(fault.MonthlyLimit, fmt.Sprintf("Quem confirma ou retoma um lote paga por ele. Cada "+
			"consulta custa até %s, e do seu orçamento de %s neste mês restam %s. Nada foi consultado nem cobrado; quem é titular "+
			"pode aumentar o orçamento, ou confirmar o lote.", price.Exact(), member.Budget.Reais(), max(0, left).Exact()))
	}
	return other, err
}

// batchLine is an audit line about a batch, with its ceiling.
func batchLine(a audit.Action, q batch.Batch) audit.Line {
	l := audit.Line{OrgID: q.OrgID, Action: a, Object: q.ID}
	if q.HasCeiling {
		l.Detail = audit.Detail{"teto": q.Ceiling.String()}
	}
	return l
}

// move changes a batch for a caller, under lock, and returns the changed batch, whatever has become of it since.
func (b *Batches) move(
	ctx context.Context, by app.Caller, id string, action audit.Action,
	f func(context.Context, ports.Repos, time.Time, *batch.Batch) error,
) (View, error) {
	found, err := b.find(ctx, by, id)
	var flying map[string]int
	if err == nil {
		err = b.change(ctx, found, func(ctx context.Context, r ports.Repos, now time.Time, q *batch.Batch) error {
			if err := f(ctx, r, now, q); err != nil {
				return err
			}
			found = *q
			if flying, err = inFlight(ctx, r, q.OrgID); err != nil {
				return err
			}
			return app.Record(ctx, r, by, batchLine(action, *q))
		})
	}
	if err == nil {
		b.Wake()
	}
	return b.shown(ctx, found, flying, err)
}

func (b *Batches) change(
	ctx context.Context, q batch.Batch, f func(context.Context, ports.Repos, time.Time, *batch.Batch) error,
) error {
	return b.Store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		if err := r.Orgs.Lock(ctx, q.OrgID); err != nil {
			return err
		}
		now, err := r.Clock.Now(ctx, b.Clock())
		if err != nil {
			return err
		}
		was, err := r.Batches.Lock(ctx, q.OrgID, q.ID)
		if err != nil {
			return err
		}
		is := was
		if err := f(ctx, r, now, &is); err != nil {
			return err
		}
		return b.save(ctx, r, now, was, is)
	})
}

// save writes a changed batch. Every change of status goes through here, in the transaction that makes it, so that ends
// and pauses are also announced here.
func (b *Batches) save(ctx context.Context, r ports.Repos, now time.Time, was, is batch.Batch) error {
	if unchanged(was, is) {
		return nil
	}
	return errors.Join(r.Batches.Update(ctx, is), b.tell(ctx, r, now, was, is))
}

// unchanged reports whether a batch has not changed.
func unchanged(was, is batch.Batch) bool {
	return was.Status == is.Status && was.Reason == is.Reason && was.ResumeAt.Equal(is.ResumeAt) &&
		was.Ended == is.Ended && was.RunFrom.Equal(is.RunFrom) && was.Ceiling == is.Ceiling && was.HasCeiling == is.HasCeiling
}
