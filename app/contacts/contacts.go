// Package contacts keeps the people who wrote in: their stages, history, merges, imports, and what is done to many at
// once.
package contacts

import (
	"context"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/ports"
)

// Contacts shows and changes contacts, and shows what the team was told about them.
type Contacts struct {
	store ports.Store
	clock app.Clock
}

// New returns the use case.
func New(store ports.Store, clock app.Clock) *Contacts {
	return &Contacts{store: store, clock: clock}
}

// lockedContactKind also locks the contact until the transaction ends.
var lockedContactKind = app.Kind[crm.Contact]{
	Field: app.ContactKind.Field, Missing: app.ContactKind.Missing, OrgOf: app.ContactKind.OrgOf,
	Find: func(r ports.Repos) func(context.Context, string, string) (crm.Contact, error) { return r.Contacts.Lock },
}

// List returns contacts of an organisation, newest first, and is written to the audit. Faults: InvalidRequest,
// NotFound, ServiceUnavailable.
func (c *Contacts) List(ctx context.Context, by app.Caller, orgID string, limit int) ([]crm.ContactView, error) {
	err := app.MaySeeOrg(ctx, c.store.Repos(), by, orgID)
	if err == nil && limit >= 1 { // otherwise it is refused
		err = app.Looked(ctx, c.store, by, audit.Line{OrgID: orgID, Action: audit.ContactsDownloaded})
	}
	if err != nil {
		return nil, err
	}
	page, err := app.Paged(limit, func(after string, n int) ([]crm.Contact, error) {
		return c.store.Repos().Contacts.Page(ctx, orgID, after, n)
	}, func(k crm.Contact) string { return k.ID })
	if err != nil {
		return nil, err
	}
	return app.ViewsOf(ctx, c.store.Repos(), orgID, page...)
}

// Show returns a contact with its history, oldest first. Faults: NotFound, ServiceUnavailable.
func (c *Contacts) Show(ctx context.Context, by app.Caller, id string) (crm.ContactView, []crm.Event, error) {
	view, err := c.View(ctx, by, id)
	if err != nil {
		return crm.ContactView{}, nil, err
	}
	events, err := c.store.Repos().ContactHistory.Events(ctx, view.OrgID, id)
	for i := range events {
		if events[i].Unreadable {
			events[i].Subject = "(ilegível)"
		}
	}
	return view, events, err
}

// View returns a contact. Faults: NotFound, ServiceUnavailable.
func (c *Contacts) View(ctx context.Context, by app.Caller, id string) (crm.ContactView, error) {
	return app.ContactViewKind.Visible(ctx, c.store.Repos(), by, id)
}
