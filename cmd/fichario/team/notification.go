package team

import (
	"fmt"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/team"
	"fichario/cmd/fichario/command"
	"fichario/domain/crm"
)

// Notification holds the commands of notifications.
type Notification struct {
	List notificationListCmd `cmd:"" help:"List notifications, newest first."`
	Read notificationReadCmd `cmd:"" help:"Mark all as read for a member."`
}

type notificationListCmd struct {
	Org    string `required:"" help:"Id of the organisation."`
	Member string `help:"Id of the member for whom they are read or unread."`
	Limit  *int   `help:"How many; all by default."`
}

// Run lists notifications.
func (c *notificationListCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		all, err := team.NewNotifications(store).List(e.Ctx, app.Operator(), c.Org, c.Member, command.OrAll(c.Limit))
		if err != nil {
			return err
		}
		type view struct {
			ID      string    `json:"id"`
			Titulo  string    `json:"titulo"`
			Texto   string    `json:"texto"`
			Contato string    `json:"contato"`
			Lote    string    `json:"lote"`
			Em      time.Time `json:"em"`
			Lida    bool      `json:"lida"`
		}
		return command.PrintList(e, all,
			func(n crm.Notification) view {
				return view{n.ID, n.Title(), n.Text(), n.ContactID, n.BatchID, n.At, n.Read}
			},
			func(n crm.Notification) string {
				return fmt.Sprintf("%s  %s: %s", n.At.Format(time.DateTime), n.Title(), n.Text())
			})
	})
}

type notificationReadCmd struct {
	Org    string `required:"" help:"Id of the organisation."`
	Member string `required:"" help:"Id of the member."`
}

// Run marks notifications as read.
func (c *notificationReadCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		if err := team.NewNotifications(store).ReadAll(e.Ctx, app.Operator(), c.Org, c.Member); err != nil {
			return err
		}
		return e.Print(map[string]bool{"read": true}, "All notifications are read.\n")
	})
}
