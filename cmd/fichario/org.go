package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/crm"
)

type orgCmd struct {
	Create orgCreateCmd `cmd:"" help:"Make an organisation."`
	List   orgListCmd   `cmd:"" help:"List the organisations, oldest first."`
	Set    orgSetCmd    `cmd:"" help:"Change what an organisation allows."`
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

type orgSetCmd struct {
	ID               string `arg:"" optional:"" help:"Id of the organisation."`
	Org              string `help:"Id of the organisation."`
	MemberBatchLimit string `name:"member-batch-limit" required:"" placeholder:"REAIS" help:"Highest ceiling, such as 100.00, of a batch that members may confirm; owners and administrators confirm any."`
}

// Run changes what members may spend on a batch.
func (c *orgSetCmd) Run(e *environment) error {
	limit, err := catalog.ParseMoney(c.MemberBatchLimit)
	if err != nil {
		return fmt.Errorf("--member-batch-limit: %q is no amount in reais, such as 100.00", c.MemberBatchLimit)
	}
	id := cmp.Or(c.Org, c.ID)
	return e.withStore(func(store *gormstore.Store) error {
		if err := app.NewOrganisations(store, now).SetMemberBatchLimit(e.ctx, app.Operator(), id, limit); err != nil {
			return err
		}
		return e.print(map[string]any{"id": id, "memberBatchLimit": json.Number(limit.String())},
			"Members may confirm batches up to R$ %s.\n", limit)
	})
}
