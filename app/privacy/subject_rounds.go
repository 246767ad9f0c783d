package privacy

import (
	"context"
	"errors"
	"slices"
	"time"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/privacy"
	"fichario/ports"
)

// rounds erases until a whole round has found nothing. Since the person is barred, nothing that somebody read before is
// stored any more; each round begins when all transactions have ended that may have begun before that, or before the
// end of the last round, so that the last one sees everything. Contacts that come while it goes on are looked for after
// it. Where people write about the person faster than a round takes, there is no such round: the first one that begins
// clocksDiffer after the request is the last, and what it has not seen is newer than that.
func (w *erasing) rounds(ctx context.Context) error {
	if w.e.Person == nil {
		return nil
	}
	// An erasure that an earlier version began has barred nobody.
	err := w.saveWith(ctx, func(*privacy.Erasure) {}, func(ctx context.Context, r ports.Repos) error {
		return r.SubjectBlocks.Bar(ctx, w.e.OrgID, w.e.ID, w.e.Hashes)
	})
	if err != nil {
		return err
	}
	for first := ports.Now(); ; {
		begun, whole := ports.Now(), w.e.Kind == "" && w.e.After == ""
		late := whole && w.late()
		grown, running, err := w.round(ctx)
		if err != nil {
			return err
		}
		switch {
		case running: // a lookup will have an outcome soon
			if w.again.patience > 0 {
				if err := w.settle(ctx); err != nil {
					return err
				}
				if ports.Since(first) > w.again.patience {
					return errAsked
				}
			}
			select {
			case <-ports.After(time.Second):
			case <-ctx.Done():
				return ctx.Err()
			}
		case late:
			return w.outlive(ctx)
		case whole && !grown && w.found == 0:
			// A round may take long: who came meanwhile is found by another one.
			if grown, err = w.look(ctx); err != nil || !grown {
				return err
			}
			w.since = ""
			continue
		}
		if w.since = ""; whole {
			w.since = app.IDAt(begun.Add(-clocksDiffer))
		}
	}
}

// late reports whether a whole round that begins now is the last, whatever it finds.
func (w *erasing) late() bool { return w.e.Round > 0 && w.clock().After(w.newer()) }

// newer is from when on whatever begins is surely newer than the request, or than its repetition after a restore.
func (w *erasing) newer() time.Time {
	if w.e.Replayed.IsZero() {
		return w.e.At.Add(clocksDiffer)
	}
	return w.e.Replayed.Add(clocksDiffer)
}

// settle ends the lookups whose time is over: no service may be running, as where a copy was restored.
func (w *erasing) settle(ctx context.Context) error {
	return w.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		now, err := r.Clock.Now(ctx, w.clock())
		if err == nil {
			_, err = r.LookupEnds.Settle(ctx, now)
		}
		return err
	})
}

// round goes through all kinds once, in small transactions that each record the progress. It reports whether more is
// known of the person, and whether a lookup was still running.
func (w *erasing) round(ctx context.Context) (grown, running bool, err error) {
	if w.e.Round > 0 {
		err = w.outlive(ctx)
	}
	if err == nil {
		grown, err = w.look(ctx)
	}
	if err != nil {
		return false, false, err
	}
	if w.found = 0; grown {
		w.since = "" // what was passed over may be the person's
	}
	for {
		if err := w.holdOn(ctx); err != nil {
			return false, false, err
		}
		begun := ports.Now()
		over, wrote, err := w.step(ctx)
		if err != nil {
			return false, false, err
		}
		if over {
			break
		}
		rest := ports.Since(begun)
		if wrote { // others wait for the writer, and for nobody who reads
			rest *= 4
		}
		select {
		case <-ports.After(min(rest, 100*time.Millisecond)):
		case <-ctx.Done():
			return false, false, ctx.Err()
		}
	}
	// Nobody is asked about the person since the request, but other people are, with the person in an input.
	left, _, err := w.store.Repos().SubjectTraces.Traces(ctx, w.e.Person, privacy.Lookups, "", 1)
	return grown, len(left) > 0 && left[0] < app.IDAt(w.newer()), err
}

// outlive waits for the attempts of runs that may have read what the rounds before have erased: they may still send
// it, or write it.
func (w *erasing) outlive(ctx context.Context) error {
	repos := w.store.Repos()
	var first []string // others begin after what was erased is gone
	for pause := outliveFirst; ; pause = min(2*pause, outlivePoll) {
		now, err := repos.Clock.Now(ctx, w.clock())
		if err != nil {
			return err
		}
		attempts, err := repos.JobQueue.Attempts(ctx, w.e.OrgID, now)
		if err != nil {
			return err
		}
		if pause == outliveFirst {
			first = attempts
		}
		waits := slices.ContainsFunc(first, func(one string) bool { return slices.Contains(attempts, one) })
		if !waits && !now.Before(w.e.Person.RunsUntil) {
			return nil
		}
		if err := w.holdOn(ctx); err != nil {
			return err
		}
		select {
		case <-ports.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// outliveFirst and outlivePoll are the first and the longest pause between two looks at the attempts of runs.
const (
	outliveFirst = 5 * time.Millisecond
	outlivePoll  = 250 * time.Millisecond
)

// holdOn extends the lease before it ends.
func (w *erasing) holdOn(ctx context.Context) error {
	if ports.Since(w.held) <= eraseLease/3 {
		return nil
	}
	return w.hold(ctx, w.e.ID, eraseLease)
}

// look lets what is being stored now be stored and indexed, and reports whether more is known of the person.
func (w *erasing) look(ctx context.Context) (grown bool, err error) {
	err = w.keeping(ctx, eraseLease, func(ctx context.Context) error {
		if err := w.index.Quiet(ctx); err != nil {
			return err
		}
		return w.index.CatchUp(ctx)
	})
	if err != nil {
		return false, err
	}
	return w.grow(ctx)
}

// keeping does what may take longer than the lease, and extends that meanwhile: otherwise several instances would take
// the erasure from each other, and none would end it.
func (w *erasing) keeping(ctx context.Context, lease time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- do(ctx) }()
	for {
		select {
		case err := <-ended:
			return err
		case <-ports.After(lease / 3):
		}
		if err := w.hold(ctx, w.e.ID, lease); errors.Is(err, ports.ErrNotFound) { // else it is tried again
			cancel()
			return errors.Join(err, <-ended)
		}
	}
}

// grow looks for the person's contacts again: an import, a post or the undoing of a merger may have brought one since
// the erasure began, and with it another address. It reports whether there is more.
func (w *erasing) grow(ctx context.Context) (bool, error) {
	size := func(p *privacy.Person) [5]int {
		return [...]int{len(p.Contacts), len(p.Parts), len(p.Identities), len(p.Phones), len(p.Names)}
	}
	p, had, parted := w.e.Person, size(w.e.Person), false
	err := w.keeping(ctx, eraseLease, func(ctx context.Context) (err error) {
		shared, err := w.extend(ctx, p, slices.Clone(p.Identities))
		if err == nil {
			parted, err = w.apart(ctx, p, shared)
		}
		if err == nil && parted {
			_, err = w.extend(ctx, p, slices.Clone(p.Identities))
		}
		return err
	})
	if err != nil || size(p) == had {
		return parted, err
	}
	hashes, err := w.store.Repos().Subjects.Hashes(ctx, p.OrgID, p.Identities...)
	if err != nil {
		return false, err
	}
	err = w.saveWith(ctx, func(e *privacy.Erasure) {
		e.Person, e.Journalled, e.Hashes = p, false, privacy.Hashes(e.Hashes, hashes)
	}, func(ctx context.Context, r ports.Repos) error {
		err := r.SubjectBlocks.Bar(ctx, w.e.OrgID, w.e.ID, w.e.Hashes)
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

// step erases what fits one transaction, and reports whether all kinds have been gone through, and whether there was
// a transaction. The rows are found before it, so that writers do not wait for that.
func (w *erasing) step(ctx context.Context) (over, wrote bool, err error) {
	if w.e.Person == nil {
		return false, false, errors.New("nobody can tell any more whose erasure this is")
	}
	if w.e.Kind == "" {
		w.e.Kind, _ = w.e.Next()
	}
	if w.e.After == "" && w.e.Kind.Opened() && !w.e.Kind.Changes() {
		w.e.After = w.since // older rows have been opened, and stay as they are
	}
	most := max(1, w.atOnce)
	ids, next, err := w.store.Repos().SubjectTraces.Traces(ctx, w.e.Person, w.e.Kind, w.e.After, most)
	if err != nil {
		return false, false, err
	}
	if len(ids) > most {
		ids, next = ids[:most], ids[most-1]
	}
	if len(ids) == 0 && next != "" {
		w.e.After = next
		return false, false, nil
	}
	var found int
	var begun time.Time
	err = w.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		over, found, begun = false, 0, ports.Now() // without the wait for a writer
		e, err := r.Erasures.LockErasure(ctx, w.e.ID, w.lease)
		if err != nil {
			return err
		}
		e.Kind, e.After = w.e.Kind, next
		gone, err := r.SubjectTraces.Erase(ctx, e.Person, e.Kind, ids)
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
		if err := r.Erasures.SaveErasure(ctx, e); err != nil {
			return err
		}
		w.e = e
		return nil
	})
	w.found += found
	switch {
	case next == "":
		w.atOnce = 0 // rows of the next kind may be larger
	case ports.Since(begun) > eraseWithin:
		w.atOnce = most / 2
	case len(ids) == most:
		w.atOnce = min(2*most, eraseAtOnce)
	}
	return over, true, err
}

// emptied removes what the audit says of the person: in lines about the erased ids and, at the end of each kind, in
// lines found by the person's hashes.
func emptied(ctx context.Context, r ports.Repos, e privacy.Erasure, ids []string) error {
	of := ports.AuditTraces{Objects: ids}
	if e.Kind == privacy.Texts { // what contacts.happened to those contacts is about others
		of.Objects = nil
	}
	if e.After == "" {
		of.Subjects = e.Hashes
	}
	for {
		numbers, err := r.AuditRemovals.Blank(ctx, e.OrgID, e.ID, of, eraseAtOnce)
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
