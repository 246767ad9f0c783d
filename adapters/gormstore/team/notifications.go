package team

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
)

// NotificationRow is a notification.
type NotificationRow struct {
	ID        engine.UID `gorm:"primaryKey"`
	OrgID     engine.UID `gorm:"not null"`
	Kind      string     `gorm:"not null"`
	ContactID engine.UID `gorm:"not null"`
	Subject   string     `gorm:"not null"`
	At        time.Time  `gorm:"not null"`
	BatchID   *engine.UID
}

var notificationColumns = engine.ColumnNames(NotificationRow{}, "notifications")

// TableName is the table of the row.
func (NotificationRow) TableName() string { return "notifications" }

type markRow struct {
	MemberID engine.UID `gorm:"primaryKey"`
	UpTo     engine.UID `gorm:"not null"`
}

func (markRow) TableName() string { return "notification_marks" }

// NotificationRowOf is the row of a notification.
func NotificationRowOf(n crm.Notification) NotificationRow {
	return NotificationRow{
		ID: engine.UID(n.ID), OrgID: engine.UID(n.OrgID), Kind: string(n.Kind),
		ContactID: engine.OrNoID(engine.Optional(n.ContactID)),
		Subject:   n.Subject, At: engine.Stamp(n.At), BatchID: engine.Optional(n.BatchID),
	}
}

type notifications struct{ engine.Conn }

func (r notifications) Create(ctx context.Context, n crm.Notification) error {
	row := NotificationRowOf(n)
	return r.Insert(ctx, "notifications.create", &row)
}

func (r notifications) CreateOnce(
	ctx context.Context, n crm.Notification, subjectID, mark string,
) (told bool, err error) {
	row := NotificationRowOf(n)
	err = r.Inside(ctx, "notifications.createOnce", func(db *gorm.DB) error {
		once := db.Exec(TellOnSQLite, subjectID, mark, row.At, row.OrgID)
		if told = once.RowsAffected > 0; once.Error != nil || !told {
			return once.Error
		}
		return db.Create(&row).Error
	})
	return told, err
}

// toldRow is a notification with the names of what it is about.
type toldRow struct {
	Row         NotificationRow `gorm:"embedded"`
	ContactName string
	BatchName   string
}

func (told toldRow) notification(read engine.UID) crm.Notification {
	row := told.Row
	return crm.Notification{
		ID: string(row.ID), OrgID: string(row.OrgID), Kind: crm.NotificationKind(row.Kind),
		ContactID: row.ContactID.Known(), ContactName: told.ContactName, BatchID: row.BatchID.Text(),
		BatchName: told.BatchName, Subject: row.Subject, At: row.At.UTC(), Read: read >= row.ID,
	}
}

// newsOf is what the team is told of a contact that came.
func newsOf(c contacts.CameRow) toldRow {
	return toldRow{
		Row: NotificationRow{
			ID: c.ID, OrgID: c.OrgID, Kind: string(crm.NewContact), ContactID: c.ID, Subject: c.Webhook, At: c.CreatedAt,
		},
		ContactName: c.Name,
	}
}

// newestOf returns the newest of stored notifications and of those of contacts that came, each once. A stored one is a
// moment younger than its contact.
func newestOf(stored, came []toldRow, limit int) []toldRow {
	told := map[engine.UID]bool{}
	for _, n := range stored {
		told[n.Row.ContactID] = told[n.Row.ContactID] || n.Row.Kind == string(crm.NewContact)
	}
	all := append(stored, slices.DeleteFunc(came, func(n toldRow) bool { return told[n.Row.ID] })...)
	slices.SortFunc(all, func(a, b toldRow) int { return cmp.Compare(b.Row.ID, a.Row.ID) })
	return all[:min(limit, len(all))]
}

func (r notifications) List(
	ctx context.Context, orgID, memberID string, limit int,
) (out []crm.Notification, err error) {
	err = r.QueryList(ctx, "notifications.list", func(db *gorm.DB) error {
		read, err := readUpTo(db, memberID)
		if err != nil {
			return err
		}
		page := func(w engine.Window, limit int) (found []toldRow, err error) {
			return found, db.Table("notifications").Select(notificationColumns+", COALESCE(contacts.name, '') AS contact_name, "+
				"COALESCE(batches.name, '') AS batch_name").
				Joins("LEFT JOIN contacts ON contacts.id = notifications.contact_id AND contacts.org_id = notifications.org_id").
				Joins("LEFT JOIN batches ON batches.id = notifications.batch_id AND batches.org_id = notifications.org_id").
				Where("notifications.org_id = ? AND notifications.id > ? AND notifications.id < ?", orgID, w.Above, w.Below).
				Where(w.Edges).Order("notifications.id DESC").Limit(limit).Find(&found).Error
		}
		came, err := contacts.Came(db, orgID, engine.BeforeAll, limit)
		if err != nil {
			return err
		}
		above := engine.BeforeAll
		if len(came) == limit { // older ones are not on this page, and looking for few of them passes through all months
			above = string(came[limit-1].ID)
		}
		stored, err := engine.NewestFirst(
			engine.NotificationsByMonth.Windows(db, r.Edges, above, engine.AfterAll), limit, page)
		out = engine.Mapped(newestOf(stored, engine.Mapped(came, newsOf), limit),
			func(told toldRow) crm.Notification { return told.notification(read) })
		return err
	})
	return out, err
}

// readUpTo is the newest notification that a member has read; empty when there is none.
func readUpTo(db *gorm.DB, memberID string) (engine.UID, error) {
	if memberID == "" {
		return "", nil
	}
	var mark markRow
	err := db.Limit(1).Find(&mark, "member_id = ?", memberID).Error
	return mark.UpTo, err
}

func (r notifications) Unread(ctx context.Context, orgID, memberID string) (unread int, err error) {
	const most = 100
	err = r.QueryList(ctx, "notifications.unread", func(db *gorm.DB) error {
		read, err := readUpTo(db, memberID)
		if err != nil {
			return err
		}
		after := max(engine.BeforeAll, string(read))
		page := func(w engine.Window, limit int) (found []toldRow, err error) {
			return found, db.Table("notifications").Select("id, kind, contact_id").
				Where("org_id = ? AND id > ? AND id < ?", orgID, w.Above, w.Below).Where(w.Edges).Limit(limit).Find(&found).Error
		}
		if unread, err = contacts.CountCame(db, orgID, after, most); err != nil || unread == most {
			return err
		}
		var came []engine.UID
		if unread > 0 {
			if came, err = contacts.CameIDs(db, orgID, after, most); err != nil {
				return err
			}
		}
		stored, err := engine.NewestFirst(
			engine.NotificationsByMonth.Windows(db, r.Edges, after, engine.AfterAll), most, page)
		unread = len(newestOf(stored, engine.Mapped(came, func(id engine.UID) toldRow {
			return newsOf(contacts.CameRow{ID: id})
		}), most))
		return err
	})
	return unread, err
}

// markRead reads and writes in one statement, so that a mark never names another organisation's row, and never moves
// back.
const markRead = `INSERT INTO notification_marks (member_id, up_to)
	SELECT members.id, t.id FROM members JOIN %s AS t ON t.org_id = members.org_id
	WHERE members.id = ? AND members.org_id = ? AND t.id = ?
	ON CONFLICT (member_id) DO UPDATE SET up_to = excluded.up_to WHERE notification_marks.up_to < excluded.up_to`

func (r notifications) ReadAll(ctx context.Context, orgID, memberID, upTo string) error {
	return r.Exec(ctx, "notifications.readAll", func(db *gorm.DB) error {
		// A contact may have been removed since it was shown.
		for _, table := range []string{"notifications", "contacts", "removed_contacts"} {
			if err := db.Exec(fmt.Sprintf(markRead, table), memberID, orgID, upTo).Error; err != nil {
				return err
			}
		}
		return nil
	})
}

// AddNotifications writes notifications on PostgreSQL.
var AddNotifications = engine.ManyOf(NotificationTable)

// tellOnce notes that something was told about a subject, so that it is told once.
const tellOnce = "INSERT INTO told (subject_id, mark, at, org_id) VALUES (%s) ON CONFLICT DO NOTHING"

var (
	// TellOnSQLite notes, once, that something was told; both databases take it through GORM.
	TellOnSQLite = fmt.Sprintf(tellOnce, "?, ?, ?, ?")
	// TellOnPostgres is TellOnSQLite past GORM.
	TellOnPostgres = fmt.Sprintf(tellOnce, "$1, $2, $3, $4")

	// NotificationTable is the table of notifications.
	NotificationTable = engine.TableOf(NotificationRow{})
	// InsertNotification writes one on SQLite.
	InsertNotification = NotificationTable.Insert() // on SQLite
)
