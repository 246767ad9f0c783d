package gormstore

import (
	"context"

	"gorm.io/gorm"

	"fichario/domain/crm"
	"fichario/domain/text"
	"fichario/ports"
)

type originRow struct {
	ID     uid    `gorm:"primaryKey"`
	OrgID  uid    `gorm:"not null"`
	Name   string `gorm:"not null"`
	Folded string `gorm:"not null"`
}

func (originRow) TableName() string { return "origins" }

func (r originRow) origin() crm.Origin {
	return crm.Origin{ID: string(r.ID), OrgID: string(r.OrgID), Name: r.Name}
}

type origins struct{ conn }

func (r origins) Create(ctx context.Context, o crm.Origin) error {
	return r.changing(ctx, o.OrgID, func(db *gorm.DB) error {
		return db.Create(&originRow{ID: uid(o.ID), OrgID: uid(o.OrgID), Name: o.Name, Folded: text.Fold(o.Name)}).Error
	})
}

func (r origins) Rename(ctx context.Context, o crm.Origin) error {
	return r.changing(ctx, o.OrgID, func(db *gorm.DB) error {
		return orNotFound(db.Model(&originRow{}).Where("id = ? AND org_id = ?", o.ID, o.OrgID).Updates(map[string]any{"name": o.Name, "folded": text.Fold(o.Name)}))
	})
}

func (r origins) Remove(ctx context.Context, o crm.Origin) error {
	return r.changing(ctx, o.OrgID, func(db *gorm.DB) error {
		var used int64
		err := db.Raw(`SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM contacts WHERE org_id = ? AND origin_id = ? LIMIT 1) AS c) +
			(SELECT COUNT(*) FROM webhooks WHERE origin_id = ?) + (SELECT COUNT(*) FROM automations WHERE origin_id = ?)`, o.OrgID, o.ID, o.ID, o.ID).Scan(&used).Error
		if err != nil {
			return err
		}
		if used > 0 {
			return ports.ErrExists
		}
		return orNotFound(db.Delete(&originRow{}, "id = ? AND org_id = ?", o.ID, o.OrgID))
	})
}

func (r origins) List(ctx context.Context, orgID string) ([]crm.Origin, error) {
	var rows []originRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Order("folded").Find(&rows, "org_id = ?", orgID).Error })
	return mapped(rows, originRow.origin), err
}
