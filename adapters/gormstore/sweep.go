package gormstore

import (
	"context"
	"fmt"
	"time"

	"github.com/pressly/goose/v3"
)

// sweepWithin is the longest that a database may take to be written anew.
const sweepWithin = 30 * time.Minute

// erasedTables are those that an erasure changes.
var erasedTables = []string{
	"lookups", "records", "subject_traces", "batch_items", "contacts", "contact_documents", "contact_words",
	"contact_events", "jobs", "removed_contacts", "bulk_items", "deliveries", "notifications", "erasures",
}

// Sweep takes what was erased out of the space that removed rows leave. On SQLite, where that is overwritten, the
// write-ahead log is emptied, and the file is looked through for the marks, which takes nobody's time: a page that was
// put in order may have kept a copy. Where one is found, or there are none, the file is written anew, and who writes
// waits for that, about a second for each 100 MB. On PostgreSQL the tables are vacuumed, beside those who write; what
// cannot be done now, autovacuum does later.
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
	empty := "PRAGMA wal_checkpoint(TRUNCATE)"
	if err := s.write.WithContext(ctx).Exec(empty).Error; err != nil {
		return named("store.sweep", classify(err))
	}
	if 0 < len(marks) && len(marks) <= marksMost {
		left := false
		for _, path := range []string{s.path, s.path + "-wal"} {
			found, err := marked(path, marks)
			if err != nil {
				return named("store.sweep", err)
			}
			left = left || found
		}
		if !left {
			return nil
		}
	}
	for _, statement := range []string{"VACUUM", empty} {
		if err := s.write.WithContext(ctx).Exec(statement).Error; err != nil {
			return named("store.sweep", fmt.Errorf("%.6s: %w", statement, classify(err)))
		}
	}
	return nil
}
