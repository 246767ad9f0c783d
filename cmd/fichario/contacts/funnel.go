package contacts

import (
	"fmt"
	"strings"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/contacts"
	"fichario/cmd/fichario/command"
	"fichario/domain/crm"
)

// Funnel holds the commands of funnels.
type Funnel struct {
	List funnelListCmd `cmd:"" help:"List the funnels of an organisation with their stages, the default one first."`
	Set  funnelSetCmd  `cmd:"" help:"Set whether the contacts in a stage are open, won or lost."`
}

type funnelListCmd struct {
	Org string `required:"" help:"Id of the organisation."`
}

// stageView and funnelView are what --json shows.
type (
	stageView struct {
		ID      string      `json:"id"`
		Name    string      `json:"name"`
		Outcome crm.Outcome `json:"outcome"`
	}
	funnelView struct {
		ID      string      `json:"id"`
		Name    string      `json:"name"`
		Default bool        `json:"default"`
		Stages  []stageView `json:"stages"`
	}
)

func viewFunnel(f crm.Funnel) funnelView {
	v := funnelView{ID: f.ID, Name: f.Name, Default: f.Default}
	for _, s := range f.Stages {
		v.Stages = append(v.Stages, stageView(s))
	}
	return v
}

// Run lists the funnels.
func (c *funnelListCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		all, err := contacts.NewFunnels(store, command.Now).List(e.Ctx, app.Operator(), c.Org)
		if err != nil {
			return err
		}
		return command.PrintList(e, all, viewFunnel, func(f crm.Funnel) string {
			var text strings.Builder
			fmt.Fprintf(&text, "%s  %s", f.ID, f.Name)
			for _, s := range f.Stages {
				fmt.Fprintf(&text, "\n  %s  %-5s  %s", s.ID, s.Outcome, s.Name)
			}
			return text.String()
		})
	})
}

type funnelSetCmd struct {
	Org     string `required:"" help:"Id of the organisation."`
	Stage   string `required:"" help:"Id of the stage."`
	Outcome string `required:"" enum:"open,won,lost" help:"open, won or lost."`
}

// Run sets the outcome of a stage.
func (c *funnelSetCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		err := contacts.NewFunnels(store, command.Now).SetOutcome(e.Ctx, app.Operator(), c.Org, c.Stage,
			crm.Outcome(c.Outcome))
		if err != nil {
			return err
		}
		return e.Print(map[string]string{"stage": c.Stage, "outcome": c.Outcome},
			"The contacts in stage %s are %s.\n", c.Stage, c.Outcome)
	})
}
