package portstest

import (
	"slices"
	"sync"
	"testing"
	"time"

	"fichario/domain/automation"
	"fichario/ports"
)

// claim leases what may run at a time, for a minute, and returns its ids.
func claim(t *testing.T, s ports.Store, lease string, now time.Time, without ...string) (ids []string) {
	t.Helper()
	until := now.Add(time.Minute)
	claimed, err := s.Repos().JobQueue.Claim(t.Context(), automation.RunAutomation, lease, now, until, without, 10)
	must(t, err)
	for _, j := range claimed {
		ids = append(ids, j.ID)
	}
	slices.Sort(ids)
	return ids
}

func jobs(t *testing.T, s ports.Store) {
	ctx, queue, o := t.Context(), allJobs(s.Repos()), org(t, s)
	rule, other := id(), id()
	first, second := ready(o.ID, rule, at), ready(o.ID, other, at.Add(time.Second))
	later := ready(o.ID, rule, at.Add(time.Hour))
	must(t, queue.Add(ctx, second, later, first))
	must(t, queue.Add(ctx))
	now := at.Add(time.Minute)
	same(t, "without one automation", claim(t, s, "a", now, rule), []string{second.ID})
	same(t, "what may run", claim(t, s, "b", now), []string{first.ID})
	same(t, "nothing is leased twice", claim(t, s, "a", now), nil)
	same(t, "after a lease has ended", claim(t, s, "c", now.Add(2*time.Minute), other), []string{first.ID})

	// b's lease is over, so its result is ignored.
	done := first
	done.State, done.Result, done.EndedAt, done.Lease = automation.Done, "status 200", now, "b"
	n, err := queue.Finish(ctx, done)
	must(t, err)
	same(t, "finished without a lease", n, 0)
	done.Lookups = []string{id(), "", id()}
	wantErr(t, "lookups without a lease", queue.NameLookups(ctx, done), ports.ErrNotFound)
	done.Lease = "c"
	must(t, queue.NameLookups(ctx, done))
	failed := second
	failed.State, failed.Result, failed.EndedAt, failed.Lease = automation.Ready, "status 500", now, "a"
	failed.RunAt = now.Add(5 * time.Second)
	n, err = queue.Finish(ctx, done, failed)
	must(t, err)
	same(t, "finished", n, 2)
	got, err := queue.Find(ctx, first.ID)
	must(t, err)
	done.Attempts, done.Lease = 2, ""
	same(t, "done", got, done)
	got, err = queue.Find(ctx, second.ID)
	must(t, err)
	failed.Attempts, failed.Lease = 1, ""
	same(t, "failed", got, failed)
	same(t, "before its time", claim(t, s, "d", now.Add(4*time.Second)), nil)
	same(t, "again", claim(t, s, "d", now.Add(5*time.Second)), []string{second.ID})
	_, err = queue.Find(ctx, id())
	wantErr(t, "unknown job", err, ports.ErrNotFound)
}

func jobPages(t *testing.T, s ports.Store) {
	ctx, queue, o := t.Context(), allJobs(s.Repos()), org(t, s)
	rule, now := id(), at.Add(time.Minute)
	done, dead, later := ready(o.ID, rule, at), ready(o.ID, id(), at), ready(o.ID, rule, at.Add(time.Hour))
	must(t, queue.Add(ctx, done, dead, later))
	claim(t, s, "a", now)
	done.State, done.Lease, done.EndedAt = automation.Done, "a", now
	dead.State, dead.Lease, dead.EndedAt, dead.Result = automation.Dead, "a", now, "status 410"
	n, err := queue.Finish(ctx, done, dead)
	must(t, err)
	same(t, "finished", n, 2)
	page := func(f automation.JobFilter, after string) (ids []string) {
		t.Helper()
		list, err := queue.Page(ctx, o.ID, f, after, 10)
		must(t, err)
		for _, j := range list {
			ids = append(ids, j.ID)
		}
		return ids
	}
	same(t, "all, newest first", page(automation.JobFilter{}, ""), []string{later.ID, dead.ID, done.ID})
	same(t, "the rest", page(automation.JobFilter{}, dead.ID), []string{done.ID})
	same(t, "dead", page(automation.JobFilter{State: automation.Dead}, ""), []string{dead.ID})
	others := automation.JobFilter{State: automation.Dead, Without: []string{dead.AutomationID}}
	same(t, "dead, without its automation", page(others, ""), nil)
	others.Without[0] = rule
	same(t, "dead, without another one", page(others, ""), []string{dead.ID})
	same(t, "of one automation", page(automation.JobFilter{AutomationID: rule}, ""), []string{later.ID, done.ID})
	same(t, "of one contact", page(automation.JobFilter{ContactID: later.ContactID}, ""), []string{later.ID})

	same(t, "a dead job rests", claim(t, s, "b", now.Add(30*time.Minute)), nil)
	for what, want := range []bool{true, false} {
		revived, err := queue.Revive(ctx, dead.ID, now)
		must(t, err)
		same(t, []string{"revived", "revived twice"}[what], revived, want)
	}
	same(t, "it runs again", claim(t, s, "b", now), []string{dead.ID})
	got, err := queue.Find(ctx, dead.ID)
	must(t, err)
	same(t, "its attempts begin anew", got.Attempts, 1)
	revive := func() bool {
		revived, err := queue.Revive(ctx, dead.ID, now)
		must(t, err)
		return revived
	}
	same(t, "revived while it runs", revive(), false)
	got.State, got.RunAt, got.EndedAt = automation.Ready, now.Add(8*time.Hour), now
	_, err = queue.Finish(ctx, got)
	must(t, err)
	same(t, "one that waits rests", claim(t, s, "b", now.Add(30*time.Minute)), nil)
	waiting := func(after time.Duration, without ...string) (ids []string) {
		t.Helper()
		list, err := queue.Waiting(ctx, o.ID, now.Add(after), without, 10)
		must(t, err)
		for _, j := range list {
			ids = append(ids, j.ID)
		}
		return ids
	}
	same(t, "waiting: not what was never tried", waiting(0), []string{dead.ID})
	same(t, "waiting: not what is due", waiting(8*time.Hour), nil)
	same(t, "waiting, without one automation", waiting(0, rule), []string{dead.ID})
	same(t, "waiting, without its automation", waiting(0, rule, dead.AutomationID), nil)
	same(t, "one that waits", revive(), true)
	same(t, "one that waits is due", claim(t, s, "b", now), []string{dead.ID})
	never, err := queue.Revive(ctx, later.ID, now)
	must(t, err)
	same(t, "one that was never tried", never, false)

	removed, err := queue.Forget(ctx, time.Now().Add(time.Minute))
	must(t, err)
	same(t, "forgotten: what is done", removed, 1)
	_, err = queue.Find(ctx, done.ID)
	wantErr(t, "forgotten job", err, ports.ErrNotFound)
}

// jobTurns: the runs of one contact and automation, one after the other in the order of their places, whatever their
// time; other contacts and automations, and events without a contact, do not wait.
func jobTurns(t *testing.T, s ports.Store) {
	ctx, queue, o := t.Context(), allJobs(s.Repos()), org(t, s)
	rule, other, contact := id(), id(), id()
	run := func(automationID, contactID string, place int, after time.Duration) automation.Job {
		j := ready(o.ID, automationID, at.Add(after))
		j.ContactID, j.Place = contactID, place
		return j
	}
	third, first, second := run(rule, contact, 3, 0), run(rule, contact, 1, time.Second), run(rule, contact, 2, 0)
	free := []automation.Job{run(other, contact, 9, 0), run(rule, id(), 9, 0), run(rule, "", 1, 0), run(rule, "", 2, 0)}
	must(t, queue.Add(ctx, third, first, second))
	must(t, queue.Add(ctx, free...))
	next := func() (place int) {
		t.Helper()
		must(t, s.InTx(ctx, func(r ports.Repos) (err error) { place, err = r.Jobs.NextPlace(ctx, contact); return err }))
		return place
	}
	same(t, "the next place", next(), 10)
	ids := []string{first.ID}
	for _, j := range free {
		ids = append(ids, j.ID)
	}
	slices.Sort(ids)
	now := at.Add(time.Minute)
	same(t, "the first, and what does not wait", claim(t, s, "a", now), ids)
	same(t, "while it runs", claim(t, s, "a", now), nil)
	end := func(j automation.Job, state automation.JobState, runAt time.Time) {
		t.Helper()
		j.State, j.Lease, j.EndedAt, j.RunAt = state, "a", now, runAt
		n, err := queue.Finish(ctx, j)
		must(t, err)
		same(t, "finished", n, 1)
	}
	end(first, automation.Ready, now.Add(time.Hour))
	same(t, "while it waits for its next attempt", claim(t, s, "a", now.Add(30*time.Second)), nil)
	revived, err := queue.Revive(ctx, first.ID, now)
	must(t, err)
	same(t, "revived", revived, true)
	same(t, "again", claim(t, s, "a", now), []string{first.ID})
	end(first, automation.Dead, now)
	same(t, "given up, it holds no longer", claim(t, s, "a", now), []string{second.ID})
	end(second, automation.Done, now)

	// An event that is still to be fanned out may get a run that comes earlier.
	event := run("", contact, 2, 0)
	event.Kind, event.AutomationID = automation.FanOut, ""
	must(t, queue.Add(ctx, event))
	same(t, "before an earlier event is fanned out", claim(t, s, "a", now), nil)
	must(t, queue.Remove(ctx, event))
	same(t, "the last", claim(t, s, "a", now), []string{third.ID})
	end(third, automation.Done, now)
	must(t, queue.Remove(ctx, free...))
	same(t, "the next place, when nothing is left", next(), 0)
	since, echo := at.Add(-time.Hour), run(rule, contact, 0, 0)
	echo.Trail = automation.Trail(other).With(rule)
	cut := echo
	cut.ID, cut.State = id(), automation.Done
	must(t, queue.Add(ctx, echo, cut))
	answers := func(contactID string, since time.Time) int {
		t.Helper()
		n, err := queue.Answers(ctx, contactID, since, 10)
		must(t, err)
		return n
	}
	same(t, "answers of the contact, of another, and since then", []int{
		answers(contact, since), answers(id(), since), answers(contact, at.Add(time.Second)),
	}, []int{1, 0, 0})
	_, err = queue.NextPlace(ctx, contact)
	wantErr(t, "outside a transaction", err, ports.ErrOutsideTx)
}

func workers(t *testing.T, s ports.Store) {
	ctx, o := t.Context(), org(t, s)
	const many = 60
	made := make([]automation.Job, many)
	for i := range made {
		made[i] = ready(o.ID, "", at)
		made[i].Kind = automation.FanOut
		if i%2 == 0 {
			made[i].Kind = automation.MailMember
		}
	}
	must(t, s.Repos().Jobs.Add(ctx, made...))
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
				lease, until := string(rune('a'+worker)), at.Add(time.Hour)
				batch, err := s.Repos().JobQueue.Claim(ctx, automation.MailMember, lease, at, until, nil, 3)
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
				err := s.InTx(ctx, func(r ports.Repos) error {
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
	must(t, err)
	same(t, "jobs that are left: the claimed ones; fan-outs are not shown", len(left), many/2)
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
