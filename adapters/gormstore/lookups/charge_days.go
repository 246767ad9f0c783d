package lookups

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"fichario/adapters/gormstore/engine"
)

// chargeDayRow is what was charged on a day to somebody, by all that the statement tells apart, as far as one slot has
// counted it. An id of zeros is none. Triggers on lookups write it, as member_days; calls that begin
// together are counted together, because on PostgreSQL a statement of the trigger for each took a tenth of their time.
type chargeDayRow struct {
	OrgID        engine.UID `gorm:"primaryKey"`
	Day          string     `gorm:"primaryKey"`
	KeyID        engine.UID `gorm:"primaryKey"`
	MemberID     engine.UID `gorm:"primaryKey"`
	AutomationID engine.UID `gorm:"primaryKey"`
	BatchID      engine.UID `gorm:"primaryKey"`
	Purpose      string     `gorm:"primaryKey"`
	Bureau       string     `gorm:"primaryKey"`
	Product      string     `gorm:"primaryKey"`
	Slot         int64      `gorm:"primaryKey;autoIncrement:false"`
	Charged      int64      `gorm:"not null"`
	Amount       int64      `gorm:"not null"`
}

func (chargeDayRow) TableName() string { return "charge_days" }

var chargeTally = engine.TallyOf(chargeDayRow{})

// ChargeParts are the columns that the charges of a day are told apart by.
var ChargeParts = strings.Join(chargeTally.Keys, ", ")

// countsCharges tells the trigger that this transaction counts the charges that it inserts, which an instance of an
// older version does not.
const countsCharges = "SELECT set_config('fichario.counts_charges', 'yes', true)"

// charged counts an entry that is inserted, by its parts. On PostgreSQL the trigger does, and through leaves them out,
// but in a transaction that says countsCharges.
func (c *charges) charged(row LookupRow) {
	if !row.Charged {
		return
	}
	day := chargeDayRow{
		OrgID: row.OrgID, Day: row.Day, KeyID: engine.OrNoID(row.KeyID), MemberID: engine.OrNoID(row.MemberID),
		AutomationID: engine.OrNoID(row.AutomationID), BatchID: engine.OrNoID(row.BatchID), Purpose: row.Purpose,
		Bureau: row.Bureau, Product: row.Product, Slot: c.slot,
	}
	sum, on := c.parts[day], day
	on.Charged, on.Amount = sum.Charged+1, sum.Amount+row.Amount
	c.parts[day] = on
}

// members are the parts of members.
func (c *charges) members() map[memberDayRow]memberDayRow {
	all := map[memberDayRow]memberDayRow{}
	for _, part := range c.parts {
		if part.MemberID != engine.NoID {
			day := memberDayRow{
				OrgID: part.OrgID, MemberID: part.MemberID, Day: part.Day, Product: part.Product, Slot: part.Slot,
			}
			sum, on := all[day], day
			on.Charged, on.Amount = sum.Charged+part.Charged, sum.Amount+part.Amount
			all[day] = on
		}
	}
	return all
}

// LetChargesBeCounted makes the trigger of charge_days leave out what is inserted after countsCharges.
func LetChargesBeCounted(ctx context.Context, db *sql.DB) error {
	return engine.Briefly(ctx, db, engine.MigrateTries, func(tx *sql.Tx) error {
		return engine.ExecAll(ctx, tx, `CREATE OR REPLACE TRIGGER charge_days_come AFTER INSERT ON lookups FOR EACH ROW
			WHEN (NEW.charged AND current_setting('fichario.counts_charges', true) IS DISTINCT FROM 'yes')
			EXECUTE FUNCTION charge_days_follow()`)
	})
}

// chargeOf is an entry's row, as SELECT has it; the prefix names the entry.
func chargeOf(prefix, slot, charged, amount string) string {
	return fmt.Sprintf(`%[1]sorg_id, %[1]sday, COALESCE(%[1]skey_id, %[2]s), COALESCE(%[1]smember_id, %[2]s),
		COALESCE(%[1]sautomation_id, %[2]s), COALESCE(%[1]sbatch_id, %[2]s), %[1]spurpose, %[1]sbureau,
		%[1]sproduct, %[3]s, %[4]s, %[5]s`, prefix, engine.Literal(engine.NoID)+"::uuid", slot, charged, amount)
}

var insertCharges = "INSERT INTO charge_days (" + ChargeParts + ", slot, charged, amount) "

// AddChargeDays makes what was charged by any two parts of the statement cost only what it shows. The bureau of an
// entry changes with its amount where a question goes on to the next one: what was counted before is taken back.
func AddChargeDays(ctx context.Context, db *sql.DB) error {
	count := chargeTally.Add + ";"
	return follower{
		Tally: chargeTally,
		table: []string{
			`CREATE TABLE IF NOT EXISTS charge_days (
				org_id        uuid NOT NULL,
				day           text NOT NULL,
				key_id        uuid NOT NULL,
				member_id     uuid NOT NULL,
				automation_id uuid NOT NULL,
				batch_id      uuid NOT NULL,
				purpose       text NOT NULL,
				bureau        text NOT NULL,
				product       text NOT NULL,
				slot          bigint NOT NULL,
				charged       bigint NOT NULL,
				amount        bigint NOT NULL,
				PRIMARY KEY (` + ChargeParts + `, slot)
			) WITH (fillfactor = 50)`,
			"CREATE INDEX IF NOT EXISTS charge_days_open ON charge_days (day) WHERE slot <> -100",
			`CREATE OR REPLACE FUNCTION charge_days_follow() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN
				IF TG_OP = 'UPDATE' AND OLD.charged THEN
					` + insertCharges + "SELECT " + chargeOf("OLD.", "pg_backend_pid()", "-1", "-OLD.amount") + count + `
				END IF;
				IF NEW.charged THEN
					` + insertCharges + "SELECT " + chargeOf("NEW.", "pg_backend_pid()", "1", "NEW.amount") + count + `
				END IF;
				RETURN NULL;
			END $$`,
		},
		triggers: []string{
			`CREATE TRIGGER charge_days_come AFTER INSERT ON lookups FOR EACH ROW
				WHEN (NEW.charged) EXECUTE FUNCTION charge_days_follow()`,
			`CREATE TRIGGER charge_days_change AFTER UPDATE OF charged, amount, bureau ON lookups FOR EACH ROW
				WHEN (OLD.charged <> NEW.charged OR OLD.amount <> NEW.amount OR OLD.bureau <> NEW.bureau)
				EXECUTE FUNCTION charge_days_follow()`,
		},
		fill:   insertCharges + "SELECT " + chargeOf("", "0", "COUNT(*)", "SUM(amount)") + " FROM lookups WHERE charged AND id ",
		groups: " GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9",
	}.add(ctx, db)
}
