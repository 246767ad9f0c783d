package app

import (
	"context"
	"errors"

	"fichario/domain/crm"
	"fichario/ports"
)

// Names maps the ids in contacts of one organisation to what they stand for.
type Names struct {
	Origins, Webhooks map[string]string
	Stages            map[string]crm.Stage
	funnels           map[string]string // by stage
	Members           map[string]crm.Member
	Rotations         map[string]string
}

// NamesOf reads what the ids in contacts of an organisation stand for.
func NamesOf(ctx context.Context, r ports.Repos, orgID string) (Names, error) {
	n := Names{
		Origins: map[string]string{}, Webhooks: map[string]string{}, Stages: map[string]crm.Stage{},
		funnels: map[string]string{}, Members: map[string]crm.Member{},
	}
	origins, err := r.Origins.List(ctx, orgID)
	for _, o := range origins {
		n.Origins[o.ID] = o.Name
	}
	hooks, err2 := r.Webhooks.List(ctx, orgID)
	for _, w := range hooks {
		n.Webhooks[w.ID] = w.Name
	}
	funnels, err3 := r.Funnels.List(ctx, orgID)
	for _, f := range funnels {
		for _, s := range f.Stages {
			n.Stages[s.ID], n.funnels[s.ID] = s, f.Name
		}
	}
	members, err4 := r.Members.List(ctx, orgID)
	for _, m := range members {
		n.Members[m.ID] = m
	}
	return n, errors.Join(err, err2, err3, err4)
}

// AutomationNames is loadNames with the names of rotations.
func AutomationNames(ctx context.Context, r ports.Repos, orgID string) (Names, error) {
	n, err := NamesOf(ctx, r, orgID)
	if err != nil {
		return n, err
	}
	all, err := r.Rotations.List(ctx, orgID)
	n.Rotations = map[string]string{}
	for _, one := range all {
		n.Rotations[one.ID] = one.Name
	}
	return n, err
}

// View returns a contact with the names behind its ids.
func (n Names) View(c crm.Contact) crm.ContactView {
	stage := n.Stages[c.StageID]
	return crm.ContactView{
		Contact: c, Origin: n.Origins[c.OriginID], Webhook: n.Webhooks[c.WebhookID], Funnel: n.funnels[c.StageID],
		Stage: stage.Name, StageOutcome: stage.Outcome, Assignee: n.Members[c.AssigneeID],
	}
}

// Views returns contacts with the names behind their ids.
func (n Names) Views(contacts []crm.Contact) []crm.ContactView {
	out := make([]crm.ContactView, len(contacts))
	for i, c := range contacts {
		out[i] = n.View(c)
	}
	return out
}
