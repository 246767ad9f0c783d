package gormstore

import (
	"context"

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

// total is the bucket that never ends.
const total = "total"

type usage struct{ conn }

// Each count is one statement that checks its cap
// and takes the row's lock, always in the same order.
func (r usage) Charge(ctx context.Context, keyID, day, month string, amount catalog.Money, caps access.Limits) error {
	const uncapped = int(^uint(0) >> 1)
	for _, b := range []struct {
		bucket string
		limit  int
		full   error
	}{{month, caps.PerMonth, ports.ErrMonthCap}, {day, caps.PerDay, ports.ErrDayCap}, {total, uncapped, nil}} {
		if b.limit <= 0 {
			return b.full
		}
		n, err := r.affected(ctx, `INSERT INTO key_usage (key_id, bucket, count, amount) VALUES (?, ?, 1, ?)
			ON CONFLICT (key_id, bucket) DO UPDATE SET count = key_usage.count + 1, amount = key_usage.amount + excluded.amount
			WHERE key_usage.count < ?`, keyID, b.bucket, int64(amount), b.limit)
		if err != nil {
			return err
		}
		if n == 0 {
			return b.full
		}
	}
	return nil
}

func (r usage) Release(ctx context.Context, keyID, day, month string, amount catalog.Money) error {
	for _, bucket := range []string{month, day, total} {
		_, err := r.affected(ctx, "UPDATE key_usage SET count = count - 1, amount = amount - ? WHERE key_id = ? AND bucket = ?",
			int64(amount), keyID, bucket)
		if err != nil {
			return err
		}
	}
	return nil
}

func (r usage) Spent(ctx context.Context, keyID, day, month string) (today, thisMonth, all lookup.Spent, err error) {
	var rows []usageRow
	err = r.query(ctx, func(db *gorm.DB) error {
		return db.Find(&rows, "key_id = ? AND bucket IN ?", keyID, []string{day, month, total}).Error
	})
	for _, row := range rows {
		spent := lookup.Spent{Count: int(row.Count), Amount: catalog.Money(row.Amount)}
		switch row.Bucket {
		case day:
			today = spent
		case month:
			thisMonth = spent
		case total:
			all = spent
		}
	}
	return today, thisMonth, all, err
}

func (r usage) SpentByKeys(ctx context.Context, keyIDs []string, bucket string) (map[string]lookup.Spent, error) {
	out := map[string]lookup.Spent{}
	if len(keyIDs) == 0 {
		return out, nil
	}
	var rows []usageRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Find(&rows, "bucket = ? AND key_id IN ?", bucket, keyIDs).Error })
	for _, row := range rows {
		out[string(row.KeyID)] = lookup.Spent{Count: int(row.Count), Amount: catalog.Money(row.Amount)}
	}
	return out, err
}
