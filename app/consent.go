package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/intake/names"
	"fichario/domain/text"
	"fichario/ports"
)

// SameMost is how many other contacts of a person are read for a consent, newest first.
const SameMost = 50

// ConsentIs reports whether a consent is that of a field, named by its key or its title in any spelling. What has no
// letter or digit names none.
func ConsentIs(c crm.Consent, field string) bool {
	of := names.Of(field)
	return of != "" && (names.Of(c.Key) == of || names.Of(c.Title) == of)
}

// Said is a person's newest word on a field, by the person's contacts; its At is zero where there is none. A contact
// that came by a webhook by which another one answered the field, and did not, says no: a box that is not ticked is
// often not sent at all. Of two words of one moment, no counts.
func Said(contacts []crm.Contact, field string) (newest crm.Consent) {
	say := func(c crm.Consent) {
		if c.At.After(newest.At) {
			newest = c
		} else if c.At.Equal(newest.At) && !c.Given {
			newest.Given = false
		}
	}
	asking := map[string]bool{}
	var silent []crm.Contact
	for _, k := range contacts {
		answered := false
		for _, c := range k.Consents {
			if ConsentIs(c, field) {
				say(c)
				answered = true
				asking[k.WebhookID] = asking[k.WebhookID] || c.By == ""
			}
		}
		if !answered {
			silent = append(silent, k)
		}
	}
	for _, k := range silent {
		if k.WebhookID != "" && asking[k.WebhookID] { // without one it is a member's, who is asked nothing
			say(crm.Consent{At: k.CreatedAt})
		}
	}
	return newest
}

// Withdrawn are the consents that one contact gives and its person, by all contacts, does not, as the contact is to
// have them where the others go.
func Withdrawn(k crm.Contact, all []crm.Contact) (out []crm.Consent) {
	done := map[string]bool{}
	for _, c := range k.Consents {
		field := cmp.Or(c.Key, c.Title)
		if done[names.Of(field)] {
			continue
		}
		done[names.Of(field)] = true
		if word := Said(all, field); Said([]crm.Contact{k}, field).Given && !word.Given {
			out = append(out, crm.Consent{Key: c.Key, Title: c.Title, At: word.At, By: word.By})
		}
	}
	return out
}

// SamePeople are, whole, those of some contacts alike that are of one contact's person.
func SamePeople(ctx context.Context, r ports.Repos, c crm.Contact, alike []crm.Contact) ([]crm.Contact, error) {
	if len(alike) == 0 {
		return nil, nil
	}
	ids := make([]string, len(alike))
	for i, brief := range alike {
		ids[i] = brief.ID
	}
	others, err := r.ContactSearch.Select(ctx, c.OrgID, ports.ContactQuery{
		ContactFilter: ports.ContactFilter{IDs: ids}, Limit: len(ids), Whole: true,
	})
	return slices.DeleteFunc(others, func(o crm.Contact) bool { return !samePerson(c, o) }), err
}

// samePerson reports whether two contacts that are alike are one person: by the address, or by a document or the phone
// together with the first name, because households share a phone, and some type their own document for others.
func samePerson(a, b crm.Contact) bool {
	if strings.EqualFold(strings.TrimSpace(a.Email), strings.TrimSpace(b.Email)) {
		return true
	}
	first := func(name string) string { name, _, _ = strings.Cut(text.Fold(name), " "); return name }
	return first(a.Name) == first(b.Name) && (a.PhoneE164 != "" && a.PhoneE164 == b.PhoneE164 ||
		slices.ContainsFunc(a.Documents, func(d document.Document) bool { return slices.Contains(b.Documents, d) }))
}

// ConsentSaid is how the history says what a person has said.
func ConsentSaid(c crm.Consent) string {
	name := text.Cut(cmp.Or(c.Title, c.Key), crm.NameMax)
	return "consentimento “" + name + "” " + map[bool]string{true: "dado", false: "retirado"}[c.Given]
}

// KeepWithdrawals writes into the other contacts of a removed one's person which of their consents that had withdrawn:
// whoever deletes a contact, often because a person is there twice, does not consent for the person, and neither does
// time. stays is asked of each of them, locked; one that goes too gets nothing.
func KeepWithdrawals(
	ctx context.Context, r ports.Repos, gone crm.Removal, stays func(context.Context, crm.Contact) (bool, error),
) error {
	deleted := gone.Contact
	if deleted.Unreadable || deleted.WebhookID == "" && len(deleted.Consents) == 0 {
		return nil
	}
	alike, err := r.ContactSearch.Alike(ctx, deleted, SameMost)
	if err != nil {
		return err
	}
	others, err := SamePeople(ctx, r, deleted, alike)
	if err != nil {
		return err
	}
	for _, other := range others {
		if other.Unreadable || len(Withdrawn(other, append(others, deleted))) == 0 {
			continue
		}
		k, err := r.Contacts.Lock(ctx, other.OrgID, other.ID)
		if errors.Is(err, ports.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		withdrawn := Withdrawn(k, append(others, deleted, k)) // what it says may have changed
		if k.Unreadable || len(withdrawn) == 0 {
			continue
		}
		if yes, err := stays(ctx, k); err != nil {
			return err
		} else if !yes {
			continue
		}
		k.Consents = append(slices.Clone(k.Consents), withdrawn...)
		err = r.Contacts.Edit(ctx, k, crm.Event{
			ID: NewID(), OrgID: k.OrgID, ContactID: k.ID, Kind: crm.ContactEdited, Actor: gone.By, At: gone.At,
			Subject: ConsentSaid(withdrawn[0]),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
