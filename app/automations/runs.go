package automations

import (
	"context"
	"slices"
	"strconv"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
)

// RunView is a run, or an e-mail to a member, with the names behind its ids.
type RunView struct {
	automation.Job
	// Automation is empty for an e-mail to a member.
	Automation, Contact, Member string
}

// appliedWithin is how many times as many runs as are wanted are read to leave out those that were skipped.
const appliedWithin = 10

// RunViews returns runs of the caller's organisation: those that were given up first, then the newest. Without skipped
// those are left out whose expression did not hold; they are looked for among the newest limit × appliedWithin, however
// many were skipped. Faults: InvalidRequest, NotFound, Forbidden, ServiceUnavailable.
func (a *Automations) RunViews(
	ctx context.Context, by app.Caller, f automation.JobFilter, skipped bool, limit int) ([]RunView, error,
) {
	dead := f
	dead.State = automation.Dead
	first, err := a.Runs(ctx, by, by.OrgID(), dead, "", limit)
	if err != nil {
		return nil, err
	}
	within := limit
	if !skipped {
		within = min(limit*appliedWithin, app.ListMax)
	}
	rest, err := a.Runs(ctx, by, by.OrgID(), f, "", within)
	if err != nil {
		return nil, err
	}
	if !skipped {
		rest = slices.DeleteFunc(rest, automation.Job.Skipped)
		rest = rest[:min(limit, len(rest))]
	}
	r := a.store.Repos()
	all := append(first, rest...)
	ids, others := make([]string, len(all)), []string(nil)
	for i, j := range all {
		ids[i], others = j.ContactID, append(others, j.AutomationID, j.MemberID)
	}
	n, err := app.NamesOf(ctx, r, by.OrgID(), others...)
	if err != nil {
		return nil, err
	}
	contacts, err := r.Contacts.Brief(ctx, by.FindsIn(), ids)
	if err != nil {
		return nil, err
	}
	var out []RunView
	for i, j := range all {
		if i >= len(first) && j.State == automation.Dead {
			continue // already among the first
		}
		out = append(out, RunView{
			Job: j, Automation: n.Name(crm.NamedAutomation, j.AutomationID), Contact: contacts[j.ContactID].Name,
			Member: n.Member(j.MemberID).Name,
		})
	}
	return out, nil
}

// Runs returns the runs of automations and the e-mails of an organisation, newest first. Faults: InvalidRequest,
// NotFound, Forbidden, ServiceUnavailable.
func (a *Automations) Runs(
	ctx context.Context, by app.Caller, orgID string, f automation.JobFilter, after string, limit int,
) ([]automation.Job, error) {
	if err := app.CheckPage(after, limit); err != nil {
		return nil, err
	}
	if f.AutomationID != "" && !app.ValidID(f.AutomationID) || f.ContactID != "" && !app.ValidID(f.ContactID) {
		return nil, app.Invalid("automation", "Automação e contato devem ser ids.")
	}
	if err := app.MayManageOrg(ctx, a.store.Repos(), by, orgID); err != nil {
		return nil, err
	}
	return a.store.Repos().JobRuns.Page(ctx, orgID, f, after, limit)
}

// runKind finds runs and e-mails; fan-outs are internal and not shown.
var runKind = app.Kind[automation.Job]{
	Field: "run", Missing: "Não há execução com este id; as que deram certo são guardadas por 30 dias.",
	Find: func(r ports.Repos) func(context.Context, string, string) (automation.Job, error) {
		return func(ctx context.Context, orgID, id string) (automation.Job, error) {
			job, err := r.JobRuns.Find(ctx, orgID, id)
			if err == nil && job.Kind == automation.FanOut {
				err = ports.ErrNotFound
			}
			return job, err
		}
	},
	OrgOf: func(j automation.Job) string { return j.OrgID },
}

// CountFailed counts the runs of the caller's organisation that were given up, up to app.FailedAtOnce; not those of
// disabled automations. Faults: NotFound, Forbidden, ServiceUnavailable.
func (a *Automations) CountFailed(ctx context.Context, by app.Caller) (int, error) {
	failed, _, err := a.failed(ctx, by)
	return len(failed), err
}

// failed returns the newest runs that were given up, and how many more belong to disabled automations, up to
// app.FailedAtOnce.
func (a *Automations) failed(ctx context.Context, by app.Caller) (runs []automation.Job, off int, err error) {
	all, err := a.Runs(ctx, by, by.OrgID(), automation.JobFilter{State: automation.Dead}, "", app.FailedAtOnce)
	if err != nil {
		return nil, 0, err
	}
	disabled, err := app.DisabledOf(ctx, a.store.Repos(), by.OrgID())
	if err != nil || len(disabled) == 0 {
		return all, 0, err
	}
	f := automation.JobFilter{State: automation.Dead, Without: disabled}
	runs, err = a.Runs(ctx, by, by.OrgID(), f, "", app.FailedAtOnce)
	return runs, max(0, len(all)-len(runs)), err
}

// RunFailedAgain revives all runs that were given up in the caller's organisation, up to app.FailedAtOnce, and returns
// how many; those of disabled automations it leaves, and counts. Faults: NotFound, Forbidden, ServiceUnavailable.
func (a *Automations) RunFailedAgain(ctx context.Context, by app.Caller) (again, left int, err error) {
	runs, left, err := a.failed(ctx, by)
	if err != nil {
		return 0, 0, err
	}
	return len(runs), left, a.revive(ctx, by, runs)
}

// revive makes runs due.
func (a *Automations) revive(ctx context.Context, by app.Caller, runs []automation.Job) error {
	line := audit.Line{OrgID: by.OrgID(), Action: audit.AutomationsRunAgain, Detail: audit.Detail{
		"execucoes": strconv.Itoa(len(runs)),
	}}
	return app.Recorded(ctx, a.store, by, line, func(ctx context.Context, r ports.Repos) error {
		now, err := r.Clock.Now(ctx, a.clock())
		if err != nil {
			return err
		}
		for _, run := range runs {
			if _, err := r.JobRuns.Revive(ctx, run.OrgID, run.ID, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// waiting returns the runs of the caller's organisation that failed and wait for their next attempt, up to
// app.FailedAtOnce; not those of disabled automations, which the next attempt would end.
func (a *Automations) waiting(ctx context.Context, by app.Caller) ([]automation.Job, error) {
	if err := app.MayManageOrg(ctx, a.store.Repos(), by, by.OrgID()); err != nil {
		return nil, err
	}
	disabled, err := app.DisabledOf(ctx, a.store.Repos(), by.OrgID())
	if err != nil {
		return nil, err
	}
	return a.store.Repos().JobRuns.Waiting(ctx, by.OrgID(), a.clock(), disabled, app.FailedAtOnce)
}

// CountWaiting counts the runs of the caller's organisation that failed and wait for their next attempt, up to
// app.FailedAtOnce. Faults: NotFound, Forbidden, ServiceUnavailable.
func (a *Automations) CountWaiting(ctx context.Context, by app.Caller) (int, error) {
	runs, err := a.waiting(ctx, by)
	return len(runs), err
}

// RunWaitingNow makes all runs due that CountWaiting counts, and returns how many: the cause of their failure may be
// fixed while the next attempt is hours away. Faults: NotFound, Forbidden, ServiceUnavailable.
func (a *Automations) RunWaitingNow(ctx context.Context, by app.Caller) (int, error) {
	runs, err := a.waiting(ctx, by)
	if err != nil {
		return 0, err
	}
	return len(runs), a.revive(ctx, by, runs)
}

// RunAgain repeats a run: a dead one, or one that waits for its next attempt, goes on at once under its own id, so that
// its receiver recognises it; for one that succeeded a new run is made. It returns the id of the run. A run of a
// disabled automation is refused, because it would do nothing. Faults: InvalidRequest, NotFound, Forbidden,
// ServiceUnavailable.
func (a *Automations) RunAgain(ctx context.Context, by app.Caller, id string) (string, error) {
	r := a.store.Repos()
	job, err := runKind.Managed(ctx, r, by, id)
	if err != nil {
		return "", err
	}
	if job.State == automation.Ready && job.Attempts == 0 {
		return "", app.Invalid("run",
			"Esta execução está na fila: ela será feita em instantes, ou depois da anterior do mesmo contato.")
	}
	if job.AutomationID != "" {
		switch rule, err := r.Automations.Find(ctx, job.OrgID, job.AutomationID); {
		case err != nil:
			return "", err
		case !rule.Enabled:
			return "", app.Invalid("run", "A automação desta execução está desabilitada: habilite-a e repita.")
		}
	}
	now, err := r.Clock.Now(ctx, a.clock())
	if err != nil {
		return "", err
	}
	line := audit.Line{OrgID: job.OrgID, Action: audit.AutomationRunAgain, Object: id}
	if job.State != automation.Done {
		return id, app.Recorded(ctx, a.store, by, line, func(ctx context.Context, r ports.Repos) error {
			revived, err := r.JobRuns.Revive(ctx, job.OrgID, id, now)
			if err == nil && !revived {
				err = app.Invalid("run", "Esta execução está sendo feita agora.")
			}
			return err
		})
	}
	again := automation.Job{
		ID: app.NewID(), OrgID: job.OrgID, Kind: job.Kind, ContactID: job.ContactID, AutomationID: job.AutomationID,
		MemberID: job.MemberID, Event: job.Event, SubjectID: job.SubjectID, Detail: job.Detail, Trail: job.Trail,
		Facts: job.Facts, Place: job.Place, State: automation.Ready, RunAt: now, CreatedAt: now,
	}
	if job.Event != "" {
		again.CreatedAt = job.CreatedAt // when the event happened
	}
	return again.ID, app.Recorded(ctx, a.store, by, line, func(ctx context.Context, r ports.Repos) error {
		return r.Jobs.Add(ctx, again)
	})
}
