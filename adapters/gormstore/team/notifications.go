package team

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

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
		once := db.Exec(TellOnSQLite, subjectID, mark, row.At)
		if told = once.RowsAffected > 0; once.Error != nil || !told {
			return once.Error
		}
		return db.Create(&row).Error
	})
	return told, err
}

func (r notifications) List(
	ctx context.Context, orgID, memberID string, limit int,
) (out []crm.Notification, err error) {
	err = r.QueryList(ctx, "notifications.list", func(db *gorm.DB) error {
		read, err := readUpTo(db, memberID)
		if err != nil {
			return err
		}
		type namedRow struct {
			Row         NotificationRow `gorm:"embedded"`
			ContactName string
			BatchName   string
		}
		page := func(w engine.Window, limit int) (found []namedRow, err error) {
			return found, db.Table("notifications").Select(notificationColumns+", COALESCE(contacts.name, '') AS contact_name, "+
				"COALESCE(batches.name, '') AS batch_name").
				Joins("LEFT JOIN contacts ON contacts.id = notifications.contact_id AND contacts.org_id = notifications.org_id").
				Joins("LEFT JOIN batches ON batches.id = notifications.batch_id AND batches.org_id = notifications.org_id").
				Where("notifications.org_id = ? AND notifications.id > ? AND notifications.id < ?", orgID, w.Above, w.Below).
				Where(w.Edges).Order("notifications.id DESC").Limit(limit).Find(&found).Error
		}
		rows, err := engine.NewestFirst(engine.NotificationsByMonth.Windows(db, r.Edges, engine.BeforeAll, engine.AfterAll),
			limit, page)
		out = make([]crm.Notification, len(rows))
		for i, named := range rows {
			row := named.Row
			out[i] = crm.Notification{
				ID: string(row.ID), OrgID: string(row.OrgID), Kind: crm.NotificationKind(row.Kind),
				ContactID: row.ContactID.Known(), ContactName: named.ContactName, BatchID: row.BatchID.Text(),
				BatchName: named.BatchName, Subject: row.Subject, At: row.At.UTC(), Read: read >= row.ID,
			}
		}
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

func (r notifications) Unread(ctx context.Context, orgID, memberID string) (int, error) {
	const most = 100
	var unread []engine.UID
	err := r.QueryList(ctx, "notifications.unread", func(db *gorm.DB) error {
		read, err := readUpTo(db, memberID)
		if err != nil {
			return err
		}
		page := func(w engine.Window, limit int) (found []engine.UID, err error) {
			err = db.Model(&NotificationRow{}).Where("org_id = ? AND id > ? AND id < ?", orgID, w.Above, w.Below).
				Where(w.Edges).Limit(limit).Pluck("id", &found).Error
			return found, err
		}
		windows := engine.NotificationsByMonth.Windows(db, r.Edges, max(engine.BeforeAll, string(read)), engine.AfterAll)
		unread, err = engine.NewestFirst(windows, most, page)
		return err
	})
	return len(unread), err
}

// markRead reads and writes in one statement, so that a mark never names another organisation's notification, and never
// moves back.
const markRead = `INSERT INTO notification_marks (member_id, up_to)
	SELECT members.id, notifications.id FROM members JOIN notifications ON notifications.org_id = members.org_id
	WHERE members.id = ? AND members.org_id = ? AND notifications.id = ?
	ON CONFLICT (member_id) DO UPDATE SET up_to = excluded.up_to WHERE notification_marks.up_to < excluded.up_to`

func (r notifications) ReadAll(ctx context.Context, orgID, memberID, upTo string) error {
	_, err := r.ExecCount(ctx, "notifications.readAll", func(db *gorm.DB) *gorm.DB {
		return db.Exec(markRead, memberID, orgID, upTo)
	})
	return err
}

// AddNotifications writes notifications on PostgreSQL.
var AddNotifications = engine.ManyOf(NotificationTable)

// tellOnce notes that something was told about a subject, so that it is told once.
const tellOnce = "INSERT INTO told (subject_id, mark, at) VALUES (%s) ON CONFLICT DO NOTHING"

var (
	// TellOnSQLite notes, once, that something was told; both databases take it through GORM.
	TellOnSQLite = fmt.Sprintf(tellOnce, "?, ?, ?")
	// TellOnPostgres is TellOnSQLite past GORM.
	TellOnPostgres = fmt.Sprintf(tellOnce, "$1, $2, $3")

	// NotificationTable is the table of notifications.
	NotificationTable = engine.TableOf(NotificationRow{})
	// InsertNotification writes one on SQLite.
	InsertNotification = NotificationTable.Insert() // on SQLite
)
