package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/domain/crm"
)

type funnelRow struct {
	ID        uid       `gorm:"primaryKey"`
	OrgID     uid       `gorm:"not null"`
	Name      string    `gorm:"not null"`
	IsDefault bool      `gorm:"not null"`
	CreatedAt time.Time `gorm:"not null"`
}

func (funnelRow) TableName() string { return "funnels" }

type stageRow struct {
	ID       uid    `gorm:"primaryKey"`
	FunnelID uid    `gorm:"not null"`
	Name     string `gorm:"not null"`
	Position int    `gorm:"not null"`
	Outcome  string
}

func (stageRow) TableName() string { return "stages" }

func stageRowsOf(f crm.Funnel) []stageRow {
	stages := make([]stageRow, len(f.Stages))
	for i, s := range f.Stages {
		stages[i] = stageRow{
			ID: uid(s.ID), FunnelID: uid(f.ID), Name: s.Name, Position: i, Outcome: string(s.Outcome),
		}
	}
	return stages
}

func (r stageRow) stage() crm.Stage {
	return crm.Stage{ID: string(r.ID), Name: r.Name, Outcome: crm.Outcome(r.Outcome)}
}

type funnels struct{ conn }

func (r funnels) Create(ctx context.Context, f crm.Funnel) error {
	row := funnelRow{ID: uid(f.ID), OrgID: uid(f.OrgID), Name: f.Name, IsDefault: f.Default, CreatedAt: stamp(f.CreatedAt)}
	stages := stageRowsOf(f)
	return r.changing(ctx, "funnels.create", f.OrgID, func(db *gorm.DB) error {
		if err := db.Create(&row).Error; err != nil {
			return err
		}
		return db.Create(&stages).Error
	})
}

func (r funnels) Update(ctx context.Context, f crm.Funnel) error {
	stages := stageRowsOf(f)
	ids := mapped(stages, func(s stageRow) uid { return s.ID })
	upsert := clause.OnConflict{
		Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.AssignmentColumns([]string{"name", "position", "outcome"}),
	}
	return r.changing(ctx, "funnels.update", f.OrgID, func(db *gorm.DB) error {
		renamed := db.Model(&funnelRow{}).Where("id = ? AND org_id = ?", f.ID, f.OrgID).Update("name", f.Name)
		if err := orNotFound(renamed); err != nil {
			return err
		}
		if err := db.Delete(&stageRow{}, "funnel_id = ? AND id NOT IN ?", f.ID, ids).Error; err != nil {
			return err
		}
		// Move the stages out of the way first: no two stages of a funnel may share a position.
		away := db.Model(&stageRow{}).Where("funnel_id = ?", f.ID).Update("position", gorm.Expr("-1 - position"))
		if away.Error != nil {
			return away.Error
		}
		return db.Clauses(upsert).Create(&stages).Error
	})
}

func (r funnels) List(ctx context.Context, orgID string) ([]crm.Funnel, error) {
	var (
		rows   []funnelRow
		stages []stageRow
	)
	err := r.list(ctx, "funnels.list", func(db *gorm.DB) error {
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
				out[i].Stages = append(out[i].Stages, s.stage())
			}
		}
	}
	return out, err
}

// hold keeps a stage from being removed until the transaction ends.
func hold(db *gorm.DB, stageID string) error {
	return locked("KEY SHARE", "")(db).Select("id").Take(&stageRow{}, "id = ?", stageID).Error
}
