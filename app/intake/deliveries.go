package intake

import (
	"cmp"
	"context"
	"errors"
	"time"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
)

// Deliveries returns the delivery log of a webhook, newest first. after is the id of
// the last one seen. Faults: InvalidRequest, NotFound, Forbidden, ServiceUnavailable.
func (i *Intake) Deliveries(
	ctx context.Context, by app.Caller, webhookID string, outcome webhook.Outcome, after string, limit int,
) ([]webhook.Delivery, error) {
	if after != "" && !app.ValidID(after) {
		return nil, app.CheckPage(after, 1)
	}
	hook, err := app.HookKind.Managed(ctx, i.store.Repos(), by, webhookID)
	if err != nil {
		return nil, err
	}
	first := after
	return app.Paged(limit, func(after string, n int) ([]webhook.Delivery, error) {
		return i.store.Repos().Deliveries.Page(ctx, hook.OrgID, webhookID, outcome, cmp.Or(after, first), n)
	}, func(d webhook.Delivery) string { return d.ID })
}

var deliveryKind = app.Kind[webhook.Delivery]{
	Field: "delivery", Missing: "Não há entrega com este id, ou ela já não é guardada.",
	Find: func(r ports.Repos) func(context.Context, string, string) (webhook.Delivery, error) {
		return r.Deliveries.Find
	},
	OrgOf: func(d webhook.Delivery) string { return d.OrgID },
}

// Delivery returns one delivery with its body. Faults: NotFound, Forbidden, ServiceUnavailable.
func (i *Intake) Delivery(ctx context.Context, by app.Caller, id string) (webhook.Delivery, error) {
	return deliveryKind.Managed(ctx, i.store.Repos(), by, id)
}

// OpenDelivery is Delivery for a person who is shown it, which the audit records. Faults: NotFound, Forbidden,
// ServiceUnavailable.
func (i *Intake) OpenDelivery(ctx context.Context, by app.Caller, id string) (webhook.Delivery, error) {
	d, err := i.Delivery(ctx, by, id)
	if err != nil {
		return webhook.Delivery{}, err
	}
	return d, app.Looked(ctx, i.store, by, audit.Line{OrgID: d.OrgID, Action: audit.DeliveryOpened, Object: id})
}

// ContactsOf returns the contacts of deliveries by id, at most atMost of each delivery, without their notes. Fault:
// ServiceUnavailable.
func (i *Intake) ContactsOf(ctx context.Context, atMost int, of ...webhook.Delivery) (map[string]crm.Contact, error) {
	var ids []string
	for _, d := range of {
		all := d.Contacts()
		ids = append(ids, all[:min(len(all), atMost)]...)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return i.store.Repos().Contacts.Brief(ctx, of[0].OrgID, ids)
}

// Replay reads a delivery of the log again, as if it came now: after an alias, a setting or the webhook itself was
// fixed. Only what its people consent to is as old as it is: they may have withdrawn it since. It keeps its idempotency
// keys, so that it never makes a second contact, but one that another post has had meanwhile goes with its body;
// signatures are not checked again, because a person vouches for it. Faults: those of Receive, NotFound and Forbidden,
// and InvalidRequest when it was not kept whole.
func (i *Intake) Replay(ctx context.Context, by app.Caller, id string) (_ Accepted, err error) {
	ctx, span := ports.Within(ctx, ports.Inner, "intake.replay")
	defer func() { ports.EndSpan(span, err) }()
	old, err := i.Delivery(ctx, by, id)
	if err != nil {
		return Accepted{}, err
	}
	return i.again(ctx, by, old, nil)
}

// again reads a stored post once more, with what was typed beside it, if anything was.
func (i *Intake) again(ctx context.Context, by app.Caller, old webhook.Delivery, typed *Completion) (Accepted, error) {
	if n := len(old.Contacts()); n > 0 {
		return Accepted{ContactID: old.ContactID, Others: old.Others, Known: n, Repeated: true}, nil
	}
	if old.Unreadable {
		return Accepted{}, app.Invalid("delivery", "O corpo guardado desta entrega está ilegível, e não pode ser lido de novo.")
	}
	if old.Truncated {
		return Accepted{}, app.Invalid("delivery",
			"O corpo desta entrega não chegou ou não foi guardado inteiro, e não pode ser lido de novo.")
	}
	hook, err := app.HookKind.Managed(ctx, i.store.Repos(), by, old.WebhookID)
	if err != nil {
		return Accepted{}, err
	}
	if !hook.Enabled {
		return Accepted{}, disabled()
	}
	d := webhook.Delivery{
		ID: app.NewID(), OrgID: old.OrgID, WebhookID: old.WebhookID, At: i.clock(), Headers: old.Headers, Body: old.Body,
		ReplayOf: old.ID,
	}
	if old.ReplayOf != "" {
		d.ReplayOf = old.ReplayOf // one delivery makes one contact, however often it is replayed
	}
	line := audit.Line{OrgID: old.OrgID, Action: audit.DeliveryReplayed, Object: old.ID}
	if err := app.Looked(ctx, i.store, by, line); err != nil {
		return Accepted{}, err
	}
	said, err := i.saidAt(ctx, hook, old)
	if err != nil {
		return Accepted{}, err
	}
	made, err := i.take(ctx, hook, d, replay{of: old.ID, typed: typed}, said)
	if errors.Is(err, ports.ErrErased) {
		err = app.Invalid("delivery", "O corpo desta entrega acaba de ser apagado, e não pode ser lido de novo.")
	}
	return made, err
}

// saidAt is when the people of a delivery said what stands in it: when it came first, before any replay, or, of a lead,
// when the platform got it.
func (i *Intake) saidAt(ctx context.Context, hook webhook.Hook, d webhook.Delivery) (time.Time, error) {
	if hook.Kind.Fetched() {
		if at, err := time.Parse(time.RFC3339Nano, d.Header(leadMadeAt)); err == nil {
			return at, nil
		}
	}
	if d.ReplayOf == "" {
		return d.At, nil
	}
	first, err := i.store.Repos().Deliveries.Find(ctx, d.OrgID, d.ReplayOf)
	if errors.Is(err, ports.ErrNotFound) { // it was kept for long enough
		return app.MadeAt(d.ReplayOf), nil
	}
	return first.At, err
}
