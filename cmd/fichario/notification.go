package main

import (
	"fmt"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/team"
	"fichario/domain/crm"
)

type notificationCmd struct {
	List notificationListCmd `cmd:"" help:"List notifications, newest first."`
	Read notificationReadCmd `cmd:"" help:"Mark all as read for a member."`
}

type notificationListCmd struct {
	Org    string `required:"" help:"Id of the organisation."`
	Member string `help:"Id of the member for whom they are read or unread."`
	Limit  *int   `help:"How many; all by default."`
}

// Run lists notifications.
func (c *notificationListCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		all, err := team.NewNotifications(store).List(e.ctx, app.Operator(), c.Org, c.Member, orAll(c.Limit))
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
		return printList(e, all,
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
func (c *notificationReadCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		if err := team.NewNotifications(store).ReadAll(e.ctx, app.Operator(), c.Org, c.Member); err != nil {
			return err
		}
		return e.print(map[string]bool{"read": true}, "All notifications are read.\n")
	})
}
