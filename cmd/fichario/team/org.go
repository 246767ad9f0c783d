package team

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/team"
	"fichario/cmd/fichario/command"
	"fichario/domain/catalog"
	"fichario/domain/crm"
)

// Organisation holds the commands of organisations.
type Organisation struct {
	Create orgCreateCmd `cmd:"" help:"Make an organisation."`
	List   orgListCmd   `cmd:"" help:"List the organisations, oldest first."`
	Set    orgSetCmd    `cmd:"" help:"Change the settings of an organisation."`
}

type orgListCmd struct{}

// Run lists the organisations.
func (orgListCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		all, err := team.NewOrganisations(store, command.Now).List(e.Ctx, app.Operator())
		if err != nil {
			return err
		}
		type view struct {
			ID        string    `json:"id"`
			Name      string    `json:"name"`
			CreatedAt time.Time `json:"createdAt"`
		}
		return command.PrintList(e, all,
			func(o crm.Organisation) view { return view{o.ID, o.Name, o.CreatedAt} },
			func(o crm.Organisation) string { return o.ID + "  " + o.Name })
	})
}

type orgCreateCmd struct {
	Name string `required:"" help:"Name of the organisation."`
}

// Run makes an organisation.
func (c *orgCreateCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		org, err := team.NewOrganisations(store, command.Now).Create(e.Ctx, c.Name)
		if err != nil {
			return err
		}
		return e.Print(map[string]string{"id": org.ID, "name": org.Name}, "Organisation %s: %s\n", org.ID, org.Name)
	})
}

type orgSetCmd struct {
	ID               string `arg:"" optional:"" help:"Id of the organisation."`
	Org              string `help:"Id of the organisation."`
	MemberBatchLimit string `name:"member-batch-limit" placeholder:"REAIS" help:"Highest ceiling, such as 100.00, of a batch that members may confirm; owners and administrators may confirm any."`
	ShareHistory     *bool  `name:"share-history" help:"Whether history bought for one purpose answers lookups for another. Default: true."`
}

// Run changes the settings that were given.
func (c *orgSetCmd) Run(e *command.Environment) error {
	id := cmp.Or(c.Org, c.ID)
	if c.ID != "" && c.ID != id {
		return errors.New("--org and the id argument are two different organisations: give one")
	}
	if c.MemberBatchLimit == "" && c.ShareHistory == nil {
		return errors.New("give --member-batch-limit or --share-history")
	}
	var limit catalog.Money
	if c.MemberBatchLimit != "" {
		var err error
		if limit, err = catalog.ParseMoney(c.MemberBatchLimit); err != nil {
			return fmt.Errorf("--member-batch-limit: %q is not an amount in reais, such as 100.00", c.MemberBatchLimit)
		}
	}
	return e.WithStore(func(store *gormstore.Store) error {
		orgs, value, text := team.NewOrganisations(store, command.Now), map[string]any{"id": id}, ""
		if c.MemberBatchLimit != "" {
			if err := orgs.SetMemberBatchLimit(e.Ctx, app.Operator(), id, limit); err != nil {
				return err
			}
			value["memberBatchLimit"] = json.Number(limit.String())
			text += fmt.Sprintf("Members may confirm batches up to R$ %s.\n", limit)
		}
		if c.ShareHistory != nil {
			if err := orgs.SetShareHistory(e.Ctx, app.Operator(), id, *c.ShareHistory); err != nil {
				return err
			}
			value["shareHistory"] = *c.ShareHistory
			text += fmt.Sprintf("History bought for one purpose answers lookups for another: %t.\n", *c.ShareHistory)
		}
		return e.Print(value, "%s", text)
	})
}
