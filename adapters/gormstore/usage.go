package gormstore

import (
	"context"
	"math"

	"gorm.io/gorm"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
	"fichario/ports"
)

type usageRow struct {
	KeyID  uid    `gorm:"primaryKey"`
	Bucket string `gorm:"primaryKey"`
	Count  int64  `gorm:"not null"`
	Amount int64  `gorm:"not null"`
}

func (usageRow) TableName() string { return "key_usage" }

func (r usageRow) spent() lookup.Spent {
	return lookup.Spent{Count: int(r.Count), Amount: catalog.Money(r.Amount)}
}

// total is the bucket that never ends.
const total = "total"

type usage struct{ conn }

// chargeOnce checks the cap and takes the row's lock in one step, so that no two charges see the same count.
const chargeOnce = `INSERT INTO key_usage (key_id, bucket, count, amount) VALUES (?, ?, 1, ?)
	ON CONFLICT (key_id, bucket) DO UPDATE SET count = key_usage.count + 1, amount = key_usage.amount + excluded.amount
	WHERE key_usage.count < ?`

// Charge counts always in the same order, so that no two charges wait for each other.
func (r usage) Charge(ctx context.Context, keyID, day, month string, amount catalog.Money, caps access.Limits) error {
	return r.inside(ctx, "usage.charge", func(db *gorm.DB) error {
		for _, b := range []struct {
			bucket string
			limit  int
			full   error
		}{{month, caps.PerMonth, ports.ErrMonthCap}, {day, caps.PerDay, ports.ErrDayCap}, {total, math.MaxInt, nil}} {
			if b.limit <= 0 {
				return b.full
			}
			done := db.Exec(chargeOnce, keyID, b.bucket, int64(amount), b.limit)
			if done.Error != nil {
				return done.Error
			}
			if done.RowsAffected == 0 {
				return b.full
			}
		}
		return nil
	})
}

func (r usage) Release(ctx context.Context, keyID, day, month string, amount catalog.Money) error {
	return r.inside(ctx, "usage.release", func(db *gorm.DB) error {
		for _, bucket := range []string{month, day, total} { // in the order of Charge
			err := db.Model(&usageRow{}).Where("key_id = ? AND bucket = ?", keyID, bucket).
				Updates(map[string]any{"count": gorm.Expr("count - 1"), "amount": gorm.Expr("amount - ?", int64(amount))}).Error
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (r usage) Spent(ctx context.Context, keyID, day, month string) (today, thisMonth, ever lookup.Spent, err error) {
	var rows []usageRow
	err = r.query(ctx, "usage.spent", func(db *gorm.DB) error {
		return db.Find(&rows, "key_id = ? AND bucket IN ?", keyID, []string{day, month, total}).Error
	})
	for _, row := range rows {
		switch row.Bucket {
		case day:
			today = row.spent()
		case month:
			thisMonth = row.spent()
		case total:
			ever = row.spent()
		}
	}
	return today, thisMonth, ever, err
}

func (r usage) SpentByKeys(ctx context.Context, keyIDs []string, bucket string) (map[string]lookup.Spent, error) {
	out := map[string]lookup.Spent{}
	if len(keyIDs) == 0 {
		return out, nil
	}
	var rows []usageRow
	err := r.query(ctx, "usage.spentByKeys", func(db *gorm.DB) error {
		return db.Find(&rows, "bucket = ? AND key_id IN ?", bucket, keyIDs).Error
	})
	for _, row := range rows {
		out[string(row.KeyID)] = row.spent()
	}
	return out, err
}
