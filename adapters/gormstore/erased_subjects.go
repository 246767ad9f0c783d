package gormstore

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/domain/privacy"
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

// lateMost is how long after an erasure the history keeps out of its person's lookups, so that their beginnings are
// compared where a call is charged, or an entry written: see Serve.
const lateMost = 24 * time.Hour

// waited is how long ago something began. The clock of a machine that slept shows it, its monotonic one does not.
func waited(since time.Time) time.Duration {
	if since.IsZero() {
		return 0
	}
	now := time.Now()
	return max(0, now.Sub(since), now.Round(0).Sub(since.Round(0)))
}

// The statements that find people barred. How long ago something began is counted back from the database's own time, so
// that the clocks of instances do not matter.
const (
	askErased  = "SELECT 1 FROM erased_subjects WHERE org_id = ? AND subject = ? AND until > ?"
	askErasing = "SELECT 1 FROM erased_subjects WHERE until > ? LIMIT 1"
	askEraseds = `SELECT a.number FROM erased_subjects e
		JOIN unnest($1::text[], $2::bytea[], $3::bigint[]) WITH ORDINALITY AS a (org_id, subject, micros, number)
		ON e.org_id = a.org_id::uuid AND e.subject = a.subject
			AND e.until > clock_timestamp() - a.micros * interval '1 microsecond'`
	listTransactions = `SELECT l.virtualtransaction FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
		WHERE l.locktype = 'virtualxid' AND l.granted AND l.pid <> pg_backend_pid() AND a.usesysid IS NOT NULL
			AND a.datid = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND COALESCE(a.application_name, '') NOT IN ('pg_dump', 'pg_basebackup')`
)

// erased reports whether an erasure bars a call that is about to be charged. It takes no lock: an erasure waits, once
// its people are barred, until all transactions have ended that may have looked before that (Quiet).
func (w *writer) erased(b beginning) bool {
	return w.row(askErased, []any{b.entry.OrgID, b.subject, stamp(time.Now().Add(-waited(b.Entry.Since)))}, new(int))
}

// late returns those of some entries that may not be written, because the person has been, or is being, erased since
// the history was read.
func (w *writer) late(entries []entered) map[int]bool {
	since := stamp(time.Now().Add(-lateMost))
	if !w.row(askErasing, []any{since}, new(int)) {
		return nil
	}
	out := map[int]bool{}
	for i, e := range entries {
		out[i] = w.row(askErased, []any{e.row.OrgID, e.subject, since}, new(int))
	}
	return out
}

// askErased is writer.erased on PostgreSQL, for all calls of a transaction, by their positions.
func (s admission) askErased(batch *pgx.Batch, in []beginning) {
	orgs := mapped(in, func(b beginning) string { return string(b.entry.OrgID) })
	subjects := mapped(in, func(b beginning) []byte { return b.subject })
	micros := mapped(in, func(b beginning) int64 { return waited(b.Entry.Since).Microseconds() })
	batch.Queue(askEraseds, orgs, subjects, micros).Query(func(rows pgx.Rows) error {
		var number int
		_, err := pgx.ForEachRow(rows, []any{&number}, func() error { s.erased[number-1] = true; return nil })
		return err
	})
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

func (r subjects) Bar(ctx context.Context, orgID, erasureID string, hashes [][]byte) error {
	rows := mapped(hashes, func(hash []byte) erasedRow {
		return erasedRow{uid(orgID), hash, uid(erasureID), whileErasing}
	})
	return r.inside(ctx, "subjects.bar", func(db *gorm.DB) error {
		if len(rows) == 0 {
			return nil
		}
		return db.Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "org_id"}, {Name: "subject"}},
			DoUpdates: clause.AssignmentColumns([]string{"erasure_id", "until"}),
		}).Create(&rows).Error
	})
}

func (r subjects) Unbar(ctx context.Context, erasureID string) error {
	return r.inside(ctx, "subjects.unbar", func(db *gorm.DB) error {
		now := any(stamp(time.Now()))
		if db.Name() == "postgres" {
			now = gorm.Expr("clock_timestamp()")
		}
		return db.Model(&erasedRow{}).Where("erasure_id = ?", erasureID).Update("until", now).Error
	})
}

func (r subjects) Barred(
	ctx context.Context, orgID string, since time.Time,
) (is func(privacy.Identity) bool, err error) {
	var hashes [][]byte
	err = r.query(ctx, "subjects.barred", func(db *gorm.DB) error {
		return barring(orgID, since)(db).Pluck("subject", &hashes).Error
	})
	if err != nil || len(hashes) == 0 {
		return nil, err
	}
	secret, err := r.store.subjectSecret(ctx)
	barred := map[string]bool{}
	for _, hash := range hashes {
		barred[string(hash)] = true
	}
	return func(i privacy.Identity) bool { return barred[string(subjectHash(secret, orgID, i))] }, err
}

const (
	// quietMost is how long Quiet waits: longer than a transaction of this service lasts, so that only others, such as
	// somebody's session, can be open still.
	quietMost = 30 * time.Second
	quietPoll = 20 * time.Millisecond
)

// Quiet returns when every transaction that is running now has ended: later ones see what was committed before it. On
// SQLite there is one writer, so that waiting for its turn is enough.
func (s *Store) Quiet(ctx context.Context) error {
	const op = "store.quiet"
	if s.write.Name() != "postgres" {
		return s.conn().exec(ctx, op, func(db *gorm.DB) error { return db.Transaction(func(*gorm.DB) error { return nil }) })
	}
	var open []string
	list := func(db *gorm.DB) error { return db.Raw(listTransactions).Scan(&open).Error }
	if err := s.conn().query(ctx, op, list); err != nil {
		return err
	}
	running := slices.Clone(open)
	for until := time.Now().Add(quietMost); len(running) > 0 && time.Now().Before(until); {
		select {
		case <-time.After(quietPoll):
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := s.conn().query(ctx, op, list); err != nil {
			return err
		}
		running = slices.DeleteFunc(running, func(id string) bool { return !slices.Contains(open, id) })
	}
	return nil
}
