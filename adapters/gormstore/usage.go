package gormstore

import (
	"context"

	"gorm.io/gorm"

	"fichario/domain/catalog"
	"fichario/domain/lookup"
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
