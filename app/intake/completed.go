package intake

import (
	"cmp"
	"context"
	"strings"

	"fichario/app"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/intake/fields"
	"fichario/domain/webhook"
)

// Completion is what somebody typed beside a refused post. Email takes the place of what was read; so does each of the
// others that is not empty.
type Completion struct{ Email, Name, Phone, Note string }

// Complete makes the contact of a refused post with what was typed beside it. All else is as if it had been sent: its
// origin, where it comes from, its documents, and that a retry makes no second contact. Faults: those of Replay, and
// InvalidRequest for what waits to be fetched, and with the field at fault.
func (i *Intake) Complete(ctx context.Context, by app.Caller, id string, typed Completion) (Accepted, error) {
	old, err := i.Delivery(ctx, by, id)
	if err != nil {
		return Accepted{}, err
	}
	if old.Outcome != webhook.Refused && len(old.Contacts()) == 0 {
		return Accepted{}, app.Invalid("delivery", "Só um envio recusado é completado à mão.")
	}
	if err := typed.check(); err != nil {
		return Accepted{}, err
	}
	return i.again(ctx, by, old, &typed)
}

// check trims what was typed, and checks it like the form of a contact.
func (t *Completion) check() (err error) {
	for _, field := range [...]struct {
		name  string
		typed *string
	}{{"name", &t.Name}, {"email", &t.Email}, {"phone", &t.Phone}} {
		*field.typed = strings.TrimSpace(*field.typed)
		if *field.typed == "" && field.name != "email" {
			continue
		}
		if err := app.CheckTyped(field.name, *field.typed); err != nil {
			return err
		}
	}
	t.Note, err = app.TypedNote(app.UnixLines(t.Note), "")
	return err
}

// address gives the first person of a post the address that was typed, if any was.
func (t *Completion) address(drafts []intake.Draft) {
	if t != nil && len(drafts) > 0 {
		drafts[0].Email = t.Email
	}
}

// fill takes over the rest of what was typed.
func (t *Completion) fill(c *crm.Contact) {
	if t == nil {
		return
	}
	c.Name, c.Note = cmp.Or(t.Name, c.Name), cmp.Or(t.Note, c.Note)
	if t.Phone != "" {
		c.Phone, c.PhoneE164 = t.Phone, fields.E164(t.Phone)
	}
}
