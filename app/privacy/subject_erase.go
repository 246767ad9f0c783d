package privacy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/fault"
	"fichario/domain/privacy"
	"fichario/ports"
)

// sweeping is the last step of an erasure, when nothing identifies the person any more.
const sweeping privacy.Kind = "varredura"

// clocksDiffer bounds how far the clocks of instances, which make ids, differ, and how long a row takes to be written.
const clocksDiffer = 10 * time.Minute

const (
	// awaitEvery is how often an erasure that another instance works on is checked.
	awaitEvery = 200 * time.Millisecond
	// awaitWriter is how long whoever waits for an erasure bears that nothing can be written.
	awaitWriter = 5 * time.Minute
)

// Erase begins the erasure of a person, which Work carries out: it goes on when ctx ends, and after a crash. With
// block, the organisation may not look the person up again from now on. Statement entries stay, without the document,
// so that all sums are unchanged. Only the owners of the organisation may. Faults: those of Count.
func (s *Subjects) Erase(ctx context.Context, by app.Caller, q SubjectQuery, block bool) (privacy.Erasure, error) {
	p, err := s.find(ctx, by, q)
	if err != nil {
		return privacy.Erasure{}, err
	}
	askedBy, err := s.asked(ctx, by)
	if err != nil {
		return privacy.Erasure{}, err
	}
	e := privacy.Erasure{
		ID: app.NewID(), OrgID: q.OrgID, State: privacy.Running, AskedBy: askedBy, At: s.clock(), Block: block, Person: p,
		Gone: privacy.Counts{},
	}
	repos := s.store.Repos().Subjects
	if e.Hashes, err = repos.Hashes(ctx, e.OrgID, p.Identities...); err != nil {
		return e, err
	}
	if e.KeyID, err = repos.KeyID(ctx); err != nil {
		return e, err
	}
	return e, app.Recorded(ctx, s.store, by, erasureLine(e), func(ctx context.Context, r ports.Repos) error {
		err := r.Erasures.AddErasure(ctx, e)
		if err == nil {
			err = r.SubjectBlocks.Bar(ctx, e.OrgID, e.ID, e.Hashes)
		}
		if err == nil && block {
			err = blocks(ctx, r, e)
		}
		return err
	})
}

// erasureLine has the id of the erasure, by which the lines emptied for it refer to it.
func erasureLine(e privacy.Erasure) audit.Line {
	return audit.Line{
		ID: e.ID, OrgID: e.OrgID, Action: audit.SubjectErased, Object: e.ID,
		Detail: audit.Detail{"bloqueio": app.YesNo(e.Block)},
	}
}

// Work continues unfinished erasures that nobody else works on. It is a chore; a lease keeps each to one instance. One
// whose person cannot be read waits for its data key, and holds up none of the others.
func (s *Subjects) Work(ctx context.Context) error {
	var unread error
	for {
		switch err := s.Finish(ctx, ""); {
		case errors.Is(err, ports.ErrNotFound):
			return unread
		case errors.Is(err, ports.ErrUnreadable):
			unread = err // its lease keeps it from being taken again at once
		case err != nil:
			return err
		}
	}
}

// Finish completes one erasure, or any waiting one if id is empty. It returns ports.ErrNotFound where somebody else has
// it, or it is done.
func (s *Subjects) Finish(ctx context.Context, id string) error {
	return s.finish(ctx, id, replaying{})
}

// finish is Finish, but returns errAsked where a lookup about the person is still running when its patience is over.
func (s *Subjects) finish(ctx context.Context, id string, again replaying) error {
	w := &erasing{Subjects: s, lease: app.NewID(), again: again}
	if err := w.hold(ctx, id, eraseLease); err != nil {
		return err
	}
	if err := w.recall(ctx); err != nil {
		return err
	}
	if err := w.write(ctx); err != nil {
		return err
	}
	if err := w.rounds(ctx); err != nil {
		return err
	}
	var marks [][]byte // unknown after a crash in between
	if w.e.Person != nil {
		marks = append([][]byte{}, w.e.Person.Marks...) // not nil: with no marks there is nothing to look for
	}
	var gone *privacy.Person
	err := w.saveWith(ctx, func(e *privacy.Erasure) {
		if gone = e.Person; gone != nil {
			e.Told = gone.Told
		}
		e.Person, e.Kind, e.After = nil, sweeping, ""
	},
		func(ctx context.Context, r ports.Repos) error {
			if gone == nil {
				return nil // this was written before a crash
			}
			return w.emptied(ctx, r, gone.Emptied)
		})
	if err != nil {
		return err
	}
	if err := w.hold(ctx, w.e.ID, sweepLease); err != nil {
		return err
	}
	err = w.keeping(ctx, sweepLease, func(ctx context.Context) error { return s.index.Sweep(ctx, marks) })
	if err != nil {
		return err
	}
	return w.saveWith(ctx, func(e *privacy.Erasure) { e.State, e.Kind, e.EndsAt = privacy.Done, "", s.clock() },
		func(ctx context.Context, r ports.Repos) error { return r.SubjectBlocks.Unbar(ctx, w.e.OrgID, w.e.ID) })
}

// Await completes an erasure, or waits for whoever works on it, and returns the receipt. A copy of the database made in
// the middle of one contains its lease, which nobody gives back: five minutes at most.
func (s *Subjects) Await(ctx context.Context, id string) (privacy.Erasure, error) {
	return s.await(ctx, id, replaying{})
}

func (s *Subjects) await(ctx context.Context, id string, again replaying) (privacy.Erasure, error) {
	for begun := ports.Now(); ; {
		err := s.finish(ctx, id, again)
		// SQLite has one writer, for which nobody queues: a command beside a busy service may wait for it in vain. The
		// erasure has begun all the same, and one of the two ends it.
		busy := fault.CodeOf(err) == fault.ServiceUnavailable && ports.Since(begun) < awaitWriter
		if err != nil && !busy && !errors.Is(err, ports.ErrNotFound) {
			return privacy.Erasure{}, err
		}
		e, err := s.store.Repos().Erasures.FindErasure(ctx, ports.AnyOrg, id)
		if err != nil || e.State == privacy.Done {
			return e, err
		}
		select {
		case <-ports.After(awaitEvery):
		case <-ctx.Done():
			return e, ctx.Err()
		}
	}
}

// errAsked says that a lookup about the person is still running.
var errAsked = errors.New("a lookup about the person is still running")

// erasing is an instance's work on an erasure.
type erasing struct {
	*Subjects
	lease string
	held  time.Time
	e     privacy.Erasure
	again replaying
	// found is how many rows the present round has erased.
	found int
	// atOnce is how many rows the next transaction erases at most; see eraseAtOnce.
	atOnce int
	// since is an id before all rows that the round before may have missed; empty if it was not a whole one.
	since string
}

// hold takes the lease, or extends it.
func (w *erasing) hold(ctx context.Context, id string, lease time.Duration) error {
	repos := w.store.Repos()
	now, err := repos.Clock.Now(ctx, w.clock())
	if err != nil {
		return err
	}
	began := ports.Now()
	e, err := repos.Erasures.LeaseErasure(ctx, id, w.lease, now, now.Add(lease))
	if err != nil {
		return err
	}
	if w.e.ID != "" { // progress since the last write is not stored
		e.Kind, e.After = w.e.Kind, w.e.After
	}
	w.e, w.held = e, began
	return nil
}

// write adds the erasure to the journal, before anything is erased. After a crash here it is added twice, under one id.
func (w *erasing) write(ctx context.Context) error {
	if w.e.Journalled || w.e.Person == nil {
		return nil
	}
	kept, err := w.journal.Append(w.e.Entry())
	if err != nil {
		return fmt.Errorf("the journal of erasures: %w", err)
	}
	if !kept {
		return nil
	}
	return w.save(ctx, func(e *privacy.Erasure) { e.Journalled = true })
}

func (w *erasing) save(ctx context.Context, change func(*privacy.Erasure)) error {
	return w.saveWith(ctx, change, func(context.Context, ports.Repos) error { return nil })
}

// saveWith is save with more in the same transaction.
func (w *erasing) saveWith(ctx context.Context, change func(*privacy.Erasure), more ports.Tx) error {
	return w.store.InTx(ctx, func(ctx context.Context, r ports.Repos) (err error) {
		e, err := r.Erasures.LockErasure(ctx, w.e.ID, w.lease)
		if err != nil {
			return err
		}
		change(&e)
		w.e = e
		if err := r.Erasures.SaveErasure(ctx, e); err != nil {
			return err
		}
		return more(ctx, r)
	})
}
