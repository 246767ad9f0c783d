package portstest

import (
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/ports"
)

// lookupRequests: an idempotency key stands for one lookup, until that came to nothing, or for as long as it lasts.
func lookupRequests(t *testing.T, s ports.Store) {
	ctx, repo := t.Context(), s.Repos().LookupRequests
	now := time.Now().UTC()
	ask := func(keyID, name, question string) (mine, has ports.LookupRequest) {
		t.Helper()
		mine = ports.LookupRequest{
			KeyID: keyID, Name: name, Question: question, LookupID: id(), At: now, Begins: time.Hour, Lasts: 24 * time.Hour,
		}
		has, err := repo.Claim(ctx, mine)
		must(t, err)
		return mine, has
	}
	key := id()
	first, has := ask(key, "a", "q")
	same(t, "the first", []any{has.LookupID, has.Same}, []any{first.LookupID, true})
	_, has = ask(key, "a", "q")
	same(t, "again", []any{has.LookupID, has.Same}, []any{first.LookupID, true})
	_, has = ask(key, "a", "other")
	same(t, "another question", []any{has.LookupID, has.Same}, []any{first.LookupID, false})
	other, has := ask(id(), "a", "q")
	same(t, "another key's", has.LookupID, other.LookupID)
	big, has := ask(key, "A", "q")
	same(t, "another name", has.LookupID, big.LookupID)

	must(t, repo.Release(ctx, big))
	next, has := ask(key, "A", "r")
	same(t, "a name that is free again", has.LookupID, next.LookupID)
	must(t, repo.Release(ctx, big)) // it has another lookup by now
	_, has = ask(key, "A", "r")
	same(t, "left alone", has.LookupID, next.LookupID)

	begin := func(of ports.LookupRequest) error {
		e := running(t, of.KeyID)
		e.ID = of.LookupID
		_, err := s.Repos().Calls.Begin(ctx, ports.Charge{
			Entry: e, Takes: time.Minute, Caps: access.Limits{PerDay: 9, PerMonth: 9}, RequestName: of.Name,
		})
		return err
	}
	late := ports.LookupRequest{KeyID: key, Name: "late", Question: "q", LookupID: id(), At: now, Lasts: 24 * time.Hour}
	_, err := repo.Claim(ctx, late)
	must(t, err)
	taken, has := ask(key, "late", "q")
	same(t, "one whose instance did not begin in time", has.LookupID, taken.LookupID)
	wantErr(t, "which is refused then", begin(late), ports.ErrOvertaken)
	must(t, begin(taken))
	late.Name, late.LookupID = "begun", id()
	_, err = repo.Claim(ctx, late)
	must(t, err)
	must(t, begin(late))
	_, has = ask(key, "begun", "q")
	same(t, "one that has begun stays", has.LookupID, late.LookupID)

	n, err := repo.Forget(ctx, now.Add(-time.Hour))
	must(t, err)
	same(t, "forgotten too early", n, 0)
	n, err = repo.Forget(ctx, now.Add(time.Hour))
	must(t, err)
	same(t, "forgotten", n, 5)
}
