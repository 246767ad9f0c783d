package ports

import (
	"context"

	"fichario/domain/crm"
)

// Notifications stores what the team is told in the interface. That a contact came by a webhook is not stored: it is
// listed as long as the contact is there, under the contact's id.
type Notifications interface {
	Create(ctx context.Context, n crm.Notification) error
	// CreateOnce is Create unless this mark of the subject was notified before, and reports whether it created one. Only
	// inside InTx.
	CreateOnce(ctx context.Context, n crm.Notification, subjectID, mark string) (bool, error)
	// List returns notifications of an organisation, newest first; Read is that of the member.
	List(ctx context.Context, orgID, memberID string, limit int) ([]crm.Notification, error)
	// Unread counts those that the member has not read, up to a hundred.
	Unread(ctx context.Context, orgID, memberID string) (int, error)
	// ReadAll marks all notifications of the member's organisation, up to and including the one with that id, as read by
	// the member.
	ReadAll(ctx context.Context, orgID, memberID, upTo string) error
}
