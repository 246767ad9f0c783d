package contacts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fichario/app"
	"fichario/domain/crm"
	"fichario/ports"
)

// consentsMax bounds what a contact keeps of consents: beyond it, the oldest of the same field goes.
const consentsMax = 100

// Consents returns what counts of a contact now: the newest consent of each field, and those by which automations tell
// platforms of contacts, whose At is zero where nobody has said anything. Faults: NotFound, ServiceUnavailable.
func (c *Contacts) Consents(ctx context.Context, by app.Caller, id string) (out []crm.Consent, err error) {
	r := c.store.Repos()
	k, err := app.ContactKind.Visible(ctx, r, by, id)
	if err != nil {
		return nil, err
	}
	for _, said := range slices.Backward(k.Consents) {
		at := slices.IndexFunc(out, func(o crm.Consent) bool { return app.ConsentIs(o, cmp.Or(said.Key, said.Title)) })
		if at < 0 {
			out = append(out, said)
		} else if said.At.After(out[at].At) {
			out[at] = said
		}
	}
	slices.Reverse(out)
	rules, err := r.Automations.List(ctx, k.OrgID)
	for _, rule := range rules {
		field := rule.Action.Ground.Consent
		if field != "" && !slices.ContainsFunc(out, func(o crm.Consent) bool { return app.ConsentIs(o, field) }) {
			out = append(out, crm.Consent{Key: field})
		}
	}
	return out, err
}

// Consent records what a contact's person has told a member of a consent: that it is given, or withdrawn. A form's
// later answer counts again. One transaction. Faults: InvalidRequest with the field at fault, NotFound,
// ServiceUnavailable.
func (c *Contacts) Consent(ctx context.Context, by app.Caller, id, field string, given bool) error {
	return c.change(ctx, by, id, func(ctx context.Context, r ports.Repos, k crm.Contact, e crm.Event) error {
		field = strings.TrimSpace(field)
		switch {
		case !app.ConsentIs(crm.Consent{Key: field}, field) || !app.IsLine(field, crm.NameMax):
			return app.Invalid("field", fmt.Sprintf("O campo do consentimento tem de 1 a %d caracteres.", crm.NameMax))
		case k.Unreadable:
			return app.Invalid("field", "Os consentimentos guardados deste contato estão ilegíveis e não podem ser mudados.")
		}
		said := crm.Consent{Key: field}
		of := func(o crm.Consent) bool { return app.ConsentIs(o, field) }
		k.Consents = slices.Clone(k.Consents)
		if at := slices.IndexFunc(k.Consents, of); at >= 0 {
			said = k.Consents[at]
			if len(k.Consents) >= consentsMax {
				k.Consents = slices.Delete(k.Consents, at, at+1)
			}
		} else if len(k.Consents) >= consentsMax {
			return app.Invalid("field", fmt.Sprintf("Um contato pode ter até %d consentimentos.", consentsMax))
		}
		said.Given, said.At, said.By = given, e.At, e.Actor
		for _, o := range k.Consents { // the clock of whoever took it may be ahead
			if of(o) && !said.At.After(o.At) {
				said.At = o.At.Add(time.Microsecond)
			}
		}
		k.Consents = append(k.Consents, said)
		e.Kind, e.Subject = crm.ContactEdited, app.ConsentSaid(said)
		return r.Contacts.Edit(ctx, k, e)
	})
}
