package lookups

import (
	"cmp"
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/privacy"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
	"fichario/ports"
)

type usageRow struct {
	KeyID  engine.UID `gorm:"primaryKey"`
	Bucket string     `gorm:"primaryKey"`
	Count  int64      `gorm:"not null"`
	Amount int64      `gorm:"not null"`
	OrgID  *engine.UID
}

func (usageRow) TableName() string { return "key_usage" }

var usageTally = engine.TallyOf(usageRow{})

func (r usageRow) spent() lookup.Spent {
	return lookup.Spent{Count: int(r.Count), Amount: catalog.Money(r.Amount)}
}

// Total is the bucket of all time.
const Total = "total"

type usage struct{ engine.Conn }

func (r usage) Spent(
	ctx context.Context, orgID, keyID, day, month string,
) (today, thisMonth, ever lookup.Spent, err error) {
	var rows []usageRow
	err = r.Query(ctx, "usage.spent", func(db *gorm.DB) error {
		return engine.Routed(orgID)(db).Find(&rows, "key_id = ? AND bucket IN ?", keyID, []string{day, month, Total}).Error
	})
	for _, row := range rows {
		switch row.Bucket {
		case day:
			today = row.spent()
		case month:
			thisMonth = row.spent()
		case Total:
			ever = row.spent()
		}
	}
	return today, thisMonth, ever, err
}

func (r usage) SpentByKeys(
	ctx context.Context, orgID string, keyIDs []string, buckets ...string,
) (map[string]map[string]lookup.Spent, error) {
	out := map[string]map[string]lookup.Spent{}
	for _, bucket := range buckets {
		out[bucket] = map[string]lookup.Spent{}
	}
	if len(keyIDs) == 0 {
		return out, nil
	}
	var rows []usageRow
	err := r.Query(ctx, "usage.spentByKeys", func(db *gorm.DB) error {
		return engine.Routed(orgID)(db).Find(&rows, "bucket IN ? AND key_id IN ?", buckets, keyIDs).Error
	})
	for _, row := range rows {
		out[row.Bucket][string(row.KeyID)] = row.spent()
	}
	return out, err
}

func (r usage) Reserve(ctx context.Context, orgID, sessionID string, amount, ceiling catalog.Money) error {
	return r.Exec(ctx, "usage.reserve", func(db *gorm.DB) error {
		if amount > ceiling {
			return ports.ErrCeiling
		}
		row := usageRow{engine.UID(sessionID), lookup.AgentBucket, 1, int64(amount), engine.Optional(orgID)}
		done := usageTally.Within(db, &row, "key_usage.amount + excluded.amount <= ?", int64(ceiling))
		if done.Error == nil && done.RowsAffected == 0 {
			return ports.ErrCeiling
		}
		return done.Error
	})
}

func (r usage) Correct(ctx context.Context, orgID, sessionID string, beyond lookup.Spent) error {
	return r.Exec(ctx, "usage.correct", func(db *gorm.DB) error {
		return engine.Routed(orgID)(db.Model(&usageRow{})).
			Where("key_id = ? AND bucket = ?", engine.UID(sessionID), lookup.AgentBucket).
			Updates(map[string]any{
				"count": gorm.Expr("count + ?", beyond.Count), "amount": gorm.Expr("amount + ?", int64(beyond.Amount)),
			}).Error
	})
}

func (r usage) EndSession(ctx context.Context, orgID, sessionID string) error {
	return r.Exec(ctx, "usage.endSession", func(db *gorm.DB) error {
		row := usageRow{KeyID: engine.UID(sessionID), Bucket: lookup.EndedBucket, OrgID: engine.Optional(orgID)}
		return db.Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error
	})
}

// forgetWeek bounds what ForgetSessions reads: the ids of a week, and of the time since its last run, instead of every
// count of every key.
const forgetWeek = 7 * 24 * time.Hour

func (r usage) ForgetSessions(ctx context.Context, before time.Time) (n int, err error) {
	const mark = "agent_sessions"
	err = r.Whole(ctx, "usage.forgetSessions", func(db *gorm.DB) error {
		var to privacy.MarkRow
		if err := db.Limit(1).Find(&to, "name = ?", mark).Error; err != nil {
			return err
		}
		since := min(cmp.Or(string(to.UpTo), engine.BeforeAll), engine.FirstID(before.Add(-forgetWeek)))
		gone := db.Delete(&usageRow{}, "key_id >= ? AND key_id < ? AND bucket IN ?", since, engine.FirstID(before), []string{
			lookup.AgentBucket, lookup.EndedBucket,
		})
		if n = int(gone.RowsAffected); gone.Error != nil {
			return gone.Error
		}
		return privacy.MoveMark(db, mark, engine.FirstID(before))
	})
	return n, err
}
