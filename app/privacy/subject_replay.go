package privacy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fichario/app"
	"fichario/domain/privacy"
	"fichario/ports"
)

// Replayed is what became of the erasures of a journal: how many were repeated, how many the database had, and how many
// wait for a lookup that its bureau answers later, so that the service completes them.
type Replayed struct{ Again, Known, Waiting int }

// replayPatience is how long Replay waits for the lookups about a person: they are settled, but for those that a bureau
// answers later, which only a running service fetches.
const replayPatience = 2 * time.Minute

// Replay repeats erasures of the journal after an older copy was restored: those that the database lacks. orgID selects
// those of one organisation; empty for all. Only the operator may. Faults: InvalidRequest, NotFound, Forbidden,
// ServiceUnavailable.
func (s *Subjects) Replay(
	ctx context.Context, by app.Caller, orgID string, entries []privacy.Entry,
) (out Replayed, err error) {
	if !by.IsOperator() {
		return out, app.Forbidden()
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
		return out, err
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
			return out, app.Invalid("from", fmt.Sprintf(
				"A eliminação %s foi feita com outra chave de titulares (%s): o diário não é deste banco de dados.",
				entry.ID, entry.KeyID))
		}
		e, err := s.store.Repos().Erasures.FindErasure(ctx, entry.OrgID, entry.ID)
		switch {
		case err == nil && e.State == privacy.Done:
			out.Known++
			continue
		case errors.Is(err, ports.ErrNotFound):
			err = s.restoreErasure(ctx, entry)
		}
		if err == nil {
			_, err = s.await(ctx, entry.ID, replayPatience)
		}
		if errors.Is(err, errAsked) {
			out.Waiting++
			continue
		}
		if err != nil {
			return out, err
		}
		out.Again++
	}
	return out, nil
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
