package ports

import (
	"context"

	"fichario/domain/crm"
)

// Preferences stores what the interface remembers for each member; it goes with the member.
type Preferences interface {
	// Of returns a member's preferences; those that were never set are not in it.
	Of(ctx context.Context, orgID, memberID string) (map[crm.Preference]string, error)
	// Set remembers a value instead of the one before; an empty one is forgotten. The member belongs to the organisation.
	Set(ctx context.Context, orgID, memberID string, name crm.Preference, value string) error
}
