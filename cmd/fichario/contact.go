package main

import (
	"fmt"
	"strings"
	"time"

	"fichario/adapters/automation"
	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/domain/crm"
)

type contactCmd struct {
	List contactListCmd `cmd:"" help:"List contacts, newest first."`
	Show contactShowCmd `cmd:"" help:"Show a contact with its history."`

	Duplicates contactDuplicatesCmd `cmd:"" help:"List contacts that may be the same person: same e-mail, phone or document."`
	Merge      contactMergeCmd      `cmd:"" help:"Make a contact part of another one; nothing is lost."`
	Split      contactSplitCmd      `cmd:"" help:"Undo a merge, for 30 days."`
	Delete     contactDeleteCmd     `cmd:"" help:"Delete a contact with its note, documents and history."`
	Restore    contactRestoreCmd    `cmd:"" help:"Bring a deleted contact back, for 30 seconds."`
	Import     contactImportCmd     `cmd:"" help:"Make contacts of the rows of a table; columns are matched by what forms call them."`
}

type contactListCmd struct {
	Org   string `required:"" help:"Id of the organisation."`
	Limit *int   `help:"How many; all by default."`
}

// Run lists contacts.
func (c *contactListCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		all, err := app.NewContacts(store, now).List(e.ctx, app.Operator(), c.Org, orAll(c.Limit))
		if err != nil {
			return err
		}
		return printList(e, all, automation.NewContactJSON, func(k crm.ContactView) string {
			return fmt.Sprintf("%s  %s  %s <%s>", k.ID, k.CreatedAt.Format(time.DateTime), k.Name, k.Email)
		})
	})
}

type contactShowCmd struct {
	ID string `arg:"" help:"Id of the contact."`
}

// Run shows a contact.
func (c *contactShowCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		contacts := app.NewContacts(store, now)
		k, events, err := contacts.Show(e.ctx, app.Operator(), c.ID)
		if err == nil {
			err = contacts.Opened(e.ctx, app.Operator(), k)
		}
		if err != nil {
			return err
		}
		type entry struct {
			Em    time.Time `json:"em"`
			Tipo  string    `json:"tipo"`
			Autor string    `json:"autor"`
			Texto string    `json:"texto"`
		}
		history := make([]entry, len(events))
		var text strings.Builder
		for _, d := range k.Documents {
			fmt.Fprintf(&text, "%s %s\n", d.Type().Label(), d.Punctuated())
		}
		for i, h := range events {
			history[i] = entry{h.At, string(h.Kind), h.Actor, h.Text()}
			fmt.Fprintf(&text, "  %s  %s\n", h.At.Format(time.DateTime), h.Text())
		}
		return e.print(struct {
			automation.ContactJSON
			Historico []entry `json:"historico"`
		}{automation.NewContactJSON(k), history}, "%s <%s> %s\n%s, R$ %s, %s, %s\n\n%s\n\n%s",
			k.Name, k.Email, k.Phone, k.Company, k.Amount, k.Stage, k.Assignee.Name, k.Note, text.String())
	})
}
