// Package contacts holds the commands of contacts, funnels, origins and rotations.
package contacts

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fichario/adapters/automation"
	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/contacts"
	"fichario/cmd/fichario/command"
	"fichario/domain/crm"
)

// Contact holds the commands of contacts.
type Contact struct {
	List contactListCmd `cmd:"" help:"List contacts, newest first."`
	Show contactShowCmd `cmd:"" help:"Show a contact with its history."`

	Duplicates contactDuplicatesCmd `cmd:"" help:"List contacts that may be the same person: same e-mail, phone or document."`
	Merge      contactMergeCmd      `cmd:"" help:"Merge a contact into another one; nothing is lost."`
	Split      contactSplitCmd      `cmd:"" help:"Undo a merge, for 30 days."`
	Delete     contactDeleteCmd     `cmd:"" help:"Delete a contact with its note, documents and history."`
	Restore    contactRestoreCmd    `cmd:"" help:"Bring a deleted contact back, for 30 seconds."`
	Import     contactImportCmd     `cmd:"" help:"Create contacts from the rows of a table; columns are matched by the names that forms use."`
	Results    contactResultsCmd    `cmd:"" name:"import-results" help:"Write the result of each row of an import to standard output, up to 30 days later."`
}

type contactListCmd struct {
	Org   string `required:"" help:"Id of the organisation."`
	Limit *int   `help:"How many; all by default."`
}

// Run lists contacts.
func (c *contactListCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		all, err := contacts.New(store, command.Now).List(e.Ctx, app.Operator(), c.Org, command.OrAll(c.Limit))
		if err != nil {
			return err
		}
		return command.PrintList(e, all, automation.NewContactJSON, func(k crm.ContactView) string {
			return fmt.Sprintf("%s  %s  %s <%s>", k.ID, k.CreatedAt.Format(time.DateTime), k.Name, k.Email)
		})
	})
}

type contactShowCmd struct {
	ID string `arg:"" help:"Id of the contact."`
}

// Run shows a contact.
func (c *contactShowCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		contacts := contacts.New(store, command.Now)
		k, happened, err := contacts.History(e.Ctx, app.Operator(), c.ID)
		if err == nil {
			err = contacts.Opened(e.Ctx, app.Operator(), k)
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
		history := []entry{}
		var text strings.Builder
		for _, d := range k.Documents {
			fmt.Fprintf(&text, "%s %s\n", d.Type().Label(), d.Punctuated())
		}
		for _, h := range slices.Backward(happened) { // oldest first
			one := entry{Em: h.At}
			switch {
			case h.Event != nil:
				one.Tipo, one.Autor, one.Texto = string(h.Event.Kind), h.Event.Actor, h.Event.Text()
			case h.Document != nil:
				one.Tipo, one.Autor, one.Texto = "consulta", h.Document.By, lookupText(*h.Document)
			default:
				continue // runs are shown by "automation runs"
			}
			history = append(history, one)
			fmt.Fprintf(&text, "  %s  %s\n", one.Em.Format(time.DateTime), one.Texto)
		}
		return e.Print(struct {
			automation.ContactJSON
			Historico []entry `json:"historico"`
		}{automation.NewContactJSON(k), history}, "%s <%s> %s\n%s, R$ %s, %s, %s\n\n%s\n\n%s",
			k.Name, k.Email, k.Phone, k.Company, k.Amount, k.Stage, k.Assignee.Name, k.Note, text.String())
	})
}

// lookupText describes a lookup in a contact's history.
func lookupText(d contacts.ContactDocument) string {
	text := d.Product + " consultado, grátis"
	if d.Charged {
		text = d.Product + " consultado, " + d.Amount.Exact()
	}
	if d.Says != "" {
		text += ": " + d.Says
	}
	return text
}
