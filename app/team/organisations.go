package team

import (
	"context"
	"fmt"
	"strconv"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/ports"
)

// Organisations makes and shows organisations.
type Organisations struct {
	store ports.Store
	clock app.Clock
}

// NewOrganisations returns the use case.
func NewOrganisations(store ports.Store, clock app.Clock) *Organisations {
	return &Organisations{store: store, clock: clock}
}

// Create makes an organisation with its default funnel. Faults: InvalidRequest,
// ServiceUnavailable.
func (o *Organisations) Create(ctx context.Context, name string) (crm.Organisation, error) {
	return o.CreateWithID(ctx, app.NewID(), name)
}

// CreateWithID is Create for an organisation whose id is known beforehand.
func (o *Organisations) CreateWithID(ctx context.Context, id, name string) (crm.Organisation, error) {
	name, ok := crm.CleanName(name)
	if !ok {
		message := fmt.Sprintf("O nome da organização tem de 1 a %d caracteres.", crm.NameMax)
		return crm.Organisation{}, app.Invalid("name", message)
	}
	org := crm.Organisation{ID: id, Name: name, CreatedAt: o.clock(), MemberBatchLimit: crm.DefaultMemberBatchLimit}
	funnel := app.NewFunnel(id, crm.DefaultFunnel, org.CreatedAt)
	funnel.Default = true
	return org, o.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		if err := r.Orgs.Create(ctx, org); err != nil {
			return err
		}
		if err := r.Funnels.Create(ctx, funnel); err != nil {
			return err
		}
		return app.Record(ctx, r, app.Operator(), audit.Line{
			OrgID: id, Action: audit.OrgCreated, Object: id, Detail: app.NameOf(org.Name),
		})
	})
}

// List returns all organisations to the operator, oldest first. Faults: Forbidden,
// ServiceUnavailable.
func (o *Organisations) List(ctx context.Context, by app.Caller) ([]crm.Organisation, error) {
	if !by.IsOperator() {
		return nil, fault.New(fault.Forbidden, "Só quem opera o serviço vê todas as organizações.")
	}
	return o.store.Repos().Orgs.List(ctx)
}

// SetMemberBatchLimit changes the highest batch ceiling that members who do not manage the organisation may confirm.
// Faults: NotFound, Forbidden, InvalidRequest, ServiceUnavailable.
func (o *Organisations) SetMemberBatchLimit(ctx context.Context, by app.Caller, id string, limit catalog.Money) error {
	if err := app.MayManageOrg(ctx, o.store.Repos(), by, id); err != nil {
		return err
	}
	if limit < 0 {
		return app.Invalid("memberBatchLimit", "O limite não pode ser negativo.")
	}
	line := audit.Line{
		OrgID: id, Action: audit.OrgLimitChanged, Object: id, Detail: audit.Detail{"limite": limit.String()},
	}
	return app.Recorded(ctx, o.store, by, line, func(ctx context.Context, r ports.Repos) error {
		if err := differs(ctx, r, id, func(o crm.Organisation) bool { return o.MemberBatchLimit != limit }); err != nil {
			return err
		}
		return r.Orgs.SetMemberBatchLimit(ctx, id, limit)
	})
}

// SetShareHistory changes whether history that was bought for one purpose answers another. Faults: NotFound, Forbidden,
// ServiceUnavailable.
func (o *Organisations) SetShareHistory(ctx context.Context, by app.Caller, id string, share bool) error {
	if err := app.MayOwnOrg(ctx, o.store.Repos(), by, id); err != nil {
		return err
	}
	line := audit.Line{
		OrgID: id, Action: audit.OrgShareChanged, Object: id, Detail: audit.Detail{"compartilha": strconv.FormatBool(share)},
	}
	return app.Recorded(ctx, o.store, by, line, func(ctx context.Context, r ports.Repos) error {
		if err := differs(ctx, r, id, func(o crm.Organisation) bool { return o.OwnHistory == share }); err != nil {
			return err
		}
		return r.Orgs.SetShareHistory(ctx, id, share)
	})
}

// differs locks an organisation, and returns app.ErrUnchanged where it is already as a change would make it.
func differs(ctx context.Context, r ports.Repos, id string, differs func(crm.Organisation) bool) error {
	if err := r.Orgs.Lock(ctx, id); err != nil {
		return err
	}
	o, err := r.Orgs.Find(ctx, id)
	if err == nil && !differs(o) {
		err = app.ErrUnchanged
	}
	return err
}

// Find returns the organisation of a caller. Faults: NotFound, ServiceUnavailable.
func (o *Organisations) Find(ctx context.Context, by app.Caller) (crm.Organisation, error) {
	orgID, err := by.Org()
	if err != nil {
		return crm.Organisation{}, err
	}
	return o.store.Repos().Orgs.Find(ctx, orgID)
}
