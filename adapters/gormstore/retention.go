package gormstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"gorm.io/gorm"
)

type retention struct{ conn }

// ForgetAnswers moves the mark before it removes what precedes it, so that entries with an expired answer are never
// taken for ones that lost theirs.
func (r retention) ForgetAnswers(ctx context.Context, before time.Time) (n int, err error) {
	err = r.whole(ctx, "retention.forgetAnswers", func(db *gorm.DB) error {
		if err := moveMark(db, "records", firstID(before)); err != nil {
			return err
		}
		var ids []string
		old := db.Model(&recordRow{}).Where("id < ?", firstID(before)).Order("id").Limit(forgetAtOnce)
		if err := locked("UPDATE", "SKIP LOCKED")(old).Pluck("id", &ids).Error; err != nil || len(ids) == 0 {
			return err
		}
		n = len(ids)
		return db.Delete(&recordRow{}, "id IN ?", ids).Error
	})
	return n, err
}

// OldContacts checks the history of each contact; contact ids begin with their time.
func (r retention) OldContacts(
	ctx context.Context, before time.Time, after string, limit int,
) (old map[string][]string, next string, err error) {
	old = map[string][]string{}
	err = r.query(ctx, "retention.oldContacts", func(db *gorm.DB) error {
		var rows []contactRow
		some := db
		if r.tx {
			some = locked("UPDATE", "")(db)
		}
		err := some.Select("id", "org_id").Where("id > ? AND id < ?", cmp.Or(after, beforeAll), firstID(before)).Order("id").
			Limit(limit).Find(&rows).Error
		if err != nil || len(rows) == 0 {
			return err
		}
		next = string(rows[len(rows)-1].ID)
		var alive []uid
		err = db.Session(&gorm.Session{NewDB: true}).Model(&eventRow{}).Distinct("contact_id").
			Where("contact_id IN ? AND id >= ?", mapped(rows, func(c contactRow) uid { return c.ID }), firstID(before)).
			Pluck("contact_id", &alive).Error
		for _, row := range rows {
			if !slices.Contains(alive, row.ID) {
				old[string(row.OrgID)] = append(old[string(row.OrgID)], string(row.ID))
			}
		}
		return err
	})
	return old, next, err
}

func (r retention) Mark(ctx context.Context, what string, before time.Time) error {
	return r.exec(ctx, "retention.mark", func(db *gorm.DB) error { return moveMark(db, what, firstID(before)) })
}
