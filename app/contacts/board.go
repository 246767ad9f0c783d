package contacts

import (
	"context"
	"slices"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/ports"
)

// BoardStage is a stage of a board.
type BoardStage struct {
	crm.Stage
	// Count and Amount are those of all its contacts. If Many says that a search matches more than CountMax, they are
	// those of the newest ones. Contacts are the newest.
	Count    int
	Amount   catalog.Money
	Many     bool
	Contacts []crm.ContactView
}

// Board returns the stages of a funnel with their newest contacts, as many as cards says for the id of each; of the
// default funnel when funnelID is empty. Of the search only origin, assignee and waiting count. Faults: NotFound,
// ServiceUnavailable.
func (c *Contacts) Board(
	ctx context.Context, by app.Caller, funnelID string, s ContactSearch, cards func(stageID string) int,
) (crm.Funnel, []BoardStage, error) {
	orgID, err := by.Org()
	if err != nil {
		return crm.Funnel{}, nil, err
	}
	r := c.store.Repos()
	funnels, err := r.Funnels.List(ctx, orgID)
	if err != nil {
		return crm.Funnel{}, nil, err
	}
	at := slices.IndexFunc(funnels, func(f crm.Funnel) bool { return f.ID == funnelID || funnelID == "" })
	if at < 0 {
		return crm.Funnel{}, nil, app.Missing("funnel", "Não há funil com este id.")
	}
	funnel := funnels[at]
	n, err := r.Names.All(ctx, orgID, app.ContactKinds...)
	if err != nil {
		return funnel, nil, err
	}
	f, err := ContactSearch{OriginID: s.OriginID, AssigneeID: s.AssigneeID, Waiting: s.Waiting}.filter(n)
	if err != nil {
		return funnel, nil, err
	}
	for _, stage := range funnel.Stages {
		f.Stages = append(f.Stages, stage.ID)
	}
	totals, err := r.ContactSearch.Totals(ctx, orgID, f, app.CountMax)
	if err != nil {
		return funnel, nil, err
	}
	f.Stages = nil
	stages := make([]BoardStage, len(funnel.Stages))
	for i, stage := range funnel.Stages {
		total := totals[stage.ID]
		stages[i] = BoardStage{Stage: stage, Count: total.Count, Amount: total.Amount, Many: total.More}
		if total.Count == 0 {
			continue
		}
		f.StageID = stage.ID
		found, err := r.ContactSearch.Select(ctx, orgID, ports.ContactQuery{ContactFilter: f, Limit: cards(stage.ID)})
		if err != nil {
			return funnel, nil, err
		}
		for _, contact := range found {
			stages[i].Contacts = append(stages[i].Contacts, n.View(contact))
		}
	}
	return funnel, stages, nil
}
