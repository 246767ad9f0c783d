package team

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// tickets are used once, even by concurrent callers.
func tickets(t *testing.T, s ports.Store) {
	ctx, r, o := t.Context(), s.Repos().Tickets, kit.Org(t, s)
	ana := kit.Member(t, s, o.ID, crm.Common, true)
	want := access.Ticket{Kind: access.Factor, MemberID: ana.ID, Data: []byte{1}, ExpiresAt: kit.At}
	first, second, anybodys := access.NewSessionToken(), access.NewSessionToken(), access.NewSessionToken()
	kit.Must(t, r.Put(ctx, first, want))
	kit.Must(t, r.Put(ctx, second, access.Ticket{Kind: access.Forgotten, MemberID: ana.ID, ExpiresAt: kit.At}))
	kit.Must(t, r.Put(ctx, anybodys, access.Ticket{Kind: access.PasskeyUse, ExpiresAt: kit.At.Add(time.Hour)}))
	found, err := r.Find(ctx, first)
	kit.Must(t, err)
	kit.Same(t, "a ticket", found, want)
	var several sync.WaitGroup
	var got atomic.Int32
	for range 8 {
		several.Go(func() {
			if taken, err := r.Take(ctx, first); err == nil {
				kit.Same(t, "what is taken", taken, want)
				got.Add(1)
			} else {
				kit.WantErr(t, "taken by another", err, ports.ErrNotFound)
			}
		})
	}
	several.Wait()
	kit.Same(t, "who got it", got.Load(), 1)
	kit.Must(t, r.Drop(ctx, ana.ID, access.Factor))
	_, err = r.Find(ctx, second)
	kit.Must(t, err)
	kit.Must(t, r.Drop(ctx, ana.ID, access.Forgotten))
	_, err = r.Find(ctx, second)
	kit.WantErr(t, "one that was dropped", err, ports.ErrNotFound)
	kit.Must(t, r.Put(ctx, second, access.Ticket{Kind: access.Forgotten, MemberID: ana.ID, ExpiresAt: kit.At}))
	n, err := r.Forget(ctx, kit.At.Add(time.Minute))
	kit.Must(t, err)
	_, err = r.Find(ctx, anybodys)
	kit.Must(t, err)
	kit.Same(t, "expired tickets", n, 1)
}

// factors are what members have beside their passwords.
func factors(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	ana, rui := kit.Member(t, s, o.ID, crm.Owner, true), kit.Member(t, s, o.ID, crm.Common, true)
	r := allFactors(repos)
	has := func(what string, want bool) {
		t.Helper()
		m, err := repos.Members.Find(ctx, ports.AnyOrg, ana.ID)
		kit.Must(t, err)
		kit.Same(t, "whether she has a second factor "+what, m.SecondFactor, want)
	}
	_, err := r.Codes(ctx, ana.ID)
	kit.WantErr(t, "no codes", err, ports.ErrNotFound)
	codes := access.OneTimeCodes{Secret: "SECRET"}
	kit.Must(t, r.SetCodes(ctx, ana.ID, codes))
	has("before it is confirmed", false)
	kit.Must(t, r.DropUnconfirmed(ctx, rui.ID))
	_, err = r.Codes(ctx, ana.ID)
	kit.Must(t, err)
	kit.Must(t, r.DropUnconfirmed(ctx, ana.ID))
	_, err = r.Codes(ctx, ana.ID)
	kit.WantErr(t, "codes that were dropped", err, ports.ErrNotFound)
	codes.Confirmed, codes.LastStep = true, 7
	kit.Must(t, r.SetCodes(ctx, ana.ID, codes))
	kit.Must(t, r.DropUnconfirmed(ctx, ana.ID))
	has("with codes", true)
	got, err := r.Codes(ctx, ana.ID)
	kit.Must(t, err)
	kit.Same(t, "codes", got, codes)
	for step, want := range map[int64]bool{6: false, 7: false} {
		used, err := r.UseStep(ctx, ana.ID, step)
		kit.Must(t, err)
		kit.Same(t, "a step that is over", used, want)
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
	kit.Same(t, "who used a step", first.Load(), 1)

	kit.Must(t, r.SetRecovery(ctx, ana.ID, [][]byte{{1}, {2}}))
	kit.Must(t, r.SetRecovery(ctx, ana.ID, [][]byte{{3}, {4}, {5}}))
	kit.Must(t, r.SetRecovery(ctx, rui.ID, [][]byte{{3}}))
	for _, want := range []bool{true, false} {
		used, err := r.UseRecovery(ctx, ana.ID, []byte{3})
		kit.Must(t, err)
		kit.Same(t, "a recovery code", used, want)
	}
	left, err := r.RecoveryLeft(ctx, ana.ID)
	kit.Must(t, err)
	kit.Same(t, "recovery codes", left, 2)

	key := access.Passkey{
		ID: kit.ID(), MemberID: ana.ID, Name: "iPhone", Credential: []byte(kit.ID()), Content: []byte("{}"),
		CreatedAt: kit.At,
	}
	kit.Must(t, r.AddPasskey(ctx, key))
	again := key
	again.ID = kit.ID()
	kit.WantErr(t, "a credential that is known", r.AddPasskey(ctx, again), ports.ErrExists)
	key.Content, key.UsedAt = []byte(`{"n":1}`), kit.At.Add(time.Hour)
	kit.Must(t, r.UsePasskey(ctx, key))
	keys, err := r.Passkeys(ctx, ana.ID)
	kit.Must(t, err)
	kit.Same(t, "passkeys", keys, []access.Passkey{key})
	kit.WantErr(t, "another's passkey", r.RemovePasskey(ctx, rui.ID, key.ID), ports.ErrNotFound)
	kit.Must(t, r.Clear(ctx, rui.ID))
	has("after somebody else turned his off", true)
	kit.Must(t, r.RemovePasskey(ctx, ana.ID, key.ID))
	has("without the passkey", true)
	kit.Must(t, r.AddPasskey(ctx, key))
	kit.Must(t, r.Clear(ctx, ana.ID))
	has("without any", false)
	left, err = r.RecoveryLeft(ctx, ana.ID)
	kit.Must(t, err)
	kit.Same(t, "recovery codes afterwards", left, 0)

	token := access.NewSessionToken()
	kit.Must(t, repos.Sessions.Create(ctx, token, access.Session{ID: kit.ID(), MemberID: ana.ID, CreatedAt: kit.At,
		SeenAt: kit.At}))
	kit.Must(t, repos.Orgs.SetSecondFactor(ctx, o.ID, true))
	_, who, err := repos.Sessions.Find(ctx, token)
	kit.Must(t, err)
	kit.Same(t, "who needs one", who.NeedsFactor, true)
	kit.Must(t, r.AddPasskey(ctx, key))
	_, who, err = repos.Sessions.Find(ctx, token)
	kit.Must(t, err)
	kit.Same(t, "who has one", who.NeedsFactor, false)
	kit.Must(t, r.Clear(ctx, ana.ID))
	token = access.NewSessionToken()
	kit.Must(t, repos.Sessions.Create(ctx, token, access.Session{
		ID: kit.ID(), MemberID: ana.ID, CreatedAt: kit.At, SeenAt: kit.At, FactorElsewhere: true,
	}))
	_, who, err = repos.Sessions.Find(ctx, token)
	kit.Must(t, err)
	kit.Same(t, "who showed one elsewhere", who.NeedsFactor, false)
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
