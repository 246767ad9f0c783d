package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fichario/domain/crm"
	"fichario/domain/text"
	"fichario/ports"
)

// MemberChange is what is to be different about a member; nil leaves as it is.
type MemberChange struct {
	Name   *string
	Role   *crm.Role
	Active *bool
}

// UpdateMember changes a member. Only an owner may make an owner, or change one; the
// last active owner stays; nobody ends his own access. Whoever loses it is signed out.
// Faults: InvalidRequest with the field at fault, ServiceUnavailable.
func (o *Organisations) UpdateMember(ctx context.Context, by Caller, id string, c MemberChange) error {
	m, err := o.member(ctx, by, id)
	if err != nil {
		return err
	}
	if err := by.manages(m.OrgID); err != nil {
		return err
	}
	return o.changeMember(ctx, by, m, func(m *crm.Member) error {
		if c.Name != nil {
			name, ok := crm.CleanName(*c.Name)
			if !ok {
				return invalid("name", fmt.Sprintf("O nome tem de 1 a %d caracteres.", crm.NameMax))
			}
			m.Name = name
		}
		set(&m.Role, c.Role)
		set(&m.Active, c.Active)
		switch {
		case !m.Role.Valid():
			return invalid("role", "O papel é owner, admin ou member.")
		case !m.Active && by.MemberID == m.ID:
			return invalid("active", "Ninguém encerra o próprio acesso: peça a outra pessoa que administra.")
		}
		return nil
	})
}

// changeMember changes a member by f, which gets him as he is while nobody else changes
// members of his organisation.
func (o *Organisations) changeMember(ctx context.Context, by Caller, m crm.Member, f func(*crm.Member) error) error {
	return o.store.InTx(ctx, func(r ports.Repos) error {
		if err := r.Orgs.Lock(ctx, m.OrgID); err != nil {
			return err
		}
		before, err := r.Members.Find(ctx, m.ID)
		if err != nil {
			return err
		}
		after := before
		if err := f(&after); err != nil {
			return err
		}
		if err := mayChange(by, before, after); err != nil {
			return err
		}
		if before.Role == crm.Owner && before.Active && (after.Role != crm.Owner || !after.Active) {
			all, err := r.Members.List(ctx, m.OrgID)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(all, func(other crm.Member) bool { return other.ID != m.ID && other.Active && other.Role == crm.Owner }) {
				return invalid("role", "A organização precisa de ao menos um titular ativo. Faça outro antes.")
			}
		}
		if err := r.Members.Update(ctx, after); err != nil {
			return err
		}
		if after.Active && after.PasswordHash == before.PasswordHash {
			return nil
		}
		return r.Sessions.EndAll(ctx, m.ID)
	})
}

// mayChange keeps administrators from owners, and from becoming one.
func mayChange(by Caller, before, after crm.Member) error {
	if by.Role == crm.Admin && (before.Role == crm.Owner || after.Role == crm.Owner) {
		return invalid("role", "Só quem é titular pode mudar um titular ou fazer outro.").Because(ErrForbidden)
	}
	return nil
}

// stagesMax bounds the stages of a funnel, funnelsMax the funnels of an organisation.
const (
	stagesMax  = 20
	funnelsMax = 20
)

// AddFunnel makes a funnel with the stages of the default one. Faults:
// InvalidRequest, ServiceUnavailable.
func (o *Organisations) AddFunnel(ctx context.Context, by Caller, name string) error {
	if err := by.Manages(); err != nil {
		return err
	}
	name, ok := crm.CleanName(name)
	if !ok {
		return invalid("name", fmt.Sprintf("O nome do funil tem de 1 a %d caracteres.", crm.NameMax))
	}
	f := crm.Funnel{ID: newID(), OrgID: by.OrgID, Name: name, CreatedAt: o.clock()}
	for _, stage := range crm.DefaultStages() {
		f.Stages = append(f.Stages, crm.Stage{ID: newID(), Name: stage})
	}
	return o.store.InTx(ctx, func(r ports.Repos) error {
		if err := r.Orgs.Lock(ctx, by.OrgID); err != nil {
			return err
		}
		known, err := r.Funnels.List(ctx, by.OrgID)
		if err != nil {
			return err
		}
		if len(known) >= funnelsMax {
			return invalid("name", fmt.Sprintf("São até %d funis.", funnelsMax))
		}
		return r.Funnels.Create(ctx, f)
	})
}

// ChangeFunnel changes a funnel of the caller's organisation by f, which gets it as it
// is. A stage that has contacts cannot be removed, nor the last one, nor that in which
// posts arrive at this moment. Faults: InvalidRequest, ServiceUnavailable.
func (o *Organisations) ChangeFunnel(ctx context.Context, by Caller, id string, f func(*crm.Funnel) error) error {
	if err := by.Manages(); err != nil {
		return err
	}
	return o.store.InTx(ctx, func(r ports.Repos) error {
		if err := r.Orgs.Lock(ctx, by.OrgID); err != nil {
			return err
		}
		all, err := r.Funnels.List(ctx, by.OrgID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(one crm.Funnel) bool { return one.ID == id })
		if i < 0 {
			return missing("funnel", "Não há funil com este id.")
		}
		before := slices.Clone(all[i].Stages)
		funnel := all[i]
		if err := f(&funnel); err != nil {
			return err
		}
		if err := checkFunnel(&funnel); err != nil {
			return err
		}
		// Written first: whoever is putting a contact into a stage that goes away has done
		// so by then, or cannot any more.
		if err := r.Funnels.Update(ctx, funnel); err != nil {
			return err
		}
		for i, s := range before {
			if slices.ContainsFunc(funnel.Stages, func(one crm.Stage) bool { return one.ID == s.ID }) {
				continue
			}
			if funnel.Default && i == 0 {
				return invalid("stage", "Na etapa "+s.Name+" entram os contatos novos. Ponha outra antes dela para a poder tirar.")
			}
			used, err := r.Contacts.InStage(ctx, s.ID)
			if err != nil {
				return err
			}
			if used {
				return invalid("stage", "A etapa "+s.Name+" tem contatos. Mova-os antes de a tirar.")
			}
		}
		return nil
	})
}

// checkFunnel checks names and numbers, and gives new stages their ids.
func checkFunnel(f *crm.Funnel) error {
	name, ok := crm.CleanName(f.Name)
	if !ok {
		return invalid("name", fmt.Sprintf("O nome do funil tem de 1 a %d caracteres.", crm.NameMax))
	}
	f.Name = name
	if len(f.Stages) == 0 || len(f.Stages) > stagesMax {
		return invalid("stage", fmt.Sprintf("Um funil tem de 1 a %d etapas.", stagesMax))
	}
	seen := map[string]bool{}
	for i := range f.Stages {
		name, ok := crm.CleanName(f.Stages[i].Name)
		if !ok || seen[text.Fold(name)] {
			return invalid("stage", fmt.Sprintf("Cada etapa tem um nome seu, de 1 a %d caracteres.", crm.NameMax))
		}
		seen[text.Fold(name)] = true
		f.Stages[i].Name = name
		if f.Stages[i].ID == "" {
			f.Stages[i].ID = newID()
		}
	}
	return nil
}

// RenameOrigin renames an origin of the caller's organisation. Faults:
// InvalidRequest, ServiceUnavailable.
func (w *Webhooks) RenameOrigin(ctx context.Context, by Caller, id, name string) error {
	if err := by.Manages(); err != nil {
		return err
	}
	name, ok := crm.CleanName(name)
	if !ok || text.Fold(name) == "" {
		return invalid("name", fmt.Sprintf("O nome da origem tem de 1 a %d caracteres.", crm.NameMax))
	}
	if !validID(id) {
		return noOrigin()
	}
	return originFault(w.store.Repos().Origins.Rename(ctx, crm.Origin{ID: id, OrgID: by.OrgID, Name: name}),
		"Já há uma origem com este nome; maiúsculas e acentos não as distinguem.")
}

// RemoveOrigin removes an origin that nothing is linked to. Faults: InvalidRequest,
// ServiceUnavailable.
func (w *Webhooks) RemoveOrigin(ctx context.Context, by Caller, id string) error {
	if err := by.Manages(); err != nil {
		return err
	}
	if !validID(id) {
		return noOrigin()
	}
	return originFault(w.store.Repos().Origins.Remove(ctx, crm.Origin{ID: id, OrgID: by.OrgID}),
		"Há contatos, webhooks ou automações com esta origem. Ela só pode ser renomeada.")
}

func noOrigin() error { return missing("origin", "Não há origem com este id.") }

func originFault(err error, exists string) error {
	switch {
	case errors.Is(err, ports.ErrNotFound):
		return noOrigin()
	case errors.Is(err, ports.ErrExists):
		return invalid("name", exists)
	}
	return err
}
