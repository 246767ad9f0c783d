package gormstore

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"fichario/domain/crm"
)

type notificationRow struct {
	ID        uid       `gorm:"primaryKey"`
	OrgID     uid       `gorm:"not null"`
	Kind      string    `gorm:"not null"`
	ContactID uid       `gorm:"not null"`
	Subject   string    `gorm:"not null"`
	At        time.Time `gorm:"not null"`
	BatchID   *uid
}

var notificationColumns = columnNames(notificationRow{}, "notifications")

func (notificationRow) TableName() string { return "notifications" }

type markRow struct {
	MemberID uid `gorm:"primaryKey"`
	UpTo     uid `gorm:"not null"`
}

func (markRow) TableName() string { return "notification_marks" }

func notificationRowOf(n crm.Notification) notificationRow {
	return notificationRow{
		ID: uid(n.ID), OrgID: uid(n.OrgID), Kind: string(n.Kind), ContactID: orNoID(optional(n.ContactID)),
		Subject: n.Subject, At: stamp(n.At), BatchID: optional(n.BatchID),
	}
}

type notifications struct{ conn }

func (r notifications) Create(ctx context.Context, n crm.Notification) error {
	row := notificationRowOf(n)
	return r.create(ctx, "notifications.create", &row)
}

func (r notifications) CreateOnce(
	ctx context.Context, n crm.Notification, subjectID, mark string,
) (told bool, err error) {
	row := notificationRowOf(n)
	err = r.inside(ctx, "notifications.createOnce", func(db *gorm.DB) error {
		once := db.Exec(tellOnSQLite, subjectID, mark, row.At)
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
	err = r.list(ctx, "notifications.list", func(db *gorm.DB) error {
		read, err := readUpTo(db, memberID)
		if err != nil {
			return err
		}
		type namedRow struct {
			Row         notificationRow `gorm:"embedded"`
			ContactName string
			BatchName   string
		}
		page := func(w window, limit int) (found []namedRow, err error) {
			return found, db.Table("notifications").Select(notificationColumns+", COALESCE(contacts.name, '') AS contact_name, "+
				"COALESCE(batches.name, '') AS batch_name").
				Joins("LEFT JOIN contacts ON contacts.id = notifications.contact_id").
				Joins("LEFT JOIN batches ON batches.id = notifications.batch_id").
				Where("notifications.org_id = ? AND notifications.id > ? AND notifications.id < ?", orgID, w.above, w.below).
				Where(w.edges).Order("notifications.id DESC").Limit(limit).Find(&found).Error
		}
		rows, err := newestFirst(notificationsByMonth.windows(db, r.edges, beforeAll, afterAll), limit, page)
		out = make([]crm.Notification, len(rows))
		for i, named := range rows {
			row := named.Row
			out[i] = crm.Notification{
				ID: string(row.ID), OrgID: string(row.OrgID), Kind: crm.NotificationKind(row.Kind),
				ContactID: row.ContactID.known(), ContactName: named.ContactName, BatchID: row.BatchID.text(),
				BatchName: named.BatchName, Subject: row.Subject, At: row.At.UTC(), Read: read >= row.ID,
			}
		}
		return err
	})
	return out, err
}

// readUpTo is the newest notification that a member has read; empty when there is none.
func readUpTo(db *gorm.DB, memberID string) (uid, error) {
	if memberID == "" {
		return "", nil
	}
	var mark markRow
	err := db.Limit(1).Find(&mark, "member_id = ?", memberID).Error
	return mark.UpTo, err
}

func (r notifications) Unread(ctx context.Context, orgID, memberID string) (int, error) {
	const most = 100
	var unread []uid
	err := r.list(ctx, "notifications.unread", func(db *gorm.DB) error {
		read, err := readUpTo(db, memberID)
		if err != nil {
			return err
		}
		page := func(w window, limit int) (found []uid, err error) {
			err = db.Model(&notificationRow{}).Where("org_id = ? AND id > ? AND id < ?", orgID, w.above, w.below).
				Where(w.edges).Limit(limit).Pluck("id", &found).Error
			return found, err
		}
		windows := notificationsByMonth.windows(db, r.edges, max(beforeAll, string(read)), afterAll)
		unread, err = newestFirst(windows, most, page)
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
	_, err := r.changed(ctx, "notifications.readAll", func(db *gorm.DB) *gorm.DB {
		return db.Exec(markRead, memberID, orgID, upTo)
	})
	return err
}

var addNotifications = manyOf(notificationTable)

// tellOnce notes that something was told about a subject, so that it is told once.
const tellOnce = "INSERT INTO told (subject_id, mark, at) VALUES (%s) ON CONFLICT DO NOTHING"

var (
	tellOnSQLite   = fmt.Sprintf(tellOnce, "?, ?, ?")
	tellOnPostgres = fmt.Sprintf(tellOnce, "$1, $2, $3")

	notificationTable  = tableOf(notificationRow{})
	insertNotification = notificationTable.insert() // on SQLite
)
