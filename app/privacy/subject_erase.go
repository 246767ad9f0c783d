package privacy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/privacy"
	"fichario/ports"
)

// sweeping is the last step of an erasure, when nothing identifies the person any more.
const sweeping privacy.Kind = "varredura"

// clocksDiffer bounds how far the clocks of instances, which make ids, differ, and how long a row takes to be written.
const clocksDiffer = 10 * time.Minute

// awaitEvery is how often an erasure that another instance works on is checked.
const awaitEvery = 200 * time.Millisecond

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
	return e, app.Recorded(ctx, s.store, by, erasureLine(e), func(r ports.Repos) error {
		err := r.Subjects.AddErasure(ctx, e)
		if err == nil {
			err = r.Subjects.Bar(ctx, e.OrgID, e.ID, e.Hashes)
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
		ID: e.ID, OrgID: e.OrgID, Action: audit.SubjectErased, Object: e.ID, Detail: audit.Detail{"bloqueio": app.YesNo(e.Block)},
	}
}

// Work continues unfinished erasures that nobody else works on. It is a chore; a lease keeps each to one instance.
func (s *Subjects) Work(ctx context.Context) error {
	for {
		err := s.Finish(ctx, "")
		if errors.Is(err, ports.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Finish completes one erasure, or any waiting one if id is empty. It returns ports.ErrNotFound where somebody else has
// it, or it is done.
func (s *Subjects) Finish(ctx context.Context, id string) error {
	w := &erasing{Subjects: s, lease: app.NewID()}
	if err := w.hold(ctx, id, eraseLease); err != nil {
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
	err := w.saveWith(ctx, func(e *privacy.Erasure) { gone, e.Person, e.Kind, e.After = e.Person, nil, sweeping, "" },
		func(r ports.Repos) error {
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
	if err := s.index.Sweep(ctx, marks); err != nil {
		return err
	}
	return w.saveWith(ctx, func(e *privacy.Erasure) { e.State, e.Kind, e.EndsAt = privacy.Done, "", s.clock() },
		func(r ports.Repos) error { return r.Subjects.Unbar(ctx, w.e.ID) })
}

// Await completes an erasure, or waits for whoever works on it, and returns the receipt. A copy of the database made in
// the middle of one contains its lease, which nobody gives back: five minutes at most.
func (s *Subjects) Await(ctx context.Context, id string) (privacy.Erasure, error) {
	for {
		if err := s.Finish(ctx, id); err != nil && !errors.Is(err, ports.ErrNotFound) {
			return privacy.Erasure{}, err
		}
		e, err := s.store.Repos().Subjects.FindErasure(ctx, id)
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

// erasing is an instance's work on an erasure.
type erasing struct {
	*Subjects
	lease string
	held  time.Time
	e     privacy.Erasure
	// found is how many rows the present round has erased.
	found int
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
	w.held = ports.Now()
	e, err := repos.Subjects.LeaseErasure(ctx, id, w.lease, now, now.Add(lease))
	if w.e.ID != "" { // progress since the last write is not stored
		e.Kind, e.After = w.e.Kind, w.e.After
	}
	w.e = e
	return err
}

// write adds the erasure to the journal, before anything is erased. After a crash here it is added twice, under one id.
func (w *erasing) write(ctx context.Context) error {
	if w.e.Journalled || w.e.Person == nil {
		return nil
	}
	kept, err := w.journal.Append(privacy.Entry{
		ID: w.e.ID, OrgID: w.e.OrgID, AskedBy: w.e.AskedBy, At: w.e.At, Block: w.e.Block, KeyID: w.e.KeyID,
		Hashes: w.e.Hashes, Contacts: w.e.Person.Contacts, Parts: w.e.Person.Parts,
	})
	if err != nil {
		return fmt.Errorf("the journal of erasures: %w", err)
	}
	if !kept {
		return nil
	}
	return w.save(ctx, func(e *privacy.Erasure) { e.Journalled = true })
}

func (w *erasing) save(ctx context.Context, change func(*privacy.Erasure)) error {
	return w.saveWith(ctx, change, func(ports.Repos) error { return nil })
}

// saveWith is save with more in the same transaction.
func (w *erasing) saveWith(ctx context.Context, change func(*privacy.Erasure), more func(ports.Repos) error) error {
	return w.store.InTx(ctx, func(r ports.Repos) (err error) {
		e, err := r.Subjects.LockErasure(ctx, w.e.ID, w.lease)
		if err != nil {
			return err
		}
		change(&e)
		w.e = e
		if err := r.Subjects.SaveErasure(ctx, e); err != nil {
			return err
		}
		return more(r)
	})
}

// rounds erases until a whole round has found nothing. Since the person is barred, nothing that somebody read before is
// stored any more; each round begins when all transactions have ended that may have begun before that, or before the
// end of the last round, so that the last one sees everything.
func (w *erasing) rounds(ctx context.Context) error {
	if w.e.Person == nil {
		return nil
	}
	// An erasure that an earlier version began has barred nobody.
	err := w.saveWith(ctx, func(*privacy.Erasure) {}, func(r ports.Repos) error {
		return r.Subjects.Bar(ctx, w.e.OrgID, w.e.ID, w.e.Hashes)
	})
	if err != nil {
		return err
	}
	for {
		begun, whole := ports.Now(), w.e.Kind == "" && w.e.After == ""
		grown, running, err := w.round(ctx)
		if err != nil {
			return err
		}
		switch {
		case running: // a lookup will have an outcome soon
			select {
			case <-ports.After(time.Second):
			case <-ctx.Done():
				return ctx.Err()
			}
		case whole && !grown && w.found == 0:
			return nil
		}
		if w.since = ""; whole {
			w.since = app.IDAt(begun.Add(-clocksDiffer))
		}
	}
}

// round goes through all kinds once, in small transactions that each record the progress. It reports whether more is
// known of the person, and whether a lookup was still running.
func (w *erasing) round(ctx context.Context) (grown, running bool, err error) {
	if err := w.index.Quiet(ctx); err != nil {
		return false, false, err
	}
	if err := w.index.CatchUp(ctx); err != nil {
		return false, false, err
	}
	if grown, err = w.grow(ctx); err != nil {
		return false, false, err
	}
	if w.found = 0; grown {
		w.since = "" // what was passed over may be the person's
	}
	for {
		if ports.Since(w.held) > eraseLease/3 {
			if err := w.hold(ctx, w.e.ID, eraseLease); err != nil {
				return false, false, err
			}
		}
		begun := ports.Now()
		over, err := w.step(ctx)
		if err != nil {
			return false, false, err
		}
		if over {
			break
		}
		select {
		case <-ports.After(min(4*ports.Since(begun), 100*time.Millisecond)):
		case <-ctx.Done():
			return false, false, ctx.Err()
		}
	}
	left, _, err := w.store.Repos().Subjects.Traces(ctx, w.e.Person, privacy.Lookups, "", 1)
	return grown, len(left) > 0, err
}

// grow looks for the person's contacts again: an import, a post or the undoing of a merger may have brought one since
// the erasure began, and with it another address. It reports whether there is more.
func (w *erasing) grow(ctx context.Context) (bool, error) {
	size := func(p *privacy.Person) int {
		return len(p.Contacts) + len(p.Parts) + len(p.Identities) + len(p.Phones) + len(p.Names)
	}
	p, had := w.e.Person, size(w.e.Person)
	if err := w.extend(ctx, p, slices.Clone(p.Identities)); err != nil || size(p) == had {
		return false, err
	}
	hashes, err := w.store.Repos().Subjects.Hashes(ctx, p.OrgID, p.Identities...)
	if err != nil {
		return false, err
	}
	err = w.saveWith(ctx, func(e *privacy.Erasure) {
		e.Person, e.Journalled = p, false
		for _, hash := range hashes {
			if !slices.ContainsFunc(e.Hashes, func(known []byte) bool { return bytes.Equal(known, hash) }) {
				e.Hashes = append(e.Hashes, hash)
			}
		}
	}, func(r ports.Repos) error {
		err := r.Subjects.Bar(ctx, w.e.OrgID, w.e.ID, w.e.Hashes)
		if found := lookedUpBy(p, hashes); err == nil && w.e.Block && len(found) > 0 {
			err = block(ctx, r, w.e, found)
		}
		return err
	})
	if err != nil {
		return false, err
	}
	return true, w.write(ctx)
}

// step erases what fits one transaction, and reports whether all kinds have been gone through. The rows are found
// before the transaction, so that writers do not wait for that.
func (w *erasing) step(ctx context.Context) (over bool, err error) {
	if w.e.Person == nil {
		return false, errors.New("nobody can tell any more whose erasure this is")
	}
	if w.e.Kind == "" {
		w.e.Kind, _ = w.e.Next()
	}
	if w.e.After == "" && w.e.Kind.Opened() && !w.e.Kind.Changes() {
		w.e.After = w.since // older rows have been opened, and stay as they are
	}
	ids, next, err := w.store.Repos().Subjects.Traces(ctx, w.e.Person, w.e.Kind, w.e.After, eraseAtOnce)
	if err != nil {
		return false, err
	}
	if len(ids) == 0 && next != "" {
		w.e.After = next
		return false, nil
	}
	var found int
	err = w.store.InTx(ctx, func(r ports.Repos) error {
		over, found = false, 0
		e, err := r.Subjects.LockErasure(ctx, w.e.ID, w.lease)
		if err != nil {
			return err
		}
		e.Kind, e.After = w.e.Kind, next
		gone, err := r.Subjects.Erase(ctx, e.Person, e.Kind, ids)
		if err != nil {
			return err
		}
		if err := emptied(ctx, r, e, ids); err != nil {
			return err
		}
		e.Gone.Add(gone)
		for _, n := range gone {
			found += n
		}
		if next == "" {
			kind, more := e.Next()
			if e.Kind, over = kind, !more; over {
				e.Kind, e.Round = "", e.Round+1
			}
		}
		if err := r.Subjects.SaveErasure(ctx, e); err != nil {
			return err
		}
		w.e = e
		return nil
	})
	w.found += found
	return over, err
}

// emptied removes what the audit says of the person: in lines about the erased ids and, at the end of each kind, in
// lines found by the person's hashes.
func emptied(ctx context.Context, r ports.Repos, e privacy.Erasure, ids []string) error {
	of := ports.AuditTraces{Objects: ids}
	if e.Kind == privacy.Texts { // what happened to those contacts is about others
		of.Objects = nil
	}
	if e.After == "" {
		of.Subjects = e.Hashes
	}
	for {
		numbers, err := r.Audit.Blank(ctx, e.OrgID, e.ID, of, eraseAtOnce)
		e.Person.Emptied = append(e.Person.Emptied, numbers...)
		slices.Sort(e.Person.Emptied)
		if err != nil || len(numbers) < eraseAtOnce {
			return err
		}
	}
}

// emptied writes the last line of an erasure, which says what lines of the audit it has emptied: from then on, no other
// line can pass for one of them.
func (w *erasing) emptied(ctx context.Context, r ports.Repos, numbers []int64) error {
	return app.Record(ctx, r, app.Caller{}, audit.Line{
		OrgID: w.e.OrgID, Actor: audit.Service, Action: audit.SubjectEmptied, Object: w.e.ID,
		Detail: audit.EmptiedLines(numbers),
	})
}

// Replay repeats erasures of the journal after an older copy was restored: those that the database lacks. orgID selects
// those of one organisation; empty for all. Only the operator may. It returns how many were repeated, and how many the
// database had. Faults: InvalidRequest, NotFound, Forbidden, ServiceUnavailable.
func (s *Subjects) Replay(
	ctx context.Context, by app.Caller, orgID string, entries []privacy.Entry,
) (again, known int, err error) {
	if !by.IsOperator() {
		return 0, 0, app.Forbidden()
	}
	repos := s.store.Repos().Subjects
	if orgID != "" { // a mistyped one would look as if there were nothing to repeat
		err = app.MaySeeOrg(ctx, s.store.Repos(), by, orgID)
	}
	key := ""
	if err == nil {
		key, err = repos.KeyID(ctx)
	}
	if err == nil {
		err = s.index.CatchUp(ctx)
	}
	if err != nil {
		return 0, 0, err
	}
	last := map[string]int{} // an erasure that found more of its person is there again, with all of it
	for n, entry := range entries {
		last[entry.ID] = n
	}
	for n, entry := range entries {
		if last[entry.ID] != n || orgID != "" && entry.OrgID != orgID {
			continue
		}
		if entry.KeyID != key {
			return again, known, app.Invalid("from", fmt.Sprintf(
				"A eliminação %s foi feita com outra chave de titulares (%s): o diário não é deste banco de dados.",
				entry.ID, entry.KeyID))
		}
		e, err := repos.FindErasure(ctx, entry.ID)
		switch {
		case err == nil && e.State == privacy.Done:
			known++
			continue
		case errors.Is(err, ports.ErrNotFound):
			err = s.restoreErasure(ctx, entry)
		}
		if err == nil {
			_, err = s.Await(ctx, entry.ID)
		}
		if err != nil {
			return again, known, err
		}
		again++
	}
	return again, known, nil
}

// restoreErasure adds an erasure from the journal to a database that lacks it.
func (s *Subjects) restoreErasure(ctx context.Context, entry privacy.Entry) error {
	repos := s.store.Repos()
	if _, err := repos.Orgs.Find(ctx, entry.OrgID); errors.Is(err, ports.ErrNotFound) {
		return app.Invalid("from", "A eliminação "+entry.ID+" é de uma organização que este banco de dados não tem.")
	}
	found, err := repos.Subjects.Resolve(ctx, entry.OrgID, entry.Hashes)
	if err != nil {
		return err
	}
	p := &privacy.Person{OrgID: entry.OrgID, Identities: found}
	if err := s.extend(ctx, p, slices.Clone(found)); err != nil {
		return err
	}
	for _, id := range entry.Contacts {
		c, err := repos.Contacts.Find(ctx, id)
		if err != nil && !errors.Is(err, ports.ErrNotFound) {
			return err
		}
		if err == nil {
			p.Take(c)
		} else if !slices.Contains(p.Contacts, id) {
			p.Contacts = append(p.Contacts, id) // already removed, but its history may be there
		}
	}
	for _, id := range entry.Parts {
		p.TakePart(id)
	}
	e := privacy.Erasure{
		ID: entry.ID, OrgID: entry.OrgID, State: privacy.Running, AskedBy: entry.AskedBy, At: entry.At, Block: entry.Block,
		Hashes: entry.Hashes, KeyID: entry.KeyID, Person: p, Gone: privacy.Counts{}, Journalled: true, Replayed: s.clock(),
	}
	return app.Recorded(ctx, s.store, app.Operator(), erasureLine(e), func(r ports.Repos) error {
		err := r.Subjects.AddErasure(ctx, e)
		if err == nil {
			err = r.Subjects.Bar(ctx, e.OrgID, e.ID, e.Hashes)
		}
		if err == nil && e.Block {
			err = block(ctx, r, e, e.Hashes)
		}
		return err
	})
}
