package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"fichario/domain/access"
	"fichario/ports"
)

// Tally is a table of counters. The columns of the row's primary key are what it counts by, the others are the counts.
// Where "slot" is among the keys, concurrent writers spread over slots; where "hour" or "day" is there too, Fold sums what
// is past.
type Tally struct {
	Table
	// One is the statement that adds a row to what is counted on SQLite, Add the ending of insertions on PostgreSQL, and
	// add that on SQLite.
	One, Add, add string
	// Period is the key that is a time, where slots are folded: "hour" or "day".
	Period string
	// Keys are what is counted by, without the slot, Counts what is counted: names of columns.
	Keys, Counts []string
	// owned is whether a row also says whose it is, where what it counts by belongs to one organisation.
	owned bool
}

// TallyOf describes the table of a row of counts.
func TallyOf(row schema.Tabler) Tally {
	parsed := parse(row)
	t := Tally{Table: TableOf(row)}
	var adds []string
	for _, f := range parsed.Fields {
		switch {
		case !f.PrimaryKey && f.DBName == "org_id":
			t.owned = true
		case !f.PrimaryKey:
			t.Counts = append(t.Counts, f.DBName)
			adds = append(adds, fmt.Sprintf("%[2]s = %[1]s.%[2]s + excluded.%[2]s", t.Name, f.DBName))
		case f.DBName != "slot":
			t.Keys = append(t.Keys, f.DBName)
		}
	}
	by := t.Keys
	if slices.Contains(parsed.PrimaryFieldDBNames, "slot") {
		by = append(slices.Clone(t.Keys), "slot")
		for _, period := range []string{"hour", "day"} {
			if slices.Contains(t.Keys, period) {
				t.Period = period
			}
		}
	}
	adding := "\nON CONFLICT %s DO UPDATE SET " + strings.Join(adds, ", ")
	t.add = fmt.Sprintf(adding, "("+strings.Join(by, ", ")+")")
	t.One = t.Insert() + t.add
	// By the key's name: on Citus, the organisation belongs to the key too.
	t.Add = fmt.Sprintf(adding, "ON CONSTRAINT "+t.Name+"_pkey")
	return t
}

// Counting adds a row, given by its address, to what is counted: in a transaction on SQLite, or through GORM.
type Counting func(t Tally, row any) error

// Through counts through GORM.
func Through(db *gorm.DB) Counting {
	return func(t Tally, row any) error { return db.Exec(t.adding(db), t.Values(row)...).Error }
}

// Within adds a row through GORM, unless what is counted already, and the row, would break a condition. It affects no
// row then.
func (t Tally) Within(db *gorm.DB, row any, condition string, values ...any) *gorm.DB {
	return db.Exec(t.adding(db)+" WHERE "+condition, append(t.Values(row), values...)...)
}

func (t Tally) adding(db *gorm.DB) string {
	if db.Name() == "postgres" {
		return t.Insert() + t.Add
	}
	return t.One
}

// OnKey is the beginning of what an insertion does where there is a row with the same key. By its name on PostgreSQL,
// because on Citus the organisation belongs to the key too.
func OnKey(db *gorm.DB, table, columns string) string {
	if db.Name() == "postgres" {
		return " ON CONFLICT ON CONSTRAINT " + table + "_pkey DO UPDATE SET "
	}
	return " ON CONFLICT (" + columns + ") DO UPDATE SET "
}

// Many adds many rows on PostgreSQL.
func (t Tally) Many() many { return ManyOf(t.Table).InOrder(len(t.Keys)).Then(t.Add) }

// foldLock is the advisory lock under which PostgreSQL folds.
const foldLock = 0x66696368_666f6c64

// closedAfter is when an hour is closed: from then on counts are only taken back.
const closedAfter = 2 * time.Hour

// DaySlot is the slot in which a whole day of hours is counted, in the row of its first hour.
const DaySlot = -101

// fold is a way to sum rows of what is past, those of one hour or day at a time.
type fold struct {
	slots string // selects what is summed; a partial index has the same condition
	until any    // the first hour or day that is not past
	into  int    // the slot of the sum
	// dayOf returns the hours of an hour's day, which is summed into its first; nil sums each hour or day by itself.
	dayOf func(hour time.Time) (first, next time.Time)
}

// folds sum the hours of each day before yesterday, so that a month is some thirty rows, and the slots of later
// hours, or of days. Yesterday is left in hours for whoever asks for the last 24.
func (t Tally) folds(now time.Time, days access.Calendar) []fold {
	closed := now.Add(-closedAfter)
	switch t.Period {
	case "day": // in any time zone
		return []fold{{"slot <> -100", closed.AddDate(0, 0, -1).Format(time.DateOnly), -100, nil}}
	case "hour":
		dayOf := func(hour time.Time) (first, next time.Time) {
			end := hour.Add(time.Hour - 1) // an hour with two days in it is the later one's
			return HourOf(days.DaysBefore(end, 0)), HourOf(days.NextDay(end))
		}
		return []fold{
			{"slot > -101", HourOf(days.DaysBefore(now, 1)), DaySlot, dayOf},
			{"slot > -100", HourOf(closed), -100, nil},
		}
	}
	return nil
}

// Fold sums what was counted in past hours and days, so that figures are read equally fast however many instances have
// counted them, and hours of past days are read as days. It is a chore that may run on any number of instances at once.
func (s *Engine) Fold(ctx context.Context, tallies []Tally, days access.Calendar) error {
	now, err := Clock{s.Conn()}.Now(ctx, time.Now())
	if err != nil {
		return err
	}
	for _, t := range tallies {
		for _, f := range t.folds(now, days) {
			for more := true; more; {
				var begun time.Time // the wait for SQLite's writer is no work
				err := s.Writer.WithContext(ctx).Transaction(func(tx *gorm.DB) (err error) {
					begun = time.Now()
					more, err = t.fold(tx, f)
					return err
				})
				if err == nil && more {
					err = Rest(ctx, begun)
				}
				if err != nil {
					return Named("store.foldFigures", Classify(err))
				}
			}
		}
	}
	return nil
}

// fold sums the oldest hour or day that is not folded, and reports false when there is none, or another instance is
// folding.
func (t Tally) fold(tx *gorm.DB, f fold) (bool, error) {
	postgres := tx.Name() == "postgres"
	if postgres {
		var locked bool
		if err := tx.Raw("SELECT pg_try_advisory_xact_lock(?)", int64(foldLock)).Scan(&locked).Error; err != nil || !locked {
			return false, err
		}
	}
	var oldest any
	err := tx.Raw(fmt.Sprintf("SELECT %[1]s FROM %[2]s WHERE %[3]s AND %[1]s < ? ORDER BY %[1]s LIMIT 1", t.Period, t.Name,
		f.slots), f.until).Row().Scan(&oldest)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	keys, columns, adding := strings.Join(t.Keys, ", "), strings.Join(t.Counts, ", "), t.add
	into, by, whose, at := keys, keys, "MAX(org_id)", []any(nil)
	sums := strings.Join(Mapped(t.Counts, func(count string) string { return "CAST(SUM(" + count + ") AS bigint)" }), ", ")
	these, of := fmt.Sprintf("%s = ? AND %s", t.Period, f.slots), []any{oldest}
	if f.dayOf != nil {
		hour, ok := oldest.(time.Time)
		if !ok {
			return false, fmt.Errorf("an hour of %s is a %T", t.Name, oldest)
		}
		first, next := f.dayOf(hour)
		these, of, at = fmt.Sprintf("%[1]s >= ? AND %[1]s < ? AND %[2]s", t.Period, f.slots), []any{first, next}, []any{first}
		into = strings.Replace(keys, t.Period, "?", 1)
		by = strings.Join(slices.DeleteFunc(slices.Clone(t.Keys), func(key string) bool { return key == t.Period }), ", ")
	}
	if postgres {
		into, adding = strings.Replace(into, "?", "CAST(? AS timestamptz)", 1), t.Add
		whose = "CAST(MAX(CAST(org_id AS text)) AS uuid)"
	}
	if t.owned {
		columns, sums = columns+", org_id", sums+", "+whose
	}
	sum := func(from string) string {
		return fmt.Sprintf("INSERT INTO %s (%s, slot, %s) SELECT %s, %d, %s FROM %s GROUP BY %s",
			t.Name, keys, columns, into, f.into, sums, from, by) + adding
	}
	if postgres { // in one statement, because others may count meanwhile
		folded := tx.Exec("WITH gone AS (DELETE FROM "+t.Name+" WHERE "+these+" RETURNING *) "+sum("gone"),
			append(of, at...)...)
		return folded.RowsAffected > 0, folded.Error
	}
	if err := tx.Exec(sum(t.Name+" WHERE "+these), append(at, of...)...).Error; err != nil {
		return false, err
	}
	gone := tx.Exec("DELETE FROM "+t.Name+" WHERE "+these, of...)
	return gone.RowsAffected > 0, gone.Error
}

// HourOf is the beginning of a time's hour in UTC, as the rollups store it.
func HourOf(at time.Time) time.Time { return Stamp(at).Truncate(time.Hour) }

// HourOfColumn is HourOf in a statement.
func HourOfColumn(dialect, column string) string {
	if dialect == "postgres" {
		return "date_trunc('hour', " + column + ", 'UTC')"
	}
	return "substr(" + column + ", 1, 13) || ':00:00+00:00'"
}

// CountOf counts the rows that have an outcome.
func CountOf[T ~string](column string, o T) string {
	return fmt.Sprintf("COUNT(CASE WHEN %s = %s THEN 1 END)", column, Literal(o))
}

// someSlots is how many slots concurrent transactions spread over, enough that they seldom collide. Their numbers are
// negative, apart from the slots of instances, where cached lookups and posts, which share a commit, wait for no other
// transaction.
const someSlots = 8

// SomeSlot draws one of the slots for transactions of their own.
func SomeSlot() int64 { return -1 - int64(ports.Spread(someSlots-1)) }
