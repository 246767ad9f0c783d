// Package team keeps organisations and who works in them: members, sessions, second factors, sign-in, notifications.
package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/ports"
)

// Members adds people to organisations and changes what they may do.
type Members struct {
	store ports.Store
	clock app.Clock
	hash  func(password string) (string, error)
}

// NewMembers returns the use case; hash makes the text that is stored for a password.
func NewMembers(store ports.Store, clock app.Clock, hash func(string) (string, error)) *Members {
	return &Members{store: store, clock: clock, hash: hash}
}

var memberKind = app.Kind[crm.Member]{
	Field: "member", Missing: "Não há membro com este id.",
	Find:  func(r ports.Repos) func(context.Context, string, string) (crm.Member, error) { return r.Members.Find },
	OrgOf: func(m crm.Member) string { return m.OrgID },
}

// NewMember describes a member to be made.
type NewMember struct {
	OrgID, Name, Email string
	Role               crm.Role
	// Password is empty for a member who is invited: nobody can sign in without one, see Links.
	Password string
}

// Add makes an active member. Faults: InvalidRequest with the field at fault, NotFound,
// Forbidden, ServiceUnavailable.
func (u *Members) Add(ctx context.Context, by app.Caller, n NewMember) (crm.Member, error) {
	name, err := memberName(n.Name)
	if err != nil {
		return crm.Member{}, err
	}
	email, err := document.Normalize(document.Email, n.Email)
	if err != nil {
		return crm.Member{}, app.Invalid("email", err.Error())
	}
	if !n.Role.Valid() {
		return crm.Member{}, app.InvalidRole()
	}
	if n.Password != "" {
		if err := checkPassword(n.Password, email.Value()); err != nil {
			return crm.Member{}, err
		}
	}
	if err := app.MayManageOrg(ctx, u.store.Repos(), by, n.OrgID); err != nil {
		return crm.Member{}, err
	}
	if err := mayChangeRoles(by, "", n.Role); err != nil {
		return crm.Member{}, err
	}
	hash := ""
	if n.Password != "" {
		if hash, err = u.hash(n.Password); err != nil {
			return crm.Member{}, err
		}
	}
	m := crm.Member{
		ID: app.NewID(), OrgID: n.OrgID, Name: name, Email: email.Value(), Role: n.Role, Active: true,
		PasswordHash: hash, CreatedAt: u.clock(),
	}
	line := audit.Line{OrgID: m.OrgID, Action: audit.MemberAdded, Object: m.ID, Detail: memberDetail(m)}
	err = app.Recorded(ctx, u.store, by, line, func(ctx context.Context, r ports.Repos) error {
		return r.Members.Create(ctx, m)
	})
	if errors.Is(err, ports.ErrExists) {
		return crm.Member{}, u.taken(ctx, m)
	}
	return m, err
}

// taken is the fault of a new member whose address signs somebody in already. Who works in another organisation is not
// said.
func (u *Members) taken(ctx context.Context, m crm.Member) error {
	own, err := u.store.Repos().Members.List(ctx, m.OrgID)
	switch {
	case err != nil:
		return err
	case slices.ContainsFunc(own, func(o crm.Member) bool { return o.Email == m.Email }):
		return app.Invalid("email", "Já há um membro com este e-mail.")
	}
	return app.Invalid("email", "Este e-mail não pode ser usado aqui. Escolha outro endereço.")
}

// memberDetail is what the audit says of a member.
func memberDetail(m crm.Member) audit.Detail {
	d := audit.Detail{"nome": m.Name, "email": m.Email, "papel": string(m.Role), "ativo": app.YesNo(m.Active)}
	if m.Budget != nil {
		d["orcamento"] = m.Budget.String()
	}
	return d
}

// List returns the members of an organisation, oldest first. Faults: NotFound,
// ServiceUnavailable.
func (u *Members) List(ctx context.Context, by app.Caller, orgID string) ([]crm.Member, error) {
	if err := app.MaySeeOrg(ctx, u.store.Repos(), by, orgID); err != nil {
		return nil, err
	}
	return u.store.Repos().Members.List(ctx, orgID)
}

// MemberChange is a change of a member; nil leaves a field as it is.
type MemberChange struct {
	Name   *string
	Role   *crm.Role
	Active *bool
	// Budget is what the member's lookups may cost in a month, in ten-thousandths of a real; NoBudget removes the limit.
	Budget *catalog.Money
	// Still refuses the change where the member is no longer as the caller saw it.
	Still app.Still[crm.Member]
}

// NoBudget is the budget of a member without a limit.
const NoBudget catalog.Money = -1

// Update changes a member. Only an owner may make or change an owner; the last active owner stays; only an owner sets
// budgets; nobody ends their own access. A member who loses access is signed out, and their links end. Faults:
// InvalidRequest with the field at fault, NotFound, Forbidden, ServiceUnavailable.
func (u *Members) Update(ctx context.Context, by app.Caller, id string, c MemberChange) error {
	m, err := memberKind.Managed(ctx, u.store.Repos(), by, id)
	if err != nil {
		return err
	}
	return u.change(ctx, by, m, func(m *crm.Member) error {
		if err := c.Still.Check(*m); err != nil {
			return err
		}
		if c.Name != nil {
			if m.Name, err = memberName(*c.Name); err != nil {
				return err
			}
		}
		if c.Budget != nil {
			if err := setBudget(by, m, *c.Budget); err != nil {
				return err
			}
		}
		app.Replace(&m.Role, c.Role)
		app.Replace(&m.Active, c.Active)
		switch {
		case !m.Role.Valid():
			return app.InvalidRole()
		case !m.Active && by.MemberID() == m.ID:
			return app.Invalid("active", "Você não pode encerrar o próprio acesso: peça a outro administrador.")
		}
		return nil
	})
}

// setBudget sets or removes the budget of a member.
func setBudget(by app.Caller, m *crm.Member, budget catalog.Money) error {
	switch {
	case by.Role() != crm.Owner && !by.IsOperator():
		return fault.New(fault.Forbidden, "Só quem é titular pode mudar o orçamento de alguém.").At("budget")
	case budget == NoBudget:
		m.Budget = nil
	case budget < 0:
		return app.Invalid("budget", "O orçamento não pode ser negativo.")
	default:
		m.Budget = &budget
	}
	return nil
}

// SetPassword gives another member a new password and ends their sessions and links; one's own is changed with
// Sessions.ChangeOwnPassword, which asks for the present one. Faults: InvalidRequest with the field at fault, NotFound,
// Forbidden, ServiceUnavailable.
func (u *Members) SetPassword(ctx context.Context, by app.Caller, id, password string) error {
	m, err := memberKind.Visible(ctx, u.store.Repos(), by, id)
	switch {
	case err != nil:
		return err
	case by.MemberID() == id:
		return fault.New(fault.Forbidden, "Para trocar a sua própria senha, use Sua conta, com a senha atual.")
	case !by.Manages(m.OrgID):
		return app.Forbidden()
	}
	return u.setPassword(ctx, by, m, password)
}

// setPassword gives a member a new password. Faults: Unauthenticated where a caller's own password is no longer the one
// that they showed, InvalidRequest with the field at fault, Forbidden, ServiceUnavailable.
func (u *Members) setPassword(ctx context.Context, by app.Caller, m crm.Member, password string) error {
	if err := checkPassword(password, m.Email); err != nil {
		return err
	}
	if err := mayChangeRoles(by, m.Role, m.Role); err != nil {
		return err
	}
	hash, err := u.hash(password)
	if err != nil {
		return err
	}
	return u.change(ctx, by, m, func(present *crm.Member) error {
		// A caller who changes their own password knew that of m. If somebody set another one meanwhile, perhaps because the
		// old one leaked, that one stays.
		if by.MemberID() == m.ID && (present.PasswordHash != m.PasswordHash || !present.Active) {
			return wrongPresent()
		}
		present.PasswordHash = hash
		return nil
	})
}

// change changes a member by f, which gets the present state under the lock of the organisation's members.
func (u *Members) change(ctx context.Context, by app.Caller, m crm.Member, f func(*crm.Member) error) error {
	return u.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		if err := r.Orgs.Lock(ctx, m.OrgID); err != nil {
			return err
		}
		before, err := r.Members.Find(ctx, m.OrgID, m.ID)
		if err != nil {
			return err
		}
		after := before
		if err := f(&after); err != nil {
			return err
		}
		if err := mayChangeRoles(by, before.Role, after.Role); err != nil {
			return err
		}
		if reflect.DeepEqual(before, after) {
			return nil
		}
		if before.LeadsActively() && !after.LeadsActively() {
			if err := anotherOwner(ctx, r, before); err != nil {
				return err
			}
		}
		if err := r.Orgs.HoldCharges(ctx, m.OrgID); err != nil {
			return err
		}
		if !sameLimit(before.Budget, after.Budget) {
			if err := r.Usage.LimitChanged(ctx, m.OrgID, m.ID); err != nil {
				return err
			}
		}
		if err := r.Members.Update(ctx, after); err != nil {
			return err
		}
		if err := recordMember(ctx, r, by, before, after); err != nil {
			return err
		}
		if after.Active && after.PasswordHash == before.PasswordHash {
			return nil
		}
		return endWaysIn(ctx, r, m.ID)
	})
}

// endWaysIn ends every way in for a member, or for an intruder in the member's place, except password and second
// factor: sessions, and what was begun and could still be completed: links, a waiting sign-in, a new passkey, and
// unconfirmed codes, whose secret somebody else may have seen.
func endWaysIn(ctx context.Context, r ports.Repos, memberID string) error {
	return errors.Join(r.SessionEnds.EndAll(ctx, memberID), r.Tickets.Drop(ctx, memberID, access.Invitation),
		r.Tickets.Drop(ctx, memberID, access.Forgotten), r.Tickets.Drop(ctx, memberID, access.Factor),
		r.Tickets.Drop(ctx, memberID, access.PasskeyAdd), r.Factors.DropUnconfirmed(ctx, memberID))
}

// recordMember records in the audit how a member changed.
func recordMember(ctx context.Context, r ports.Repos, by app.Caller, before, after crm.Member) error {
	l := audit.Line{OrgID: after.OrgID, Action: audit.MemberChanged, Object: after.ID}
	switch {
	case after.PasswordHash == before.PasswordHash:
		was, is := memberDetail(before), memberDetail(after)
		was["orcamento"], is["orcamento"] = cmp.Or(was["orcamento"], "nenhum"), cmp.Or(is["orcamento"], "nenhum")
		l.Detail = app.Differing(was, is)
	case by.MemberID() == after.ID:
		l.Action = audit.PasswordChanged
	default:
		l.Action, l.Detail = audit.MemberPassworded, app.NameOf(after.Name)
	}
	return app.Record(ctx, r, by, l)
}

// anotherOwner returns the fault of an organisation that would be left without an active owner.
func anotherOwner(ctx context.Context, r ports.Repos, m crm.Member) error {
	all, err := r.Members.List(ctx, m.OrgID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(o crm.Member) bool { return o.ID != m.ID && o.LeadsActively() }) {
		return app.Invalid("role", "A organização precisa de ao menos um titular ativo. Crie outro antes.")
	}
	return nil
}

// mayChangeRoles keeps administrators from changing owners, and from becoming one.
func mayChangeRoles(by app.Caller, before, after crm.Role) error {
	if by.Role() == crm.Admin && (before == crm.Owner || after == crm.Owner) {
		return fault.New(fault.Forbidden, "Só quem é titular pode mudar um titular ou criar outro.").At("role")
	}
	return nil
}

// sameLimit reports whether two limits are the same; nil is none.
func sameLimit(a, b *catalog.Money) bool { return a == b || a != nil && b != nil && *a == *b }

func memberName(typed string) (string, error) {
	name, ok := crm.CleanName(typed)
	if !ok {
		return "", app.Invalid("name", fmt.Sprintf("O nome tem de 1 a %d caracteres.", crm.NameMax))
	}
	return name, nil
}

// checkPassword applies whenever a password is chosen; older passwords stay valid.
func checkPassword(password, email string) error {
	switch {
	case !access.FitsPassword(password):
		return app.Invalid("password", fmt.Sprintf("A senha tem de %d a %d caracteres.", access.PasswordMin, access.PasswordMax))
	case access.CommonPassword(password, email):
		return app.Invalid("password", "Esta senha está entre as primeiras que alguém tentaria. Escolha outra, como três ou quatro palavras soltas.")
	}
	return nil
}
