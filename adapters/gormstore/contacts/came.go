package contacts

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
)

// CameRow is a contact that came by a webhook, and the name that the webhook had then. The entry of its history and
// what the team is told follow from it. They are stored beside it only for contacts of earlier versions, and the entry
// for one that was removed and came back.
type CameRow struct {
	ID, OrgID     engine.UID
	Name, Webhook string
	CreatedAt     time.Time
}

// camePart is what is read of contacts for CameRow.
const camePart = "id, org_id, name, created_at, webhook_id"

// cameOf reads CameRow of some contacts, of which camePart is selected, the newest first.
func cameOf(db, some *gorm.DB) (rows []CameRow, err error) {
	err = db.Table("(?) AS c", some).Select(`c.id, c.org_id, c.name, c.created_at, COALESCE(
		(SELECT n.name FROM webhook_names n WHERE n.webhook_id = c.webhook_id AND n.until > c.created_at
			ORDER BY n.until LIMIT 1),
		(SELECT w.name FROM webhooks w WHERE w.id = c.webhook_id), '') AS webhook`).Find(&rows).Error
	slices.SortFunc(rows, func(a, b CameRow) int { return cmp.Compare(b.ID, a.ID) })
	return rows, err
}

// Came returns the newest contacts of an organisation that came by a webhook, with ids above one.
func Came(db *gorm.DB, orgID, after string, limit int) ([]CameRow, error) {
	return cameOf(db, cameAfter(db, orgID, after, limit).Select(camePart))
}

// CameIDs are the ids of Came.
func CameIDs(db *gorm.DB, orgID, after string, limit int) (ids []engine.UID, err error) {
	return ids, cameAfter(db, orgID, after, limit).Pluck("id", &ids).Error
}

// CountCame counts them, which is much less work than reading them.
func CountCame(db *gorm.DB, orgID, after string, limit int) (n int, err error) {
	err = db.Raw("SELECT COUNT(*) FROM (?) AS came", cameAfter(db, orgID, after, limit).Select("id")).Scan(&n).Error
	return n, err
}

func cameAfter(db *gorm.DB, orgID, after string, limit int) *gorm.DB {
	walk := engine.WalkOf("contacts_came", "org_id", orgID)
	walk.Only = "COALESCE(webhook_id IS NOT NULL, false)"
	all := db.Session(&gorm.Session{NewDB: true}).Table("contacts")
	return walk.Page(all, "contacts", after, engine.AfterAll, false, limit)
}

// cameAs is CameRow of one contact, if it came by a webhook.
func cameAs(db *gorm.DB, orgID, id string) ([]CameRow, error) {
	one := engine.Of(orgID, id)(db.Session(&gorm.Session{NewDB: true}).Table("contacts"))
	return cameOf(db, one.Select(camePart).Where("webhook_id IS NOT NULL"))
}

func (row CameRow) event() crm.Event {
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
	err = r.Query(ctx, op, func(db *gorm.DB) error {
		came, err := cameAs(db, orgID, contactID)
		events = append(events, engine.Mapped(came, CameRow.event)...)
		return err
	})
	slices.SortStableFunc(events, func(a, b crm.Event) int { return strings.Compare(a.ID, b.ID) })
	return events, err
}

// Derived returns the entry of a contact that came by a webhook where it is not stored.
func Derived(db *gorm.DB, row ContactRow) (events []crm.Event, err error) {
	came, err := cameAs(db, string(row.OrgID), string(row.ID))
	if err != nil || len(came) == 0 {
		return nil, err
	}
	var stored []engine.UID // none is older than the contact
	err = db.Model(&EventRow{}).Where("contact_id = ? AND id >= ? AND kind = "+engine.Literal(crm.ContactCreated), row.ID, row.ID).
		Scopes(engine.In(string(row.OrgID))).Limit(1).Pluck("id", &stored).Error
	if err != nil || len(stored) > 0 {
		return nil, err
	}
	return engine.Mapped(came, CameRow.event), nil
}

// keepCame stores the entry of a contact that came by a webhook, before it is removed.
func keepCame(db *gorm.DB, v *engine.Vault, row ContactRow) error {
	events, err := Derived(db, row)
	if err != nil || len(events) == 0 {
		return err
	}
	rows := engine.Mapped(events, func(e crm.Event) EventRow { return EventRowOf(v, e) })
	return db.Create(&rows).Error
}
