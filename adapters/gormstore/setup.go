package gormstore

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/domain/crm"
	"fichario/domain/text"
	"fichario/ports"
)

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

// orNotFound is the error of a change that met nothing.
func orNotFound(changed *gorm.DB) error {
	if changed.Error == nil && changed.RowsAffected == 0 {
		return ports.ErrNotFound
	}
	return changed.Error
}

func (r origins) Rename(ctx context.Context, o crm.Origin) error {
	return r.changing(ctx, o.OrgID, func(db *gorm.DB) error {
		return orNotFound(db.Model(&originRow{}).Where("id = ? AND org_id = ?", o.ID, o.OrgID).Updates(map[string]any{"name": o.Name, "folded": text.Fold(o.Name)}))
	})
}

func (r origins) Remove(ctx context.Context, o crm.Origin) error {
	return r.changing(ctx, o.OrgID, func(db *gorm.DB) error {
		var used int64
		err := db.Raw(`SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM contacts WHERE org_id = ? AND origin_id = ? LIMIT 1) AS c) +
			(SELECT COUNT(*) FROM webhooks WHERE origin_id = ?) + (SELECT COUNT(*) FROM automations WHERE origin_id = ?)`, o.OrgID, o.ID, o.ID, o.ID).Scan(&used).Error
		if err != nil {
			return err
		}
		if used > 0 {
			return ports.ErrExists
		}
		return orNotFound(db.Delete(&originRow{}, "id = ? AND org_id = ?", o.ID, o.OrgID))
	})
}

func (r contacts) InStage(ctx context.Context, stageID string) (bool, error) {
	var ids []uid
	err := r.query(ctx, func(db *gorm.DB) error {
		return db.Model(&contactRow{}).Where("stage_id = ?", stageID).Limit(1).Pluck("id", &ids).Error
	})
	return len(ids) > 0, err
}
