package intake

import (
	"cmp"
	"context"
	"time"

	"fichario/app"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/webhook"
)

// Simulation is a contact that a post would make.
type Simulation struct {
	Contact crm.Contact
	// Origin, Funnel, Stage and Assignee are names; empty where there is none.
	Origin, Funnel, Stage, Assignee string
	// Fields says which key of the body each field was read from.
	Fields []intake.Source
	// DeliveryID is the product's own id, by which a retry would be recognised.
	DeliveryID string
}

// Simulate says what Receive would make of a post: a contact for each of its people, in the order of the body, whether
// or not they came before. It writes nothing, not even to the delivery log. Faults: those of Receive, except
// ReusedIdempotencyKey.
func (i *Intake) Simulate(ctx context.Context, hook webhook.Hook, p Post) ([]Simulation, error) {
	release, err := i.waitForPlace(ctx, len(p.Body))
	if err != nil {
		return nil, err
	}
	defer release()
	d := webhook.Delivery{At: i.clock(), Headers: p.Headers, Body: p.Body}
	if f := admit(hook, p); f != nil {
		return nil, f
	}
	if f := checkSignature(hook, d, p.Signed); f != nil {
		return nil, f
	}
	return simulate(hook, d)
}

// Try says what a webhook, enabled or not, would make of a pasted body without a signature. It writes nothing. Faults:
// InvalidRequest, InvalidEmail, NotFound, Forbidden, ServiceUnavailable.
func (i *Intake) Try(ctx context.Context, by app.Caller, webhookID string, body []byte) ([]Simulation, error) {
	hook, err := app.HookKind.Managed(ctx, i.store.Repos(), by, webhookID)
	if err != nil {
		return nil, err
	}
	return simulate(hook, webhook.Delivery{At: i.clock(), Body: body})
}

// Explain says how a delivery is read now: the contacts that it makes, or would make, and which key each field comes
// from. emailKey is the key of the e-mail to read it with; empty takes the webhook's own. Faults: those of Try.
func (i *Intake) Explain(
	ctx context.Context, by app.Caller, d webhook.Delivery, emailKey string,
) ([]Simulation, error) {
	hook, err := app.HookKind.Managed(ctx, i.store.Repos(), by, d.WebhookID)
	if err != nil {
		return nil, err
	}
	hook.EmailKey = cmp.Or(emailKey, hook.EmailKey)
	return simulate(hook, d)
}

// simulate reads a delivery. The result is returned even with the fault of a missing e-mail.
func simulate(hook webhook.Hook, d webhook.Delivery) ([]Simulation, error) {
	drafts, err := intake.ReadAll(hook.Options, d.Header("content-type"), d.Body)
	if err != nil {
		return nil, err
	}
	all := make([]Simulation, len(drafts))
	for i, draft := range drafts {
		all[i] = simulationOf(hook, draft, d.At)
	}
	return all, drafts[0].CheckEmail()
}

func simulationOf(hook webhook.Hook, draft intake.Draft, at time.Time) Simulation {
	c := contactOf(hook, draft, at)
	s := Simulation{
		Contact: c, Funnel: hook.Funnel, Stage: hook.Entry.Name, Fields: draft.Fields, DeliveryID: draft.DeliveryID,
	}
	for _, o := range hook.Origins {
		if o.ID == c.OriginID {
			s.Origin = o.Name
		}
	}
	for _, m := range hook.Members {
		if m.ID == c.AssigneeID {
			s.Assignee = m.Name
		}
	}
	if hook.RotationID != "" && len(hook.Rotation.Sequence(hook.Members, at)) > 0 {
		s.Assignee = "a pessoa da vez no rodízio " + hook.Rotation.Name
	}
	return s
}
