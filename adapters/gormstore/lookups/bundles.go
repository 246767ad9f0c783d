package lookups

import (
	"context"
	"strings"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/catalog"
	"fichario/domain/text"
)

type bundleRow struct {
	ID       engine.UID `gorm:"primaryKey"`
	OrgID    engine.UID `gorm:"not null"`
	Name     string     `gorm:"not null"`
	Folded   string     `gorm:"not null"`
	Products string     `gorm:"not null"`
}

func (bundleRow) TableName() string { return "bundles" }

func bundleRowOf(b catalog.Bundle) bundleRow {
	return bundleRow{
		ID: engine.UID(b.ID), OrgID: engine.UID(b.OrgID), Name: b.Name, Folded: text.Fold(b.Name),
		Products: strings.Join(b.Products, " "),
	}
}

func (r bundleRow) bundle() catalog.Bundle {
	return catalog.Bundle{
		ID: string(r.ID), OrgID: string(r.OrgID), Name: r.Name, Products: strings.Fields(r.Products),
	}
}

type bundles struct{ engine.Conn }

func (r bundles) Create(ctx context.Context, b catalog.Bundle) error {
	return r.ExecPosts(ctx, "bundles.create", b.OrgID, func(db *gorm.DB) error {
		row := bundleRowOf(b)
		return db.Create(&row).Error
	})
}

func (r bundles) Update(ctx context.Context, b catalog.Bundle) error {
	return r.ExecPosts(ctx, "bundles.update", b.OrgID, func(db *gorm.DB) error {
		row := bundleRowOf(b)
		return engine.OrNotFound(db.Model(&bundleRow{}).Where("id = ? AND org_id = ?", row.ID, row.OrgID).
			Updates(map[string]any{"name": row.Name, "folded": row.Folded, "products": row.Products}))
	})
}

func (r bundles) Remove(ctx context.Context, b catalog.Bundle) error {
	return r.ExecPosts(ctx, "bundles.remove", b.OrgID, func(db *gorm.DB) error {
		return engine.OrNotFound(db.Delete(&bundleRow{}, "id = ? AND org_id = ?", b.ID, b.OrgID))
	})
}

func (r bundles) List(ctx context.Context, orgID string) ([]catalog.Bundle, error) {
	return engine.FindAll(ctx, r.QueryList, "bundles.list", bundleRow.bundle, engine.Where("org_id = ?", orgID),
		engine.Order("folded"))
}
