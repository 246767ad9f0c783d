package intake

import (
	"context"
	"fmt"
	"time"

	"fichario/app"
	"fichario/domain/fault"
	"fichario/domain/intake"
	"fichario/domain/webhook"
	"fichario/ports"
)

// leadMadeAt is the header in which the log keeps when the platform got a lead that was refused.
const leadMadeAt = "lead-created-at"

// noticesMax bounds the leads of one notification; Meta sends at most a thousand changes at once.
const noticesMax = 1000

// note writes the leads that a signed notification names, each with a line of the log that waits, and wakes the worker
// that fetches them. What was announced before is not written again. It returns how many were new.
func (i *Intake) note(ctx context.Context, hook webhook.Hook, d webhook.Delivery) (Accepted, error) {
	platform := hook.Kind.Platform()
	notices, err := i.platforms[hook.Kind].Notices(d.Body)
	if err != nil || len(notices) > noticesMax {
		return i.refuse(ctx, ports.Arrival{Delivery: d}, fault.New(fault.InvalidRequest,
			"Este webhook recebe só avisos "+platform.Of+", em JSON. Para receber contatos, use um webhook do tipo generic.").
			Because(err))
	}
	noted := make([]ports.NotedLead, len(notices))
	for j, n := range notices {
		line := d
		line.ID, line.Outcome = app.NewID(), webhook.Waiting
		line.Reason = "Os dados ainda não foram buscados " + platform.At + "."
		line.Body = fmt.Appendf(nil, `{"leadgen_id":%q,"page_id":%q}`, n.Lead, n.Page)
		noted[j] = ports.NotedLead{Notice: n, Delivery: line}
	}
	made := 0
	if len(noted) > 0 {
		if made, err = i.store.Repos().Leads.Note(ctx, noted...); err != nil {
			return Accepted{}, err
		}
		i.waiting.Call()
	}
	return Accepted{Noted: made, OnlyNoted: true}, nil
}

// takeLead reads a lead that was fetched like the body of a post, and stores what it makes, once for ever: of several
// who fetch it at once, one does. Its line in the log is a new one, as old as what stands in it: retention and erasures
// go by the time in the id, and the lead may have waited for longer than lines are kept. It reports whether a contact
// was made. Only the store can fail.
func (i *Intake) takeLead(ctx context.Context, hook webhook.Hook, page string, l webhook.Lead) (bool, error) {
	d := webhook.Delivery{
		ID: app.NewID(), OrgID: hook.OrgID, WebhookID: hook.ID, At: i.clock(), Body: l.Body,
		Headers: []intake.Pair{{Key: "content-type", Value: "application/json"}},
	}
	a := ports.Arrival{Delivery: d}
	drafts, err := intake.ReadAll(hook.Options, "application/json", l.Body)
	if err == nil {
		err = drafts[0].CheckEmail()
	}
	if f := app.FaultOf(err); f != nil {
		a.Delivery.Outcome, a.Delivery.Code, a.Delivery.Reason = webhook.Refused, string(f.Code), f.Message
		if !l.CreatedAt.IsZero() { // for whoever reads it again
			a.Delivery.Headers = append(a.Delivery.Headers,
				intake.Pair{Key: leadMadeAt, Value: l.CreatedAt.UTC().Format(time.RFC3339Nano)})
		}
	} else {
		a = arrivalOf(hook, drafts[:1], d, identity{keys: []string{""}})
		a.Delivery.ContactID = a.People[0].Contact.ID
		if !l.CreatedAt.IsZero() { // leads may be read long after, and out of order
			dateConsents(a, l.CreatedAt)
		}
	}
	a.Lead, a.Page, a.Mails = l.ID, page, i.mails
	met, err := i.store.Repos().Inbox.Take(ctx, a)
	return len(met) > 0 && !met[0].Repeated, err
}

// loseLead writes that a source does not have a lead.
func (i *Intake) loseLead(ctx context.Context, s webhook.Source, w webhook.WaitingLead, why string) error {
	_, err := i.store.Repos().Inbox.Take(ctx, ports.Arrival{Lead: w.Lead, Page: w.Page, Delivery: webhook.Delivery{
		ID: app.NewID(), OrgID: s.OrgID, WebhookID: s.WebhookID, At: i.clock(), Outcome: webhook.Lost, Reason: why,
		Body: fmt.Appendf(nil, `{"leadgen_id":%q,"page_id":%q}`, w.Lead, w.Page),
	}})
	return err
}
