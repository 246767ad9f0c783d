package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

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
