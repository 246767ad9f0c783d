package app

import (
	"context"
	"errors"
	"time"

	"fichario/domain/crm"
	"fichario/ports"
)

// MemberOf returns a member of an organisation. Faults: NotFound, ServiceUnavailable.
func MemberOf(ctx context.Context, r ports.Repos, orgID, id string) (crm.Member, error) {
	notFound := Missing("member", "Não há membro com este id nesta organização.")
	if !ValidID(id) {
		return crm.Member{}, notFound
	}
	m, err := r.Members.Find(ctx, id)
	if errors.Is(err, ports.ErrNotFound) || err == nil && m.OrgID != orgID {
		return crm.Member{}, notFound
	}
	return m, err
}

// People maps the ids of an organisation's members, keys and automations to their names.
func People(ctx context.Context, store ports.Store, orgID string) (map[string]string, error) {
	repos, names := store.Repos(), map[string]string{}
	members, err := repos.Members.List(ctx, orgID)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		names[m.ID] = m.Name
	}
	keys, err := repos.Keys.List(ctx, orgID)
	for _, k := range keys {
		names[k.ID] = k.Name
	}
	rules, err2 := repos.Automations.List(ctx, orgID)
	for _, a := range rules {
		names[a.ID] = "automação " + a.Name
	}
	return names, errors.Join(err, err2)
}

// LeaderOf returns the member who acts for the operator in an organisation; none is the message if there is nobody.
func LeaderOf(ctx context.Context, r ports.Repos, orgID, none string) (Caller, error) {
	if err := MaySeeOrg(ctx, r, Operator(), orgID); err != nil {
		return Caller{}, err
	}
	members, err := r.Members.List(ctx, orgID)
	for _, m := range members {
		if m.LeadsActively() {
			return ByMember(m), nil
		}
	}
	if err == nil {
		err = Missing("org", none)
	}
	return Caller{}, err
}

// NewFunnel returns a funnel with the stages of the default one.
func NewFunnel(orgID, name string, at time.Time) crm.Funnel {
	made := crm.Funnel{ID: NewID(), OrgID: orgID, Name: name, CreatedAt: at}
	for _, stage := range crm.DefaultStages() {
		stage.ID = NewID()
		made.Stages = append(made.Stages, stage)
	}
	return made
}
