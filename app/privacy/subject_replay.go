package privacy

import (
	"context"
	"errors"
	"time"

	"fichario/app"
	"fichario/domain/crm"
	"fichario/domain/privacy"
	"fichario/ports"
)

// Replayed is what became of the erasures of a journal: how many were repeated, how many the database had, and how many
// wait for a lookup that its bureau answers later, so that the service completes them. Unknown are those of
// organisations that the database does not have, and therefore nothing of the person. Foreign are those whose hashes
// another database's key made: whoever they are about, nobody was looked for.
type Replayed struct{ Again, Known, Waiting, Unknown, Foreign int }

// replayPatience is how long Replay waits for the lookups about a person: they are settled, but for those that a bureau
// answers later, which only a running service fetches.
const replayPatience = 2 * time.Minute

// Replay repeats erasures of the journal after an older copy was restored: those that the database lacks, or had not
// completed. orgID selects those of one organisation; empty for all. Only the operator may. Faults: InvalidRequest,
// NotFound, Forbidden, ServiceUnavailable.
func (s *Subjects) Replay(
	ctx context.Context, by app.Caller, orgID string, entries []privacy.Entry,
) (out Replayed, err error) {
	if !by.IsOperator() {
		return out, app.Forbidden()
	}
	if orgID != "" { // a mistyped one would look as if there were nothing to repeat
		err = app.MaySeeOrg(ctx, s.store.Repos(), by, orgID)
	}
	key := ""
	if err == nil {
		key, err = s.store.Repos().Subjects.KeyID(ctx)
	}
	if err == nil {
		err = s.index.CatchUp(ctx)
	}
	if err != nil {
		return out, err
	}
	var unread error
	for _, entry := range privacy.United(entries) {
		if orgID != "" && entry.OrgID != orgID {
			continue
		}
		if entry.KeyID != key {
			out.Foreign++
			continue
		}
		err := s.replay(ctx, entry, &out)
		if errors.Is(err, ports.ErrUnreadable) {
			unread = err // it is of this person alone
		} else if err != nil {
			return out, err
		}
	}
	return out, unread
}

// replay repeats one erasure, and counts what became of it.
func (s *Subjects) replay(ctx context.Context, entry privacy.Entry, out *Replayed) error {
	repos := s.store.Repos()
	_, err := repos.Orgs.Find(ctx, entry.OrgID)
	if errors.Is(err, ports.ErrNotFound) {
		out.Unknown++
		return nil
	}
	if err != nil {
		return err
	}
	again := replaying{patience: replayPatience}
	e, err := repos.Erasures.FindErasure(ctx, entry.OrgID, entry.ID)
	switch {
	case err == nil && e.State == privacy.Done:
		out.Known++
		return nil
	case err == nil:
		again.known = &entry
	case errors.Is(err, ports.ErrNotFound):
		err = s.restoreErasure(ctx, entry)
	}
	if err == nil {
		_, err = s.await(ctx, entry.ID, again)
	}
	if errors.Is(err, errAsked) {
		out.Waiting++
		return nil
	}
	if err == nil {
		out.Again++
	}
	return err
}

// replaying is how an erasure is completed after a copy was restored; the zero value is for all others.
type replaying struct {
	// patience is how long it waits for lookups about the person; zero for as long as they take.
	patience time.Duration
	// known is what the journal has of an erasure that was running when the copy was made.
	known *privacy.Entry
}

// restoreErasure adds an erasure from the journal to a database that lacks it.
func (s *Subjects) restoreErasure(ctx context.Context, entry privacy.Entry) error {
	p := &privacy.Person{OrgID: entry.OrgID}
	hashes, err := s.recall(ctx, p, entry)
	if err != nil {
		return err
	}
	e := privacy.Erasure{
		ID: entry.ID, OrgID: entry.OrgID, State: privacy.Running, AskedBy: entry.AskedBy, At: entry.At, Block: entry.Block,
		Hashes: hashes, KeyID: entry.KeyID, Person: p, Gone: privacy.Counts{}, Journalled: true, Replayed: s.clock(),
	}
	return app.Recorded(ctx, s.store, app.Operator(), erasureLine(e), func(ctx context.Context, r ports.Repos) error {
		if err := r.Erasures.AddErasure(ctx, e); err != nil {
			return err
		}
		return barAndBlock(ctx, r, e)
	})
}

// recall adds to a person what the journal has of them, and returns the hashes of the person's identities: those of the
// journal first, and those that only the copy has. What these lead to is found when the erasure goes on.
func (s *Subjects) recall(ctx context.Context, p *privacy.Person, entry privacy.Entry) ([][]byte, error) {
	repos := s.store.Repos()
	found, err := repos.Subjects.Resolve(ctx, entry.OrgID, entry.Hashes)
	if err != nil {
		return nil, err
	}
	for _, i := range found {
		p.Add(i)
	}
	for _, id := range entry.Contacts {
		if err := s.remember(ctx, p, id); err != nil {
			return nil, err
		}
	}
	for _, id := range entry.Parts {
		p.TakePart(id)
	}
	hashes, err := repos.Subjects.Hashes(ctx, entry.OrgID, p.Identities...)
	return privacy.Hashes(entry.Hashes, hashes), err
}

// remember adds a contact to a person, wherever it is by now: there may be no more than its history.
func (s *Subjects) remember(ctx context.Context, p *privacy.Person, id string) error {
	repos := s.store.Repos()
	stays, err := repos.Removals.Survivor(ctx, p.OrgID, id)
	var c crm.Contact
	if err == nil {
		c, err = repos.Contacts.Find(ctx, p.OrgID, stays)
	}
	var people []privacy.Someone
	if err == nil {
		people, err = s.people(ctx, c)
	}
	if err != nil && !errors.Is(err, ports.ErrNotFound) {
		return err
	}
	for _, one := range people {
		for _, c := range one.All() {
			if c.ID != id {
				continue
			}
			if p.IsOther(c) { // when it was erased, nobody could tell any more
				return nil
			}
			p.Take(c)
		}
	}
	if !p.Has(id) {
		p.Contacts = append(p.Contacts, id)
	}
	return nil
}

// recall adds to an erasure that was running when the copy was made what it found after that.
func (w *erasing) recall(ctx context.Context) error {
	p := w.e.Person
	if w.again.known == nil || p == nil {
		return nil
	}
	hashes, err := w.Subjects.recall(ctx, p, *w.again.known)
	if err != nil {
		return err
	}
	return w.saveWith(ctx, func(e *privacy.Erasure) {
		e.Person, e.Hashes, e.Replayed = p, privacy.Hashes(e.Hashes, hashes), w.clock()
	}, func(ctx context.Context, r ports.Repos) error { return barAndBlock(ctx, r, w.e) })
}

// barAndBlock bars whoever an erasure of the journal is about, and blocks them if it asks for that.
func barAndBlock(ctx context.Context, r ports.Repos, e privacy.Erasure) error {
	err := r.SubjectBlocks.Bar(ctx, e.OrgID, e.ID, e.Hashes)
	if err == nil && e.Block {
		err = block(ctx, r, e, e.Hashes)
	}
	return err
}
