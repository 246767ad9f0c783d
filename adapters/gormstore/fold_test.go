package gormstore

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/adapters/gormstore/engine"
)

// TestSlotsOfPastHoursAreFolded: also counts taken back later; those of the current hour are not.
func TestSlotsOfPastHoursAreFolded(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		now := time.Now()
		count := func(r engine.Tally, at time.Time, slot, n int) {
			t.Helper()
			values := make([]any, 0, 8)
			for _, key := range r.Keys {
				switch key {
				case "hour":
					values = append(values, engine.HourOf(at))
				case "day":
					values = append(values, at.Format(time.DateOnly))
				case "took":
					values = append(values, 9)
				case "product":
					values = append(values, "cpf")
				default:
					values = append(values, testID(1))
				}
			}
			values = append(values, slot)
			for range r.Counts {
				values = append(values, n)
			}
			marks := strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ")
			columns := strings.Join(slices.Concat(r.Keys, []string{"slot"}, r.Counts), ", ")
			insert := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", r.Name, columns, marks)
			if err := s.Writer.Exec(insert, values...).Error; err != nil {
				t.Fatal(err)
			}
		}
		for _, r := range s.tallies() {
			if r.Period == "" {
				continue
			}
			rows := func() (all []string) {
				t.Helper()
				err := s.Reader.Raw(fmt.Sprintf("SELECT slot || ':' || %s FROM %s ORDER BY %s DESC, slot", r.Counts[0], r.Name,
					r.Period)).
					Scan(&all).Error
				if err != nil {
					t.Fatal(err)
				}
				return all
			}
			for slot := range 3 {
				count(r, now.AddDate(0, 0, -3), slot, 5)
				count(r, now.AddDate(0, 0, -4), slot, 7)
				count(r, now, slot, 1)
			}
			if r.Name == "delivery_hours" { // slots of an earlier version do not say whose they are
				if err := s.Writer.Exec("UPDATE delivery_hours SET org_id = webhook_id WHERE slot = 1").Error; err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				if err := s.FoldFigures(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := rows(); !slices.Equal(got, []string{"0:1", "1:1", "2:1", "-100:15", "-100:21"}) {
					t.Errorf("%s: %s has %v", s.Writer.Name(), r.Name, got)
				}
			}
			if r.Name == "delivery_hours" {
				var unsaid int64
				err := s.Writer.Raw("SELECT COUNT(*) FROM delivery_hours WHERE slot = -100 AND org_id IS NULL").Scan(&unsaid).Error
				if err != nil || unsaid > 0 {
					t.Errorf("%s: %d folded slots do not say whose they are any more, %v", s.Writer.Name(), unsaid, err)
				}
			}
			count(r, now.AddDate(0, 0, -3), -9, -2)
			if err := s.FoldFigures(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := rows(); !slices.Equal(got[3:], []string{"-100:13", "-100:21"}) {
				t.Errorf("%s: %s has %v after something was taken back", s.Writer.Name(), r.Name, got)
			}
		}
	}
}
