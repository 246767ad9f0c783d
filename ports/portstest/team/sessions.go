package team

import (
	"sync"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// sessions checks on both databases what lets members in.
func sessions(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	ana, rui := kit.Member(t, s, o.ID, crm.Owner, true), kit.Member(t, s, o.ID, crm.Common, true)
	begin := func(m crm.Member, seen time.Time) access.SessionToken {
		t.Helper()
		token := access.NewSessionToken()
		kit.Must(t, repos.Sessions.Create(ctx, token, access.Session{
			ID: kit.ID(), MemberID: m.ID, CreatedAt: kit.At, SeenAt: seen, Device: "Firefox em Linux", Address: "203.0.113.7",
		}))
		return token
	}
	gone := func(what string, token access.SessionToken) {
		t.Helper()
		_, _, err := repos.Sessions.Find(ctx, token)
		kit.WantErr(t, what, err, ports.ErrNotFound)
	}
	first, second, other := begin(ana, kit.At), begin(ana, kit.At), begin(rui, kit.At)
	kit.Must(t, repos.Sessions.Touch(ctx, first, kit.At.Add(time.Hour), "203.0.113.9"))
	kit.Must(t, repos.Sessions.Touch(ctx, first, kit.At.Add(time.Minute), "203.0.113.10")) // the later time stays
	session, who, err := repos.Sessions.Find(ctx, first)
	kit.Must(t, err)
	kit.Same(t, "session", session, access.Session{
		ID: session.ID, MemberID: ana.ID, CreatedAt: kit.At, SeenAt: kit.At.Add(time.Hour), Device: "Firefox em Linux",
		Address: "203.0.113.9",
	})
	list, err := repos.Sessions.List(ctx, ana.ID, second, kit.At.Add(-time.Hour))
	kit.Must(t, err)
	kit.Same(t, "a member's sessions, the last seen first", []any{len(list), list[0].ID, list[1].Present, list[0].Present},
		[]any{2, session.ID, true, false})
	list, err = repos.Sessions.List(ctx, ana.ID, second, kit.At)
	kit.Must(t, err)
	kit.Same(t, "those seen since", len(list), 1)
	kit.WantErr(t, "another member's by its id", repos.SessionEnds.EndByID(ctx, rui.ID, session.ID), ports.ErrNotFound)
	fourth, fifth := begin(rui, kit.At), begin(rui, kit.At)
	named, _, err := repos.Sessions.Find(ctx, fourth)
	kit.Must(t, err)
	kit.Must(t, repos.SessionEnds.EndByID(ctx, rui.ID, named.ID))
	gone("one by its id", fourth)
	kit.Must(t, repos.SessionEnds.EndOthers(ctx, rui.ID, other))
	gone("all but one", fifth)
	with := ana
	with.OrgName = o.Name
	kit.Same(t, "its member", who, with)
	gone("a token that nobody has", access.NewSessionToken())
	kit.Must(t, repos.SessionEnds.End(ctx, second))
	gone("an ended session", second)
	third := begin(ana, kit.At)
	kit.Must(t, repos.SessionEnds.EndAll(ctx, ana.ID))
	gone("all of a member's, the first", first)
	gone("all of a member's, the last", third)
	if _, _, err := repos.Sessions.Find(ctx, other); err != nil {
		t.Errorf("another member's session ended too: %v", err)
	}
	recent := begin(ana, kit.At.Add(2*time.Hour))
	_, err = repos.Sessions.Forget(ctx, kit.At.Add(time.Hour))
	kit.Must(t, err)
	gone("a session not seen since", other)
	if _, _, err := repos.Sessions.Find(ctx, recent); err != nil {
		t.Errorf("a session seen since is forgotten: %v", err)
	}
}

// attempts to sign in are counted one after the other, even concurrent ones.
func attempts(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	const email = "ana@example.com"
	pause := func(before int) time.Duration { return map[bool]time.Duration{true: time.Minute}[before >= 5] }
	var wg sync.WaitGroup
	var mu sync.Mutex
	let := map[int]int{} // through, by the number of those before
	for range 40 {
		wg.Go(func() {
			before, wait, err := repos.Attempts.Attempt(ctx, email, kit.At, time.Hour, pause)
			if err != nil {
				t.Error(err)
			}
			if wait <= 0 {
				mu.Lock()
				let[before]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	kit.Same(t, "attempts that were let through", let, map[int]int{0: 1, 1: 1, 2: 1, 3: 1, 4: 1})
	attempt := func(email string, at time.Time) (int, time.Duration) {
		t.Helper()
		before, wait, err := repos.Attempts.Attempt(ctx, email, at, time.Hour, pause)
		kit.Must(t, err)
		return before, wait
	}
	before, wait := attempt(email, kit.At.Add(20*time.Second))
	kit.Same(t, "too early", before, 5)
	kit.Same(t, "how long there is to wait", wait, 40*time.Second)
	_, wait = attempt(email, kit.At.Add(-24*time.Hour))
	kit.Same(t, "where the last came by a clock that was a day ahead", wait, time.Minute)
	before, wait = attempt("rui@example.com", kit.At)
	kit.Same(t, "another address", before == 0 && wait <= 0, true)
	before, wait = attempt(email, kit.At.Add(time.Minute))
	kit.Same(t, "after the pause", before == 5 && wait <= 0, true)
	before, _ = attempt(email, kit.At.Add(time.Minute))
	kit.Same(t, "counted", before, 6)
	kit.Must(t, repos.Attempts.Forgive(ctx, email))
	before, wait = attempt(email, kit.At.Add(61*time.Minute))
	kit.Same(t, "forgiven, and after the next pause", before == 5 && wait <= 0, true)
	before, wait = attempt(email, kit.At.Add(121*time.Minute+time.Microsecond))
	kit.Same(t, "after a time without any", before == 0 && wait <= 0, true)
	kit.Must(t, repos.Attempts.Clear(ctx, email))
	kit.Must(t, repos.Attempts.Forgive(ctx, email))
	before, _ = attempt(email, kit.At)
	kit.Same(t, "forgotten", before, 0)
	_, err := repos.Sessions.Forget(ctx, kit.At.Add(time.Hour))
	kit.Must(t, err)
	before, _ = attempt(email, kit.At)
	kit.Same(t, "old ones forgotten", before, 0)
}
