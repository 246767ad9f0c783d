package persons

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
)

// sweepWithin bounds how long rewriting a database may take.
const sweepWithin = 30 * time.Minute

// erasedTables are the tables that an erasure changes.
var erasedTables = []string{
	"lookups", "records", "subject_traces", "batch_items", "contacts", "contact_documents", "contact_words",
	"contact_events", "jobs", "removed_contacts", "bulk_items", "deliveries", "notifications", "erasures",
	"told_stages", "audit_lines", "batches", "bulk_actions",
}

// Sweep purges erased data from free space. On SQLite, where removed rows are overwritten, it empties the write-ahead
// log as soon as nobody reads an older snapshot, and searches the file for the marks, which blocks nobody: a page that
// was reorganised may have kept a copy. Where a mark is found, or the marks are unknown, it rewrites the file, and
// writers wait about a second for each 100 MB. On PostgreSQL it vacuums the tables, beside writers; what cannot be done
// now, autovacuum does later.
func (s *Index) Sweep(ctx context.Context, marks [][]byte) error {
	ctx, cancel := context.WithTimeout(ctx, sweepWithin)
	defer cancel()
	if s.IsPostgres() {
		pool := s.Migrating.Open() // without our statement timeout
		defer func() { _ = pool.Close() }()
		for _, table := range erasedTables {
			// Where the role does not own the table, or has a time limit of its own, autovacuum does it.
			_, _ = pool.ExecContext(ctx, "VACUUM "+table)
		}
		return ctx.Err()
	}
	if s.Keeper != nil {
		return nil // in memory
	}
	if err := s.emptyLog(ctx); err != nil {
		return engine.Named("store.sweep", err)
	}
	if marks != nil && len(marks) <= marksMost {
		left, err := s.left(marks)
		if err != nil || !left {
			return engine.Named("store.sweep", err)
		}
	}
	if err := s.Writer.WithContext(ctx).Exec("VACUUM").Error; err != nil {
		return engine.Named("store.sweep", fmt.Errorf("VACUUM: %w", engine.Classify(err)))
	}
	return engine.Named("store.sweep", s.emptyLog(ctx))
}

// left reports whether one of the marks is in the file or in the log.
func (s *Index) left(marks [][]byte) (bool, error) {
	info, err := s.File.Stat()
	if err != nil || len(marks) == 0 {
		return false, err
	}
	if found, err := marked(io.NewSectionReader(s.File, 0, info.Size()), marks); found || err != nil {
		return found, err
	}
	log, err := os.Open(s.Path + "-wal") // nobody locks the log
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
	// logRetry is the pause between attempts to empty the log while somebody, such as a backup, reads an older snapshot;
	// logPatience is how many milliseconds writers may wait for each attempt.
	logRetry    = 2 * time.Second
	logPatience = 250
)

// emptyLog checkpoints the write-ahead log and truncates it, retrying until it can.
func (s *Index) emptyLog(ctx context.Context) error {
	for {
		var busy, frames, written int
		err := s.Writer.WithContext(ctx).Connection(func(db *gorm.DB) error {
			if err := db.Exec(fmt.Sprintf("PRAGMA busy_timeout(%d)", logPatience)).Error; err != nil {
				return err
			}
			err := db.Raw("PRAGMA wal_checkpoint(TRUNCATE)").Row().Scan(&busy, &frames, &written)
			again := db.WithContext(context.WithoutCancel(ctx)).
				Exec(fmt.Sprintf("PRAGMA busy_timeout(%d)", engine.BusyTimeout()))
			return errors.Join(err, again.Error)
		})
		if err != nil || busy == 0 {
			return engine.Classify(err)
		}
		select {
		case <-time.After(logRetry):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
