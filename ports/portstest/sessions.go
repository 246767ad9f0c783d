package portstest

import (
	"sync"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/ports"
)

// sessions checks on both databases what lets members in.
func sessions(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	ana, rui := member(t, s, o.ID, crm.Owner, true), member(t, s, o.ID, crm.Common, true)
	begin := func(m crm.Member, seen time.Time) access.SessionToken {
		t.Helper()
		token := access.NewSessionToken()
		must(t, repos.Sessions.Create(ctx, token, access.Session{
			ID: id(), MemberID: m.ID, CreatedAt: at, SeenAt: seen, Device: "Firefox em Linux", Address: "203.0.113.7",
		}))
		return token
	}
	gone := func(what string, token access.SessionToken) {
		t.Helper()
		_, _, err := repos.Sessions.Find(ctx, token)
		wantErr(t, what, err, ports.ErrNotFound)
	}
	first, second, other := begin(ana, at), begin(ana, at), begin(rui, at)
	must(t, repos.Sessions.Touch(ctx, first, at.Add(time.Hour), "203.0.113.9"))
	must(t, repos.Sessions.Touch(ctx, first, at.Add(time.Minute), "203.0.113.10")) // the later time stays
	session, who, err := repos.Sessions.Find(ctx, first)
	must(t, err)
	same(t, "session", session, access.Session{
		ID: session.ID, MemberID: ana.ID, CreatedAt: at, SeenAt: at.Add(time.Hour), Device: "Firefox em Linux",
		Address: "203.0.113.9",
	})
	list, err := repos.Sessions.List(ctx, ana.ID, second, at.Add(-time.Hour))
	must(t, err)
	same(t, "a member's sessions, the last seen first", []any{len(list), list[0].ID, list[1].Present, list[0].Present},
		[]any{2, session.ID, true, false})
	list, err = repos.Sessions.List(ctx, ana.ID, second, at)
	must(t, err)
	same(t, "those seen since", len(list), 1)
	wantErr(t, "another member's by its id", repos.SessionEnds.EndByID(ctx, rui.ID, session.ID), ports.ErrNotFound)
	fourth, fifth := begin(rui, at), begin(rui, at)
	named, _, err := repos.Sessions.Find(ctx, fourth)
	must(t, err)
	must(t, repos.SessionEnds.EndByID(ctx, rui.ID, named.ID))
	gone("one by its id", fourth)
	must(t, repos.SessionEnds.EndOthers(ctx, rui.ID, other))
	gone("all but one", fifth)
	same(t, "its member", who, ana)
	gone("a token that nobody has", access.NewSessionToken())
	must(t, repos.SessionEnds.End(ctx, second))
	gone("an ended session", second)
	third := begin(ana, at)
	must(t, repos.SessionEnds.EndAll(ctx, ana.ID))
	gone("all of a member's, the first", first)
	gone("all of a member's, the last", third)
	if _, _, err := repos.Sessions.Find(ctx, other); err != nil {
		t.Errorf("another member's session ended too: %v", err)
	}
	recent := begin(ana, at.Add(2*time.Hour))
	_, err = repos.Sessions.Forget(ctx, at.Add(time.Hour))
	must(t, err)
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
			before, wait, err := repos.Attempts.Attempt(ctx, email, at, time.Hour, pause)
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
	same(t, "attempts that were let through", let, map[int]int{0: 1, 1: 1, 2: 1, 3: 1, 4: 1})
	attempt := func(email string, at time.Time) (int, time.Duration) {
		t.Helper()
		before, wait, err := repos.Attempts.Attempt(ctx, email, at, time.Hour, pause)
		must(t, err)
		return before, wait
	}
	before, wait := attempt(email, at.Add(20*time.Second))
	same(t, "too early", before, 5)
	same(t, "how long there is to wait", wait, 40*time.Second)
	_, wait = attempt(email, at.Add(-24*time.Hour))
	same(t, "where the last came by a clock that was a day ahead", wait, time.Minute)
	before, wait = attempt("rui@example.com", at)
	same(t, "another address", before == 0 && wait <= 0, true)
	before, wait = attempt(email, at.Add(time.Minute))
	same(t, "after the pause", before == 5 && wait <= 0, true)
	before, _ = attempt(email, at.Add(time.Minute))
	same(t, "counted", before, 6)
	must(t, repos.Attempts.Forgive(ctx, email))
	before, wait = attempt(email, at.Add(61*time.Minute))
	same(t, "forgiven, and after the next pause", before == 5 && wait <= 0, true)
	before, wait = attempt(email, at.Add(121*time.Minute+time.Microsecond))
	same(t, "after a time without any", before == 0 && wait <= 0, true)
	must(t, repos.Attempts.Clear(ctx, email))
	must(t, repos.Attempts.Forgive(ctx, email))
	before, _ = attempt(email, at)
	same(t, "forgotten", before, 0)
	_, err := repos.Sessions.Forget(ctx, at.Add(time.Hour))
	must(t, err)
	before, _ = attempt(email, at)
	same(t, "old ones forgotten", before, 0)
}
