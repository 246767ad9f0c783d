package contacts

import (
	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/contacts"
	"fichario/cmd/fichario/command"
	"fichario/domain/crm"
)

// Origin holds the commands of origins.
type Origin struct {
	Add  originAddCmd  `cmd:"" help:"Register an origin."`
	List originListCmd `cmd:"" help:"List the origins of an organisation."`
}

type originAddCmd struct {
	Org  string `required:"" help:"Id of the organisation."`
	Name string `required:"" help:"Name of the origin; case and accents do not matter."`
}

// originView is an origin as --json shows it.
type originView struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Run registers an origin.
func (c *originAddCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		o, err := contacts.NewOrigins(store).Add(e.Ctx, app.Operator(), c.Org, c.Name)
		if err != nil {
			return err
		}
		return e.Print(originView{o.ID, o.Name}, "Origin %s: %s\n", o.ID, o.Name)
	})
}

type originListCmd struct {
	Org string `required:"" help:"Id of the organisation."`
}

// Run lists the origins.
func (c *originListCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		all, err := contacts.NewOrigins(store).List(e.Ctx, app.Operator(), c.Org)
		if err != nil {
			return err
		}
		return command.PrintList(e, all,
			func(o crm.Origin) originView { return originView{o.ID, o.Name} },
			func(o crm.Origin) string { return o.ID + "  " + o.Name })
	})
}
