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
}

func (stageRow) TableName() string { return "stages" }

type funnels struct{ conn }

func (r funnels) Create(ctx context.Context, f crm.Funnel) error {
	stages := make([]stageRow, len(f.Stages))
	for i, s := range f.Stages {
		stages[i] = stageRow{ID: uid(s.ID), FunnelID: uid(f.ID), Name: s.Name, Position: i}
	}
	return r.changing(ctx, f.OrgID, func(db *gorm.DB) error {
		row := funnelRow{ID: uid(f.ID), OrgID: uid(f.OrgID), Name: f.Name, IsDefault: f.Default, CreatedAt: stamp(f.CreatedAt)}
		if err := db.Create(&row).Error; err != nil {
			return err
		}
		return db.Create(&stages).Error
	})
}

func (r funnels) Update(ctx context.Context, f crm.Funnel) error {
	ids := make([]string, 0, len(f.Stages))
	stages := make([]stageRow, len(f.Stages))
	for i, s := range f.Stages {
		ids = append(ids, s.ID)
		stages[i] = stageRow{ID: uid(s.ID), FunnelID: uid(f.ID), Name: s.Name, Position: i}
	}
	return r.changing(ctx, f.OrgID, func(db *gorm.DB) error {
		changed := db.Model(&funnelRow{}).Where("id = ? AND org_id = ?", f.ID, f.OrgID).Update("name", f.Name)
		if err := orNotFound(changed); err != nil {
			return err
		}
		if err := db.Delete(&stageRow{}, "funnel_id = ? AND id NOT IN ?", f.ID, ids).Error; err != nil {
			return err
		}
		// Out of the way first: no two stages of a funnel have one position.
		if err := db.Exec("UPDATE stages SET position = -1 - position WHERE funnel_id = ?", f.ID).Error; err != nil {
			return err
		}
		return db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.AssignmentColumns([]string{"name", "position"})}).Create(&stages).Error
	})
}

func (r funnels) List(ctx context.Context, orgID string) ([]crm.Funnel, error) {
	var (
		rows   []funnelRow
		stages []stageRow
	)
	err := r.query(ctx, func(db *gorm.DB) error {
		if err := db.Order("is_default DESC, created_at, id").Find(&rows, "org_id = ?", orgID).Error; err != nil {
			return err
		}
		return db.Order("position").Find(&stages, "funnel_id IN (?)", db.Model(&funnelRow{}).Select("id").Where("org_id = ?", orgID)).Error
	})
	out := make([]crm.Funnel, len(rows))
	for i, row := range rows {
		out[i] = crm.Funnel{ID: string(row.ID), OrgID: string(row.OrgID), Name: row.Name, Default: row.IsDefault, CreatedAt: row.CreatedAt.UTC()}
		for _, s := range stages {
			if s.FunnelID == row.ID {
				out[i].Stages = append(out[i].Stages, crm.Stage{ID: string(s.ID), Name: s.Name})
			}
		}
	}
	return out, err
}

// hold keeps a stage from being removed until the transaction ends.
func hold(db *gorm.DB, stageID string) error {
	// SQLite has one writer and no row locks; its dialect leaves the clause out.
	return db.Clauses(clause.Locking{Strength: "KEY SHARE"}).Select("id").Take(&stageRow{}, "id = ?", stageID).Error
}
