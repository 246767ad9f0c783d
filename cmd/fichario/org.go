package main

import (
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/domain/crm"
)

type orgCmd struct {
	Create orgCreateCmd `cmd:"" help:"Make an organisation."`
	List   orgListCmd   `cmd:"" help:"List the organisations, oldest first."`
}

type orgListCmd struct{}

// Run lists the organisations.
func (orgListCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		all, err := app.NewOrganisations(store, now).List(e.ctx, app.Operator())
		if err != nil {
			return err
		}
		type view struct {
			ID        string    `json:"id"`
			Name      string    `json:"name"`
			CreatedAt time.Time `json:"createdAt"`
		}
		return printList(e, all,
			func(o crm.Organisation) view { return view{o.ID, o.Name, o.CreatedAt} },
			func(o crm.Organisation) string { return o.ID + "  " + o.Name })
	})
}

type orgCreateCmd struct {
	Name string `required:"" help:"Name of the organisation."`
}

// Run makes an organisation.
func (c *orgCreateCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		org, err := app.NewOrganisations(store, now).Create(e.ctx, c.Name)
		if err != nil {
			return err
		}
		return e.print(map[string]string{"id": org.ID, "name": org.Name}, "Organisation %s: %s\n", org.ID, org.Name)
	})
}
