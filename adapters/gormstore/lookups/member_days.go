package lookups

import (
	"context"
	"database/sql"
	"time"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/lookup"
)

// memberDayRow is what a member was charged on a day for a product, as far as one slot has counted it. Triggers on
// lookups write it, so that charges by instances of an older version are counted too while they keep serving. SQLite
// has no such instances: there a trigger counts what changes later, and what inserts an entry counts that.
type memberDayRow struct {
	OrgID    engine.UID `gorm:"primaryKey"`
	MemberID engine.UID `gorm:"primaryKey"`
	Day      string     `gorm:"primaryKey"`
	Product  string     `gorm:"primaryKey"`
	Slot     int64      `gorm:"primaryKey;autoIncrement:false"`
	Charged  int64      `gorm:"not null"`
	Amount   int64      `gorm:"not null"`
}

func (memberDayRow) TableName() string { return "member_days" }

var memberTally = engine.TallyOf(memberDayRow{})

// memberDaysTable is created before the triggers on the entries, and filled from the entries. An entry's slot is the
// PostgreSQL process that wrote it, so that no two transactions update the same row at once.
var memberDaysTable = []string{
	`CREATE TABLE IF NOT EXISTS member_days (
		org_id    uuid NOT NULL,
		member_id uuid NOT NULL,
		day       text NOT NULL,
		product   text NOT NULL,
		slot      bigint NOT NULL,
		charged   bigint NOT NULL,
		amount    bigint NOT NULL,
		PRIMARY KEY (org_id, member_id, day, product, slot)
	) WITH (fillfactor = 50)`,
	"CREATE INDEX IF NOT EXISTS member_days_open ON member_days (day) WHERE slot <> -100",
	`CREATE OR REPLACE FUNCTION member_days_follow() RETURNS trigger LANGUAGE plpgsql AS $$
	DECLARE
		n bigint := NEW.charged::int;
		a bigint := NEW.amount;
	BEGIN
		IF TG_OP = 'UPDATE' THEN
			n := n - OLD.charged::int;
			a := a - OLD.amount;
		END IF;
		INSERT INTO member_days AS d (org_id, member_id, day, product, slot, charged, amount)
		VALUES (NEW.org_id, NEW.member_id, NEW.day, NEW.product, pg_backend_pid(), n, a)
		ON CONFLICT (org_id, member_id, day, product, slot)
			DO UPDATE SET charged = d.charged + excluded.charged, amount = d.amount + excluded.amount;
		RETURN NULL;
	END $$`,
}

// memberDaysFollow creates the triggers.
var memberDaysFollow = []string{
	`CREATE TRIGGER member_days_come AFTER INSERT ON lookups FOR EACH ROW
		WHEN (NEW.charged AND NEW.member_id IS NOT NULL) EXECUTE FUNCTION member_days_follow()`,
	`CREATE TRIGGER member_days_change AFTER UPDATE OF charged, amount ON lookups FOR EACH ROW
		WHEN (NEW.member_id IS NOT NULL AND (OLD.charged <> NEW.charged OR OLD.amount <> NEW.amount))
		EXECUTE FUNCTION member_days_follow()`,
}

// fillMemberDays counts the entries whose ids meet a condition.
const fillMemberDays = `INSERT INTO member_days (org_id, member_id, day, product, slot, charged, amount)
	SELECT org_id, member_id, day, product, 0, COUNT(*), SUM(amount) FROM lookups
	WHERE charged AND member_id IS NOT NULL AND id `

// AddMemberDays makes a member's statement cost only what it shows.
func AddMemberDays(ctx context.Context, db *sql.DB) error {
	for name, of := range map[string]string{
		"member_product": "(member_id, product, cache, id DESC NULLS LAST) WHERE member_id IS NOT NULL",
		"member_purpose": "(member_id, purpose, id DESC NULLS LAST) WHERE member_id IS NOT NULL AND purpose <> ''",
	} {
		if err := engine.LookupsByMonth.Index(ctx, db, name, of); err != nil {
			return err
		}
	}
	return follower{
		Tally: memberTally, table: memberDaysTable, triggers: memberDaysFollow, fill: fillMemberDays,
		groups: " GROUP BY 1, 2, 3, 4",
	}.add(ctx, db)
}

// follower is a table of charges a day on PostgreSQL, which triggers on the entries write. The triggers' names begin
// with the table's; one of them ends with _change.
type follower struct {
	engine.Tally
	table, triggers []string
	// fill counts the entries whose ids meet a condition, which is added; groups is what follows that.
	fill, groups string
}

// openMost is how old an entry may be whose charge is still to be written: a bureau may answer up to twelve hours
// later, and what it posts may wait another hour to be read.
const openMost = 14 * time.Hour

// add makes the table and its triggers. Older charges are counted while others write; nobody can charge while the
// triggers are created and the entries of the last hour counted, and those since the oldest whose charge may still
// change.
func (f follower) add(ctx context.Context, db *sql.DB) error {
	var follows bool
	err := db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM pg_trigger
		WHERE tgname = $1 AND tgrelid = to_regclass('lookups'))`, f.Name+"_change").Scan(&follows)
	if err != nil || follows {
		return err
	}
	now, err := engine.ClockOf(ctx, db)
	if err != nil {
		return err
	}
	since := engine.IDsSince(now.Add(-time.Hour))
	err = db.QueryRowContext(ctx, "SELECT LEAST($1::text, MIN(id::text)) FROM lookups WHERE status = "+
		engine.Literal(lookup.Running)+" AND id > $2::uuid", since, engine.IDsSince(now.Add(-openMost))).Scan(&since)
	if err != nil {
		return err
	}
	err = engine.Briefly(ctx, db, engine.MigrateTries, func(tx *sql.Tx) error {
		if err := engine.ExecAll(ctx, tx, f.table...); err != nil {
			return err
		}
		return engine.ExecAll(ctx, tx, "TRUNCATE "+f.Name, // left behind by a killed run
			f.fill+"< "+engine.Literal(since)+f.groups)
	})
	if err != nil {
		return err
	}
	return engine.Briefly(ctx, db, engine.MigrateTries, func(tx *sql.Tx) error {
		if err := engine.ExecAll(ctx, tx, f.triggers...); err != nil {
			return err
		}
		return engine.ExecAll(ctx, tx, f.fill+">= "+engine.Literal(since)+f.groups+f.Add)
	})
}
