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
	m, err := r.Members.Find(ctx, orgID, id)
	if errors.Is(err, ports.ErrNotFound) {
		return crm.Member{}, notFound
	}
	return m, err
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
