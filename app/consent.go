package app

import (
	"slices"
	"strings"

	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/intake/names"
	"fichario/domain/text"
)

// SameMost is how many other contacts of a person are read for a consent, newest first.
const SameMost = 50

// ConsentIs reports whether a consent is that of a field, named by its key or its title in any spelling. What has no
// letter or digit names none.
func ConsentIs(c crm.Consent, field string) bool {
	of := names.Of(field)
	return of != "" && (names.Of(c.Key) == of || names.Of(c.Title) == of)
}

// ConsentsOf are a contact's consents of a field.
func ConsentsOf(k crm.Contact, field string) []crm.Consent {
	return slices.DeleteFunc(slices.Clone(k.Consents), func(c crm.Consent) bool { return !ConsentIs(c, field) })
}

// SamePerson reports whether two contacts that are alike are one person: by the address, or by a document or the phone
// together with the first name, because households share a phone, and some type their own document for others.
func SamePerson(a, b crm.Contact) bool {
	if strings.EqualFold(strings.TrimSpace(a.Email), strings.TrimSpace(b.Email)) {
		return true
	}
	first := func(name string) string { name, _, _ = strings.Cut(text.Fold(name), " "); return name }
	return first(a.Name) == first(b.Name) && (a.PhoneE164 != "" && a.PhoneE164 == b.PhoneE164 ||
		slices.ContainsFunc(a.Documents, func(d document.Document) bool { return slices.Contains(b.Documents, d) }))
}
