package gormstore

import (
	"context"
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
}

func (notificationRow) TableName() string { return "notifications" }

type markRow struct {
	MemberID uid `gorm:"primaryKey"`
	UpTo     uid `gorm:"not null"`
}

func (markRow) TableName() string { return "notification_marks" }

func notificationRowOf(n crm.Notification) notificationRow {
	return notificationRow{ID: uid(n.ID), OrgID: uid(n.OrgID), Kind: string(n.Kind), ContactID: uid(n.ContactID), Subject: n.Subject, At: stamp(n.At)}
}

type notifications struct{ conn }

func (r notifications) Create(ctx context.Context, n crm.Notification) error {
	row := notificationRowOf(n)
	return r.exec(ctx, func(db *gorm.DB) error { return db.Create(&row).Error })
}

func (r notifications) List(ctx context.Context, orgID, memberID string, limit int) ([]crm.Notification, error) {
	var rows []struct {
		Row         notificationRow `gorm:"embedded"`
		ContactName string
	}
	var mark markRow
	err := r.query(ctx, func(db *gorm.DB) error {
		if memberID != "" {
			if err := db.Limit(1).Find(&mark, "member_id = ?", memberID).Error; err != nil {
				return err
			}
		}
		return db.Table("notifications").Select("notifications.*, contacts.name AS contact_name").
			Joins("JOIN contacts ON contacts.id = notifications.contact_id").Where("notifications.org_id = ?", orgID).
			Order("notifications.id DESC").Limit(limit).Find(&rows).Error
	})
	out := make([]crm.Notification, len(rows))
	for i, r := range rows {
		row := r.Row
		out[i] = crm.Notification{
			ID: string(row.ID), OrgID: string(row.OrgID), Kind: crm.NotificationKind(row.Kind), ContactID: string(row.ContactID),
			ContactName: r.ContactName, Subject: row.Subject, At: row.At.UTC(), Read: mark.UpTo >= row.ID,
		}
	}
	return out, err
}

func (r notifications) Unread(ctx context.Context, orgID, memberID string) (n int, err error) {
	err = r.query(ctx, func(db *gorm.DB) error {
		var mark markRow
		if err := db.Limit(1).Find(&mark, "member_id = ?", memberID).Error; err != nil {
			return err
		}
		some := db.Model(&notificationRow{}).Select("id").Where("org_id = ?", orgID)
		if mark.UpTo != "" {
			some = some.Where("id > ?", mark.UpTo)
		}
		return db.Raw("SELECT COUNT(*) FROM (?) AS unread", some.Limit(100)).Scan(&n).Error
	})
	return n, err
}

func (r notifications) ReadAll(ctx context.Context, orgID, memberID, upTo string) error {
	_, err := r.affected(ctx, `INSERT INTO notification_marks (member_id, up_to)
		SELECT members.id, notifications.id FROM members JOIN notifications ON notifications.org_id = members.org_id
		WHERE members.id = ? AND members.org_id = ? AND notifications.id = ?
		ON CONFLICT (member_id) DO UPDATE SET up_to = excluded.up_to WHERE notification_marks.up_to < excluded.up_to`,
		memberID, orgID, upTo)
	return err
}
