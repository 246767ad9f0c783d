package contacts

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/domain/text"
	"fichario/ports"
)

// Funnels manages the funnels of organisations and their stages.
type Funnels struct {
	store ports.Store
	clock app.Clock
}

// NewFunnels returns the use case.
func NewFunnels(store ports.Store, clock app.Clock) *Funnels {
	return &Funnels{store: store, clock: clock}
}

// List returns the funnels of an organisation, the default one first. Faults: NotFound,
// ServiceUnavailable.
func (u *Funnels) List(ctx context.Context, by app.Caller, orgID string) ([]crm.Funnel, error) {
	if err := app.MaySeeOrg(ctx, u.store.Repos(), by, orgID); err != nil {
		return nil, err
	}
	return u.store.Repos().Funnels.List(ctx, orgID)
}

// Add makes a funnel with the stages of the default one, and returns its id. Faults: InvalidRequest, NotFound,
// Forbidden, ServiceUnavailable.
func (u *Funnels) Add(ctx context.Context, by app.Caller, name string) (id string, err error) {
	orgID, err := by.ManagedOrg()
	if err != nil {
		return "", err
	}
	made := app.NewFunnel(orgID, "", u.clock())
	if err := made.Rename(name); err != nil {
		return "", err
	}
	return made.ID, u.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		if err := r.Orgs.Lock(ctx, orgID); err != nil {
			return err
		}
		known, err := r.Funnels.List(ctx, orgID)
		if err != nil {
			return err
		}
		if len(known) >= crm.FunnelsMax {
			return app.Invalid("name", fmt.Sprintf("São até %d funis.", crm.FunnelsMax))
		}
		if err := ownName(made, known); err != nil {
			return err
		}
		if err := r.Funnels.Create(ctx, made); err != nil {
			return err
		}
		return app.Record(ctx, r, by, audit.Line{
			OrgID: orgID, Action: audit.FunnelCreated, Object: made.ID, Detail: app.NameOf(made.Name),
		})
	})
}

// ownName returns the fault of a funnel whose name another one has.
func ownName(f crm.Funnel, all []crm.Funnel) error {
	for _, other := range all {
		if other.ID != f.ID && text.Fold(other.Name) == text.Fold(f.Name) {
			return app.Invalid("name", "Já há um funil com este nome, sem contar maiúsculas e acentos.")
		}
	}
	return nil
}

// Rename gives a funnel another name. Faults of this and of the edits below:
// InvalidRequest, NotFound, Forbidden, ServiceUnavailable.
func (u *Funnels) Rename(ctx context.Context, by app.Caller, id, name string) error {
	return u.change(ctx, by, id, func(f *crm.Funnel) error { return f.Rename(name) })
}

// AddStage appends a stage.
func (u *Funnels) AddStage(ctx context.Context, by app.Caller, id, name string) error {
	stageID := app.NewID()
	return u.change(ctx, by, id, func(f *crm.Funnel) error { return f.AddStage(stageID, name) })
}

// RenameStage gives a stage another name.
func (u *Funnels) RenameStage(ctx context.Context, by app.Caller, id, stageID, name string) error {
	return u.change(ctx, by, id, func(f *crm.Funnel) error { return f.RenameStage(stageID, name) })
}

// EditStage changes the name and outcome of a stage at once, unless it is no longer as the caller saw it.
func (u *Funnels) EditStage(
	ctx context.Context, by app.Caller, id, stageID, name string, o crm.Outcome, still app.Still[crm.Stage],
) error {
	return u.change(ctx, by, id, func(f *crm.Funnel) error {
		if i := slices.IndexFunc(f.Stages, func(s crm.Stage) bool { return s.ID == stageID }); i >= 0 {
			if err := still.Check(f.Stages[i]); err != nil {
				return err
			}
		}
		if err := f.RenameStage(stageID, name); err != nil {
			return err
		}
		return f.SetOutcome(stageID, o)
	})
}

// SetOutcome sets the outcome of a stage of an organisation.
func (u *Funnels) SetOutcome(ctx context.Context, by app.Caller, orgID, stageID string, o crm.Outcome) error {
	if err := app.MayManageOrg(ctx, u.store.Repos(), by, orgID); err != nil {
		return err
	}
	return u.edit(ctx, by, orgID, withStage(stageID), func(f *crm.Funnel) error { return f.SetOutcome(stageID, o) })
}

// withStage returns whether a funnel has a stage.
func withStage(id string) func(crm.Funnel) bool {
	return func(f crm.Funnel) bool {
		return slices.ContainsFunc(f.Stages, func(s crm.Stage) bool { return s.ID == id })
	}
}

// PlaceStage moves a stage to a place, counted from zero.
func (u *Funnels) PlaceStage(ctx context.Context, by app.Caller, id, stageID string, place int) error {
	return u.change(ctx, by, id, func(f *crm.Funnel) error { return f.PlaceStage(stageID, place) })
}

// RemoveStage removes a stage that has no contacts and is not where new ones enter.
func (u *Funnels) RemoveStage(ctx context.Context, by app.Caller, id, stageID string) error {
	return u.change(ctx, by, id, func(f *crm.Funnel) error { return f.RemoveStage(stageID) })
}

// change edits a funnel of the caller's organisation.
func (u *Funnels) change(ctx context.Context, by app.Caller, id string, edit func(*crm.Funnel) error) error {
	orgID, err := by.ManagedOrg()
	if err != nil {
		return err
	}
	return u.edit(ctx, by, orgID, func(f crm.Funnel) bool { return f.ID == id }, edit)
}

// edit edits the one funnel that is wanted, under the lock of its organisation.
func (u *Funnels) edit(
	ctx context.Context, by app.Caller, orgID string, wanted func(crm.Funnel) bool, edit func(*crm.Funnel) error,
) error {
	return u.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		if err := r.Orgs.Lock(ctx, orgID); err != nil {
			return err
		}
		all, err := r.Funnels.List(ctx, orgID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, wanted)
		if i < 0 {
			return app.Missing("funnel", "Não há este funil, ou esta etapa, nesta organização.")
		}
		before, funnel := all[i], all[i]
		if err := edit(&funnel); err != nil {
			return err
		}
		if funnel.Name == before.Name && slices.Equal(funnel.Stages, before.Stages) {
			return nil
		}
		if funnel.Name != before.Name { // those of before there was this rule keep theirs
			if err := ownName(funnel, all); err != nil {
				return err
			}
		}
		// The funnel is written first: whoever puts a contact into a removed stage has done so by then, or can no longer.
		if err := r.Funnels.Update(ctx, funnel); err != nil {
			return err
		}
		if err := removedAreEmpty(ctx, r, before, funnel); err != nil {
			return err
		}
		return app.Record(ctx, r, by, audit.Line{
			OrgID: orgID, Action: audit.FunnelChanged, Object: funnel.ID,
			Detail: app.Differing(funnelDetail(before), funnelDetail(funnel)),
		})
	})
}

// funnelDetail is what the audit says of a funnel.
func funnelDetail(f crm.Funnel) audit.Detail {
	stages := make([]string, len(f.Stages))
	for i, s := range f.Stages {
		stages[i] = s.Name
		if s.Outcome != "" {
			stages[i] += " (" + string(s.Outcome) + ")"
		}
	}
	return audit.Detail{"nome": f.Name, "etapas": app.Joined(stages)}
}

// removedAreEmpty returns the fault of a removed stage that has contacts.
func removedAreEmpty(ctx context.Context, r ports.Repos, before, after crm.Funnel) error {
	for _, s := range before.Stages {
		if slices.ContainsFunc(after.Stages, func(kept crm.Stage) bool { return kept.ID == s.ID }) {
			continue
		}
		used, err := r.ContactSearch.InStage(ctx, before.OrgID, s.ID)
		if err != nil {
			return err
		}
		if used {
			return app.Invalid("stage", "A etapa "+s.Name+" tem contatos. Mova-os para poder tirá-la.")
		}
	}
	return nil
}

// strayAtOnce is how many contacts of removed stages are looked for at once.
const strayAtOnce = 100

// serviceName is the service in a contact's history.
const serviceName = "Fichário"

// Rescue moves contacts whose stage is no more to where new ones enter. A post reads where that is before it is
// written, and a stage may be removed in between: nothing locks stages for posts, which are many, because removals are
// few. It is a chore, and takes up to strayAtOnce at a time.
func (u *Funnels) Rescue(ctx context.Context) error {
	strays, err := u.store.Repos().ContactSearch.Stray(ctx, strayAtOnce)
	for _, c := range strays {
		err = errors.Join(err, u.rescue(ctx, c.OrgID, c.ID))
	}
	return err
}

func (u *Funnels) rescue(ctx context.Context, orgID, id string) error {
	return u.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		c, err := r.Contacts.Lock(ctx, orgID, id)
		if errors.Is(err, ports.ErrNotFound) {
			return nil // deleted or merged since
		}
		if err != nil {
			return err
		}
		all, err := r.Funnels.List(ctx, orgID)
		if err != nil || len(all) == 0 {
			return errors.Join(err, errNoFunnel)
		}
		if slices.ContainsFunc(all, withStage(c.StageID)) {
			return nil // moved since
		}
		entry := all[0].Entry()
		return Move(ctx, r, c, entry.ID, crm.Event{
			ID: app.NewID(), OrgID: orgID, ContactID: id, Kind: crm.StageMoved, Actor: serviceName, Subject: entry.Name,
			At: u.clock(),
		}, "")
	})
}
