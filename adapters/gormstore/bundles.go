package gormstore

import (
	"context"
	"strings"

	"gorm.io/gorm"

	"fichario/domain/catalog"
	"fichario/domain/text"
)

type bundleRow struct {
	ID       uid    `gorm:"primaryKey"`
	OrgID    uid    `gorm:"not null"`
	Name     string `gorm:"not null"`
	Folded   string `gorm:"not null"`
	Products string `gorm:"not null"`
}

func (bundleRow) TableName() string { return "bundles" }

func bundleRowOf(b catalog.Bundle) bundleRow {
	return bundleRow{
		ID: uid(b.ID), OrgID: uid(b.OrgID), Name: b.Name, Folded: text.Fold(b.Name), Products: strings.Join(b.Products, " "),
	}
}

func (r bundleRow) bundle() catalog.Bundle {
	return catalog.Bundle{
		ID: string(r.ID), OrgID: string(r.OrgID), Name: r.Name, Products: strings.Fields(r.Products),
	}
}

type bundles struct{ conn }

func (r bundles) Create(ctx context.Context, b catalog.Bundle) error {
	return r.changing(ctx, "bundles.create", b.OrgID, func(db *gorm.DB) error {
		row := bundleRowOf(b)
		return db.Create(&row).Error
	})
}

func (r bundles) Update(ctx context.Context, b catalog.Bundle) error {
	return r.changing(ctx, "bundles.update", b.OrgID, func(db *gorm.DB) error {
		row := bundleRowOf(b)
		return orNotFound(db.Model(&bundleRow{}).Where("id = ? AND org_id = ?", row.ID, row.OrgID).
			Updates(map[string]any{"name": row.Name, "folded": row.Folded, "products": row.Products}))
	})
}

func (r bundles) Remove(ctx context.Context, b catalog.Bundle) error {
	return r.changing(ctx, "bundles.remove", b.OrgID, func(db *gorm.DB) error {
		return orNotFound(db.Delete(&bundleRow{}, "id = ? AND org_id = ?", b.ID, b.OrgID))
	})
}

func (r bundles) List(ctx context.Context, orgID string) ([]catalog.Bundle, error) {
	return findAll(ctx, r.list, "bundles.list", bundleRow.bundle, where("org_id = ?", orgID), order("folded"))
}
