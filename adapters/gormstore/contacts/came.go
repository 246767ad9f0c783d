package contacts

import (
	"context"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
)

// cameRow is a contact that came by a webhook. The entry of its history that says so is not stored beside it, but for
// contacts of earlier versions, and those that were removed.
type cameRow struct {
	ID, OrgID engine.UID
	Webhook   string
	CreatedAt time.Time
}

// ofWebhooks selects cameRow.
func ofWebhooks(db *gorm.DB) *gorm.DB {
	return db.Table("contacts").
		Select("contacts.id, contacts.org_id, contacts.created_at, COALESCE(webhooks.name, '') AS webhook").
		Joins("LEFT JOIN webhooks ON webhooks.id = contacts.webhook_id").Where("contacts.webhook_id IS NOT NULL")
}

func (row cameRow) event() crm.Event {
	return crm.Event{
		ID: string(row.ID), OrgID: string(row.OrgID), ContactID: string(row.ID), Kind: crm.ContactCreated, Actor: row.Webhook,
		At: row.CreatedAt.UTC(),
	}
}

func (r contacts) Events(ctx context.Context, orgID, contactID string) ([]crm.Event, error) {
	const op = "contacts.events"
	events, err := engine.FindAll(ctx, r.Query, op, engine.With(r.vault, EventOf), OfContact(orgID, contactID),
		engine.Order("id"))
	if err != nil || slices.ContainsFunc(events, func(e crm.Event) bool {
		return e.Kind == crm.ContactCreated && e.ContactID == contactID
	}) {
		return events, err
	}
	came, err := engine.FindAll(ctx, r.Query, op, cameRow.event, ofWebhooks, engine.InOf("contacts", orgID),
		engine.Where("contacts.id = ?", engine.Optional(contactID)))
	events = append(events, came...)
	slices.SortStableFunc(events, func(a, b crm.Event) int { return strings.Compare(a.ID, b.ID) })
	return events, err
}

// keepCame stores the entry of a contact that came by a webhook, before it is removed.
func keepCame(db *gorm.DB, v *engine.Vault, row ContactRow) error {
	var came []cameRow
	err := ofWebhooks(db).Where("contacts.org_id = ? AND contacts.id = ?", row.OrgID, row.ID).Where(`NOT EXISTS (
		SELECT 1 FROM contact_events AS e WHERE e.contact_id = contacts.id AND e.org_id = contacts.org_id
			AND e.kind = ` + engine.Literal(crm.ContactCreated) + ")").Find(&came).Error
	if err != nil || len(came) == 0 {
		return err
	}
	event := EventRowOf(v, came[0].event())
	return db.Create(&event).Error
}
