package privacy

import (
	"context"
	"database/sql"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
)

// PurposeRow is a purpose.
type PurposeRow struct {
	ID        engine.UID `gorm:"primaryKey"`
	OrgID     engine.UID `gorm:"not null"`
	Code      string     `gorm:"not null"`
	Name      string     `gorm:"not null"`
	Basis     string     `gorm:"not null"`
	Roles     string     `gorm:"not null"`
	CreatedAt time.Time  `gorm:"not null"`
	RetiredAt *time.Time
}

// TableName is the table of the row.
func (PurposeRow) TableName() string { return "purposes" }

func purposeRowOf(p crm.Purpose) PurposeRow {
	return PurposeRow{
		ID: engine.UID(p.ID), OrgID: engine.UID(p.OrgID), Code: p.Code, Name: p.Name, Basis: string(p.Basis),
		Roles:     engine.Commas(p.Roles),
		CreatedAt: engine.Stamp(p.CreatedAt), RetiredAt: engine.OptionalTime(p.RetiredAt),
	}
}

// Purpose is the purpose of a row.
func (r PurposeRow) Purpose() crm.Purpose {
	return crm.Purpose{
		ID: string(r.ID), OrgID: string(r.OrgID), Code: r.Code, Name: r.Name, Basis: crm.Basis(r.Basis),
		Roles: engine.FromCommas[crm.Role](r.Roles), CreatedAt: r.CreatedAt.UTC(), RetiredAt: engine.TimeOf(r.RetiredAt),
	}
}

type purposes struct{ engine.Conn }

func (r purposes) Create(ctx context.Context, p crm.Purpose) error {
	row := purposeRowOf(p)
	return r.Insert(ctx, "purposes.create", &row)
}

func (r purposes) Update(ctx context.Context, p crm.Purpose) error {
	row := purposeRowOf(p)
	return r.Exec(ctx, "purposes.update", func(db *gorm.DB) error {
		return engine.OrNotFound(db.Model(&PurposeRow{}).Where("id = ? AND org_id = ?", row.ID, row.OrgID).
			Select("name", "basis", "roles", "retired_at").Updates(&row))
	})
}

func (r purposes) List(ctx context.Context, orgID string) ([]crm.Purpose, error) {
	return engine.FindAll(ctx, r.Query, "purposes.list", PurposeRow.Purpose, engine.Where("org_id = ?", orgID),
		engine.Order("id"))
}

// AddPurposes adds purposes to lookups, records, keys and batches. It rewrites no row.
func AddPurposes(ctx context.Context, db *sql.DB) error {
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
		if err := engine.Briefly(ctx, db, engine.MigrateTries, func(tx *sql.Tx) error {
			return engine.ExecAll(ctx, tx,
				step)
		}); err != nil {
			return err
		}
	}
	return nil
}

// IndexPurposes lets a statement walk the lookups of one purpose. Lookups without a purpose are not in the indexes.
func IndexPurposes(ctx context.Context, db *sql.DB) error {
	for _, owner := range []string{"org", "key"} {
		of := "(" + owner + "_id, purpose, id DESC NULLS LAST) WHERE purpose <> ''"
		if err := engine.LookupsByMonth.Index(ctx, db, owner+"_purpose", of); err != nil {
			return err
		}
	}
	return nil
}
