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

// Asked is when a question about erasures was sent to PostgreSQL. It may get there late, behind a lock or a slow
// line: so the answer is by the server's clock how long ago each erasure ended, and is compared with how long ago the
// beginning was while the server looked, of which only the bounds are known.
type Asked struct{ at time.Time }

// AskNow is to be called before the question is sent.
func AskNow() Asked { return Asked{time.Now()} }

// EndedAgo is the expression of how many microseconds ago an erasure ended; it is negative while one runs.
const EndedAgo = "(extract(epoch FROM clock_timestamp() - until) * 1000000)::bigint"

// Far is how far back a question about a beginning has to look, in microseconds: no statement gets there later than an
// hour.
func Far(since time.Time) int64 { return (Waited(since) + time.Hour).Microseconds() }

// Bars reports whether an erasure, which ended so many microseconds ago, bars what began at a time. It is not sure
// where the two are nearer to each other than the question took.
func (a Asked) Bars(since time.Time, ago int64) (bars, sure bool) {
	after := Waited(since)
	before := max(0, after-time.Since(a.at))
	return ago < after.Microseconds(), ago < before.Microseconds() || ago >= after.Microseconds()
}

// SureAfter is how often a question is asked again for the sake of an answer that is sure; what is not sure then is
// barred.
const SureAfter = 5

// Barred returns the hashes of the people, among those that a scope selects, about whom an organisation may store
// nothing that began at a time.
func Barred(db *gorm.DB, orgID string, since time.Time, which engine.Scope) (subjects [][]byte, err error) {
	ask := func() *gorm.DB {
		return which(db.Session(&gorm.Session{NewDB: true}).Model(&ErasedRow{}).Where("org_id = ?", orgID))
	}
	if db.Name() != "postgres" {
		return subjects, ask().Where("until > ?", engine.Stamp(time.Now().Add(-Waited(since)))).
			Pluck("subject", &subjects).Error
	}
	for range SureAfter {
		var ended []struct {
			Subject []byte
			Ago     int64
		}
		asked, allSure := AskNow(), true
		err := ask().Where("until > clock_timestamp() - ? * interval '1 microsecond'", Far(since)).
			Select("subject, " + EndedAgo + " AS ago").Scan(&ended).Error
		if err != nil {
			return nil, err
		}
		subjects = nil
		for _, e := range ended {
			bars, sure := asked.Bars(since, e.Ago)
			if allSure = allSure && sure; bars {
				subjects = append(subjects, e.Subject)
			}
		}
		if allSure {
			break
		}
	}
	return subjects, nil
}
