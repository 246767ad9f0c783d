package privacy

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/ports"
)

// Purposes manages what organisations look people up for (design, section 14).
type Purposes struct {
	store ports.Store
	clock app.Clock
}

// NewPurposes returns the use case.
func NewPurposes(store ports.Store, clock app.Clock) *Purposes { return &Purposes{store, clock} }

// Add makes a purpose; ID, CreatedAt and RetiredAt are ignored. Faults: InvalidRequest with the field at fault,
// NotFound, Forbidden, ServiceUnavailable.
func (p *Purposes) Add(ctx context.Context, by app.Caller, made crm.Purpose) (crm.Purpose, error) {
	if err := app.MayOwnOrg(ctx, p.store.Repos(), by, made.OrgID); err != nil {
		return crm.Purpose{}, err
	}
	if !crm.ValidPurposeCode(made.Code) {
		return crm.Purpose{}, app.Invalid("code",
			"O código tem de 1 a 40 letras minúsculas sem acento, algarismos, _ e -, e começa com letra ou algarismo.")
	}
	made, err := checkPurpose(made)
	if err != nil {
		return crm.Purpose{}, err
	}
	made.ID, made.CreatedAt = app.NewID(), p.clock()
	line := audit.Line{OrgID: made.OrgID, Action: audit.PurposeCreated, Object: made.ID, Detail: purposeDetail(made)}
	err = app.Recorded(ctx, p.store, by, line, func(ctx context.Context, r ports.Repos) error {
		return r.Purposes.Create(ctx, made)
	})
	if errors.Is(err, ports.ErrExists) {
		err = app.Invalid("code", "Já há ou houve uma finalidade com este código.")
	}
	return made, err
}

// PurposeChange is a change of a purpose; nil leaves a field as it is.
type PurposeChange struct {
	Name  *string
	Basis *crm.Basis
	// Roles are those that may use it; empty for all.
	Roles *[]crm.Role
	// Retired ends it: no more lookups state it, and earlier ones keep its code. False puts it in force again.
	Retired *bool
	// Still refuses the change where the purpose is no longer as the caller saw it.
	Still app.Still[crm.Purpose]
}

// Set changes the purpose of an organisation that has a code. Faults: those of Add.
func (p *Purposes) Set(
	ctx context.Context, by app.Caller, orgID, code string, change PurposeChange,
) (changed crm.Purpose, err error) {
	if err := app.MayOwnOrg(ctx, p.store.Repos(), by, orgID); err != nil {
		return changed, err
	}
	err = p.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		// The whole purpose is written, so concurrent changes must wait.
		if err := r.Orgs.Lock(ctx, orgID); err != nil {
			return err
		}
		var before crm.Purpose
		before, changed, err = p.changed(ctx, r, orgID, code, change)
		if err != nil || reflect.DeepEqual(before, changed) {
			return err
		}
		if err := r.Orgs.HoldCharges(ctx, orgID); err != nil {
			return err
		}
		if err := r.Purposes.Update(ctx, changed); err != nil {
			return err
		}
		return app.Record(ctx, r, by, audit.Line{
			OrgID: orgID, Action: audit.PurposeChanged, Object: changed.ID, Detail: purposeDetail(changed),
		})
	})
	return changed, err
}

// changed returns the purpose with a code, before and after the change.
func (p *Purposes) changed(
	ctx context.Context, r ports.Repos, orgID, code string, change PurposeChange,
) (before, changed crm.Purpose, err error) {
	all, err := r.Purposes.List(ctx, orgID)
	if err != nil {
		return before, changed, err
	}
	at := slices.IndexFunc(all, func(p crm.Purpose) bool { return p.Code == code })
	if at < 0 {
		return before, changed, app.Missing("code", "Não há finalidade com este código.")
	}
	before, changed = all[at], all[at]
	if err := change.Still.Check(changed); err != nil {
		return before, changed, err
	}
	if change.Name != nil {
		changed.Name = *change.Name
	}
	if change.Basis != nil {
		changed.Basis = *change.Basis
	}
	if change.Roles != nil {
		changed.Roles = *change.Roles
	}
	switch {
	case change.Retired == nil:
	case !*change.Retired:
		changed.RetiredAt = time.Time{}
	case changed.InForce():
		changed.RetiredAt = p.clock()
	}
	changed, err = checkPurpose(changed)
	return before, changed, err
}

func purposeDetail(p crm.Purpose) audit.Detail {
	d := audit.Detail{"codigo": p.Code, "nome": p.Name, "base": string(p.Basis), "papeis": app.Joined(p.Roles)}
	if !p.InForce() {
		d["encerradaEm"] = p.RetiredAt.Format(time.RFC3339)
	}
	return d
}

func checkPurpose(p crm.Purpose) (crm.Purpose, error) {
	name, ok := crm.CleanName(p.Name)
	p.Name = name
	switch {
	case !ok:
		return p, app.Invalid("name", fmt.Sprintf("O nome da finalidade tem de 1 a %d caracteres.", crm.NameMax))
	case !p.Basis.Valid():
		return p, app.Invalid("basis", "A base legal deve ser uma das previstas no art. 7º da LGPD:  "+basisNames()+".")
	case slices.ContainsFunc(p.Roles, func(r crm.Role) bool { return !r.Valid() }):
		return p, app.InvalidRole()
	}
	return p, nil
}

func basisNames() (names string) {
	for i, b := range crm.Bases() {
		if i > 0 {
			names += ", "
		}
		names += string(b)
	}
	return names
}

// List returns the purposes of an organisation, retired or not, oldest first. Faults: NotFound, ServiceUnavailable.
func (p *Purposes) List(ctx context.Context, by app.Caller, orgID string) ([]crm.Purpose, error) {
	if err := app.MaySeeOrg(ctx, p.store.Repos(), by, orgID); err != nil {
		return nil, err
	}
	return p.store.Repos().Purposes.List(ctx, orgID)
}

// Allowed returns the purposes in force that the caller may state, oldest first. Faults: NotFound, ServiceUnavailable.
func (p *Purposes) Allowed(ctx context.Context, by app.Caller) ([]crm.Purpose, error) {
	orgID, err := by.Org()
	if err != nil {
		return nil, err
	}
	all, err := p.store.Repos().Purposes.List(ctx, orgID)
	return purposeRules{all: all}.allowed(by), err
}

// InForce returns the purposes in force of the caller's organisation, oldest first. Faults: NotFound,
// ServiceUnavailable.
func (p *Purposes) InForce(ctx context.Context, by app.Caller) ([]crm.Purpose, error) {
	orgID, err := by.Org()
	if err != nil {
		return nil, err
	}
	all, err := p.store.Repos().Purposes.List(ctx, orgID)
	return purposeRules{all: all}.allowed(app.OfOrg(orgID)), err
}

// CheckPurposes refuses codes that do not belong to purposes in force. Faults: InvalidRequest, ServiceUnavailable.
func CheckPurposes(ctx context.Context, r ports.Repos, orgID string, codes []string) error {
	if len(codes) == 0 {
		return nil
	}
	all, err := r.Purposes.List(ctx, orgID)
	if err != nil {
		return err
	}
	inForce := purposeRules{all: all}.allowed(app.OfOrg(orgID))
	for _, code := range codes {
		if !slices.ContainsFunc(inForce, func(p crm.Purpose) bool { return p.Code == code }) {
			choices := "A organização ainda não tem finalidades."
			if len(inForce) > 0 {
				choices = "As finalidades são: " + codesOf(inForce) + "."
			}
			return app.Invalid("purposes", "Uma das finalidades não existe ou foi encerrada. "+choices)
		}
	}
	return nil
}
