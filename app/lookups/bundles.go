package lookups

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/text"
	"fichario/ports"
)

// Bundles manages the sets of products that an organisation asks for together.
type Bundles struct {
	store   ports.Store
	catalog catalog.Catalog
}

// NewBundles returns the use case for the products that the bureau offers.
func NewBundles(store ports.Store, offered catalog.Catalog) *Bundles { return &Bundles{store, offered} }

// Add makes a bundle of the caller's organisation; the operator says which one. Faults: InvalidRequest, NotFound,
// Forbidden, ServiceUnavailable.
func (b *Bundles) Add(
	ctx context.Context, by app.Caller, orgID, name string, products []string,
) (made catalog.Bundle, err error) {
	made = catalog.Bundle{ID: app.NewID(), OrgID: orgID, Products: products}
	if made.Name, err = b.check(made, name); err != nil {
		return catalog.Bundle{}, err
	}
	if err := app.MayManageOrg(ctx, b.store.Repos(), by, orgID); err != nil {
		return catalog.Bundle{}, err
	}
	line := audit.Line{OrgID: orgID, Action: audit.BundleCreated, Object: made.ID, Detail: bundleDetail(made)}
	err = app.Recorded(ctx, b.store, by, line, func(ctx context.Context, r ports.Repos) error {
		return r.Bundles.Create(ctx, made)
	})
	if err != nil {
		return catalog.Bundle{}, bundleFault(err)
	}
	return made, nil
}

// Change gives a bundle another name and other products, unless it is no longer as the caller saw it. Faults:
// InvalidRequest, NotFound, Forbidden, ServiceUnavailable.
func (b *Bundles) Change(
	ctx context.Context, by app.Caller, changed catalog.Bundle, still app.Still[catalog.Bundle],
) (err error) {
	if changed.Name, err = b.check(changed, changed.Name); err != nil {
		return err
	}
	if err := app.MayManageOrg(ctx, b.store.Repos(), by, changed.OrgID); err != nil {
		return err
	}
	line := audit.Line{
		OrgID: changed.OrgID, Action: audit.BundleChanged, Object: changed.ID, Detail: bundleDetail(changed),
	}
	return bundleFault(app.Recorded(ctx, b.store, by, line, func(ctx context.Context, r ports.Repos) error {
		if err := r.Orgs.Lock(ctx, changed.OrgID); err != nil {
			return err
		}
		all, err := r.Bundles.List(ctx, changed.OrgID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(all, func(b catalog.Bundle) bool { return b.ID == changed.ID })
		if at < 0 {
			return noBundle()
		}
		if err := still.Check(all[at]); err != nil {
			return err
		}
		if all[at].Name == changed.Name && slices.Equal(all[at].Products, changed.Products) {
			return app.ErrUnchanged
		}
		return r.Bundles.Update(ctx, changed)
	}))
}

// Remove removes a bundle; lookups made through it stay. Faults: NotFound, Forbidden, ServiceUnavailable.
func (b *Bundles) Remove(ctx context.Context, by app.Caller, orgID, id string) error {
	if err := app.MayManageOrg(ctx, b.store.Repos(), by, orgID); err != nil {
		return err
	}
	if !app.ValidID(id) {
		return noBundle()
	}
	line := audit.Line{OrgID: orgID, Action: audit.BundleRemoved, Object: id}
	return bundleFault(app.Recorded(ctx, b.store, by, line, func(ctx context.Context, r ports.Repos) error {
		return r.Bundles.Remove(ctx, catalog.Bundle{ID: id, OrgID: orgID})
	}))
}

// List returns the bundles of an organisation by name. Faults: NotFound, ServiceUnavailable.
func (b *Bundles) List(ctx context.Context, by app.Caller, orgID string) ([]catalog.Bundle, error) {
	if err := app.MaySeeOrg(ctx, b.store.Repos(), by, orgID); err != nil {
		return nil, err
	}
	return b.store.Repos().Bundles.List(ctx, orgID)
}

func bundleDetail(b catalog.Bundle) audit.Detail {
	return audit.Detail{"nome": b.Name, "produtos": app.Joined(b.Products)}
}

// check returns the name as it is stored.
func (b *Bundles) check(made catalog.Bundle, typed string) (string, error) {
	name, ok := crm.CleanName(typed)
	if !ok || text.Fold(name) == "" {
		return "", app.Invalid("name", fmt.Sprintf("O nome do pacote tem de 1 a %d caracteres.", crm.NameMax))
	}
	if !made.Valid(b.catalog) {
		return "", app.Invalid("products", fmt.Sprintf(
			"Um pacote tem de 2 a %d produtos do bureau, cada um uma vez.", catalog.BundleMax))
	}
	return name, nil
}

func noBundle() error { return app.Missing("bundle", "Não há pacote com este id.") }

func bundleFault(err error) error {
	switch {
	case errors.Is(err, ports.ErrNotFound):
		return noBundle()
	case errors.Is(err, ports.ErrExists):
		return app.Invalid("name", "Já há um pacote com este nome, sem contar maiúsculas e acentos.")
	}
	return err
}
