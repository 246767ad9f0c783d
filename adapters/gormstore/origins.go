package gormstore

import (
	"cmp"
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
	return r.changing(ctx, "origins.create", o.OrgID, func(db *gorm.DB) error {
		return db.Create(&originRow{ID: uid(o.ID), OrgID: uid(o.OrgID), Name: o.Name, Folded: text.Fold(o.Name)}).Error
	})
}

func (r origins) Rename(ctx context.Context, o crm.Origin) error {
	return r.changing(ctx, "origins.rename", o.OrgID, func(db *gorm.DB) error {
		return orNotFound(db.Model(&originRow{}).Where("id = ? AND org_id = ?", o.ID, o.OrgID).
			Updates(map[string]any{"name": o.Name, "folded": text.Fold(o.Name)}))
	})
}

func (r origins) Remove(ctx context.Context, o crm.Origin) error {
	return r.changing(ctx, "origins.remove", o.OrgID, func(db *gorm.DB) error {
		linked := func(table string) *gorm.DB { return db.Table(table).Select("1").Where("origin_id = ?", o.ID) }
		var known, used bool
		own := db.Model(&originRow{}).Select("1").Where("id = ? AND org_id = ?", o.ID, o.OrgID)
		if err := db.Raw("SELECT EXISTS (?)", own).Scan(&known).Error; err != nil || !known {
			return cmp.Or(err, ports.ErrNotFound)
		}
		contacts := linked("contacts").Where("org_id = ?", o.OrgID)
		hooks, rules := linked("webhooks"), linked("automations")
		err := db.Raw("SELECT EXISTS (?) OR EXISTS (?) OR EXISTS (?)", contacts, hooks, rules).Scan(&used).Error
		if err != nil {
			return err
		}
		if used {
			return ports.ErrExists
		}
		return orNotFound(db.Delete(&originRow{}, "id = ? AND org_id = ?", o.ID, o.OrgID))
	})
}

func (r origins) List(ctx context.Context, orgID string) ([]crm.Origin, error) {
	return findAll(ctx, r.list, "origins.list", originRow.origin, where("org_id = ?", orgID), order("folded"))
}
