package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// DivideAll partitions the tables that grow; see Partitioned.
func DivideAll(ctx context.Context, db *sql.DB) error {
	for _, t := range PartitionedTables {
		if err := t.divide(ctx, db); err != nil {
			return fmt.Errorf("%s: %w", t.Table, err)
		}
	}
	return nil
}

// MigrateTries is how often a migration retries to get a lock.
const MigrateTries = 250

// divide turns an unpartitioned table into the first partition of a new one with its name. It copies and reads no row
// while others wait. If it is killed, the next run continues.
func (t Partitioned) divide(ctx context.Context, db *sql.DB) error {
	var divided, empty bool
	err := db.QueryRowContext(ctx, fmt.Sprintf(`SELECT relkind = 'p', NOT EXISTS (SELECT 1 FROM %s)
		FROM pg_class WHERE oid = to_regclass('%[1]s')`, t.Table)).Scan(&divided, &empty)
	if err != nil {
		return err
	}
	if !divided {
		now, err := ClockOf(ctx, db)
		if err != nil {
			return err
		}
		end := t.Period.Start(now)
		if !empty {
			end = Monthly.After(Monthly.Start(now), 2)
			if err := t.proveBefore(ctx, db, FirstID(end)); err != nil {
				return err
			}
		}
		if err := t.swap(ctx, db, FirstID(end)); err != nil {
			return err
		}
	}
	return t.keep(ctx, db)
}

// proveBefore proves to PostgreSQL by a constraint that all ids are below one, so that it need not scan the table while
// writers are locked out. Until the swap no row can have a later id: it is at least a month away. Where there are such
// rows, swap moves them.
func (t Partitioned) proveBefore(ctx context.Context, db *sql.DB, end string) error {
	constrain := fmt.Sprintf(`ALTER TABLE %s DROP CONSTRAINT IF EXISTS %[1]s_end,
		ADD CONSTRAINT %[1]s_end CHECK (id < '%s') NOT VALID`, t.Table, end)
	err := Briefly(ctx, db, MigrateTries, func(tx *sql.Tx) error { return ExecAll(ctx, tx, constrain) })
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, fmt.Sprintf("ALTER TABLE %s VALIDATE CONSTRAINT %[1]s_end", t.Table))
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "23514" {
		return nil
	}
	return err
}

// swap puts the new table in the place of the old one, which becomes its first partition. Their indexes match, so that
// none is built.
func (t Partitioned) swap(ctx context.Context, db *sql.DB, end string) error {
	indexes, err := t.indexes(ctx, db)
	if err != nil {
		return err
	}
	first := t.Table + "_first"
	steps := []string{
		fmt.Sprintf("LOCK TABLE %s IN ACCESS EXCLUSIVE MODE", t.Table),
		fmt.Sprintf("ALTER TABLE %s RENAME TO %s", t.Table, first),
	}
	for name := range indexes {
		steps = append(steps, fmt.Sprintf("ALTER INDEX %s RENAME TO %s", name, first+strings.TrimPrefix(name, t.Table)))
	}
	steps = append(steps,
		fmt.Sprintf("CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING STORAGE) PARTITION BY RANGE (id)", t.Table, first),
		fmt.Sprintf("ALTER TABLE %s ADD CONSTRAINT %[1]s_pkey PRIMARY KEY (id)", t.Table))
	for name, definition := range indexes {
		if name != t.Table+"_pkey" {
			steps = append(steps, definition)
		}
	}
	steps = append(steps,
		fmt.Sprintf("CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING INDEXES)", t.rest(), t.Table),
		fmt.Sprintf("WITH moved AS (DELETE FROM %s WHERE id >= '%s' RETURNING *) INSERT INTO %s SELECT * FROM moved", first,
			end, t.rest()),
		fmt.Sprintf("ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (MINVALUE) TO ('%s')", t.Table, first, end),
		fmt.Sprintf("ALTER TABLE %s ATTACH PARTITION %s DEFAULT", t.Table, t.rest()),
		fmt.Sprintf("ALTER TABLE %s DROP CONSTRAINT IF EXISTS %s_end", first, t.Table))
	return Briefly(ctx, db, MigrateTries, func(tx *sql.Tx) error { return ExecAll(ctx, tx, steps...) })
}

// indexes returns the definitions of a table's indexes, by name.
func (t Partitioned) indexes(ctx context.Context, db *sql.DB) (map[string]string, error) {
	rows, err := db.QueryContext(ctx, `SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
		WHERE indrelid = to_regclass($1)`, t.Table)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	out := map[string]string{}
	for rows.Next() {
		var name, definition string
		if err := rows.Scan(&name, &definition); err != nil {
			return nil, err
		}
		out[name] = definition
	}
	return out, rows.Err()
}

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
