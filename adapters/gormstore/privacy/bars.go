package privacy

import (
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
)

// ErasedRow bars a person: what began before Until may neither be asked nor stored.
type ErasedRow struct {
	OrgID     engine.UID `gorm:"primaryKey"`
	Subject   []byte     `gorm:"primaryKey"`
	ErasureID engine.UID `gorm:"not null"`
	Until     time.Time  `gorm:"not null"`
}

// TableName is the table of the row.
func (ErasedRow) TableName() string { return "erased_subjects" }

// WhileErasing is the Until of a person whose erasure is not done.
var WhileErasing = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Waited is how long ago something began. The clock of a machine that slept shows it, its monotonic one does not.
func Waited(since time.Time) time.Duration {
	if since.IsZero() {
		return 0
	}
	now := time.Now()
	return max(0, now.Sub(since), now.Round(0).Sub(since.Round(0)))
}

// Barring selects the people of an organisation about whom nothing may be stored that began at a time.
func Barring(orgID string, since time.Time) engine.Scope {
	return func(db *gorm.DB) *gorm.DB {
		db = db.Model(&ErasedRow{}).Where("org_id = ?", orgID)
		if db.Name() == "postgres" {
			return db.Where("until > clock_timestamp() - ? * interval '1 microsecond'", Waited(since).Microseconds())
		}
		return db.Where("until > ?", engine.Stamp(time.Now().Add(-Waited(since))))
	}
}
