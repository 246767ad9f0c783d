package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

func divideAll(ctx context.Context, db *sql.DB) error {
	for _, t := range partitionedTables {
		if err := t.divide(ctx, db); err != nil {
			return fmt.Errorf("%s: %w", t.table, err)
		}
	}
	return nil
}

// migrateTries is how often a migration retries to get a lock.
const migrateTries = 250

// divide turns an unpartitioned table into the first partition of a new one with its name. It copies and reads no row
// while others wait. If it is killed, the next run continues.
func (t partitioned) divide(ctx context.Context, db *sql.DB) error {
	var divided, empty bool
	err := db.QueryRowContext(ctx, fmt.Sprintf(`SELECT relkind = 'p', NOT EXISTS (SELECT 1 FROM %s)
		FROM pg_class WHERE oid = to_regclass('%[1]s')`, t.table)).Scan(&divided, &empty)
	if err != nil {
		return err
	}
	if !divided {
		now, err := clockOf(ctx, db)
		if err != nil {
			return err
		}
		end := t.period.start(now)
		if !empty {
			end = monthly.after(monthly.start(now), 2)
			if err := t.proveBefore(ctx, db, firstID(end)); err != nil {
				return err
			}
		}
		if err := t.swap(ctx, db, firstID(end)); err != nil {
			return err
		}
	}
	return t.keep(ctx, db)
}

// proveBefore proves to PostgreSQL by a constraint that all ids are below one, so that it need not scan the table while
// writers are locked out. Until the swap no row can have a later id: it is at least a month away. Where there are such
// rows, swap moves them.
func (t partitioned) proveBefore(ctx context.Context, db *sql.DB, end string) error {
	constrain := fmt.Sprintf(`ALTER TABLE %s DROP CONSTRAINT IF EXISTS %[1]s_end,
		ADD CONSTRAINT %[1]s_end CHECK (id < '%s') NOT VALID`, t.table, end)
	err := briefly(ctx, db, migrateTries, func(tx *sql.Tx) error { return execAll(ctx, tx, constrain) })
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, fmt.Sprintf("ALTER TABLE %s VALIDATE CONSTRAINT %[1]s_end", t.table))
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "23514" {
		return nil
	}
	return err
}

// swap puts the new table in the place of the old one, which becomes its first partition. Their indexes match, so that
// none is built.
func (t partitioned) swap(ctx context.Context, db *sql.DB, end string) error {
	indexes, err := t.indexes(ctx, db)
	if err != nil {
		return err
	}
	first := t.table + "_first"
	steps := []string{
		fmt.Sprintf("LOCK TABLE %s IN ACCESS EXCLUSIVE MODE", t.table),
		fmt.Sprintf("ALTER TABLE %s RENAME TO %s", t.table, first),
	}
	for name := range indexes {
		steps = append(steps, fmt.Sprintf("ALTER INDEX %s RENAME TO %s", name, first+strings.TrimPrefix(name, t.table)))
	}
	steps = append(steps,
		fmt.Sprintf("CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING STORAGE) PARTITION BY RANGE (id)", t.table, first),
		fmt.Sprintf("ALTER TABLE %s ADD CONSTRAINT %[1]s_pkey PRIMARY KEY (id)", t.table))
	for name, definition := range indexes {
		if name != t.table+"_pkey" {
			steps = append(steps, definition)
		}
	}
	steps = append(steps,
		fmt.Sprintf("CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING INDEXES)", t.rest(), t.table),
		fmt.Sprintf("WITH moved AS (DELETE FROM %s WHERE id >= '%s' RETURNING *) INSERT INTO %s SELECT * FROM moved",
			first, end, t.rest()),
		fmt.Sprintf("ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (MINVALUE) TO ('%s')", t.table, first, end),
		fmt.Sprintf("ALTER TABLE %s ATTACH PARTITION %s DEFAULT", t.table, t.rest()),
		fmt.Sprintf("ALTER TABLE %s DROP CONSTRAINT IF EXISTS %s_end", first, t.table))
	return briefly(ctx, db, migrateTries, func(tx *sql.Tx) error { return execAll(ctx, tx, steps...) })
}

// indexes returns the definitions of a table's indexes, by name.
func (t partitioned) indexes(ctx context.Context, db *sql.DB) (map[string]string, error) {
	rows, err := db.QueryContext(ctx, `SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
		WHERE indrelid = to_regclass($1)`, t.table)
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
