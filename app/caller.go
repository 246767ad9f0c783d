package app

import (
	"cmp"
	"context"
	"errors"

	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/ports"
)

// Caller is who asks: a key of the API, a member in the interface, or the operator at
// the command line. A driving adapter gets one from ByKey, ByMember or Operator after
// it has authenticated somebody; the zero value may do nothing.
type Caller struct {
	orgID    string
	key      *access.Key // nil unless a key asks
	memberID string      // empty unless a member asks
	role     crm.Role
	operator bool
	// budget is what the member's lookups may cost in a month; nil for no limit.
	budget *catalog.Money
	// automationID is set where an automation asks.
	automationID string
}

// ByKey returns the caller for a key, which may ask about what its scopes allow.
func ByKey(k *access.Key) Caller { return Caller{orgID: k.OrgID, key: k} }

// ByMember returns the caller for a member, with the rights of their role.
func ByMember(m crm.Member) Caller {
	return Caller{orgID: m.OrgID, memberID: m.ID, role: m.Role, budget: m.Budget}
}

// Operator returns the caller for whoever runs the instance: all organisations, all rights.
func Operator() Caller { return Caller{operator: true} }

// OrgID is the caller's organisation; empty for the operator.
func (c Caller) OrgID() string { return c.orgID }

// MemberID is the member who asks; empty when a key or the operator does.
func (c Caller) MemberID() string { return c.memberID }

// Key is the key that asks; nil when a member or the operator does.
func (c Caller) Key() *access.Key { return c.key }

// MayManage reports whether the caller may change the settings of their organisation.
func (c Caller) MayManage() bool { return c.mayManage(c.orgID) }

// maySee reports whether an organisation's data are visible to the caller.
func (c Caller) maySee(orgID string) bool {
	return c.operator || orgID != "" && c.orgID == orgID
}

// mayManage reports whether the caller may change the settings of an organisation.
func (c Caller) mayManage(orgID string) bool {
	return c.maySee(orgID) && (c.operator || c.role == crm.Owner || c.role == crm.Admin)
}

// mayAsk reports whether the caller may ask about documents of a type.
func (c Caller) mayAsk(t document.Type) bool {
	return c.key != nil && c.key.Has(t) || c.memberID != "" || c.automationID != ""
}

// askedBy is the id of the key or member that asks, as stored in entries of the statement.
func (c Caller) askedBy() string { return cmp.Or(c.keyID(), c.memberID) }

func (c Caller) keyID() string {
	if c.key == nil {
		return ""
	}
	return c.key.ID
}

// ended is the refusal of a caller whose right to ask ended while a lookup was being made.
func (c Caller) ended() *fault.Error {
	switch {
	case c.key != nil:
		return unauthenticated("Esta chave foi revogada ou expirou. Nada foi cobrado.")
	case c.automationID != "":
		return fault.New(fault.Forbidden, "A automação foi desabilitada. Nada foi cobrado.")
	}
	return fault.New(fault.Forbidden, "Seu acesso foi encerrado. Nada foi cobrado.")
}

// org returns the caller's organisation. Fault: NotFound for a caller without one.
func (c Caller) org() (string, error) {
	if c.orgID == "" {
		return "", noOrg()
	}
	return c.orgID, nil
}

// contactsOrg is org for a caller who may read contacts, which a key may only if it was made for that. Faults:
// NotFound, Forbidden.
func (c Caller) contactsOrg() (string, error) {
	orgID, err := c.org()
	if err == nil && c.key != nil && !c.key.Contacts {
		err = fault.New(fault.Forbidden, "Esta chave não pode ler contatos. Crie outra com fichario key create --contacts.")
	}
	return orgID, err
}

// managedOrg is org for a caller who may also manage it. Faults: NotFound, Forbidden.
func (c Caller) managedOrg() (string, error) {
	orgID, err := c.org()
	if err == nil && !c.mayManage(orgID) {
		err = forbidden()
	}
	return orgID, err
}

// mayManageOrg returns the fault of a caller who may not manage an organisation; see maySeeOrg.
func mayManageOrg(ctx context.Context, r ports.Repos, by Caller, id string) error {
	if err := maySeeOrg(ctx, r, by, id); err != nil {
		return err
	}
	if !by.mayManage(id) {
		return forbidden()
	}
	return nil
}

// maySeeOrg returns the fault of an organisation that is not visible to the caller. Only the operator can name one that
// does not exist: everybody else belongs to one that does.
func maySeeOrg(ctx context.Context, r ports.Repos, by Caller, id string) error {
	if !validID(id) || !by.maySee(id) {
		return noOrg()
	}
	if !by.operator {
		return nil
	}
	_, err := r.Orgs.Find(ctx, id)
	if errors.Is(err, ports.ErrNotFound) {
		return noOrg()
	}
	return err
}

func noOrg() *fault.Error { return missing("org", "Não há organização com este id.") }

func forbidden() *fault.Error {
	return fault.New(fault.Forbidden, "Só titulares da organização e quem a administra podem fazer isto.")
}

// kind describes a kind of thing that organisations have: how one is found by its id, which organisation it belongs to,
// and the message when the caller has none.
type kind[T any] struct {
	field, missing string
	find           func(ports.Repos) func(context.Context, string) (T, error)
	orgOf          func(T) string
}

// visible returns the thing with an id. Another organisation's is not found. Faults: NotFound, ServiceUnavailable.
func (k kind[T]) visible(ctx context.Context, r ports.Repos, by Caller, id string) (T, error) {
	var none T
	if !validID(id) {
		return none, k.notFound()
	}
	found, err := k.find(r)(ctx, id)
	if errors.Is(err, ports.ErrNotFound) || err == nil && !by.maySee(k.orgOf(found)) {
		return none, k.notFound()
	}
	return found, err
}

// managed is visible for a caller who may also change it. Faults: NotFound, Forbidden,
// ServiceUnavailable.
func (k kind[T]) managed(ctx context.Context, r ports.Repos, by Caller, id string) (T, error) {
	found, err := k.visible(ctx, r, by, id)
	if err == nil && !by.mayManage(k.orgOf(found)) {
		var none T
		return none, forbidden()
	}
	return found, err
}

// locked is managed in a transaction that locks the thing's organisation: until its end nobody else changes what is
// locked likewise. Faults: NotFound, Forbidden, ServiceUnavailable.
func (k kind[T]) locked(ctx context.Context, r ports.Repos, by Caller, id string) (T, error) {
	found, err := k.managed(ctx, r, by, id)
	if err != nil {
		return found, err
	}
	if err := r.Orgs.Lock(ctx, k.orgOf(found)); err != nil {
		return found, err
	}
	return k.managed(ctx, r, by, id)
}

func (k kind[T]) notFound() *fault.Error { return missing(k.field, k.missing) }

// mayOwnOrg returns the fault of a caller who is not an owner of an organisation; see maySeeOrg.
func mayOwnOrg(ctx context.Context, r ports.Repos, by Caller, id string) error {
	if err := maySeeOrg(ctx, r, by, id); err != nil {
		return err
	}
	if !by.operator && by.role != crm.Owner {
		return fault.New(fault.Forbidden, "Só quem é titular da organização pode ver ou mudar isto.")
	}
	return nil
}

// byAutomation returns the caller for an automation that looks something up for its organisation.
func byAutomation(a automation.Automation) Caller { return Caller{orgID: a.OrgID, automationID: a.ID} }

// ofOrg returns a caller without rights who belongs to an organisation.
func ofOrg(id string) Caller { return Caller{orgID: id} }

// Role is the member's role; empty unless a member asks.
func (c Caller) Role() crm.Role { return c.role }

// IsOperator reports whether the operator asks.
func (c Caller) IsOperator() bool { return c.operator }

// AutomationID is the automation that asks; empty when somebody else does.
func (c Caller) AutomationID() string { return c.automationID }

// Budget is what the member's lookups may cost in a month; nil for no limit.
func (c Caller) Budget() *catalog.Money { return c.budget }
