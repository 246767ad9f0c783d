package automations

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"fichario/domain/automation"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// claim leases what may run at a time, for a minute, and returns its ids.
func claim(t *testing.T, s ports.Store, lease string, now time.Time, without ...string) (ids []string) {
	t.Helper()
	until := now.Add(time.Minute)
	claimed, err := s.Repos().JobQueue.Claim(t.Context(), automation.RunAutomation, lease, now, until, without, 10)
	kit.Must(t, err)
	for _, j := range claimed {
		ids = append(ids, j.ID)
	}
	slices.Sort(ids)
	return ids
}

func jobs(t *testing.T, s ports.Store) {
	ctx, queue, o := t.Context(), allJobs(s.Repos()), kit.Org(t, s)
	rule, other := kit.ID(), kit.ID()
	first, second := kit.Ready(o.ID, rule, kit.At), kit.Ready(o.ID, other, kit.At.Add(time.Second))
	later := kit.Ready(o.ID, rule, kit.At.Add(time.Hour))
	kit.Must(t, queue.Add(ctx, second, later, first))
	kit.Must(t, queue.Add(ctx))
	now := kit.At.Add(time.Minute)
	kit.Same(t, "without one automation", claim(t, s, "a", now, rule), []string{second.ID})
	kit.Same(t, "what may run", claim(t, s, "b", now), []string{first.ID})
	kit.Same(t, "nothing is leased twice", claim(t, s, "a", now), nil)
	attempts := func(orgID string, at time.Time) int {
		t.Helper()
		names, err := queue.Attempts(ctx, orgID, at)
		kit.Must(t, err)
		slices.Sort(names)
		return len(slices.Compact(names))
	}
	kit.Same(t, "attempts", []int{attempts(o.ID, now), attempts(o.ID, now.Add(time.Minute)), attempts(kit.ID(), now)},
		[]int{2, 0, 0})
	before, err := queue.Attempts(ctx, o.ID, now)
	kit.Must(t, err)
	kit.Same(t, "after a lease has ended", claim(t, s, "c", now.Add(2*time.Minute), other), []string{first.ID})
	after, err := queue.Attempts(ctx, o.ID, now.Add(2*time.Minute))
	kit.Must(t, err)
	kit.Same(t, "another attempt of the same run", []any{len(after), slices.Contains(before, after[0])}, []any{1, false})

	// b's lease is over, so its result is ignored.
	done := first
	done.State, done.Result, done.EndedAt, done.Lease = automation.Done, "status 200", now, "b"
	n, err := queue.Finish(ctx, done)
	kit.Must(t, err)
	kit.Same(t, "finished without a lease", n, 0)
	done.Lookups = []string{kit.ID(), "", kit.ID()}
	kit.WantErr(t, "lookups without a lease", queue.NameLookups(ctx, done), ports.ErrNotFound)
	done.Lease = "c"
	kit.Must(t, queue.NameLookups(ctx, done))
	failed := second
	failed.State, failed.Result, failed.EndedAt, failed.Lease = automation.Ready, "status 500", now, "a"
	failed.RunAt = now.Add(5 * time.Second)
	n, err = queue.Finish(ctx, done, failed)
	kit.Must(t, err)
	kit.Same(t, "finished", n, 2)
	kit.Same(t, "no attempt is made", attempts(o.ID, now), 0)
	got, err := queue.Find(ctx, ports.AnyOrg, first.ID)
	kit.Must(t, err)
	done.Attempts, done.Lease = 2, ""
	kit.Same(t, "done", got, done)
	got, err = queue.Find(ctx, ports.AnyOrg, second.ID)
	kit.Must(t, err)
	failed.Attempts, failed.Lease = 1, ""
	kit.Same(t, "failed", got, failed)
	kit.Same(t, "before its time", claim(t, s, "d", now.Add(4*time.Second)), nil)
	kit.Same(t, "again", claim(t, s, "d", now.Add(5*time.Second)), []string{second.ID})
	_, err = queue.Find(ctx, ports.AnyOrg, kit.ID())
	kit.WantErr(t, "unknown job", err, ports.ErrNotFound)
}

func jobPages(t *testing.T, s ports.Store) {
	ctx, queue, o := t.Context(), allJobs(s.Repos()), kit.Org(t, s)
	rule, now := kit.ID(), kit.At.Add(time.Minute)
	done, dead, later := kit.Ready(o.ID, rule, kit.At), kit.Ready(o.ID, kit.ID(), kit.At),
		kit.Ready(o.ID, rule, kit.At.Add(time.Hour))
	kit.Must(t, queue.Add(ctx, done, dead, later))
	claim(t, s, "a", now)
	done.State, done.Lease, done.EndedAt = automation.Done, "a", now
	dead.State, dead.Lease, dead.EndedAt, dead.Result = automation.Dead, "a", now, "status 410"
	n, err := queue.Finish(ctx, done, dead)
	kit.Must(t, err)
	kit.Same(t, "finished", n, 2)
	page := func(f automation.JobFilter, after string) (ids []string) {
		t.Helper()
		list, err := queue.Page(ctx, o.ID, f, after, 10)
		kit.Must(t, err)
		for _, j := range list {
			ids = append(ids, j.ID)
		}
		return ids
	}
	kit.Same(t, "all, newest first", page(automation.JobFilter{}, ""), []string{later.ID, dead.ID, done.ID})
	kit.Same(t, "the rest", page(automation.JobFilter{}, dead.ID), []string{done.ID})
	kit.Same(t, "dead", page(automation.JobFilter{State: automation.Dead}, ""), []string{dead.ID})
	others := automation.JobFilter{State: automation.Dead, Without: []string{dead.AutomationID}}
	kit.Same(t, "dead, without its automation", page(others, ""), nil)
	others.Without[0] = rule
	kit.Same(t, "dead, without another one", page(others, ""), []string{dead.ID})
	kit.Same(t, "of one automation", page(automation.JobFilter{AutomationID: rule}, ""), []string{later.ID, done.ID})
	kit.Same(t, "of one contact", page(automation.JobFilter{ContactID: later.ContactID}, ""), []string{later.ID})

	kit.Same(t, "a dead job rests", claim(t, s, "b", now.Add(30*time.Minute)), nil)
	for what, want := range []bool{true, false} {
		revived, err := queue.Revive(ctx, ports.AnyOrg, dead.ID, now)
		kit.Must(t, err)
		kit.Same(t, []string{"revived", "revived twice"}[what], revived, want)
	}
	kit.Same(t, "it runs again", claim(t, s, "b", now), []string{dead.ID})
	got, err := queue.Find(ctx, ports.AnyOrg, dead.ID)
	kit.Must(t, err)
	kit.Same(t, "its attempts begin anew", got.Attempts, 1)
	revive := func() bool {
		revived, err := queue.Revive(ctx, ports.AnyOrg, dead.ID, now)
		kit.Must(t, err)
		return revived
	}
	kit.Same(t, "revived while it runs", revive(), false)
	got.State, got.RunAt, got.EndedAt = automation.Ready, now.Add(8*time.Hour), now
	_, err = queue.Finish(ctx, got)
	kit.Must(t, err)
	kit.Same(t, "one that waits rests", claim(t, s, "b", now.Add(30*time.Minute)), nil)
	waiting := func(after time.Duration, without ...string) (ids []string) {
		t.Helper()
		list, err := queue.Waiting(ctx, o.ID, now.Add(after), without, 10)
		kit.Must(t, err)
		for _, j := range list {
			ids = append(ids, j.ID)
		}
		return ids
	}
	kit.Same(t, "waiting: not what was never tried", waiting(0), []string{dead.ID})
	kit.Same(t, "waiting: not what is due", waiting(8*time.Hour), nil)
	kit.Same(t, "waiting, without one automation", waiting(0, rule), []string{dead.ID})
	kit.Same(t, "waiting, without its automation", waiting(0, rule, dead.AutomationID), nil)
	kit.Same(t, "one that waits", revive(), true)
	kit.Same(t, "one that waits is due", claim(t, s, "b", now), []string{dead.ID})
	never, err := queue.Revive(ctx, ports.AnyOrg, later.ID, now)
	kit.Must(t, err)
	kit.Same(t, "one that was never tried", never, false)

	removed, err := queue.Forget(ctx, time.Now().Add(time.Minute))
	kit.Must(t, err)
	kit.Same(t, "forgotten: what is done", removed, 1)
	_, err = queue.Find(ctx, ports.AnyOrg, done.ID)
	kit.WantErr(t, "forgotten job", err, ports.ErrNotFound)
}

// jobTurns: the runs of one contact and automation, one after the other in the order of their places, whatever their
// time; other contacts and automations, and events without a contact, do not wait.
func jobTurns(t *testing.T, s ports.Store) {
	ctx, queue, o := t.Context(), allJobs(s.Repos()), kit.Org(t, s)
	rule, other, contact := kit.ID(), kit.ID(), kit.ID()
	run := func(automationID, contactID string, place int, after time.Duration) automation.Job {
		j := kit.Ready(o.ID, automationID, kit.At.Add(after))
		j.ContactID, j.Place = contactID, place
		return j
	}
	third, first, second := run(rule, contact, 3, 0), run(rule, contact, 1, time.Second), run(rule, contact, 2, 0)
	free := []automation.Job{run(other, contact, 9, 0), run(rule, kit.ID(), 9, 0), run(rule, "", 1, 0),
		run(rule, "", 2, 0)}
	kit.Must(t, queue.Add(ctx, third, first, second))
	kit.Must(t, queue.Add(ctx, free...))
	next := func() (place int) {
		t.Helper()
		kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) (err error) {
			place, err = r.Jobs.NextPlace(ctx, o.ID, contact)
			return err
		}))
		return place
	}
	kit.Same(t, "the next place", next(), 10)
	ids := []string{first.ID}
	for _, j := range free {
		ids = append(ids, j.ID)
	}
	slices.Sort(ids)
	now := kit.At.Add(time.Minute)
	kit.Same(t, "the first, and what does not wait", claim(t, s, "a", now), ids)
	kit.Same(t, "while it runs", claim(t, s, "a", now), nil)
	end := func(j automation.Job, state automation.JobState, runAt time.Time) {
		t.Helper()
		j.State, j.Lease, j.EndedAt, j.RunAt = state, "a", now, runAt
		n, err := queue.Finish(ctx, j)
		kit.Must(t, err)
		kit.Same(t, "finished", n, 1)
	}
	end(first, automation.Ready, now.Add(time.Hour))
	kit.Same(t, "while it waits for its next attempt", claim(t, s, "a", now.Add(30*time.Second)), nil)
	revived, err := queue.Revive(ctx, ports.AnyOrg, first.ID, now)
	kit.Must(t, err)
	kit.Same(t, "revived", revived, true)
	kit.Same(t, "again", claim(t, s, "a", now), []string{first.ID})
	end(first, automation.Dead, now)
	kit.Same(t, "given up, it holds no longer", claim(t, s, "a", now), []string{second.ID})
	end(second, automation.Done, now)

	// An event that is still to be fanned out may get a run that comes earlier.
	event := run("", contact, 2, 0)
	event.Kind, event.AutomationID = automation.FanOut, ""
	kit.Must(t, queue.Add(ctx, event))
	kit.Same(t, "before an earlier event is fanned out", claim(t, s, "a", now), nil)
	kit.Must(t, queue.Remove(ctx, event))
	kit.Same(t, "the last", claim(t, s, "a", now), []string{third.ID})
	end(third, automation.Done, now)
	kit.Must(t, queue.Remove(ctx, free...))
	kit.Same(t, "the next place, when nothing is left", next(), 0)
	since, echo := kit.At.Add(-time.Hour), run(rule, contact, 0, 0)
	echo.Trail = automation.Trail(other).With(rule)
	cut := echo
	cut.ID, cut.State = kit.ID(), automation.Done
	kit.Must(t, queue.Add(ctx, echo, cut))
	answers := func(contactID string, since time.Time) int {
		t.Helper()
		n, err := queue.Answers(ctx, o.ID, contactID, since, 10)
		kit.Must(t, err)
		return n
	}
	kit.Same(t, "answers of the contact, of another, and since then", []int{
		answers(contact, since), answers(kit.ID(), since), answers(contact, kit.At.Add(time.Second)),
	}, []int{1, 0, 0})
	_, err = queue.NextPlace(ctx, o.ID, contact)
	kit.WantErr(t, "outside a transaction", err, ports.ErrOutsideTx)
}

func workers(t *testing.T, s ports.Store) {
	ctx, o := t.Context(), kit.Org(t, s)
	const many = 60
	made := make([]automation.Job, many)
	for i := range made {
		made[i] = kit.Ready(o.ID, "", kit.At)
		made[i].Kind = automation.FanOut
		if i%2 == 0 {
			made[i].Kind = automation.MailMember
		}
	}
	kit.Must(t, s.Repos().Jobs.Add(ctx, made...))
	var mu sync.Mutex
	runs := map[string]int{}
	note := func(batch []automation.Job) {
		mu.Lock()
		defer mu.Unlock()
		for _, j := range batch {
			runs[j.ID]++
		}
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for {
				lease, until := string(rune('a'+worker)), kit.At.Add(time.Hour)
				batch, err := s.Repos().JobQueue.Claim(ctx, automation.MailMember, lease, kit.At, until, nil, 3)
				if err != nil {
					t.Error(err)
				}
				if len(batch) == 0 {
					return
				}
				note(batch)
			}
		})
		wg.Go(func() {
			for range many {
				err := s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
					batch, err := r.JobQueue.Lock(ctx, automation.FanOut, 3)
					if err != nil || len(batch) == 0 {
						return err
					}
					note(batch)
					return r.JobQueue.Remove(ctx, batch...)
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, j := range made {
		if runs[j.ID] != 1 {
			t.Errorf("a job was taken %d times", runs[j.ID])
		}
	}
	left, err := s.Repos().JobRuns.Page(ctx, o.ID, automation.JobFilter{}, "", many+1)
	kit.Must(t, err)
	kit.Same(t, "jobs that are left: the claimed ones; fan-outs are not shown", len(left), many/2)
}

// everyJobs is all that there is of jobs.
type everyJobs struct {
	ports.Jobs
	ports.JobQueue
	ports.JobRuns
}

func allJobs(r ports.Repos) everyJobs {
	return everyJobs{r.Jobs, r.JobQueue, r.JobRuns}
}
