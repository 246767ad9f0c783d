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

// FindsIn is where what the caller names by its id is found: the caller's organisation, or ports.AnyOrg for the
// operator. Nothing is found where it is empty.
func (c Caller) FindsIn() string {
	if c.operator {
		return ports.AnyOrg
	}
	return c.orgID
}

// MemberID is the member who asks; empty when a key or the operator does.
func (c Caller) MemberID() string { return c.memberID }

// Key is the key that asks; nil when a member or the operator does.
func (c Caller) Key() *access.Key { return c.key }

// MayManage reports whether the caller may change the settings of their organisation.
func (c Caller) MayManage() bool { return c.Manages(c.orgID) }

// MaySee reports whether an organisation's data are visible to the caller.
func (c Caller) MaySee(orgID string) bool {
	return c.operator || orgID != "" && c.orgID == orgID
}

// Manages reports whether the caller may change the settings of an organisation.
func (c Caller) Manages(orgID string) bool {
	return c.MaySee(orgID) && (c.operator || c.role == crm.Owner || c.role == crm.Admin)
}

// MayAsk reports whether the caller may ask about documents of a type.
func (c Caller) MayAsk(t document.Type) bool {
	return c.key != nil && c.key.Has(t) || c.memberID != "" || c.automationID != ""
}

// MayName reports whether a lookup of the caller may name the bureau to ask: not with a key without that scope.
func (c Caller) MayName() bool { return c.key == nil || c.key.Bureau }

// AskedBy is the id of the key or member that asks, as stored in entries of the statement.
func (c Caller) AskedBy() string { return cmp.Or(c.KeyID(), c.memberID) }

// KeyID is the id of the key that asks; empty when somebody else does.
func (c Caller) KeyID() string {
	if c.key == nil {
		return ""
	}
	return c.key.ID
}

// Ended is the refusal of a caller whose right to ask ended while a lookup was being made.
func (c Caller) Ended() *fault.Error {
	switch {
	case c.key != nil:
		return Unauthenticated("Esta chave foi revogada ou expirou. Nada foi cobrado.")
	case c.automationID != "":
		return fault.New(fault.Forbidden, "A automação foi desabilitada. Nada foi cobrado.")
	}
	return fault.New(fault.Forbidden, "Seu acesso foi encerrado. Nada foi cobrado.")
}

// Org returns the caller's organisation. Fault: NotFound for a caller without one.
func (c Caller) Org() (string, error) {
	if c.orgID == "" {
		return "", noOrg()
	}
	return c.orgID, nil
}

// ContactsOrg is org for a caller who may read contacts, which a key may only if it was made for that. Faults:
// NotFound, Forbidden.
func (c Caller) ContactsOrg() (string, error) {
	orgID, err := c.Org()
	if err == nil && c.key != nil && !c.key.Contacts {
		err = fault.New(fault.Forbidden, "Esta chave não pode ler contatos. Crie outra com fichario key create --contacts.")
	}
	return orgID, err
}

// ManagedOrg is org for a caller who may also manage it. Faults: NotFound, Forbidden.
func (c Caller) ManagedOrg() (string, error) {
	orgID, err := c.Org()
	if err == nil && !c.Manages(orgID) {
		err = Forbidden()
	}
	return orgID, err
}

// MayManageOrg returns the fault of a caller who may not manage an organisation; see MaySeeOrg.
func MayManageOrg(ctx context.Context, r ports.Repos, by Caller, id string) error {
	if err := MaySeeOrg(ctx, r, by, id); err != nil {
		return err
	}
	if !by.Manages(id) {
		return Forbidden()
	}
	return nil
}

// MaySeeOrg returns the fault of an organisation that is not visible to the caller. Only the operator can name one that
// does not exist: everybody else belongs to one that does.
func MaySeeOrg(ctx context.Context, r ports.Repos, by Caller, id string) error {
	if !ValidID(id) || !by.MaySee(id) {
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

func noOrg() *fault.Error { return Missing("org", "Não há organização com este id.") }

// Forbidden is the fault of a caller who may not manage an organisation.
func Forbidden() *fault.Error {
	return fault.New(fault.Forbidden, "Só titulares da organização e quem a administra podem fazer isto.")
}

// Kind describes a kind of thing that organisations have: how one is found by its organisation and its id, which
// organisation it belongs to, and the message when the caller has none.
type Kind[T any] struct {
	Field, Missing string
	Find           func(ports.Repos) func(ctx context.Context, orgID, id string) (T, error)
	OrgOf          func(T) string
}

// Visible returns the thing with an id. Another organisation's is not found. Faults: NotFound, ServiceUnavailable.
func (k Kind[T]) Visible(ctx context.Context, r ports.Repos, by Caller, id string) (T, error) {
	var none T
	if !ValidID(id) {
		return none, k.NotFound()
	}
	found, err := k.Find(r)(ctx, by.FindsIn(), id)
	if errors.Is(err, ports.ErrNotFound) {
		return none, k.NotFound()
	}
	return found, err
}

// Managed is visible for a caller who may also change it. Faults: NotFound, Forbidden,
// ServiceUnavailable.
func (k Kind[T]) Managed(ctx context.Context, r ports.Repos, by Caller, id string) (T, error) {
	found, err := k.Visible(ctx, r, by, id)
	if err == nil && !by.Manages(k.OrgOf(found)) {
		var none T
		return none, Forbidden()
	}
	return found, err
}

// Locked is managed in a transaction that locks the thing's organisation: until its end nobody else changes what is
// locked likewise. Faults: NotFound, Forbidden, ServiceUnavailable.
func (k Kind[T]) Locked(ctx context.Context, r ports.Repos, by Caller, id string) (T, error) {
	found, err := k.Managed(ctx, r, by, id)
	if err != nil {
		return found, err
	}
	if err := r.Orgs.Lock(ctx, k.OrgOf(found)); err != nil {
		return found, err
	}
	return k.Managed(ctx, r, by, id)
}

// NotFound is the fault of a caller who has none.
func (k Kind[T]) NotFound() *fault.Error { return Missing(k.Field, k.Missing) }

// MayOwnOrg returns the fault of a caller who is not an owner of an organisation; see MaySeeOrg.
func MayOwnOrg(ctx context.Context, r ports.Repos, by Caller, id string) error {
	if err := MaySeeOrg(ctx, r, by, id); err != nil {
		return err
	}
	if !by.operator && by.role != crm.Owner {
		return fault.New(fault.Forbidden, "Só quem é titular da organização pode ver ou mudar isto.")
	}
	return nil
}

// ByAutomation returns the caller for an automation that looks something up for its organisation.
func ByAutomation(a automation.Automation) Caller { return Caller{orgID: a.OrgID, automationID: a.ID} }

// OfOrg returns a caller without rights who belongs to an organisation.
func OfOrg(id string) Caller { return Caller{orgID: id} }

// Role is the member's role; empty unless a member asks.
func (c Caller) Role() crm.Role { return c.role }

// IsOperator reports whether the operator asks.
func (c Caller) IsOperator() bool { return c.operator }

// Budget is what the member's lookups may cost in a month; nil for no limit.
func (c Caller) Budget() *catalog.Money { return c.budget }
