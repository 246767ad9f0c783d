package app_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

var wide = access.Limits{PerMinute: 60, PerDay: 100, PerMonth: 100}

// key makes a key for CPF, and returns it with its secret.
func (s *setting) key(limits access.Limits) (access.Key, string) {
	s.t.Helper()
	key, secret, err := s.keys.Create(s.t.Context(), app.Operator(), lookups.NewKey{
		OrgID: s.orgID, Name: "k", Scopes: []document.Type{document.CPF}, Limits: limits,
	})
	done(err)
	return key, secret.Reveal()
}

// byKey makes a caller with a key of its own.
func (s *setting) byKey(limits access.Limits) app.Caller {
	s.t.Helper()
	_, secret := s.key(limits)
	return must(s.keys.Authenticate(s.t.Context(), secret, netip.Addr{}))
}

// opens returns the key that a secret opens, or the fault.
func (s *setting) opens(keys *lookups.Keys, secret string) string {
	s.t.Helper()
	by, err := keys.Authenticate(s.t.Context(), secret, netip.Addr{})
	if err != nil {
		return said(err)
	}
	return by.Key().ID
}

// TestNewKeysAreHeldToTheirForm: a form with one fault is refused at that field, and one sent twice makes one key.
func TestNewKeysAreHeldToTheirForm(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	id := lookups.NewKeyID()
	for _, c := range []struct {
		change func(*lookups.NewKey)
		want   string
	}{
		{func(*lookups.NewKey) {}, ""},
		{func(n *lookups.NewKey) { n.Limits.PerDay, n.Limits.PerMonth = 0, 0 }, ""},
		{func(n *lookups.NewKey) { n.Name = "" }, "requisicao_invalida name"},
		{func(n *lookups.NewKey) { n.Scopes = nil }, "requisicao_invalida scopes"},
		{func(n *lookups.NewKey) { n.Scopes = append(n.Scopes, "rg") }, "requisicao_invalida scopes"},
		{func(n *lookups.NewKey) { n.Limits.PerMinute = 0 }, "requisicao_invalida perMinute"},
		{func(n *lookups.NewKey) { n.Limits.PerDay = -1 }, "requisicao_invalida perDay"},
		{func(n *lookups.NewKey) { n.Limits.PerMonth = -1 }, "requisicao_invalida perMonth"},
		{func(n *lookups.NewKey) { n.ExpiresAt = now().Add(-time.Hour) }, "requisicao_invalida expires"},
		{func(n *lookups.NewKey) { n.ID = "x" }, "requisicao_invalida id"},
		{func(n *lookups.NewKey) { n.OrgID = lookups.NewKeyID() }, "nao_encontrado org"},
		{func(n *lookups.NewKey) { n.ID = id }, ""},
		{func(n *lookups.NewKey) { n.ID = id }, "requisicao_invalida id"},
	} {
		n := lookups.NewKey{
			OrgID: s.orgID, Name: "k", Scopes: []document.Type{document.Email, document.CPF, document.CPF}, Limits: wide,
		}
		c.change(&n)
		key, secret, err := s.keys.Create(t.Context(), app.Operator(), n)
		equal(t, "a key", said(err), c.want)
		if err != nil {
			continue
		}
		equal(t, "its scopes", fmt.Sprint(key.Scopes), "[cpf email]")
		equal(t, "its prefix", secret.Reveal()[:len(key.Prefix)], key.Prefix)
		equal(t, "it opens", s.opens(s.keys, secret.Reveal()), key.ID)
	}
	equal(t, "keys", len(must(s.keys.List(t.Context(), app.Operator(), s.orgID))), 3)
}

// TestWhatIsNoKeyOpensNothing: neither garbage nor a secret that was never issued.
func TestWhatIsNoKeyOpensNothing(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	_, secret := s.key(wide)
	for _, text := range []string{
		"", "fic_", "Bearer " + secret, secret + "0", secret[:49], strings.ToUpper(secret), access.NewSecret().Reveal(),
	} {
		equal(t, "a text", s.opens(s.keys, text), out)
	}
}

// TestAKeyEndsOnEveryInstance: revoked, expired or replaced, within the second that an instance trusts what it read.
func TestAKeyEndsOnEveryInstance(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		other := lookups.NewKeys(s.store, s.now)
		soon, soonSecret, err := s.keys.Create(t.Context(), app.Operator(), lookups.NewKey{
			OrgID: s.orgID, Name: "k", Scopes: []document.Type{document.CPF}, Limits: wide, ExpiresAt: s.now().Add(time.Minute),
		})
		done(err)
		revoked, revokedSecret := s.key(wide)
		both := func(what, secret, want string) {
			t.Helper()
			equal(t, what, s.opens(s.keys, secret), want)
			equal(t, what+", on another instance", s.opens(other, secret), want)
		}
		both("before it is revoked", revokedSecret, revoked.ID)
		done(s.keys.Revoke(t.Context(), app.Operator(), revoked.ID))
		time.Sleep(time.Second)
		both("a second after", revokedSecret, out)
		done(s.keys.Revoke(t.Context(), app.Operator(), revoked.ID)) // again is no error
		_, _, err = s.keys.Rotate(t.Context(), app.Operator(), revoked.ID, 0)
		equal(t, "a revoked key with a new secret", said(err), "requisicao_invalida id")

		time.Sleep(time.Minute - time.Second - time.Nanosecond)
		both("just before it expires", soonSecret.Reveal(), soon.ID)
		time.Sleep(time.Nanosecond)
		both("when it expires, also where it is trusted", soonSecret.Reveal(), out)
	})
}

// TestRotation: the old secret works during the overlap and no longer, and a second rotation ends all before it.
func TestRotation(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		key, first := s.key(wide)
		for _, overlap := range []time.Duration{-time.Second, 721 * time.Hour} {
			_, _, err := s.keys.Rotate(t.Context(), app.Operator(), key.ID, overlap)
			equal(t, overlap.String(), said(err), "requisicao_invalida overlap")
		}
		rotated, second, err := s.keys.Rotate(t.Context(), app.Operator(), key.ID, time.Hour)
		done(err)
		equal(t, "it is the same key", rotated.ID, key.ID)
		equal(t, "its prefix", must(s.keys.Show(t.Context(), app.Operator(), key.ID)).Prefix, second.Prefix())
		time.Sleep(time.Hour - time.Second)
		equal(t, "the old secret within the overlap", s.opens(s.keys, first), key.ID)
		equal(t, "the new one", s.opens(s.keys, second.Reveal()), key.ID)
		time.Sleep(time.Second)
		equal(t, "the old one after it", s.opens(s.keys, first), out)
		equal(t, "the new one", s.opens(s.keys, second.Reveal()), key.ID)
		_, third, err := s.keys.Rotate(t.Context(), app.Operator(), key.ID, 0)
		done(err)
		time.Sleep(time.Second)
		equal(t, "replaced at once", s.opens(s.keys, second.Reveal()), out)
		equal(t, "the newest", s.opens(s.keys, third.Reveal()), key.ID)
	})
}

// TestAFormThatIsSentTwice rotates a key once.
func TestAFormThatIsSentTwice(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		for range meetings {
			key, _ := s.key(wide)
			var rotated atomic.Int32
			both(func(int) {
				if _, _, done, err := s.keys.RotateOnce(t.Context(), owner, key.ID, key.Prefix, 0); err != nil {
					t.Error(err)
				} else if done {
					rotated.Add(1)
				}
			})
			equal(t, "rotations", rotated.Load(), 1)
		}
	})
}

// TestTheMinuteLimit: within any sixty seconds, on each instance, and free again after the wait that it states.
func TestTheMinuteLimit(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		key, _ := s.key(access.Limits{PerMinute: 3})
		for _, left := range []int{2, 1, 0} {
			state := s.keys.Allow(&key)
			equal(t, "a request", line(state.OK, state.Limit, state.Remaining), line(true, 3, left))
			time.Sleep(10 * time.Second)
		}
		refused := s.keys.Allow(&key)
		equal(t, "one more", refused, access.State{Limit: 3, Reset: 30 * time.Second})
		err := lookups.MinuteLimit(refused)
		equal(t, "it is told", line(said(err), app.FaultOf(err).Limit, app.FaultOf(err).RetryAfter),
			"limite_por_minuto 3 30s")
		equal(t, "another instance", lookups.NewKeys(s.store, s.now).Allow(&key).OK, true)
		equal(t, "used", s.keys.MinuteUse(key.ID), 3)
		time.Sleep(refused.Reset)
		equal(t, "used then", s.keys.MinuteUse(key.ID), 2)
		equal(t, "after the wait", s.keys.Allow(&key).OK, true)
		equal(t, "of a key that never came", s.keys.MinuteUse(lookups.NewKeyID()), 0)
	})
}

// TestUseIsWrittenDown: once for all uses since the last time.
func TestUseIsWrittenDown(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		key, secret := s.key(wide)
		used := func() time.Time { return must(s.keys.Show(t.Context(), app.Operator(), key.ID)).LastUsedAt }
		done(s.keys.SaveUse(t.Context())) // nothing to write
		s.opens(s.keys, secret)
		time.Sleep(time.Minute)
		s.opens(s.keys, secret)
		last := s.now()
		equal(t, "before", used().IsZero(), true)
		time.Sleep(time.Minute)
		done(s.keys.SaveUse(t.Context()))
		equal(t, "last use", used(), last)
	})
}

// TestUseIsKeptUntilItIsWritten: no use is lost while the database is away, and one that comes during a write is not
// taken for written.
func TestUseIsKeptUntilItIsWritten(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		key, secret := s.key(wide)
		used := func() time.Time { return must(s.keys.Show(t.Context(), app.Operator(), key.ID)).LastUsedAt }
		var touching func() error
		keys := lookups.NewKeys(touched{s.store, func() error { return touching() }}, s.now)
		s.opens(keys, secret)
		first := s.now()
		touching = func() error { return errors.New("away") }
		equal(t, "the failure is told", keys.SaveUse(t.Context()) != nil, true)
		touching = func() error { time.Sleep(time.Minute); s.opens(keys, secret); return nil }
		done(keys.SaveUse(t.Context()))
		equal(t, "written later", used(), first)
		last := s.now()
		touching = func() error { return nil }
		done(keys.SaveUse(t.Context()))
		equal(t, "and then the one of meanwhile", used(), last)
	})
}

// TestRefusalsAreCounted by day and reason, in one row each, however many there are and whether the key is still valid.
func TestRefusalsAreCounted(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		key, secret := s.key(wide)
		s.opens(s.keys, secret)
		save := func() { done(s.keys.SaveRefusals(t.Context(), calendar)) }
		why := func() (words string) {
			all := must(lookups.NewStatement(s.store, calendar, s.now).Refused(t.Context(), app.Operator(), key))
			for _, r := range all {
				words += fmt.Sprintf("%s %d ", r.Reason, r.Count)
			}
			return words
		}
		for range 3 {
			for _, code := range []fault.Code{fault.DailyLimit, fault.BureauFailed, fault.InvalidRequest} {
				equal(t, "passed on", said(s.keys.Refused(&key, fault.New(code, "x"))), string(code))
			}
		}
		equal(t, "no refusal", s.keys.Refused(&key, nil), nil)
		equal(t, "only in memory", why(), "")
		save()
		equal(t, "written", why(), "limite_diario 3 ")
		done(s.keys.Revoke(t.Context(), app.Operator(), key.ID))
		time.Sleep(time.Second)
		for range 5 {
			_, err := s.keys.Authenticate(t.Context(), secret, netip.Addr{})
			equal(t, "revoked", said(err), "nao_autenticado")
		}
		save()
		save()
		equal(t, "a revoked key", why(), "nao_autenticado 5 limite_diario 3 ")
		time.Sleep(31 * 24 * time.Hour)
		equal(t, "after a month", why(), "")
	})
}

// touched is a store that calls do before it writes uses of keys.
type touched struct {
	ports.Store
	do func() error
}

func (b touched) Repos() ports.Repos {
	r := b.Store.Repos()
	r.Keys = touchedKeys{r.Keys, b.do}
	return r
}

type touchedKeys struct {
	ports.Keys
	do func() error
}

func (k touchedKeys) Touch(ctx context.Context, uses map[string]time.Time) error {
	if err := k.do(); err != nil {
		return err
	}
	return k.Keys.Touch(ctx, uses)
}

// TestTheDaysOfAKey: what it was charged on each, and nothing of another organisation's.
func TestTheDaysOfAKey(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, by := s.add("dona", crm.Owner), s.byKey(wide)
		for _, cpf := range cpfs[:2] {
			must(s.lookups.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpf}))
		}
		keys := must(s.statement.Keys(t.Context(), owner, s.orgID))
		newest := must(s.store.Repos().Statement.Page(t.Context(), lookup.Asker{OrgID: s.orgID}, lookup.Filter{}, "", 1))
		today := newest[0].Day
		days := must(s.statement.ChargedDays(t.Context(), owner, s.orgID, keys, []string{"2026-01-01", today}))
		equal(t, "charged", fmt.Sprint(days[by.KeyID()]), "[0 2]")
		keys[0].OrgID = "another"
		_, err := s.statement.ChargedDays(t.Context(), owner, s.orgID, keys, []string{today})
		equal(t, "of another organisation", said(err), "nao_encontrado id")
	})
}
