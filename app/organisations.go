package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/ports"
)

// Organisations makes organisations and their members.
type Organisations struct {
	store ports.Store
	clock Clock
	hash  func(password string) (string, error)
}

// NewOrganisations returns the use case; hash makes the text that is stored for a
// password.
func NewOrganisations(store ports.Store, clock Clock, hash func(string) (string, error)) *Organisations {
	return &Organisations{store: store, clock: clock, hash: hash}
}

// Create makes an organisation with its default funnel. Faults: InvalidRequest,
// ServiceUnavailable.
func (o *Organisations) Create(ctx context.Context, name string) (crm.Organisation, error) {
	return o.CreateWithID(ctx, newID(), name)
}

// CreateWithID is Create for an organisation whose id is known beforehand.
func (o *Organisations) CreateWithID(ctx context.Context, id, name string) (crm.Organisation, error) {
	name, ok := crm.CleanName(name)
	if !ok {
		return crm.Organisation{}, invalid("name", fmt.Sprintf("O nome da organização tem de 1 a %d caracteres.", crm.NameMax))
	}
	org := crm.Organisation{ID: id, Name: name, CreatedAt: o.clock()}
	funnel := crm.Funnel{ID: newID(), OrgID: id, Name: crm.DefaultFunnel, Default: true, CreatedAt: org.CreatedAt}
	for _, stage := range crm.DefaultStages() {
		funnel.Stages = append(funnel.Stages, crm.Stage{ID: newID(), Name: stage})
	}
	return org, o.store.InTx(ctx, func(r ports.Repos) error {
		if err := r.Orgs.Create(ctx, org); err != nil {
			return err
		}
		return r.Funnels.Create(ctx, funnel)
	})
}

// List returns all organisations to the operator, oldest first. Faults: InvalidRequest,
// ServiceUnavailable.
func (o *Organisations) List(ctx context.Context, by Caller) ([]crm.Organisation, error) {
	if !by.operator {
		return nil, fault.New(fault.InvalidRequest, "Só quem opera o serviço vê todas as organizações.").Because(ErrForbidden)
	}
	return o.store.Repos().Orgs.List(ctx)
}

// Find returns the organisation of a caller. Fault: ServiceUnavailable.
func (o *Organisations) Find(ctx context.Context, by Caller) (crm.Organisation, error) {
	return o.store.Repos().Orgs.Find(ctx, by.OrgID)
}

// SetPassword gives a member a new password and ends his sessions. Faults:
// InvalidRequest with the field at fault, ServiceUnavailable.
func (o *Organisations) SetPassword(ctx context.Context, by Caller, memberID, password string) error {
	m, err := o.member(ctx, by, memberID)
	if err != nil {
		return err
	}
	if err := checkPassword(password); err != nil {
		return err
	}
	if err := mayChange(by, m, m); err != nil {
		return err
	}
	hash, err := o.hash(password)
	if err != nil {
		return err
	}
	return o.changeMember(ctx, by, m, func(m *crm.Member) error { m.PasswordHash = hash; return nil })
}

// member returns a member whom a caller may manage; everybody may manage himself.
func (o *Organisations) member(ctx context.Context, by Caller, id string) (crm.Member, error) {
	notFound := missing("member", "Não há membro com este id.")
	if !validID(id) {
		return crm.Member{}, notFound
	}
	m, err := o.store.Repos().Members.Find(ctx, id)
	if errors.Is(err, ports.ErrNotFound) || err == nil && !by.sees(m.OrgID) {
		return crm.Member{}, notFound
	}
	if err == nil && by.MemberID != id {
		err = by.manages(m.OrgID)
	}
	return m, err
}

// Funnels returns the funnels of the caller's organisation, the default one first.
// Fault: ServiceUnavailable.
func (o *Organisations) Funnels(ctx context.Context, by Caller) ([]crm.Funnel, error) {
	return o.store.Repos().Funnels.List(ctx, by.OrgID)
}

func checkPassword(password string) error {
	if len(password) < passwordMin || len(password) > passwordMax || strings.TrimSpace(password) == "" {
		return invalid("password", fmt.Sprintf("A senha tem de %d a %d caracteres.", passwordMin, passwordMax))
	}
	return nil
}

// NewMember describes a member to be made.
type NewMember struct {
	OrgID, Name, Email string
	Role               crm.Role
	Password           string
}

// The lengths of a password, in bytes; the longest is what the hash can take.
const (
	passwordMin = 8
	passwordMax = 72
)

// AddMember makes an active member. Faults: InvalidRequest with the field at
// fault, ServiceUnavailable.
func (o *Organisations) AddMember(ctx context.Context, by Caller, n NewMember) (crm.Member, error) {
	name, ok := crm.CleanName(n.Name)
	if !ok {
		return crm.Member{}, invalid("name", fmt.Sprintf("O nome tem de 1 a %d caracteres.", crm.NameMax))
	}
	email, err := document.Normalize(document.Email, n.Email)
	if err != nil {
		return crm.Member{}, invalid("email", err.Error())
	}
	if !n.Role.Valid() {
		return crm.Member{}, invalid("role", "O papel é owner, admin ou member.")
	}
	if err := checkPassword(n.Password); err != nil {
		return crm.Member{}, err
	}
	if err := mayManage(ctx, o.store, by, n.OrgID); err != nil {
		return crm.Member{}, err
	}
	if err := mayChange(by, crm.Member{}, crm.Member{Role: n.Role}); err != nil {
		return crm.Member{}, err
	}
	hash, err := o.hash(n.Password)
	if err != nil {
		return crm.Member{}, err
	}
	m := crm.Member{
		ID: newID(), OrgID: n.OrgID, Name: name, Email: email.Value(), Role: n.Role, Active: true, PasswordHash: hash, CreatedAt: o.clock(),
	}
	err = o.store.Repos().Members.Create(ctx, m)
	if errors.Is(err, ports.ErrExists) {
		return crm.Member{}, invalid("email", "Já há um membro com este e-mail.")
	}
	return m, err
}

// Members returns the members of an organisation, oldest first. Faults:
// InvalidRequest, ServiceUnavailable.
func (o *Organisations) Members(ctx context.Context, by Caller, orgID string) ([]crm.Member, error) {
	if err := maySee(ctx, o.store, by, orgID); err != nil {
		return nil, err
	}
	return o.store.Repos().Members.List(ctx, orgID)
}

// mayManage returns the fault of a caller who may not change what an organisation
// has set up, or of an organisation that does not exist.
func mayManage(ctx context.Context, store ports.Store, by Caller, orgID string) error {
	if err := by.manages(orgID); err != nil {
		return err
	}
	return maySee(ctx, store, by, orgID)
}

// maySee returns the fault of an organisation that is not there for the caller.
func maySee(ctx context.Context, store ports.Store, by Caller, id string) error {
	notFound := missing("org", "Não há organização com este id.")
	if !validID(id) || !by.sees(id) {
		return notFound
	}
	if !by.operator {
		return nil // it has a member, so it exists
	}
	_, err := store.Repos().Orgs.Find(ctx, id)
	if errors.Is(err, ports.ErrNotFound) {
		return notFound
	}
	return err
}
