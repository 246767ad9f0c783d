package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"
)

type clock struct{ conn }

func (r clock) Now(ctx context.Context, local time.Time) (now time.Time, err error) {
	if r.write.Name() != "postgres" {
		return stamp(local), nil // one file, one machine
	}
	err = r.exec(ctx, "clock.now", func(db *gorm.DB) error {
		return db.Raw("SELECT clock_timestamp()").Scan(&now).Error
	})
	return stamp(now), err
}
