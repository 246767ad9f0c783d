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
			waiting, err := s.repos(c).JobRuns.Waiting(t.Context(), planOrg, filledFrom, []string{planMan}, 500)
			if len(waiting) != 6 {
				t.Errorf("%s: %d runs wait", s.Writer.Name(), len(waiting))
			}
			return err
		}, "jobs_waiting")
	}
}

// TestAClaimHasALimit also where PostgreSQL expects few jobs to be due and finds many: a subquery with a limit that was
// run for each job would lease them all.
func TestAClaimHasALimit(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		ctx, queue := t.Context(), s.Repos().JobQueue
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		if s.IsPostgres() { // of an empty table, it expects little from then on
			if err := s.Writer.Exec("ANALYZE jobs").Error; err != nil {
				t.Fatal(err)
			}
		}
		var due []automation.Job
		for n := range 300 {
			due = append(due, automation.Job{
				ID: testID(n + 1), OrgID: planOrg, Kind: automation.RunAutomation, State: automation.Ready,
				AutomationID: planKey, RunAt: now, CreatedAt: now,
			})
		}
		if err := s.Repos().Jobs.Add(ctx, due...); err != nil {
			t.Fatal(err)
		}
		for claimed := 0; claimed < 24; claimed += 8 {
			some, err := queue.Claim(ctx, automation.RunAutomation, "a", now, now.Add(time.Minute), nil, 8)
			if err != nil || len(some) != 8 {
				t.Fatalf("%s: %d jobs are claimed of 8 (%v)", s.Writer.Name(), len(some), err)
			}
		}
	}
}
