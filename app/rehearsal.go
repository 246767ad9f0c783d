package app

import (
	"context"

	"fichario/domain/automation"
	"fichario/domain/crm"
)

// Rehearsal is what an automation would do for a contact.
type Rehearsal struct {
	Automation AutomationView
	Contact    crm.ContactView
	// Conditions are the automation's, each with whether it holds.
	Conditions []RehearsedCondition
	// Runs is whether all hold.
	Runs bool
	// Text is what an email or add_note action would write.
	Subject, Text, To string
	// Request is what an http action would send, with its secrets masked; Problem says in Portuguese why it cannot.
	Request automation.ShownRequest
	Problem string
}

// RehearsedCondition is one condition and whether it holds.
type RehearsedCondition struct {
	// Field is origin, webhook or amount.
	Field string
	Holds bool
}

// Rehearse says what an automation would do for a contact. Nothing is sent or
// changed. Faults: InvalidRequest, ServiceUnavailable.
func (a *Automations) Rehearse(ctx context.Context, by Caller, id, contactID string) (Rehearsal, error) {
	rule, err := a.Find(ctx, by, id)
	if err != nil {
		return Rehearsal{}, err
	}
	r := a.store.Repos()
	view, err := contactViewKind.visible(ctx, r, by, contactID)
	if err != nil {
		return Rehearsal{}, err
	}
	if view.OrgID != rule.OrgID {
		return Rehearsal{}, missing("contact", "Não há contato com este id na organização da automação.")
	}
	n, err := automationNames(ctx, r, rule.OrgID)
	if err != nil {
		return Rehearsal{}, err
	}
	out := Rehearsal{Automation: n.automation(rule), Contact: view, Runs: rule.Conditions.Hold(view.Contact)}
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
		out.To = view.Assignee.Email
	}
	return out, a.rehearseRequest(ctx, &out, rule)
}

// Newest returns the newest contacts of the caller's organisation, to rehearse with.
// Faults: InvalidRequest, ServiceUnavailable.
func (a *Automations) Newest(ctx context.Context, by Caller, limit int) ([]crm.Contact, error) {
	orgID, err := by.managedOrg()
	if err != nil {
		return nil, err
	}
	return a.store.Repos().Contacts.Page(ctx, orgID, "", limit)
}
