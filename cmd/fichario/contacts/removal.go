package contacts

import (
	"fmt"
	"strings"
	"time"

	"fichario/adapters/automation"
	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/contacts"
	"fichario/cmd/fichario/command"
)

type contactDuplicatesCmd struct {
	ID string `arg:"" help:"Id of the contact."`
}

// Run lists contacts that may be the same person.
func (c *contactDuplicatesCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		shown := contacts.New(store, command.Now)
		of, err := shown.View(e.Ctx, app.Operator(), c.ID)
		if err == nil {
			err = shown.Opened(e.Ctx, app.Operator(), of)
		}
		if err != nil {
			return err
		}
		all, err := shown.Alike(e.Ctx, app.Operator(), c.ID)
		if err != nil {
			return err
		}
		type alike struct {
			automation.ContactJSON
			Por []string `json:"por"`
		}
		return command.PrintList(e, all, func(k contacts.AlikeContact) alike {
			return alike{automation.NewContactJSON(k.ContactView), k.By}
		}, func(k contacts.AlikeContact) string {
			return fmt.Sprintf("%s  %s  %s <%s>  %s", k.ID, k.CreatedAt.Format(time.DateTime), k.Name, k.Email,
				strings.Join(k.By, ", "))
		})
	})
}

type contactMergeCmd struct {
	Into string `arg:"" help:"Id of the contact that stays."`
	From string `arg:"" help:"Id of the contact to merge into it."`
}

// Run merges two contacts.
func (c *contactMergeCmd) Run(e *command.Environment) error {
	return withContacts(e, c.Into, func(all *contacts.Contacts) error {
		return all.Merge(e.Ctx, app.Operator(), c.Into, c.From)
	})
}

type contactSplitCmd struct {
	Into string `arg:"" help:"Id of the contact that stayed."`
	From string `arg:"" help:"Id of the contact that was merged into it."`
}

// Run undoes a merge.
func (c *contactSplitCmd) Run(e *command.Environment) error {
	return withContacts(e, c.From, func(all *contacts.Contacts) error {
		return all.Part(e.Ctx, app.Operator(), c.Into, c.From)
	})
}

type contactDeleteCmd struct {
	ID string `arg:"" help:"Id of the contact."`
}

// Run deletes a contact.
func (c *contactDeleteCmd) Run(e *command.Environment) error {
	return withContacts(e, c.ID, func(all *contacts.Contacts) error { return all.Delete(e.Ctx, app.Operator(), c.ID) })
}

type contactRestoreCmd struct {
	ID string `arg:"" help:"Id of the contact."`
}

// Run restores a contact.
func (c *contactRestoreCmd) Run(e *command.Environment) error {
	return withContacts(e, c.ID, func(all *contacts.Contacts) error { return all.Undelete(e.Ctx, app.Operator(), c.ID) })
}

// withContacts changes a contact, and prints its id.
func withContacts(e *command.Environment, id string, change func(*contacts.Contacts) error) error {
	return e.WithStore(func(store *gormstore.Store) error {
		if err := change(contacts.New(store, command.Now)); err != nil {
			return err
		}
		return e.Print(map[string]string{"id": id}, "%s\n", id)
	})
}
