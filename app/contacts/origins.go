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

// Origins manages the list of where an organisation's contacts come from.
type Origins struct{ store ports.Store }

// NewOrigins returns the use case.
func NewOrigins(store ports.Store) *Origins { return &Origins{store: store} }

// Add registers an origin. Faults: InvalidRequest, NotFound, Forbidden,
// ServiceUnavailable.
func (o *Origins) Add(ctx context.Context, by app.Caller, orgID, name string) (crm.Origin, error) {
	name, err := originName(name)
	if err != nil {
		return crm.Origin{}, err
	}
	if err := app.MayManageOrg(ctx, o.store.Repos(), by, orgID); err != nil {
		return crm.Origin{}, err
	}
	made := crm.Origin{ID: app.NewID(), OrgID: orgID, Name: name}
	line := audit.Line{OrgID: orgID, Action: audit.OriginCreated, Object: made.ID, Detail: app.NameOf(name)}
	err = app.Recorded(ctx, o.store, by, line, func(ctx context.Context, r ports.Repos) error {
		return r.Origins.Create(ctx, made)
	})
	if err := originFault(err, originExists); err != nil {
		return crm.Origin{}, err
	}
	return made, nil
}

// List returns the origins of an organisation, by name. Faults: NotFound,
// ServiceUnavailable.
func (o *Origins) List(ctx context.Context, by app.Caller, orgID string) ([]crm.Origin, error) {
	if err := app.MaySeeOrg(ctx, o.store.Repos(), by, orgID); err != nil {
		return nil, err
	}
	return o.store.Repos().Origins.List(ctx, orgID)
}

// Rename renames an origin of the caller's organisation. Faults: InvalidRequest,
// NotFound, Forbidden, ServiceUnavailable.
func (o *Origins) Rename(ctx context.Context, by app.Caller, id, name string) error {
	orgID, err := by.ManagedOrg()
	if err != nil {
		return err
	}
	if name, err = originName(name); err != nil {
		return err
	}
	if !app.ValidID(id) {
		return noOrigin()
	}
	line := audit.Line{OrgID: orgID, Action: audit.OriginRenamed, Object: id, Detail: app.NameOf(name)}
	return originFault(app.Recorded(ctx, o.store, by, line, func(ctx context.Context, r ports.Repos) error {
		renamed := crm.Origin{ID: id, OrgID: orgID, Name: name}
		all, err := r.Origins.List(ctx, orgID)
		if err == nil && slices.Contains(all, renamed) {
			err = app.ErrUnchanged
		}
		if err != nil {
			return err
		}
		return r.Origins.Rename(ctx, renamed)
	}), originExists)
}

// Remove removes an origin that nothing is linked to. Faults: InvalidRequest, NotFound,
// Forbidden, ServiceUnavailable.
func (o *Origins) Remove(ctx context.Context, by app.Caller, id string) error {
	orgID, err := by.ManagedOrg()
	if err != nil {
		return err
	}
	if !app.ValidID(id) {
		return noOrigin()
	}
	line := audit.Line{OrgID: orgID, Action: audit.OriginRemoved, Object: id}
	return originFault(app.Recorded(ctx, o.store, by, line, func(ctx context.Context, r ports.Repos) error {
		// A webhook or an automation that is just made with it is written before, or finds none.
		if err := r.Orgs.Lock(ctx, orgID); err != nil {
			return err
		}
		return r.Origins.Remove(ctx, crm.Origin{ID: id, OrgID: orgID})
	}),
		"Há contatos, webhooks ou automações com esta origem. Ela só pode ser renomeada.")
}

const originExists = "Já há uma origem com este nome, sem contar maiúsculas e acentos."

func originName(typed string) (string, error) {
	name, ok := crm.CleanName(typed)
	if !ok || text.Fold(name) == "" {
		return "", app.Invalid("name", fmt.Sprintf("O nome da origem tem de 1 a %d caracteres.", crm.NameMax))
	}
	return name, nil
}

func noOrigin() error { return app.Missing("origin", "Não há origem com este id.") }

// originFault translates the error of writing an origin for people.
func originFault(err error, exists string) error {
	switch {
	case errors.Is(err, ports.ErrNotFound):
		return noOrigin()
	case errors.Is(err, ports.ErrExists):
		return app.Invalid("name", exists)
	}
	return err
}

// OriginNamed returns the id of an origin of an organisation by its name, and "" for "".
// Faults: InvalidRequest, ServiceUnavailable.
func OriginNamed(ctx context.Context, r ports.Repos, orgID, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	all, err := r.Origins.List(ctx, orgID)
	if err != nil {
		return "", err
	}
	for _, o := range all {
		if text.Fold(o.Name) == text.Fold(name) {
			return o.ID, nil
		}
	}
	return "", app.Invalid("origin", "Não há origem com este nome. Registre-a antes.")
}
