package contacts

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
)

type funnelRow struct {
	ID        engine.UID `gorm:"primaryKey"`
	OrgID     engine.UID `gorm:"not null"`
	Name      string     `gorm:"not null"`
	IsDefault bool       `gorm:"not null"`
	CreatedAt time.Time  `gorm:"not null"`
}

func (funnelRow) TableName() string { return "funnels" }

// StageRow is a stage of a funnel.
type StageRow struct {
	ID       engine.UID `gorm:"primaryKey"`
	FunnelID engine.UID `gorm:"not null"`
	Name     string     `gorm:"not null"`
	Position int        `gorm:"not null"`
	Outcome  string
}

// TableName is the table of the row.
func (StageRow) TableName() string { return "stages" }

func stageRowsOf(f crm.Funnel) []StageRow {
	stages := make([]StageRow, len(f.Stages))
	for i, s := range f.Stages {
		stages[i] = StageRow{
			ID: engine.UID(s.ID), FunnelID: engine.UID(f.ID), Name: s.Name, Position: i, Outcome: string(s.Outcome),
		}
	}
	return stages
}

// Stage is the stage of a row.
func (r StageRow) Stage() crm.Stage {
	return crm.Stage{ID: string(r.ID), Name: r.Name, Outcome: crm.Outcome(r.Outcome)}
}

type funnels struct{ engine.Conn }

func (r funnels) Create(ctx context.Context, f crm.Funnel) error {
	row := funnelRow{ID: engine.UID(f.ID), OrgID: engine.UID(f.OrgID), Name: f.Name, IsDefault: f.Default,
		CreatedAt: engine.Stamp(f.CreatedAt)}
	stages := stageRowsOf(f)
	return r.ExecPosts(ctx, "funnels.create", f.OrgID, func(db *gorm.DB) error {
		if err := db.Create(&row).Error; err != nil {
			return err
		}
		return db.Create(&stages).Error
	})
}

func (r funnels) Update(ctx context.Context, f crm.Funnel) error {
	stages := stageRowsOf(f)
	ids := engine.Mapped(stages, func(s StageRow) engine.UID { return s.ID })
	upsert := clause.OnConflict{
		Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.AssignmentColumns([]string{"name", "position", "outcome"}),
	}
	return r.ExecPosts(ctx, "funnels.update", f.OrgID, func(db *gorm.DB) error {
		if err := unheld(db, f.OrgID); err != nil {
			return err
		}
		renamed := db.Model(&funnelRow{}).Where("id = ? AND org_id = ?", f.ID, f.OrgID).Update("name", f.Name)
		if err := engine.OrNotFound(renamed); err != nil {
			return err
		}
		if err := db.Delete(&StageRow{}, "funnel_id = ? AND id NOT IN ?", f.ID, ids).Error; err != nil {
			return err
		}
		// Move the stages out of the way first: no two stages of a funnel may share a position.
		away := db.Model(&StageRow{}).Where("funnel_id = ?", f.ID).Update("position", gorm.Expr("-1 - position"))
		if away.Error != nil {
			return away.Error
		}
		return db.Clauses(upsert).Create(&stages).Error
	})
}

func (r funnels) List(ctx context.Context, orgID string) ([]crm.Funnel, error) {
	var (
		rows   []funnelRow
		stages []StageRow
	)
	err := r.QueryList(ctx, "funnels.list", func(db *gorm.DB) error {
		if err := db.Order("is_default DESC, created_at, id").Find(&rows, "org_id = ?", orgID).Error; err != nil {
			return err
		}
		ofOrg := db.Model(&funnelRow{}).Select("id").Where("org_id = ?", orgID)
		return db.Order("position").Find(&stages, "funnel_id IN (?)", ofOrg).Error
	})
	out := make([]crm.Funnel, len(rows))
	for i, row := range rows {
		out[i] = crm.Funnel{
			ID: string(row.ID), OrgID: string(row.OrgID), Name: row.Name, Default: row.IsDefault, CreatedAt: row.CreatedAt.UTC(),
		}
		for _, s := range stages {
			if s.FunnelID == row.ID {
				out[i].Stages = append(out[i].Stages, s.Stage())
			}
		}
	}
	return out, err
}

// hold keeps a stage or an origin from being removed until the transaction ends; engine.ErrRemoved where it was removed
// before. On Citus, where each node has a copy of both, a locked row would lock all of them: there those of the
// organisation have an advisory lock.
func hold(db *gorm.DB, orgID string, row schema.Tabler, id engine.UID) error {
	var held *gorm.DB
	if engine.Distributed(db) {
		if err := db.Exec("SELECT pg_advisory_xact_lock_shared(?)", heldLock(orgID)).Error; err != nil {
			return err
		}
		held = db
	} else {
		held = engine.Locked("KEY SHARE", "")(db)
	}
	err := held.Select("id").Take(row, "id = ?", id).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return engine.ErrRemoved
	}
	return err
}

// unheld waits until nothing that is removed next is held: see hold. Elsewhere than on Citus the removal itself waits.
func unheld(db *gorm.DB, orgID string) error {
	if !engine.Distributed(db) {
		return nil
	}
	return db.Exec("SELECT pg_advisory_xact_lock(?)", heldLock(orgID)).Error
}

// heldLock is the lock of an organisation's stages and origins.
func heldLock(orgID string) int64 { return engine.LockNumber("stages", engine.UID(orgID)) }
