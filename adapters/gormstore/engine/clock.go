package engine

import (
	"context"
	"time"

	"gorm.io/gorm"
)

// Clock is the database's clock; see ports.Clock.
type Clock struct{ Conn }

// Now is the present; see ports.Clock.
func (r Clock) Now(ctx context.Context, local time.Time) (now time.Time, err error) {
	if r.Writer.Name() != "postgres" {
		return Stamp(local), nil // one file, one machine
	}
	err = r.Exec(ctx, "clock.now", func(db *gorm.DB) error {
		return db.Raw("SELECT clock_timestamp()").Scan(&now).Error
	})
	return Stamp(now), err
}
