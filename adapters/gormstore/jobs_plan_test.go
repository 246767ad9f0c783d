package gormstore

import (
	"fmt"
	"testing"
	"time"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/automation"
)

// TestSlowUnfinishedRunsAreFoundByThemselves: the cost of counting them depends on their number, not on that of
// finished runs.
func TestSlowUnfinishedRunsAreFoundByThemselves(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		fill(t, s, 60_000, fmt.Sprintf(`INSERT INTO jobs
			(id, org_id, kind, contact_id, automation_id, state, attempts, run_at, result, created_at, lease, detail)
			SELECT @id, '%s'@uuid, 'automation', @id, '%s'@uuid,
			CASE WHEN i %% 10000 = 1 THEN 'dead' WHEN i %% 10000 = 2 THEN 'ready' ELSE 'done' END,
			1, @moment, '', @moment, '', '' FROM numbers`, planOrg, planKey))
		for _, f := range []automation.JobFilter{
			{State: automation.Dead}, {State: automation.Dead, AutomationID: planKey},
		} {
			walks(t, s, "given up", func(c engine.Conn) error {
				dead, err := s.repos(c).JobRuns.Page(t.Context(), planOrg, f, "", 500)
				if len(dead) != 6 {
					t.Errorf("%s: %d runs were given up", s.Writer.Name(), len(dead))
				}
				return err
			}, "jobs_dead")
		}
		walks(t, s, "waiting", func(c engine.Conn) error {
			from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			waiting, err := s.repos(c).JobRuns.Waiting(t.Context(), planOrg, from, []string{planMan}, 500)
			if len(waiting) != 6 {
				t.Errorf("%s: %d runs wait", s.Writer.Name(), len(waiting))
			}
			return err
		}, "jobs_waiting")
	}
}
