package contacts

import (
	"context"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
	"fichario/domain/text"
	"fichario/ports"
)

// OriginRow is an origin of contacts.
type OriginRow struct {
	ID     engine.UID `gorm:"primaryKey"`
	OrgID  engine.UID `gorm:"not null"`
	Name   string     `gorm:"not null"`
	Folded string     `gorm:"not null"`
}

// TableName is the table of the row.
func (OriginRow) TableName() string { return "origins" }

// Origin is the origin of a row.
func (r OriginRow) Origin() crm.Origin {
	return crm.Origin{ID: string(r.ID), OrgID: string(r.OrgID), Name: r.Name}
}

type origins struct{ engine.Conn }

func (r origins) Create(ctx context.Context, o crm.Origin) error {
	return r.ExecPosts(ctx, "origins.create", o.OrgID, func(db *gorm.DB) error {
		return db.Create(&OriginRow{ID: engine.UID(o.ID), OrgID: engine.UID(o.OrgID), Name: o.Name,
			Folded: text.Fold(o.Name)}).Error
	})
}

func (r origins) Rename(ctx context.Context, o crm.Origin) error {
	return r.ExecPosts(ctx, "origins.rename", o.OrgID, func(db *gorm.DB) error {
		return engine.OrNotFound(db.Model(&OriginRow{}).Where("id = ? AND org_id = ?", o.ID, o.OrgID).
			Updates(map[string]any{"name": o.Name, "folded": text.Fold(o.Name)}))
	})
}

func (r origins) Remove(ctx context.Context, o crm.Origin) error {
	return r.ExecPosts(ctx, "origins.remove", o.OrgID, func(db *gorm.DB) error {
		if err := unheld(db, o.OrgID); err != nil {
			return err
		}
		// Whoever makes a contact with it has done so by then, or can no longer.
		own := engine.Locked("UPDATE", "")(db).Where("id = ? AND org_id = ?", o.ID, o.OrgID)
		if err := own.Select("id").Take(&OriginRow{}).Error; err != nil {
			return err
		}
		linked := func(table string) *gorm.DB { return db.Table(table).Select("1").Where("origin_id = ?", o.ID) }
		var used bool
		contacts := linked("contacts").Where("org_id = ?", o.OrgID)
		hooks, rules := linked("webhooks"), linked("automations")
		err := db.Raw("SELECT EXISTS (?) OR EXISTS (?) OR EXISTS (?)", contacts, hooks, rules).Scan(&used).Error
		if err != nil {
			return err
		}
		if used {
			return ports.ErrExists
		}
		return engine.OrNotFound(db.Delete(&OriginRow{}, "id = ? AND org_id = ?", o.ID, o.OrgID))
	})
}

func (r origins) List(ctx context.Context, orgID string) ([]crm.Origin, error) {
	return engine.FindAll(ctx, r.QueryList, "origins.list", OriginRow.Origin, engine.Where("org_id = ?", orgID),
		engine.Order("folded"))
}
