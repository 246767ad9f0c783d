package gormstore

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/access"
)

// count counts n of everything that a tally counts.
func count(t *testing.T, s *Store, r engine.Tally, at time.Time, slot, n int) {
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

// TestSlotsOfPastHoursAreFolded: also counts taken back later; those of the current hour are not.
func TestSlotsOfPastHoursAreFolded(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		now, zone := time.Now(), access.Calendar{Location: time.UTC}
		count := func(r engine.Tally, at time.Time, slot, n int) {
			t.Helper()
			count(t, s, r, at, slot, n)
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
			folded := "-100"
			if r.Period == "hour" {
				folded = "-101"
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
				if err := s.FoldFigures(t.Context(), zone); err != nil {
					t.Fatal(err)
				}
				if got := rows(); !slices.Equal(got, []string{"0:1", "1:1", "2:1", folded + ":15", folded + ":21"}) {
					t.Errorf("%s: %s has %v", s.Writer.Name(), r.Name, got)
				}
			}
			if r.Name == "delivery_hours" {
				var unsaid int64
				err := s.Writer.Raw("SELECT COUNT(*) FROM delivery_hours WHERE slot < 0 AND org_id IS NULL").Scan(&unsaid).Error
				if err != nil || unsaid > 0 {
					t.Errorf("%s: %d folded slots do not say whose they are any more, %v", s.Writer.Name(), unsaid, err)
				}
			}
			count(r, now.AddDate(0, 0, -3), -9, -2)
			if err := s.FoldFigures(t.Context(), zone); err != nil {
				t.Fatal(err)
			}
			if got := rows(); !slices.Equal(got[3:], []string{folded + ":13", folded + ":21"}) {
				t.Errorf("%s: %s has %v after something was taken back", s.Writer.Name(), r.Name, got)
			}
		}
	}
}

// TestHoursOfPastDaysAreCountedWithTheirDay: of a zone like India's, whose days begin at half an hour, so that the
// hour in which a day ends is the next one's. Those of yesterday stay hours, and what is taken back later goes to its
// day.
func TestHoursOfPastDaysAreCountedWithTheirDay(t *testing.T) {
	t.Parallel()
	zone := access.Calendar{Location: time.FixedZone("", 5*60*60+30*60)}
	for _, s := range each(t) {
		now, err := s.Repos().Clock.Now(t.Context(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		first := func(before int) time.Time { return engine.HourOf(zone.DaysBefore(now, before)) }
		for _, r := range s.tallies() {
			if r.Period != "hour" {
				continue
			}
			for hours, n := range map[int]int{0: 1, 10: 2, 23: 4, 24: 8, 47: 16} {
				count(t, s, r, first(5).Add(time.Duration(hours)*time.Hour), 1, n)
			}
			count(t, s, r, first(1).Add(-time.Hour), 1, 32)
			count(t, s, r, first(1), 1, 64)
			sums := func(when string, five int) {
				t.Helper()
				if err := s.FoldFigures(t.Context(), zone); err != nil {
					t.Fatal(err)
				}
				var got []string
				err := s.Reader.Raw(fmt.Sprintf("SELECT slot || ':' || %s FROM %s ORDER BY hour", r.Counts[0], r.Name)).
					Scan(&got).Error
				want := []string{fmt.Sprintf("-101:%d", five), "-101:24", "-101:32", "-100:64"}
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%s: %s has %v %s, want %v, %v", s.Writer.Name(), r.Name, got, when, want, err)
				}
				var hours []time.Time
				err = s.Reader.Table(r.Name).Order("hour").Pluck("hour", &hours).Error
				days := []time.Time{first(5), first(4), first(2), first(1)}
				if err != nil || !slices.EqualFunc(hours, days, time.Time.Equal) {
					t.Errorf("%s: %s has sums at %s %s, want %s, %v", s.Writer.Name(), r.Name, hours, when, days, err)
				}
			}
			sums("at first", 7)
			count(t, s, r, first(5).Add(10*time.Hour), -9, -2)
			sums("after something was taken back", 5)
		}
	}
}
