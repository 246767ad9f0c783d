package app

import (
	"context"
	"errors"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
)

// AutomationView is an automation with the names behind its ids.
type AutomationView struct {
	automation.Automation
	// Origin and Webhook are the names of what it runs only for; empty for all.
	Origin, Webhook string
	// Stage and Member are names of what its action uses.
	Stage, Member string
	// Last is its newest run; the zero value when it never ran.
	Last automation.Job
}

// RunFilter says which runs are wanted.
type RunFilter = ports.JobFilter

// RunView is a run, or an e-mail to a member, with the names behind its ids.
type RunView struct {
	automation.Job
	// Automation is empty for an e-mail to a member.
	Automation, Contact, Member string
}

// Views returns the automations of the caller's organisation, oldest first. Faults:
// InvalidRequest, ServiceUnavailable.
func (a *Automations) Views(ctx context.Context, by Caller) ([]AutomationView, error) {
	all, err := a.List(ctx, by, by.OrgID)
	if err != nil {
		return nil, err
	}
	r := a.store.Repos()
	n, err := loadNames(ctx, r, by.OrgID)
	out := make([]AutomationView, len(all))
	for i, rule := range all {
		out[i] = n.automation(rule)
		last, err := r.Jobs.Page(ctx, by.OrgID, ports.JobFilter{AutomationID: rule.ID}, "", 1)
		if err != nil {
			return nil, err
		}
		if len(last) > 0 {
			out[i].Last = last[0]
		}
	}
	return out, err
}

// View returns one automation, without its last run. Faults: InvalidRequest,
// ServiceUnavailable.
func (a *Automations) View(ctx context.Context, by Caller, id string) (AutomationView, error) {
	found, err := a.Find(ctx, by, id)
	if err != nil {
		return AutomationView{}, err
	}
	n, err := loadNames(ctx, a.store.Repos(), found.OrgID)
	return n.automation(found), err
}

func (n names) automation(a automation.Automation) AutomationView {
	return AutomationView{
		Automation: a, Origin: n.origins[a.Conditions.OriginID], Webhook: n.webhooks[a.Conditions.WebhookID],
		Stage: n.stages[a.Action.StageID], Member: n.members[a.Action.MemberID].Name,
	}
}

// RunViews returns runs of the caller's organisation: those that were given up first,
// then the newest. Faults: InvalidRequest, ServiceUnavailable.
func (a *Automations) RunViews(ctx context.Context, by Caller, f RunFilter, limit int) ([]RunView, error) {
	dead := f
	dead.State = automation.Dead
	first, err := a.Runs(ctx, by, by.OrgID, dead, "", limit)
	if err != nil {
		return nil, err
	}
	rest, err := a.Runs(ctx, by, by.OrgID, f, "", limit)
	if err != nil {
		return nil, err
	}
	r := a.store.Repos()
	rules, err := r.Automations.List(ctx, by.OrgID)
	if err != nil {
		return nil, err
	}
	n, err := loadNames(ctx, r, by.OrgID)
	if err != nil {
		return nil, err
	}
	ruleNames := map[string]string{}
	for _, rule := range rules {
		ruleNames[rule.ID] = rule.Name
	}
	var out []RunView
	for i, j := range append(first, rest...) {
		if i >= len(first) && j.State == automation.Dead {
			continue // it is among the first
		}
		v := RunView{Job: j, Automation: ruleNames[j.AutomationID], Member: n.members[j.MemberID].Name}
		c, err := r.Contacts.Find(ctx, j.ContactID)
		if err != nil && !errors.Is(err, ports.ErrNotFound) {
			return nil, err
		}
		v.Contact = c.Name
		out = append(out, v)
	}
	return out, nil
}

// Rehearsal is what an automation would do for a contact.
type Rehearsal struct {
	Automation AutomationView
	Contact    ContactView
	// Conditions are the automation's, each with whether it holds.
	Conditions []RehearsedCondition
	// Runs is whether all hold.
	Runs bool
	// Text is what an email or add_note action would write.
	Subject, Text, To string
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
	notFound := missing("contact", "Não há contato com este id.")
	if !validID(contactID) {
		return Rehearsal{}, notFound
	}
	r := a.store.Repos()
	view, err := viewContact(ctx, r, contactID)
	if errors.Is(err, ports.ErrNotFound) || err == nil && !by.sees(view.OrgID) {
		return Rehearsal{}, notFound
	}
	if err != nil {
		return Rehearsal{}, err
	}
	n, err := loadNames(ctx, r, rule.OrgID)
	if err != nil {
		return Rehearsal{}, err
	}
	out := Rehearsal{Automation: n.automation(rule), Contact: view, Runs: rule.Conditions.Hold(view.Contact)}
	for _, one := range []struct {
		field string
		only  automation.Conditions
	}{
		{"origin", automation.Conditions{OriginID: rule.Conditions.OriginID}},
		{"webhook", automation.Conditions{WebhookID: rule.Conditions.WebhookID}},
		{"amount", automation.Conditions{MinAmount: rule.Conditions.MinAmount}},
	} {
		if one.only != (automation.Conditions{}) {
			out.Conditions = append(out.Conditions, RehearsedCondition{one.field, one.only.Hold(view.Contact)})
		}
	}
	out.Subject, out.Text = automation.Fill(rule.Action.Subject, view.Contact), automation.Fill(rule.Action.Text, view.Contact)
	switch out.To = rule.Action.To; out.To {
	case automation.ToContact:
		out.To = view.Email
	case automation.ToAssignee:
		out.To = view.Assignee.Email
	}
	return out, nil
}

// Newest returns the newest contacts of the caller's organisation, to rehearse with.
// Faults: InvalidRequest, ServiceUnavailable.
func (a *Automations) Newest(ctx context.Context, by Caller, limit int) ([]crm.Contact, error) {
	if err := by.Manages(); err != nil {
		return nil, err
	}
	return a.store.Repos().Contacts.Page(ctx, by.OrgID, "", limit)
}
