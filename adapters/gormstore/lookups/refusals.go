package lookups

import (
	"context"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/ports"
)

// refusalRow is how often a key was refused on a day for a reason.
type refusalRow struct {
	KeyID  engine.UID `gorm:"primaryKey"`
	Day    string     `gorm:"primaryKey"`
	Reason string     `gorm:"primaryKey"`
	Count  int64      `gorm:"not null"`
}

func (refusalRow) TableName() string { return "key_refusals" }

var refusalTally = engine.TallyOf(refusalRow{})

func (r keys) AddRefusals(ctx context.Context, refusals []ports.KeyRefusals) error {
	const op = "keys.addRefusals"
	if err := r.Outside(op); err != nil {
		return err
	}
	return r.Whole(ctx, op, func(db *gorm.DB) error {
		for _, one := range refusals {
			row := refusalRow{engine.UID(one.KeyID), one.Day, one.Reason, int64(one.Count)}
			if err := engine.Through(db)(refusalTally, &row); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r keys) ForgetRefusals(ctx context.Context, day string) error {
	return r.Exec(ctx, "keys.forgetRefusals", func(db *gorm.DB) error {
		return db.Delete(&refusalRow{}, "day < ?", day).Error
	})
}

func (r keys) Refusals(ctx context.Context, keyIDs []string, from string) ([]ports.KeyRefusals, error) {
	if keyIDs = engine.Given(keyIDs); len(keyIDs) == 0 {
		return nil, nil
	}
	sums := func(db *gorm.DB) *gorm.DB {
		return db.Model(&refusalRow{}).Select("key_id, reason, CAST(SUM(count) AS bigint) AS count").
			Where("key_id IN ? AND day >= ?", keyIDs, from).Group("key_id, reason").Order("3 DESC, reason")
	}
	return engine.FindAll(ctx, r.QueryList, "keys.refusals", func(row refusalRow) ports.KeyRefusals {
		return ports.KeyRefusals{KeyID: string(row.KeyID), Reason: row.Reason, Count: int(row.Count)}
	}, sums)
}
