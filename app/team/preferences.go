package team

import (
	"context"
	"fmt"

	"fichario/app"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/ports"
)

// Preferences is what the interface remembers for each member: how they like to see things, and nothing about contacts.
type Preferences struct{ store ports.Store }

// NewPreferences returns the use case.
func NewPreferences(store ports.Store) *Preferences { return &Preferences{store: store} }

// Mine returns the calling member's preferences; those that were never set are not in it. Faults: Forbidden to callers
// who are no members, ServiceUnavailable.
func (p *Preferences) Mine(ctx context.Context, by app.Caller) (map[crm.Preference]string, error) {
	if by.MemberID() == "" {
		return nil, noMember()
	}
	return p.store.Repos().Preferences.Of(ctx, by.OrgID(), by.MemberID())
}

func noMember() *fault.Error { return fault.New(fault.Forbidden, "Só membros têm preferências.") }

// Set remembers one for the calling member; an empty value is forgotten. Faults: InvalidRequest, Forbidden,
// ServiceUnavailable.
func (p *Preferences) Set(ctx context.Context, by app.Caller, name crm.Preference, value string) error {
	switch {
	case by.MemberID() == "":
		return noMember()
	case !name.Valid():
		return app.Invalid("name", "Esta preferência não existe.")
	case len(value) > crm.PreferenceMax:
		return app.Invalid("value", fmt.Sprintf("Uma preferência tem até %d bytes.", crm.PreferenceMax))
	}
	return p.store.Repos().Preferences.Set(ctx, by.OrgID(), by.MemberID(), name, app.Storable(value))
}
