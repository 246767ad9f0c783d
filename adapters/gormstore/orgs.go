package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/domain/crm"
)

type orgRow struct {
	ID        uid       `gorm:"primaryKey"`
	Name      string    `gorm:"not null"`
	CreatedAt time.Time `gorm:"not null"`
	Epoch     int64     `gorm:"not null;default:0"`
}

func (orgRow) TableName() string { return "organisations" }

type orgs struct{ conn }

func (r orgs) Create(ctx context.Context, o crm.Organisation) error {
	return r.exec(ctx, func(db *gorm.DB) error {
		return db.Create(&orgRow{ID: uid(o.ID), Name: o.Name, CreatedAt: stamp(o.CreatedAt)}).Error
	})
}

func (r orgs) Find(ctx context.Context, id string) (crm.Organisation, error) {
	var row orgRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Take(&row, "id = ?", id).Error })
	return crm.Organisation{ID: string(row.ID), Name: row.Name, CreatedAt: row.CreatedAt.UTC()}, err
}

func (r orgs) List(ctx context.Context) ([]crm.Organisation, error) {
	var rows []orgRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Order("created_at, id").Find(&rows).Error })
	out := make([]crm.Organisation, len(rows))
	for i, row := range rows {
		out[i] = crm.Organisation{ID: string(row.ID), Name: row.Name, CreatedAt: row.CreatedAt.UTC()}
	}
	return out, err
}

func (r orgs) Lock(ctx context.Context, id string) error {
	return r.exec(ctx, func(db *gorm.DB) error {
		// SQLite has one writer and no row locks; its dialect leaves the clause out.
		return db.Clauses(clause.Locking{Strength: "UPDATE"}).Select("id").Take(&orgRow{}, "id = ?", id).Error
	})
}
