package gormstore

import (
	"context"
	"database/sql"
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

// addAskers adds to lookups the batch or automation that asked. It rewrites no row.
func addAskers(ctx context.Context, db *sql.DB) error {
	return briefly(ctx, db, migrateTries, func(tx *sql.Tx) error {
		return execAll(ctx, tx, `ALTER TABLE lookups ADD COLUMN IF NOT EXISTS batch_id uuid,
			ADD COLUMN IF NOT EXISTS automation_id uuid`)
	})
}
