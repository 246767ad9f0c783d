package portstest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/ports"
)

// tickets are used once, even by concurrent callers.
func tickets(t *testing.T, s ports.Store) {
	ctx, r, o := t.Context(), s.Repos().Tickets, org(t, s)
	ana := member(t, s, o.ID, crm.Common, true)
	want := access.Ticket{Kind: access.Factor, MemberID: ana.ID, Data: []byte{1}, ExpiresAt: at}
	first, second, anybodys := access.NewSessionToken(), access.NewSessionToken(), access.NewSessionToken()
	must(t, r.Put(ctx, first, want))
	must(t, r.Put(ctx, second, access.Ticket{Kind: access.Forgotten, MemberID: ana.ID, ExpiresAt: at}))
	must(t, r.Put(ctx, anybodys, access.Ticket{Kind: access.PasskeyUse, ExpiresAt: at.Add(time.Hour)}))
	found, err := r.Find(ctx, first)
	must(t, err)
	same(t, "a ticket", found, want)
	var several sync.WaitGroup
	var got atomic.Int32
	for range 8 {
		several.Go(func() {
			if taken, err := r.Take(ctx, first); err == nil {
				same(t, "what is taken", taken, want)
				got.Add(1)
			} else {
				wantErr(t, "taken by another", err, ports.ErrNotFound)
			}
		})
	}
	several.Wait()
	same(t, "who got it", got.Load(), 1)
	must(t, r.Drop(ctx, ana.ID, access.Factor))
	_, err = r.Find(ctx, second)
	must(t, err)
	must(t, r.Drop(ctx, ana.ID, access.Forgotten))
	_, err = r.Find(ctx, second)
	wantErr(t, "one that was dropped", err, ports.ErrNotFound)
	must(t, r.Put(ctx, second, access.Ticket{Kind: access.Forgotten, MemberID: ana.ID, ExpiresAt: at}))
	n, err := r.Forget(ctx, at.Add(time.Minute))
	must(t, err)
	_, err = r.Find(ctx, anybodys)
	must(t, err)
	same(t, "expired tickets", n, 1)
}

// factors are what members have beside their passwords.
func factors(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	ana, rui := member(t, s, o.ID, crm.Owner, true), member(t, s, o.ID, crm.Common, true)
	r := allFactors(repos)
	has := func(what string, want bool) {
		t.Helper()
		m, err := repos.Members.Find(ctx, ana.ID)
		must(t, err)
		same(t, "whether she has a second factor "+what, m.SecondFactor, want)
	}
	_, err := r.Codes(ctx, ana.ID)
	wantErr(t, "no codes", err, ports.ErrNotFound)
	codes := access.OneTimeCodes{Secret: "SECRET"}
	must(t, r.SetCodes(ctx, ana.ID, codes))
	has("before it is confirmed", false)
	must(t, r.DropUnconfirmed(ctx, rui.ID))
	_, err = r.Codes(ctx, ana.ID)
	must(t, err)
	must(t, r.DropUnconfirmed(ctx, ana.ID))
	_, err = r.Codes(ctx, ana.ID)
	wantErr(t, "codes that were dropped", err, ports.ErrNotFound)
	codes.Confirmed, codes.LastStep = true, 7
	must(t, r.SetCodes(ctx, ana.ID, codes))
	must(t, r.DropUnconfirmed(ctx, ana.ID))
	has("with codes", true)
	got, err := r.Codes(ctx, ana.ID)
	must(t, err)
	same(t, "codes", got, codes)
	for step, want := range map[int64]bool{6: false, 7: false} {
		used, err := r.UseStep(ctx, ana.ID, step)
		must(t, err)
		same(t, "a step that is over", used, want)
	}
	var several sync.WaitGroup
	var first atomic.Int32
	for range 8 {
		several.Go(func() {
			if used, err := r.UseStep(ctx, ana.ID, 8); err == nil && used {
				first.Add(1)
			}
		})
	}
	several.Wait()
	same(t, "who used a step", first.Load(), 1)

	must(t, r.SetRecovery(ctx, ana.ID, [][]byte{{1}, {2}}))
	must(t, r.SetRecovery(ctx, ana.ID, [][]byte{{3}, {4}, {5}}))
	must(t, r.SetRecovery(ctx, rui.ID, [][]byte{{3}}))
	for _, want := range []bool{true, false} {
		used, err := r.UseRecovery(ctx, ana.ID, []byte{3})
		must(t, err)
		same(t, "a recovery code", used, want)
	}
	left, err := r.RecoveryLeft(ctx, ana.ID)
	must(t, err)
	same(t, "recovery codes", left, 2)

	key := access.Passkey{
		ID: id(), MemberID: ana.ID, Name: "iPhone", Credential: []byte(id()), Content: []byte("{}"), CreatedAt: at,
	}
	must(t, r.AddPasskey(ctx, key))
	again := key
	again.ID = id()
	wantErr(t, "a credential that is known", r.AddPasskey(ctx, again), ports.ErrExists)
	key.Content, key.UsedAt = []byte(`{"n":1}`), at.Add(time.Hour)
	must(t, r.UsePasskey(ctx, key))
	keys, err := r.Passkeys(ctx, ana.ID)
	must(t, err)
	same(t, "passkeys", keys, []access.Passkey{key})
	wantErr(t, "another's passkey", r.RemovePasskey(ctx, rui.ID, key.ID), ports.ErrNotFound)
	must(t, r.Clear(ctx, rui.ID))
	has("after somebody else turned his off", true)
	must(t, r.RemovePasskey(ctx, ana.ID, key.ID))
	has("without the passkey", true)
	must(t, r.AddPasskey(ctx, key))
	must(t, r.Clear(ctx, ana.ID))
	has("without any", false)
	left, err = r.RecoveryLeft(ctx, ana.ID)
	must(t, err)
	same(t, "recovery codes afterwards", left, 0)

	token := access.NewSessionToken()
	must(t, repos.Sessions.Create(ctx, token, access.Session{ID: id(), MemberID: ana.ID, CreatedAt: at, SeenAt: at}))
	must(t, repos.Orgs.SetSecondFactor(ctx, o.ID, true))
	_, who, err := repos.Sessions.Find(ctx, token)
	must(t, err)
	same(t, "who needs one", who.NeedsFactor, true)
	must(t, r.AddPasskey(ctx, key))
	_, who, err = repos.Sessions.Find(ctx, token)
	must(t, err)
	same(t, "who has one", who.NeedsFactor, false)
	must(t, r.Clear(ctx, ana.ID))
	token = access.NewSessionToken()
	must(t, repos.Sessions.Create(ctx, token, access.Session{
		ID: id(), MemberID: ana.ID, CreatedAt: at, SeenAt: at, FactorElsewhere: true,
	}))
	_, who, err = repos.Sessions.Find(ctx, token)
	must(t, err)
	same(t, "who showed one elsewhere", who.NeedsFactor, false)
}

// everyFactors is all that there is of factors.
type everyFactors struct {
	ports.Factors
	ports.Recovery
	ports.MemberPasskeys
}

func allFactors(r ports.Repos) everyFactors {
	return everyFactors{r.Factors, r.Recovery, r.MemberPasskeys}
}
