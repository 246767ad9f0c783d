package app

import (
	"fichario/domain/crm"
	"fichario/domain/intake/names"
)

// ConsentIs reports whether a consent is that of a field, named by its key or its title in any spelling. What has no
// letter or digit names none.
func ConsentIs(c crm.Consent, field string) bool {
	of := names.Of(field)
	return of != "" && (names.Of(c.Key) == of || names.Of(c.Title) == of)
}
