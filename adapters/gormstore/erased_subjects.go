package gormstore

import (
	"time"

	"gorm.io/gorm"
)

// erasedRow bars a person: what began before Until may neither be asked nor stored.
type erasedRow struct {
	OrgID     uid       `gorm:"primaryKey"`
	Subject   []byte    `gorm:"primaryKey"`
	ErasureID uid       `gorm:"not null"`
	Until     time.Time `gorm:"not null"`
}

func (erasedRow) TableName() string { return "erased_subjects" }

// whileErasing is the Until of a person whose erasure is not done.
var whileErasing = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// waited is how long ago something began. The clock of a machine that slept shows it, its monotonic one does not.
func waited(since time.Time) time.Duration {
	if since.IsZero() {
		return 0
	}
	now := time.Now()
	return max(0, now.Sub(since), now.Round(0).Sub(since.Round(0)))
}

// barring selects the people of an organisation about whom nothing may be stored that began at a time.
func barring(orgID string, since time.Time) scope {
	return func(db *gorm.DB) *gorm.DB {
		db = db.Model(&erasedRow{}).Where("org_id = ?", orgID)
		if db.Name() == "postgres" {
			return db.Where("until > clock_timestamp() - ? * interval '1 microsecond'", waited(since).Microseconds())
		}
		return db.Where("until > ?", stamp(time.Now().Add(-waited(since))))
	}
}
