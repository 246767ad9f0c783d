package gormstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"
)

// rollup is a table of hourly or daily figures in slots.
type rollup struct {
	table, time   string
	keys, figures []string
}

var rollups = []rollup{
	{"delivery_hours", "hour", []string{"webhook_id", "hour"}, []string{"accepted", "repeated", "refused"}},
	{"lookup_hours", "hour", []string{"org_id", "hour", "product"}, []string{"charged", "cached", "amount"}},
	{"contact_hours", "hour", []string{"org_id", "hour", "webhook_id", "origin_id"}, []string{"contacts"}},
	{"spend_days", "day", []string{"org_id", "day", "key_id", "product"}, []string{"charged", "amount"}},
	{"member_days", "day", []string{"org_id", "member_id", "day", "product"}, []string{"charged", "amount"}},
}

const (
	// unfolded selects the slots that are counted in; slot -100 holds their folded sum. The partial indexes of what is
	// left to fold use the same condition.
	unfolded = "slot <> -100"
	// foldLock is the advisory lock under which PostgreSQL folds.
	foldLock = 0x66696368_666f6c64
)

// closedAfter is when an hour is closed: from then on counts are only taken back.
const closedAfter = 2 * time.Hour

// FoldFigures sums the slots of past hours and days into one, an hour at a time, so that figures are read equally fast
// however many instances have counted them. It is a chore that may run on any number of instances at once.
func (s *Engine) FoldFigures(ctx context.Context) error {
	now, err := clock{s.conn()}.Now(ctx, time.Now())
	if err != nil {
		return err
	}
	for _, r := range rollups {
		var until any = hourOf(now.Add(-closedAfter))
		if r.time == "day" { // in any time zone
			until = now.Add(-closedAfter).AddDate(0, 0, -1).Format(time.DateOnly)
		}
		for more := true; more; {
			begun := time.Now()
			err := s.write.WithContext(ctx).Transaction(func(tx *gorm.DB) (err error) {
				more, err = r.fold(tx, until)
				return err
			})
			if err == nil && more {
				err = rest(ctx, begun)
			}
			if err != nil {
				return named("store.foldFigures", classify(err))
			}
		}
	}
	return nil
}

// fold sums the oldest hour or day that is not folded, and reports false when there is none, or another instance is
// folding.
func (r rollup) fold(tx *gorm.DB, until any) (bool, error) {
	postgres := tx.Name() == "postgres"
	if postgres {
		var locked bool
		if err := tx.Raw("SELECT pg_try_advisory_xact_lock(?)", int64(foldLock)).Scan(&locked).Error; err != nil || !locked {
			return false, err
		}
	}
	keys, sums, adds := strings.Join(r.keys, ", "), make([]string, len(r.figures)), make([]string, len(r.figures))
	for i, figure := range r.figures {
		sums[i] = fmt.Sprintf("CAST(SUM(%s) AS bigint)", figure)
		adds[i] = fmt.Sprintf("%[2]s = %[1]s.%[2]s + excluded.%[2]s", r.table, figure)
	}
	oldest := fmt.Sprintf("%[1]s = (SELECT MIN(%[1]s) FROM %[2]s WHERE %[3]s AND %[1]s < ?) AND %[3]s", r.time, r.table, unfolded)
	sum := func(from string) string {
		return fmt.Sprintf(`INSERT INTO %s (%s, slot, %s) SELECT %[2]s, -100, %[4]s FROM %[5]s GROUP BY %[2]s
			ON CONFLICT (%[2]s, slot) DO UPDATE SET %[6]s`,
			r.table, keys, strings.Join(r.figures, ", "), strings.Join(sums, ", "), from, strings.Join(adds, ", "))
	}
	if postgres { // in one statement, because others may count meanwhile
		folded := tx.Exec("WITH gone AS (DELETE FROM "+r.table+" WHERE "+oldest+" RETURNING *) "+sum("gone"), until)
		return folded.RowsAffected > 0, folded.Error
	}
	if err := tx.Exec(sum(r.table+" WHERE "+oldest), until).Error; err != nil {
		return false, err
	}
	gone := tx.Exec("DELETE FROM "+r.table+" WHERE "+oldest, until)
	return gone.RowsAffected > 0, gone.Error
}
