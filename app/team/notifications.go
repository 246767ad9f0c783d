package team

import (
	"context"

	"fichario/app"
	"fichario/domain/crm"
	"fichario/ports"
)

// Notifications shows what the team was told, and which of it a member has read.
type Notifications struct{ store ports.Store }

// NewNotifications returns the use case.
func NewNotifications(store ports.Store) *Notifications { return &Notifications{store: store} }

// List returns notifications of an organisation, newest first; Read is that of a member, if one is given. Faults:
// InvalidRequest, NotFound, ServiceUnavailable.
func (n *Notifications) List(
	ctx context.Context, by app.Caller, orgID, memberID string, limit int,
) ([]crm.Notification, error) {
	if limit < 1 {
		return nil, app.Invalid("limit", "O limite deve ser de pelo menos 1.")
	}
	if err := n.check(ctx, by, orgID, memberID); err != nil {
		return nil, err
	}
	return n.store.Repos().Notifications.List(ctx, orgID, memberID, limit)
}

// Unread counts the notifications that the calling member has not read, up to a hundred.
// Faults: NotFound, ServiceUnavailable.
func (n *Notifications) Unread(ctx context.Context, by app.Caller) (int, error) {
	orgID, err := by.Org()
	if err != nil {
		return 0, err
	}
	return n.store.Repos().Notifications.Unread(ctx, orgID, by.MemberID())
}

// ReadAll marks every notification up to now as read by a member. Faults: NotFound,
// ServiceUnavailable.
func (n *Notifications) ReadAll(ctx context.Context, by app.Caller, orgID, memberID string) error {
	if err := n.check(ctx, by, orgID, memberID); err != nil {
		return err
	}
	r := n.store.Repos().Notifications
	last, err := r.List(ctx, orgID, memberID, 1)
	if err != nil || len(last) == 0 {
		return err
	}
	return r.ReadAll(ctx, orgID, memberID, last[0].ID)
}

// ReadUpTo marks the notifications up to one that the caller was shown as read by the caller; newer ones stay unread.
// Faults: NotFound, ServiceUnavailable.
func (n *Notifications) ReadUpTo(ctx context.Context, by app.Caller, id string) error {
	orgID, err := by.Org()
	if err != nil {
		return err
	}
	if !app.ValidID(id) {
		return app.Missing("notification", "Não há notificação com este id.")
	}
	return n.store.Repos().Notifications.ReadAll(ctx, orgID, by.MemberID(), id)
}

func (n *Notifications) check(ctx context.Context, by app.Caller, orgID, memberID string) error {
	r := n.store.Repos()
	if err := app.MaySeeOrg(ctx, r, by, orgID); err != nil || memberID == "" {
		return err
	}
	_, err := app.MemberOf(ctx, r, orgID, memberID)
	return err
}
