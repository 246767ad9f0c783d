package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type retention struct{ conn }

// ForgetAnswers moves the mark before it removes what is before it, so that entries whose answer is gone are never
// taken for ones that have lost it.
func (r retention) ForgetAnswers(ctx context.Context, before time.Time) (n int, err error) {
	err = r.whole(ctx, "retention.forgetAnswers", func(db *gorm.DB) error {
		mark := privacyMarkRow{Name: "records", UpTo: uid(firstID(before))}
		err := db.Clauses(clause.OnConflict{
			Columns: []clause.Column{{Name: "name"}}, DoUpdates: clause.AssignmentColumns([]string{"up_to"}),
			Where: clause.Where{Exprs: []clause.Expression{clause.Expr{SQL: "privacy_marks.up_to < excluded.up_to"}}},
		}).Create(&mark).Error
		if err != nil {
			return err
		}
		var ids []string
		old := db.Model(&recordRow{}).Where("id < ?", mark.UpTo).Order("id").Limit(forgetAtOnce)
		if err := locked("UPDATE", "SKIP LOCKED")(old).Pluck("id", &ids).Error; err != nil || len(ids) == 0 {
			return err
		}
		n = len(ids)
		return db.Delete(&recordRow{}, "id IN ?", ids).Error
	})
	return n, err
}

func (r retention) OldContacts(ctx context.Context, before time.Time, limit int) (map[string][]string, error) {
	out := map[string][]string{}
	err := r.query(ctx, "retention.oldContacts", func(db *gorm.DB) error {
		var rows []contactRow
		err := db.Select("id", "org_id").Where("id < ?", firstID(before)).Order("id").Limit(limit).Find(&rows).Error
		for _, row := range rows {
			out[string(row.OrgID)] = append(out[string(row.OrgID)], string(row.ID))
		}
		return err
	})
	return out, err
}
