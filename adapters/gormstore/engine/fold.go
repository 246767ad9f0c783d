package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"
)

// Rollup is a table of hourly or daily figures in slots.
type Rollup struct {
	Table, Time   string
	Keys, Figures []string
}

// Rollups are the tables of figures that FoldFigures folds.
var Rollups = []Rollup{
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
	now, err := Clock{s.Conn()}.Now(ctx, time.Now())
	if err != nil {
		return err
	}
	for _, r := range Rollups {
		var until any = HourOf(now.Add(-closedAfter))
		if r.Time == "day" { // in any time zone
			until = now.Add(-closedAfter).AddDate(0, 0, -1).Format(time.DateOnly)
		}
		for more := true; more; {
			begun := time.Now()
			err := s.Writer.WithContext(ctx).Transaction(func(tx *gorm.DB) (err error) {
				more, err = r.fold(tx, until)
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
	return nil
}

// fold sums the oldest hour or day that is not folded, and reports false when there is none, or another instance is
// folding.
func (r Rollup) fold(tx *gorm.DB, until any) (bool, error) {
	postgres := tx.Name() == "postgres"
	if postgres {
		var locked bool
		if err := tx.Raw("SELECT pg_try_advisory_xact_lock(?)", int64(foldLock)).Scan(&locked).Error; err != nil || !locked {
			return false, err
		}
	}
	keys, sums, adds := strings.Join(r.Keys, ", "), make([]string, len(r.Figures)), make([]string, len(r.Figures))
	for i, figure := range r.Figures {
		sums[i] = fmt.Sprintf("CAST(SUM(%s) AS bigint)", figure)
		adds[i] = fmt.Sprintf("%[2]s = %[1]s.%[2]s + excluded.%[2]s", r.Table, figure)
	}
	oldest := fmt.Sprintf("%[1]s = (SELECT MIN(%[1]s) FROM %[2]s WHERE %[3]s AND %[1]s < ?) AND %[3]s", r.Time, r.Table,
		unfolded)
	sum := func(from string) string {
		return fmt.Sprintf(`INSERT INTO %s (%s, slot, %s) SELECT %[2]s, -100, %[4]s FROM %[5]s GROUP BY %[2]s
			ON CONFLICT (%[2]s, slot) DO UPDATE SET %[6]s`,
			r.Table, keys, strings.Join(r.Figures, ", "), strings.Join(sums, ", "), from, strings.Join(adds, ", "))
	}
	if postgres { // in one statement, because others may count meanwhile
		folded := tx.Exec("WITH gone AS (DELETE FROM "+r.Table+" WHERE "+oldest+" RETURNING *) "+sum("gone"), until)
		return folded.RowsAffected > 0, folded.Error
	}
	if err := tx.Exec(sum(r.Table+" WHERE "+oldest), until).Error; err != nil {
		return false, err
	}
	gone := tx.Exec("DELETE FROM "+r.Table+" WHERE "+oldest, until)
	return gone.RowsAffected > 0, gone.Error
}
