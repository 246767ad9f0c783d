package lookups

import (
	"context"
	"database/sql"
	"time"

	"fichario/adapters/gormstore/engine"
)

// AddBudgets gives members a budget, the sum charged to them this month, and an index of what each member looked up.
func AddBudgets(ctx context.Context, db *sql.DB) error {
	err := engine.Briefly(ctx, db, engine.MigrateTries, func(tx *sql.Tx) error {
		return engine.ExecAll(ctx, tx, "ALTER TABLE members ADD COLUMN IF NOT EXISTS budget bigint")
	})
	if err != nil {
		return err
	}
	if err := engine.LookupsByMonth.Index(ctx, db, "member",
		"(member_id, id) WHERE member_id IS NOT NULL"); err != nil {
		return err
	}
	now, err := engine.ClockOf(ctx, db)
	if err != nil {
		return err
	}
	// Days of other time zones begin before or after those of UTC.
	since := engine.Monthly.Start(now.AddDate(0, 0, -2))
	_, err = db.ExecContext(ctx, `INSERT INTO key_usage (key_id, bucket, count, amount)
		SELECT member_id, month, COUNT(*), SUM(amount) FROM lookups
		WHERE charged AND member_id IS NOT NULL AND id > $1 AND month >= $2 GROUP BY 1, 2 ON CONFLICT DO NOTHING`,
		engine.IDsSince(since.Add(-24*time.Hour)), since.Format("2006-01"))
	return err
}

// AddAskers adds to lookups the batch or automation that asked. It rewrites no row.
func AddAskers(ctx context.Context, db *sql.DB) error {
	return engine.Briefly(ctx, db, engine.MigrateTries, func(tx *sql.Tx) error {
		return engine.ExecAll(ctx, tx, `ALTER TABLE lookups ADD COLUMN IF NOT EXISTS batch_id uuid,
			ADD COLUMN IF NOT EXISTS automation_id uuid`)
	})
}

// AddParts lets an answer speak of several products. It rewrites no row.
func AddParts(ctx context.Context, db *sql.DB) error {
	err := engine.Briefly(ctx, db, engine.MigrateTries, func(tx *sql.Tx) error {
		return engine.ExecAll(ctx, tx, "ALTER TABLE records ADD COLUMN IF NOT EXISTS of_id uuid")
	})
	if err != nil {
		return err
	}
	var broken bool // by a run that was killed
	err = db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM pg_index
		WHERE indexrelid = to_regclass('records_of') AND NOT indisvalid)`).Scan(&broken)
	if err == nil && broken {
		_, err = db.ExecContext(ctx, "DROP INDEX records_of")
	}
	if err == nil {
		_, err = db.ExecContext(ctx,
			"CREATE INDEX CONCURRENTLY IF NOT EXISTS records_of ON records (of_id) WHERE of_id IS NOT NULL")
	}
	return err
}

// AddQuestions lets an answer say which question went on after it. It rewrites no row.
func AddQuestions(ctx context.Context, db *sql.DB) error {
	return engine.Briefly(ctx, db, engine.MigrateTries, func(tx *sql.Tx) error {
		return engine.ExecAll(ctx, tx, "ALTER TABLE records ADD COLUMN IF NOT EXISTS question_id uuid")
	})
}

// AddBureaus lets a question be put to several bureaus. It rewrites no row.
func AddBureaus(ctx context.Context, db *sql.DB) error {
	for _, step := range []string{
		`ALTER TABLE lookups ADD COLUMN IF NOT EXISTS bureau text NOT NULL DEFAULT '',
			ADD COLUMN IF NOT EXISTS followed_id uuid,
			ADD COLUMN IF NOT EXISTS compared boolean NOT NULL DEFAULT false,
			ADD COLUMN IF NOT EXISTS inputs bytea,
			ADD COLUMN IF NOT EXISTS others bigint NOT NULL DEFAULT 0,
			ADD COLUMN IF NOT EXISTS spare bigint NOT NULL DEFAULT 0,
			ADD COLUMN IF NOT EXISTS spare_calls bigint NOT NULL DEFAULT 0`,
		`ALTER TABLE records ADD COLUMN IF NOT EXISTS bureau text NOT NULL DEFAULT '',
			ADD COLUMN IF NOT EXISTS sources text NOT NULL DEFAULT '',
			ADD COLUMN IF NOT EXISTS inputs bytea`,
		`CREATE TABLE IF NOT EXISTS bureau_orders (product text NOT NULL PRIMARY KEY, names text NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS bureau_outs (
			name      text NOT NULL PRIMARY KEY,
			until     timestamptz,
			exhausted boolean NOT NULL
		)`,
		`CREATE TABLE IF NOT EXISTS bureau_days (
			bureau  text NOT NULL,
			day     text NOT NULL,
			took    bigint NOT NULL,
			slot    bigint NOT NULL,
			calls   bigint NOT NULL,
			failed  bigint NOT NULL,
			charged bigint NOT NULL,
			amount  bigint NOT NULL,
			above   bigint NOT NULL,
			PRIMARY KEY (bureau, day, took, slot)
		) WITH (fillfactor = 50)`,
		"CREATE INDEX IF NOT EXISTS bureau_days_open ON bureau_days (day) WHERE slot <> -100",
	} {
		err := engine.Briefly(ctx, db, engine.MigrateTries, func(tx *sql.Tx) error { return engine.ExecAll(ctx, tx, step) })
		if err != nil {
			return err
		}
	}
	return nil
}
