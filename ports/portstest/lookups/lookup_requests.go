package lookups

import (
	"errors"
	"sync"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// lookupRequests: an idempotency key stands for one lookup, until that came to nothing, or for as long as it lasts.
func lookupRequests(t *testing.T, s ports.Store) {
	ctx, repo := t.Context(), s.Repos().LookupRequests
	now := time.Now().UTC()
	ask := func(keyID, name, question string) (mine, has ports.LookupRequest) {
		t.Helper()
		mine = ports.LookupRequest{
			OrgID: kit.OrgOf(keyID), KeyID: keyID, Name: name, Question: question, LookupID: kit.ID(), At: now,
			Begins: time.Hour, Lasts: 24 * time.Hour,
		}
		has, err := repo.Claim(ctx, mine)
		kit.Must(t, err)
		return mine, has
	}
	key := kit.ID()
	first, has := ask(key, "a", "q")
	kit.Same(t, "the first", []any{has.LookupID, has.Same}, []any{first.LookupID, true})
	_, has = ask(key, "a", "q")
	kit.Same(t, "again", []any{has.LookupID, has.Same}, []any{first.LookupID, true})
	_, has = ask(key, "a", "other")
	kit.Same(t, "another question", []any{has.LookupID, has.Same}, []any{first.LookupID, false})
	other, has := ask(kit.ID(), "a", "q")
	kit.Same(t, "another key's", has.LookupID, other.LookupID)
	big, has := ask(key, "A", "q")
	kit.Same(t, "another name", has.LookupID, big.LookupID)

	has, err := repo.Find(ctx, big)
	kit.Must(t, err)
	kit.Same(t, "found", []any{has.LookupID, has.Same}, []any{big.LookupID, true})
	old := big
	old.At = old.At.Add(old.Lasts + time.Minute)
	_, err = repo.Find(ctx, old)
	kit.WantErr(t, "found when it is over", err, ports.ErrNotFound)
	kit.Must(t, repo.Release(ctx, big))
	_, err = repo.Find(ctx, big)
	kit.WantErr(t, "found when it is free", err, ports.ErrNotFound)
	next, has := ask(key, "A", "r")
	kit.Same(t, "a name that is free again", has.LookupID, next.LookupID)
	kit.Must(t, repo.Release(ctx, big)) // it has another lookup by now
	_, has = ask(key, "A", "r")
	kit.Same(t, "left alone", has.LookupID, next.LookupID)

	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			mine := next
			mine.Name = "busy"
			for range 25 {
				mine.LookupID = kit.ID()
				_, err := repo.Claim(ctx, mine)
				if err := errors.Join(err, repo.Release(ctx, mine)); err != nil { // which leaves another's alone
					t.Errorf("a name that is claimed and released at once: %v", err)
				}
			}
		})
	}
	wg.Wait()

	begin := func(of ports.LookupRequest) error {
		e := kit.Running(t, of.KeyID)
		e.ID = of.LookupID
		_, err := s.Repos().Calls.Begin(ctx, ports.Charge{
			Entry: e, Takes: time.Minute, Caps: access.Limits{PerDay: 9, PerMonth: 9}, RequestName: of.Name,
		})
		return err
	}
	late := ports.LookupRequest{
		OrgID: kit.OrgOf(key), KeyID: key, Name: "late", Question: "q", LookupID: kit.ID(), At: now, Lasts: 24 * time.Hour,
	}
	_, err = repo.Claim(ctx, late)
	kit.Must(t, err)
	taken, has := ask(key, "late", "q")
	kit.Same(t, "one whose instance did not begin in time", has.LookupID, taken.LookupID)
	kit.WantErr(t, "which is refused then", begin(late), ports.ErrOvertaken)
	kit.Must(t, begin(taken))
	late.Name, late.LookupID = "begun", kit.ID()
	_, err = repo.Claim(ctx, late)
	kit.Must(t, err)
	kit.Must(t, begin(late))
	_, has = ask(key, "begun", "q")
	kit.Same(t, "one that has begun stays", has.LookupID, late.LookupID)
	late.Name, late.LookupID = "waits", kit.ID()
	_, err = repo.Claim(ctx, late)
	kit.Must(t, err)
	longer := late
	longer.Begins = time.Hour
	kit.Must(t, repo.Extend(ctx, longer))
	_, has = ask(key, "waits", "q")
	kit.Same(t, "one that waits stays", has.LookupID, late.LookupID)
	longer.LookupID = kit.ID()
	kit.WantErr(t, "one that has not got its key any more", repo.Extend(ctx, longer), ports.ErrOvertaken)
	late.Name, late.LookupID = "free", kit.ID()
	_, err = repo.Claim(ctx, late)
	kit.Must(t, err)
	free := kit.Running(t, key)
	free.ID, free.Status, free.Cache, free.Charged, free.Amount = late.LookupID, lookup.Done, true, false, 0
	kit.Must(t, s.Repos().Statement.Add(ctx, free))
	_, has = ask(key, "free", "q")
	kit.Same(t, "one that needed no call stays", has.LookupID, late.LookupID)

	n, err := repo.Forget(ctx, now.Add(-time.Hour))
	kit.Must(t, err)
	kit.Same(t, "forgotten too early", n, 0)
	n, err = repo.Forget(ctx, now.Add(time.Hour))
	kit.Must(t, err)
	kit.Same(t, "forgotten", n, 7)
}
