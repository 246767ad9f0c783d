package privacy

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fichario/app"
	"fichario/domain/privacy"
	"fichario/ports"
)

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
		e, err := s.store.Repos().Erasures.FindErasure(ctx, entry.OrgID, entry.ID)
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
		c, err := repos.Contacts.Find(ctx, entry.OrgID, id)
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
	return app.Recorded(ctx, s.store, app.Operator(), erasureLine(e), func(ctx context.Context, r ports.Repos) error {
		err := r.Erasures.AddErasure(ctx, e)
		if err == nil {
			err = r.SubjectBlocks.Bar(ctx, e.OrgID, e.ID, e.Hashes)
		}
		if err == nil && e.Block {
			err = block(ctx, r, e, e.Hashes)
		}
		return err
	})
}
