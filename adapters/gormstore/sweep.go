package gormstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/pressly/goose/v3"
	"gorm.io/gorm"
)

// sweepWithin is the longest that a database may take to be written anew.
const sweepWithin = 30 * time.Minute

// erasedTables are those that an erasure changes.
var erasedTables = []string{
	"lookups", "records", "subject_traces", "batch_items", "contacts", "contact_documents", "contact_words",
	"contact_events", "jobs", "removed_contacts", "bulk_items", "deliveries", "notifications", "erasures",
}

// Sweep takes what was erased out of the space that removed rows leave. On SQLite, where that is overwritten, the
// write-ahead log is emptied, as soon as nobody reads what was before, and the file is looked through for the marks,
// which takes nobody's time: a page that was put in order may have kept a copy. Where one is found, or they are not
// known, the file is written anew, and who writes waits for that, about a second for each 100 MB. On PostgreSQL the
// tables are vacuumed, beside those who write; what cannot be done now, autovacuum does later.
func (s *Store) Sweep(ctx context.Context, marks [][]byte) error {
	ctx, cancel := context.WithTimeout(ctx, sweepWithin)
	defer cancel()
	if s.dialect == goose.DialectPostgres {
		pool := s.migrating.open() // which has no time limit of ours
		defer func() { _ = pool.Close() }()
		for _, table := range erasedTables {
			// A role that does not own the table, or a time limit of its own, leaves it to autovacuum.
			_, _ = pool.ExecContext(ctx, "VACUUM "+table)
		}
		return ctx.Err()
	}
	if s.keeper != nil {
		return nil // in memory
	}
	if err := s.emptyLog(ctx); err != nil {
		return named("store.sweep", err)
	}
	if marks != nil && len(marks) <= marksMost {
		left, err := s.left(marks)
		if err != nil || !left {
			return named("store.sweep", err)
		}
	}
	if err := s.write.WithContext(ctx).Exec("VACUUM").Error; err != nil {
		return named("store.sweep", fmt.Errorf("VACUUM: %w", classify(err)))
	}
	return named("store.sweep", s.emptyLog(ctx))
}

// left reports whether one of the marks stands in the file, or in the log.
func (s *Store) left(marks [][]byte) (bool, error) {
	info, err := s.file.Stat()
	if err != nil || len(marks) == 0 {
		return false, err
	}
	if found, err := marked(io.NewSectionReader(s.file, 0, info.Size()), marks); found || err != nil {
		return found, err
	}
	log, err := os.Open(s.path + "-wal") // on which nobody has a lock
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = log.Close() }()
	return marked(log, marks)
}

const (
	// logRetry is how often the log is tried to be emptied while somebody reads what was before, such as a backup, and
	// logPatience, in milliseconds, for how long who writes may wait for each try.
	logRetry    = 2 * time.Second
	logPatience = 250
)

// emptyLog writes what is in the write-ahead log into the file, and empties it. While that cannot be, it waits.
func (s *Store) emptyLog(ctx context.Context) error {
	for {
		var busy, frames, written int
		err := s.write.WithContext(ctx).Connection(func(db *gorm.DB) error {
			if err := db.Exec(fmt.Sprintf("PRAGMA busy_timeout(%d)", logPatience)).Error; err != nil {
				return err
			}
			err := db.Raw("PRAGMA wal_checkpoint(TRUNCATE)").Row().Scan(&busy, &frames, &written)
			again := db.WithContext(context.WithoutCancel(ctx)).Exec(fmt.Sprintf("PRAGMA busy_timeout(%d)", busyTimeout))
			return errors.Join(err, again.Error)
		})
		if err != nil || busy == 0 {
			return classify(err)
		}
		select {
		case <-time.After(logRetry):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
