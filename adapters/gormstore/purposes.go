package gormstore

import (
	"context"
	"database/sql"
	"time"

	"gorm.io/gorm"

	"fichario/domain/crm"
)

type purposeRow struct {
	ID        uid       `gorm:"primaryKey"`
	OrgID     uid       `gorm:"not null"`
	Code      string    `gorm:"not null"`
	Name      string    `gorm:"not null"`
	Basis     string    `gorm:"not null"`
	Roles     string    `gorm:"not null"`
	CreatedAt time.Time `gorm:"not null"`
	RetiredAt *time.Time
}

func (purposeRow) TableName() string { return "purposes" }

func purposeRowOf(p crm.Purpose) purposeRow {
	return purposeRow{
		ID: uid(p.ID), OrgID: uid(p.OrgID), Code: p.Code, Name: p.Name, Basis: string(p.Basis), Roles: commas(p.Roles),
		CreatedAt: stamp(p.CreatedAt), RetiredAt: optionalTime(p.RetiredAt),
	}
}

func (r purposeRow) purpose() crm.Purpose {
	return crm.Purpose{
		ID: string(r.ID), OrgID: string(r.OrgID), Code: r.Code, Name: r.Name, Basis: crm.Basis(r.Basis),
		Roles: fromCommas[crm.Role](r.Roles), CreatedAt: r.CreatedAt.UTC(), RetiredAt: timeOf(r.RetiredAt),
	}
}

type purposes struct{ conn }

func (r purposes) Create(ctx context.Context, p crm.Purpose) error {
	row := purposeRowOf(p)
	return r.create(ctx, "purposes.create", &row)
}

func (r purposes) Update(ctx context.Context, p crm.Purpose) error {
	row := purposeRowOf(p)
	return r.exec(ctx, "purposes.update", func(db *gorm.DB) error {
		return orNotFound(db.Model(&purposeRow{}).Where("id = ? AND org_id = ?", row.ID, row.OrgID).
			Select("name", "basis", "roles", "retired_at").Updates(&row))
	})
}

func (r purposes) List(ctx context.Context, orgID string) ([]crm.Purpose, error) {
	return findAll(ctx, r.query, "purposes.list", purposeRow.purpose, where("org_id = ?", orgID), order("id"))
}

// addPurposes adds purposes to lookups, records, keys and batches. It rewrites no row.
func addPurposes(ctx context.Context, db *sql.DB) error {
	for _, step := range []string{
		`CREATE TABLE IF NOT EXISTS purposes (
			id         uuid NOT NULL PRIMARY KEY,
			org_id     uuid NOT NULL REFERENCES organisations (id),
			code       text NOT NULL,
			name       text NOT NULL,
			basis      text NOT NULL,
			roles      text NOT NULL,
			created_at timestamptz NOT NULL,
			retired_at timestamptz
		)`,
		"CREATE UNIQUE INDEX IF NOT EXISTS purposes_code ON purposes (org_id, code)",
		"ALTER TABLE organisations ADD COLUMN IF NOT EXISTS own_history boolean NOT NULL DEFAULT false",
		`ALTER TABLE keys ADD COLUMN IF NOT EXISTS purposes text NOT NULL DEFAULT '',
			ADD COLUMN IF NOT EXISTS networks text NOT NULL DEFAULT ''`,
		"ALTER TABLE batches ADD COLUMN IF NOT EXISTS purpose text NOT NULL DEFAULT ''",
		"ALTER TABLE records ADD COLUMN IF NOT EXISTS purpose text NOT NULL DEFAULT ''",
		"ALTER TABLE lookups ADD COLUMN IF NOT EXISTS purpose text NOT NULL DEFAULT ''",
	} {
		if err := briefly(ctx, db, migrateTries, func(tx *sql.Tx) error { return execAll(ctx, tx, step) }); err != nil {
			return err
		}
	}
	return nil
}

// indexPurposes lets a statement walk the lookups of one purpose. Lookups without a purpose are not in the indexes.
func indexPurposes(ctx context.Context, db *sql.DB) error {
	for _, owner := range []string{"org", "key"} {
		of := "(" + owner + "_id, purpose, id DESC NULLS LAST) WHERE purpose <> ''"
		if err := lookupsByMonth.index(ctx, db, owner+"_purpose", of); err != nil {
			return err
		}
	}
	return nil
}
