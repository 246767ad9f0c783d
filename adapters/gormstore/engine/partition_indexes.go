package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// Index builds an index on a partitioned table while its rows are written: first on each partition, then on the whole.
// If it is killed, the next run continues.
func (t Partitioned) Index(ctx context.Context, db *sql.DB, name, of string) error {
	whole := t.Table + "_" + name
	err := Briefly(ctx, db, MigrateTries, func(tx *sql.Tx) error {
		return ExecAll(ctx, tx, fmt.Sprintf("CREATE INDEX IF NOT EXISTS %s ON ONLY %s %s", whole, t.Table, of))
	})
	if err != nil {
		return err
	}
	parts, err := t.Parts(ctx, db)
	if err != nil {
		return err
	}
	for _, part := range append(parts, partition{Name: t.rest()}) {
		if err := t.indexPart(ctx, db, whole, part.Name, part.Name+strings.TrimPrefix(whole, t.Table), of); err != nil {
			return err
		}
	}
	return nil
}

// indexPart builds the index of one partition, unless it already exists, as it does on a partition made meanwhile.
func (t Partitioned) indexPart(ctx context.Context, db *sql.DB, whole, part, name, of string) error {
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
	return Briefly(ctx, db, MigrateTries, func(tx *sql.Tx) error {
		return ExecAll(ctx, tx, fmt.Sprintf("ALTER INDEX %s ATTACH PARTITION %s", whole, name))
	})
}
