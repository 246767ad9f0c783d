package gormstore

import (
	"regexp"
	"testing"
	"time"

	"fichario/adapters/gormstore/engine"
)

// TestFiguresOfDaysAskForThoseDays: only those days are read, however many hours an organisation has.
func TestFiguresOfDaysAskForThoseDays(t *testing.T) {
	t.Parallel()
	const hours = `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 10000) `
	now := time.Now()
	bounds := []time.Time{now.AddDate(0, 0, -2), now.AddDate(0, 0, -1), now}
	for _, s := range each(t) {
		at, bounded := "now() - n * interval '1 hour'", `Index Cond: .*org_id = .*hour >= .*hour < `
		if s.Writer.Name() == "sqlite" {
			at, bounded = "datetime('now', '-' || n || ' hours') || '+00:00'",
				`SEARCH \w+ USING .*\(org_id=\? AND hour>\? AND hour<\?\)`
		}
		for _, insert := range []string{
			hours + "INSERT INTO contact_hours SELECT '" + planOrg + "', " + at + ", '" + planOrg + "', '" + planOrg +
				"', 1, 1 FROM n",
			hours + "INSERT INTO lookup_hours SELECT '" + planOrg + "', " + at + ", 'cpf', 1, 1, 1, 1 FROM n",
		} {
			if err := s.Writer.Exec(insert).Error; err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Writer.Exec("ANALYZE").Error; err != nil {
			t.Fatal(err)
		}
		for _, plan := range planned(t, s, func(c engine.Conn) error {
			_, err := s.repos(c).Figures.Contacts(t.Context(), planOrg, bounds)
			if err == nil {
				_, err = s.repos(c).Figures.Lookups(t.Context(), planOrg, bounds)
			}
			return err
		}) {
			if !regexp.MustCompile(bounded).MatchString(plan) {
				t.Errorf("%s:\n%s", s.Writer.Name(), plan)
			}
		}
	}
}
