package app

import (
	"context"
	"errors"

	"fichario/domain/crm"
	"fichario/ports"
)

// names maps the ids in contacts of one organisation to what they stand for.
type names struct {
	origins, webhooks map[string]string
	stages            map[string]crm.Stage
	funnels           map[string]string // by stage
	members           map[string]crm.Member
	rotations         map[string]string
}

func loadNames(ctx context.Context, r ports.Repos, orgID string) (names, error) {
	n := names{
		origins: map[string]string{}, webhooks: map[string]string{}, stages: map[string]crm.Stage{},
		funnels: map[string]string{}, members: map[string]crm.Member{},
	}
	origins, err := r.Origins.List(ctx, orgID)
	for _, o := range origins {
		n.origins[o.ID] = o.Name
	}
	hooks, err2 := r.Webhooks.List(ctx, orgID)
	for _, w := range hooks {
		n.webhooks[w.ID] = w.Name
	}
	funnels, err3 := r.Funnels.List(ctx, orgID)
	for _, f := range funnels {
		for _, s := range f.Stages {
			n.stages[s.ID], n.funnels[s.ID] = s, f.Name
		}
	}
	members, err4 := r.Members.List(ctx, orgID)
	for _, m := range members {
		n.members[m.ID] = m
	}
	return n, errors.Join(err, err2, err3, err4)
}

// automationNames is loadNames with the names of rotations.
func automationNames(ctx context.Context, r ports.Repos, orgID string) (names, error) {
	n, err := loadNames(ctx, r, orgID)
	if err != nil {
		return n, err
	}
	all, err := r.Rotations.List(ctx, orgID)
	n.rotations = map[string]string{}
	for _, one := range all {
		n.rotations[one.ID] = one.Name
	}
	return n, err
}

func (n names) view(c crm.Contact) crm.ContactView {
	stage := n.stages[c.StageID]
	return crm.ContactView{
		Contact: c, Origin: n.origins[c.OriginID], Webhook: n.webhooks[c.WebhookID], Funnel: n.funnels[c.StageID],
		Stage: stage.Name, StageOutcome: stage.Outcome, Assignee: n.members[c.AssigneeID],
	}
}

// views returns contacts with the names behind their ids.
func (n names) views(contacts []crm.Contact) []crm.ContactView {
	out := make([]crm.ContactView, len(contacts))
	for i, c := range contacts {
		out[i] = n.view(c)
	}
	return out
}
