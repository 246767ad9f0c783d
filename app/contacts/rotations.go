package contacts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/domain/text"
	"fichario/ports"
)

// Rotations manages the rotations that give contacts to members in turn.
type Rotations struct {
	store ports.Store
	clock app.Clock
}

// NewRotations returns the use case.
func NewRotations(store ports.Store, clock app.Clock) *Rotations { return &Rotations{store, clock} }

var rotationKind = app.Kind[crm.Rotation]{
	Field: "rotation", Missing: "Não há rodízio com este id.",
	Find: func(r ports.Repos) func(context.Context, string, string) (crm.Rotation, error) {
		return r.Rotations.Find
	},
	OrgOf: func(r crm.Rotation) string { return r.OrgID },
}

// RotationPlace is a place in a rotation, with its member.
type RotationPlace struct {
	crm.RotationMember
	Member crm.Member
}

// RotationView is a rotation with its members.
type RotationView struct {
	crm.Rotation
	Places []RotationPlace
	// Webhooks are the names of the webhooks whose contacts it assigns.
	Webhooks []string
}

// Add makes a rotation. Faults: InvalidRequest, NotFound, Forbidden, ServiceUnavailable.
func (o *Rotations) Add(
	ctx context.Context, by app.Caller, orgID, name string, members []crm.RotationMember,
) (crm.Rotation, error) {
	if err := app.MayManageOrg(ctx, o.store.Repos(), by, orgID); err != nil {
		return crm.Rotation{}, err
	}
	made := crm.Rotation{ID: app.NewID(), OrgID: orgID, CreatedAt: o.clock()}
	if err := fill(ctx, o.store.Repos(), &made, name, members); err != nil {
		return crm.Rotation{}, err
	}
	line := audit.Line{OrgID: orgID, Action: audit.RotationCreated, Object: made.ID, Detail: rotationDetail(made)}
	return made, app.Recorded(ctx, o.store, by, line, func(ctx context.Context, r ports.Repos) error {
		return r.Rotations.Create(ctx, made)
	})
}

// Change gives a rotation another name and other members, unless it is no longer as the caller saw it; the counts of
// contacts given stay. Faults: InvalidRequest, NotFound, Forbidden, ServiceUnavailable.
func (o *Rotations) Change(
	ctx context.Context, by app.Caller, id, name string, members []crm.RotationMember, still app.Still[crm.Rotation],
) error {
	return o.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		changed, err := rotationKind.Locked(ctx, r, by, id)
		if err != nil {
			return err
		}
		if err := still.Check(changed); err != nil {
			return err
		}
		before := crm.Rotation{Name: changed.Name, Members: changed.Chosen()}
		if err := fill(ctx, r, &changed, name, members); err != nil || sameRotation(before, changed) {
			return err
		}
		if err := r.Rotations.Update(ctx, changed); err != nil {
			return err
		}
		return app.Record(ctx, r, by, audit.Line{
			OrgID: changed.OrgID, Action: audit.RotationChanged, Object: id, Detail: rotationDetail(changed),
		})
	})
}

func sameRotation(a, b crm.Rotation) bool {
	return a.Name == b.Name && slices.EqualFunc(a.Chosen(), b.Chosen(), func(one, other crm.RotationMember) bool {
		return one.MemberID == other.MemberID && one.Weight == other.Weight && one.AwayUntil.Equal(other.AwayUntil)
	})
}

// rotationDetail is what the audit says of a rotation: its members by their ids, with their weights.
func rotationDetail(r crm.Rotation) audit.Detail {
	members := make([]string, len(r.Members))
	for i, m := range r.Members {
		members[i] = fmt.Sprintf("%s=%d", m.MemberID, m.Weight)
	}
	return audit.Detail{"nome": r.Name, "membros": app.Joined(members)}
}

// Remove removes a rotation that no webhook and no automation uses; contacts stay with their assignees. Faults:
// InvalidRequest, NotFound, Forbidden, ServiceUnavailable.
func (o *Rotations) Remove(ctx context.Context, by app.Caller, id string) error {
	return o.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		// Whoever chooses it meanwhile waits, and then finds none.
		gone, err := rotationKind.Locked(ctx, r, by, id)
		if err != nil {
			return err
		}
		if err := unused(ctx, r, gone); err != nil {
			return err
		}
		if err := r.Rotations.Remove(ctx, gone); err != nil {
			return err
		}
		return app.Record(ctx, r, by, audit.Line{
			OrgID: gone.OrgID, Action: audit.RotationRemoved, Object: id, Detail: rotationDetail(gone),
		})
	})
}

// unused refuses a rotation that a webhook or an automation uses, or that an unreadable automation may use. Faults:
// InvalidRequest, ServiceUnavailable.
func unused(ctx context.Context, r ports.Repos, rotation crm.Rotation) error {
	hooks, err := r.Webhooks.List(ctx, rotation.OrgID)
	if err != nil {
		return err
	}
	automations, err := r.Automations.List(ctx, rotation.OrgID)
	if err != nil {
		return err
	}
	for _, hook := range hooks {
		if hook.RotationID == rotation.ID {
			return app.Invalid("rotation", fmt.Sprintf("O webhook “%s” usa este rodízio. Escolha outro nele antes.", hook.Name))
		}
	}
	for _, a := range automations {
		if a.Action.RotationID == rotation.ID {
			return app.Invalid("rotation", fmt.Sprintf("A automação “%s” usa este rodízio. Escolha outro nela antes.", a.Name))
		}
		if a.Unreadable {
			return app.Invalid("rotation", fmt.Sprintf(
				"A ação da automação “%s” está ilegível, e pode usar este rodízio. Descreva-a de novo antes.", a.Name))
		}
	}
	return nil
}

// fill checks a name and members, and sets them in a rotation.
func fill(
	ctx context.Context, repos ports.Repos, r *crm.Rotation, name string, members []crm.RotationMember,
) error {
	name, ok := crm.CleanName(name)
	if !ok {
		return app.Invalid("name", fmt.Sprintf("O nome do rodízio tem de 1 a %d caracteres.", crm.NameMax))
	}
	if len(members) > crm.RotationMembersMax {
		return app.Invalid("members", fmt.Sprintf("Um rodízio pode ter até %d pessoas.", crm.RotationMembersMax))
	}
	r.Name, r.Members = name, slices.Clone(members)
	slices.SortFunc(r.Members, func(a, b crm.RotationMember) int { return strings.Compare(a.MemberID, b.MemberID) })
	for i, m := range r.Members {
		if m.Weight < 1 || m.Weight > crm.RotationWeightMax {
			return app.Invalid("weight", fmt.Sprintf("O peso vai de 1 a %d.", crm.RotationWeightMax))
		}
		if i > 0 && m.MemberID == r.Members[i-1].MemberID {
			return app.Invalid("members", "Cada pessoa só pode entrar uma vez no rodízio.")
		}
		if _, err := app.MemberOf(ctx, repos, r.OrgID, m.MemberID); err != nil {
			return err
		}
	}
	return nil
}

// List returns the rotations of an organisation, oldest first. Faults: NotFound, Forbidden, ServiceUnavailable.
func (o *Rotations) List(ctx context.Context, by app.Caller, orgID string) ([]RotationView, error) {
	r := o.store.Repos()
	if err := app.MayManageOrg(ctx, r, by, orgID); err != nil {
		return nil, err
	}
	all, err := r.Rotations.List(ctx, orgID)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	var members []string
	for _, rotation := range all {
		for _, m := range rotation.Members {
			members = append(members, m.MemberID)
		}
	}
	n, err := app.NamesOf(ctx, r, orgID, members...)
	if err != nil {
		return nil, err
	}
	hooks, err := r.Webhooks.List(ctx, orgID)
	out := make([]RotationView, len(all))
	for i, rotation := range all {
		out[i].Rotation = rotation
		for _, m := range rotation.Members {
			out[i].Places = append(out[i].Places, RotationPlace{m, n.Member(m.MemberID)})
		}
		for _, hook := range hooks {
			if hook.RotationID == rotation.ID {
				out[i].Webhooks = append(out[i].Webhooks, hook.Name)
			}
		}
	}
	return out, err
}

// Show returns a rotation. Faults: NotFound, Forbidden, ServiceUnavailable.
func (o *Rotations) Show(ctx context.Context, by app.Caller, id string) (RotationView, error) {
	found, err := rotationKind.Managed(ctx, o.store.Repos(), by, id)
	if err != nil {
		return RotationView{}, err
	}
	all, err := o.List(ctx, by, found.OrgID)
	for _, v := range all {
		if v.ID == id {
			return v, err
		}
	}
	return RotationView{Rotation: found}, err
}

// RotationNamed returns the id of a rotation of an organisation by its name or id, and "" for "". Faults:
// InvalidRequest, NotFound, ServiceUnavailable.
func RotationNamed(ctx context.Context, r ports.Repos, orgID, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	all, err := r.Rotations.List(ctx, orgID)
	if err != nil {
		return "", err
	}
	var called []string
	for _, one := range all {
		if one.ID == name {
			return one.ID, nil
		}
		if text.Fold(one.Name) == text.Fold(name) {
			called = append(called, one.ID)
		}
	}
	switch {
	case len(called) == 1:
		return called[0], nil
	case len(called) > 1:
		return "", app.Invalid("rotation", "Há mais de um rodízio com este nome. Informe o id de um: "+strings.Join(called, ", ")+".")
	case app.ValidID(name):
		return "", rotationKind.NotFound()
	}
	return "", app.Invalid("rotation", "Não há rodízio com este nome.")
}

// errNobody reports a broken database: an organisation has an active owner.
var errNobody = errors.New("the organisation has nobody to give a contact to")

// Turn takes the next turn of a rotation, in a transaction.
func Turn(ctx context.Context, r ports.Repos, orgID, id string, now time.Time) (crm.Member, error) {
	rotation, err := r.Rotations.Find(ctx, orgID, id)
	if err != nil {
		return crm.Member{}, err
	}
	members, err := r.Members.List(ctx, rotation.OrgID)
	if err != nil {
		return crm.Member{}, err
	}
	sequence := rotation.Sequence(members, now)
	if len(sequence) == 0 {
		m, ok := crm.FirstAssignee(members)
		if !ok {
			return m, errNobody
		}
		return m, nil
	}
	whose, err := r.Rotations.Turn(ctx, rotation.OrgID, id, sequence)
	if err != nil {
		return crm.Member{}, err
	}
	at := slices.IndexFunc(members, func(m crm.Member) bool { return m.ID == whose })
	if at < 0 {
		return crm.Member{}, errNobody
	}
	return members[at], nil
}
