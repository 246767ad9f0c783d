package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// addBudgets gives members a budget, the sum charged to them this month, and an index of what each member looked up.
func addBudgets(ctx context.Context, db *sql.DB) error {
	err := briefly(ctx, db, migrateTries, func(tx *sql.Tx) error {
		return execAll(ctx, tx, "ALTER TABLE members ADD COLUMN IF NOT EXISTS budget bigint")
	})
	if err != nil {
		return err
	}
	if err := lookupsByMonth.index(ctx, db, "member",
		"(member_id, id) WHERE member_id IS NOT NULL"); err != nil {
		return err
	}
	now, err := clockOf(ctx, db)
	if err != nil {
		return err
	}
	// Days of other time zones begin before or after those of UTC.
	since := monthly.start(now.AddDate(0, 0, -2))
	_, err = db.ExecContext(ctx, `INSERT INTO key_usage (key_id, bucket, count, amount)
		SELECT member_id, month, COUNT(*), SUM(amount) FROM lookups
		WHERE charged AND member_id IS NOT NULL AND id > $1 AND month >= $2 GROUP BY 1, 2 ON CONFLICT DO NOTHING`,
		idsSince(since.Add(-24*time.Hour)), since.Format("2006-01"))
	return err
}

// index builds an index on a partitioned table while its rows are written: first on each partition, then on the whole.
// If it is killed, the next run continues.
func (t partitioned) index(ctx context.Context, db *sql.DB, name, of string) error {
	whole := t.table + "_" + name
	err := briefly(ctx, db, migrateTries, func(tx *sql.Tx) error {
		return execAll(ctx, tx, fmt.Sprintf("CREATE INDEX IF NOT EXISTS %s ON ONLY %s %s", whole, t.table, of))
	})
	if err != nil {
		return err
	}
	parts, err := t.parts(ctx, db)
	if err != nil {
		return err
	}
	for _, part := range append(parts, partition{name: t.rest()}) {
		if err := t.indexPart(ctx, db, whole, part.name, part.name+strings.TrimPrefix(whole, t.table), of); err != nil {
			return err
		}
	}
	return nil
}

// indexPart builds the index of one partition, unless it already exists, as it does on a partition made meanwhile.
func (t partitioned) indexPart(ctx context.Context, db *sql.DB, whole, part, name, of string) error {
	var attached bool
	err := db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM pg_inherits h JOIN pg_index i ON i.indexrelid = h.inhrelid
		WHERE h.inhparent = to_regclass($1) AND i.indrelid = to_regclass($2))`, whole, part).Scan(&attached)
	if err != nil || attached {
		return err
	}
	var broken bool
	err = db.QueryRowContext(ctx, "SELECT NOT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)", name).
		Scan(&broken)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	steps := []string{fmt.Sprintf("CREATE INDEX CONCURRENTLY IF NOT EXISTS %s ON %s %s", name, part, of)}
	if broken { // left behind by a killed run
		steps = append([]string{"DROP INDEX " + name}, steps...)
	}
	for _, step := range steps {
		if _, err := db.ExecContext(ctx, step); err != nil {
			return err
		}
	}
	return briefly(ctx, db, migrateTries, func(tx *sql.Tx) error {
		return execAll(ctx, tx, fmt.Sprintf("ALTER INDEX %s ATTACH PARTITION %s", whole, name))
	})
}
