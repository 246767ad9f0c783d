package automations

import (
	"context"
	"errors"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/lookup"
)

// Rehearsal is what an automation would do for a contact.
type Rehearsal struct {
	Automation View
	Contact    crm.ContactView
	// Conditions are the automation's, with the result of each.
	Conditions []RehearsedCondition
	// Runs is whether all hold. WhenProblem says in Portuguese why the expression gives no result.
	Runs        bool
	WhenProblem string
	// Text is what an email or add_note action would write.
	Subject, Text, To string
	// Request is what an http action would send, with its secrets masked; Problem says in Portuguese why it cannot.
	Request automation.ShownRequest
	Problem string
}

// RehearsedCondition is one condition and whether it holds.
type RehearsedCondition struct {
	// Field is origin, webhook, amount or when.
	Field string
	Holds bool
}

// Rehearse says what an automation would do for a contact. Nothing is sent or changed; it is written to the audit.
// Faults: NotFound, Forbidden, ServiceUnavailable.
func (a *Automations) Rehearse(ctx context.Context, by app.Caller, id, contactID string) (Rehearsal, error) {
	rule, err := a.Find(ctx, by, id)
	if err != nil {
		return Rehearsal{}, err
	}
	r := a.store.Repos()
	view, err := app.ContactViewKind.Visible(ctx, r, by, contactID)
	if err != nil {
		return Rehearsal{}, err
	}
	if view.OrgID != rule.OrgID {
		return Rehearsal{}, app.Missing("contact", "Não há contato com este id na organização da automação.")
	}
	n, err := app.NamesOf(ctx, r, rule.OrgID, idsIn(rule)...)
	if err == nil {
		err = app.Looked(ctx, a.store, by, audit.Line{
			OrgID: rule.OrgID, Action: audit.AutomationTried, Object: id, Detail: audit.Detail{"contato": contactID},
		})
	}
	if err != nil {
		return Rehearsal{}, err
	}
	out := Rehearsal{Automation: viewOf(n, rule), Contact: view, Runs: rule.Conditions.Hold(view.Contact)}
	for _, condition := range []struct {
		field string
		only  automation.Conditions
	}{
		{"origin", automation.Conditions{OriginID: rule.Conditions.OriginID}},
		{"webhook", automation.Conditions{WebhookID: rule.Conditions.WebhookID}},
		{"amount", automation.Conditions{MinAmount: rule.Conditions.MinAmount}},
	} {
		if condition.only != (automation.Conditions{}) {
			out.Conditions = append(out.Conditions, RehearsedCondition{condition.field, condition.only.Hold(view.Contact)})
		}
	}
	out.Subject = automation.Fill(rule.Action.Subject, view.Contact)
	out.Text = automation.Fill(rule.Action.Text, view.Contact)
	switch out.To = rule.Action.To; out.To {
	case automation.ToContact:
		out.To = view.Email
	case automation.ToAssignee:
		if out.To = view.Assignee.Email; out.To != "" && !view.Assignee.Active {
			out.To, out.Problem = "", formerAssignee
		}
	}
	event, found, err := a.pastEvent(ctx, rule, view)
	if err != nil {
		return Rehearsal{}, err
	}
	a.rehearseWhen(ctx, &out, rule.Conditions.When, event, found)
	if !found && rule.Action.Kind == automation.HTTP {
		// The exact request is promised, and the contact alone would give another one.
		out.Problem = noEventYet(rule.Event) + ", e não foi possível experimentar o pedido"
		return out, nil
	}
	err = a.rehearseRequest(ctx, &out, rule, event)
	return out, err
}

// noEventYet says that there is no event to rehearse with.
func noEventYet(event automation.EventName) string {
	if event.OfContact() {
		return "ainda não há um evento destes com este contato"
	}
	return "ainda não há um evento destes"
}

// rehearseWhen evaluates the expression of an automation on an event, if one was found.
func (a *Automations) rehearseWhen(
	ctx context.Context, out *Rehearsal, when string, event automation.Event, found bool,
) {
	if when == "" {
		return
	}
	holds := false
	if !found {
		out.WhenProblem = noEventYet(out.Automation.Event) + ", e não foi possível experimentar a expressão"
	} else {
		var err error
		if holds, err = a.means.Conditions.Holds(ctx, when, event); err != nil {
			out.WhenProblem = err.Error()
		}
	}
	out.Conditions = append(out.Conditions, RehearsedCondition{"when", holds})
	out.Runs = out.Runs && holds
}

// pastEvent returns the newest event that an automation listens to, of the contact if events have one. If there was
// none, the event has only the contact.
func (a *Automations) pastEvent(
	ctx context.Context, rule automation.Automation, of crm.ContactView,
) (e automation.Event, found bool, err error) {
	none := automation.Event{Name: rule.Event, At: of.CreatedAt, Contact: of}
	r := a.store.Repos()
	job := app.EventJob(rule.Event, rule.OrgID, of.ID, of.CreatedAt)
	switch rule.Event {
	case automation.ContactCreated, automation.ContactUpdated, automation.ContactMoved:
		job.SubjectID, job.Detail = of.StageID, "nota"
	case automation.LookupCompleted:
		lookups, err := r.LookupContacts.OfContact(ctx, rule.OrgID, of.ID, app.ListMax)
		if err != nil {
			return none, false, err
		}
		for _, l := range lookups {
			if l.Status == lookup.Done && l.RecordID != "" {
				job.SubjectID = l.ID
				break
			}
		}
	case automation.BatchCompleted, automation.CapReached, automation.DeliveryRefused:
		if job, err = a.newest(ctx, rule.OrgID, rule.Event); err != nil {
			return none, false, err
		}
	}
	if job.OrgID == "" || job.SubjectID == "" {
		return none, false, nil
	}
	switch e, err = app.EventOf(ctx, r, job); {
	case errors.Is(err, app.ErrEventGone):
		return none, false, nil
	case err != nil:
		return none, false, err
	}
	return e, true, nil
}

// Newest returns the newest contacts of the caller's organisation, to rehearse with. Faults: NotFound, Forbidden,
// ServiceUnavailable.
func (a *Automations) Newest(ctx context.Context, by app.Caller, limit int) ([]crm.Contact, error) {
	orgID, err := by.ManagedOrg()
	if err != nil {
		return nil, err
	}
	return a.store.Repos().Contacts.Page(ctx, orgID, "", limit)
}
