package team

import (
	"log/slog"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/team"
	"fichario/cmd/fichario/command"
)

type memberLinkCmd struct {
	ID string `arg:"" help:"Id of the member."`
}

// Run makes a link for the operator to pass on.
func (c *memberLinkCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		return withLinks(e, store, func(l *team.Links) error {
			address, until, err := l.Link(e.Ctx, app.Operator(), c.ID)
			if err != nil {
				return err
			}
			return e.Print(map[string]string{"id": c.ID, "url": address, "until": until.Format(time.RFC3339)},
				"%s\nIt works once, until %s.\n", address, until.Format(time.RFC3339))
		})
	})
}

// withLinks runs a command with links.
func withLinks(e *command.Environment, store *gormstore.Store, f func(*team.Links) error) error {
	mailer, err := e.Mailer()
	if err != nil {
		return err
	}
	sessions := team.NewSessions(store, command.Now, command.Passwords)
	return f(command.Links(store, sessions, mailer, e.PublicURL(e.Settings.Listen), slog.New(slog.DiscardHandler)))
}

type memberResetCmd struct {
	ID string `arg:"" help:"Id of the member."`
}

// Run removes a member's second factor.
func (c *memberResetCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		sessions := team.NewSessions(store, command.Now, command.Passwords)
		if err := team.NewFactors(store, command.Now, sessions, command.OneTimeCodes, nil).Reset(e.Ctx, app.Operator(),
			c.ID); err != nil {
			return err
		}
		return e.Print(map[string]string{"id": c.ID}, "Member %s has no second factor.\n", c.ID)
	})
}

type memberUnlinkCmd struct {
	ID string `arg:"" help:"Id of the member."`
}

// Run removes a member's link to the identity provider.
func (c *memberUnlinkCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		if err := command.Members(store).Unlink(e.Ctx, app.Operator(), c.ID); err != nil {
			return err
		}
		return e.Print(map[string]string{"id": c.ID}, "Member %s is linked to no account at the provider.\n", c.ID)
	})
}
