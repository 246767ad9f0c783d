package app_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fichario/app"
	"fichario/app/agents"
	"fichario/app/contacts"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest"
)

// session makes a session with a ceiling.
func session(ceiling catalog.Money) agents.Session {
	return agents.Session{ID: agents.NewSessionID(), Ceiling: &ceiling}
}

// within looks up the n-th person in a session.
func (s *setting) within(a agents.Session, by app.Caller, n int, change ...func(*lookups.Request)) error {
	r := lookups.Request{Product: catalog.CPF, Document: cpfs[n]}
	for _, f := range change {
		f(&r)
	}
	_, _, err := s.agents().DoWithin(s.t.Context(), by, r, a)
	return err
}

// TestASessionsCeilingIsExact: of many concurrent lookups only as many reach the bureau as the ceiling covers; answers
// from history stay free.
func TestASessionsCeilingIsExact(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	key, a := s.byKey(wide), session(2*price+price/2)
	var wait sync.WaitGroup
	refused := &seen[string]{}
	for n := range cpfs {
		wait.Go(func() {
			if err := s.within(a, key, n); err != nil {
				refused.add(said(err))
			}
		})
	}
	wait.Wait()
	equal(t, "refused", strings.Join(refused.list(), ","), strings.Repeat(",teto_da_sessao", len(cpfs)-2)[1:])
	equal(t, "calls", len(s.bureau.Asked()), 2)
	spent := func() catalog.Money { return must(s.agents().Spent(t.Context(), key, a)) }
	equal(t, "spent", spent(), 2*price)

	var known, unknown int
	for n := range cpfs {
		err := s.within(a, key, n)
		if err == nil {
			known++
			continue
		}
		unknown++
		if f := app.FaultOf(err); !strings.Contains(f.Message, catalog.Money(price/2).Exact()) {
			t.Errorf("it does not say how much is left: %s", f.Message)
		}
	}
	equal(t, "answered by history, refused", line(known, unknown), line(2, len(cpfs)-2))
	refresh := func(r *lookups.Request) { r.Refresh = true }
	for n := range 3 {
		equal(t, "asked again", said(s.within(a, key, n, refresh)), "teto_da_sessao")
	}
	equal(t, "spent since", spent(), 2*price)
	equal(t, "without a ceiling", said(s.within(agents.Session{ID: a.ID}, key, 0)), "teto_da_sessao")
	equal(t, "without a session", said(s.within(agents.Session{Ceiling: a.Ceiling}, key, 0)), "teto_da_sessao")
	other := s.byKey(wide)
	equal(t, "another key's", must(s.agents().Spent(t.Context(), other, a)), 0)
	equal(t, "calls since", len(s.bureau.Asked()), 2)
}

// blindStore cannot read what was spent.
type blindStore struct{ ports.Store }

func (s blindStore) Repos() ports.Repos {
	r := s.Store.Repos()
	r.Usage = blindUsage{r.Usage}
	return r
}

type blindUsage struct{ ports.Usage }

func (blindUsage) SpentByKeys(
	context.Context, string, []string, ...string,
) (map[string]map[string]lookup.Spent, error) {
	return nil, fault.New(fault.ServiceUnavailable, "fora")
}

// TestAnAnswerIsGivenWithoutItsSum: the answer is paid for, so it is returned although the session's sum cannot be
// read.
func TestAnAnswerIsGivenWithoutItsSum(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	key, a := s.byKey(wide), session(price)
	ask := func(store ports.Store) (lookups.Result, *catalog.Money) {
		agents := agents.NewSessions(s.otherLookups(store).Asker, store, now, s.log.logger())
		result, spent, err := agents.DoWithin(t.Context(), key, lookups.Request{Product: catalog.CPF, Document: cpfs[0]}, a)
		done(err)
		return result, spent
	}
	result, spent := ask(blindStore{s.store})
	equal(t, "without", line(result.Entry.Charged, string(result.Record.Raw), spent == nil), `true {"nome":"Ana"} true`)
	result, spent = ask(s.store)
	equal(t, "with", line(result.Entry.Cache, spent.Exact()), line(true, catalog.Money(price).Exact()))
}

// TestWhatASessionCounts: what was charged, with or without an answer; not what was refused or never sent.
func TestWhatASessionCounts(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	key := s.byKey(wide)
	for _, c := range []struct {
		what   string
		by     app.Caller
		script func(context.Context) (ports.Answer, error)
		change func(*lookups.Request)
		want   catalog.Money
	}{
		{"an error of the bureau", key, portstest.Fails(ports.Failed), nil, price},
		{"no answer", key, portstest.Fails(ports.NoAnswer), nil, price},
		{"never sent", key, portstest.Fails(ports.NotSent), nil, 0},
		{"another product", key, nil, func(r *lookups.Request) { r.Product = "nada" }, 0},
		{"no document", key, nil, func(r *lookups.Request) { r.Document = "1" }, 0},
		{"another scope", key, nil, func(r *lookups.Request) { r.Product, r.Document = catalog.CNPJ, cnpj }, 0},
		{"a key that is used up", s.byKey(access.Limits{PerMinute: 9}), nil, nil, 0},
		{"history only", key, nil, func(r *lookups.Request) { r.Free = true }, 0},
	} {
		s.bureau.Script = c.script
		a := session(9 * price)
		change := c.change
		if change == nil {
			change = func(*lookups.Request) {}
		}
		if err := s.within(a, c.by, 0, change); err == nil {
			t.Errorf("%s is answered", c.what)
		}
		equal(t, c.what, must(s.agents().Spent(t.Context(), c.by, a)), c.want)
	}
}

// TestASessionCountsWhatALookupCost: what the bureau names, be it less than the price or more.
func TestASessionCountsWhatALookupCost(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	key, a := s.byKey(wide), session(2*price)
	p, _ := products().Find(catalog.CPF)
	for n, c := range []struct{ named, sum catalog.Money }{{0, 0}, {price + 1500, price + 1500}} {
		s.bureau.Script = func(context.Context) (ports.Answer, error) {
			answer := portstest.Found(p, map[string]any{"nome": "Ana"})
			answer.Amount = &c.named
			return answer, nil
		}
		done(s.within(a, key, n))
		equal(t, c.named.Exact(), must(s.agents().Spent(t.Context(), key, a)), c.sum)
	}
	equal(t, "no room for another one", said(s.within(a, key, 2)), "teto_da_sessao")
}

// TestASessionWhileNothingIsWritten: what was never sent does not count, even if that cannot be written yet.
func TestASessionWhileNothingIsWritten(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		n, key, a := 0, s.byKey(wide), session(9*price)
		s.lookups = s.otherLookups(&broken{Store: s.store, before: func() error {
			if n++; n > 1 && n < 4 {
				return fault.New(fault.ServiceUnavailable, "fora")
			}
			return nil
		}})
		s.bureau.Script = portstest.Fails(ports.NotSent)
		equal(t, "said", said(s.within(a, key, 0, func(*lookups.Request) {})), "bureau_indisponivel")
		time.Sleep(time.Minute)
		equal(t, "counted", must(s.agents().Spent(t.Context(), key, a)), 0)
		s.lookups.Close()
	})
}

// TestTheSessionOfAnAgentThatWentAway: the call goes on, counts as charged until it ends, and then as it ended.
func TestTheSessionOfAnAgentThatWentAway(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		key, a := s.byKey(wide), session(price)
		spent := func() catalog.Money { return must(s.agents().Spent(t.Context(), key, a)) }
		gate := make(chan struct{})
		s.bureau.Script = func(context.Context) (ports.Answer, error) {
			<-gate
			return ports.Answer{}, &ports.BureauError{Outcome: ports.NotSent}
		}
		ctx, cancel := context.WithCancel(t.Context())
		told := make(chan string, 1)
		go func() {
			_, _, err := s.agents().DoWithin(ctx, key, lookups.Request{Product: catalog.CPF, Document: cpfs[0]}, a)
			told <- said(err)
		}()
		synctest.Wait()
		equal(t, "while it is asked", spent(), price)
		cancel()
		equal(t, "who went away is told", <-told, "tempo_esgotado")
		equal(t, "another one meanwhile", said(s.within(a, key, 1)), "teto_da_sessao")
		close(gate)
		synctest.Wait()
		equal(t, "what was never sent comes back", spent(), 0)
	})
}

// TestASessionAsksAgainUnderOneKey: an agent whose answer was lost gets it again under its idempotency key, also from
// another instance, in another session, and past a ceiling that is used up: one call, and the session counts it once.
func TestASessionAsksAgainUnderOneKey(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		by, a, other := s.byKey(wide), session(price), s.otherLookups(s.store)
		spent := func() catalog.Money { return must(s.agents().Spent(t.Context(), by, a)) }
		gate := make(chan struct{})
		s.bureau.Script = portstest.Holds(gate)
		ctx, leave := context.WithCancel(t.Context())
		told := make(chan string, 1)
		go func() {
			_, _, err := s.agents().DoWithin(ctx, by, anew("a", cpfs[0]), a)
			told <- said(err)
		}()
		synctest.Wait()
		leave()
		equal(t, "who went away is told", <-told, "tempo_esgotado")
		var again sync.WaitGroup
		for i := range 6 {
			again.Go(func() {
				on, in := []*desk{s.lookups, other}[i%2], a
				if i > 3 {
					in = session(price)
				}
				r, _, err := s.agentsOf(on).DoWithin(t.Context(), by, anew("a", cpfs[0]), in)
				equal(t, "asked again", line(said(err), r.Replayed, r.Entry.Amount), " true 0.45")
			})
		}
		synctest.Wait()
		close(gate)
		again.Wait()
		equal(t, "calls, lines and what counts", line(len(s.bureau.Asked()), len(s.entries()), spent()), "1 1 0.45")
		_, _, err := s.agents().DoWithin(t.Context(), by, anew("a", cpfs[1]), a)
		equal(t, "another question", said(err), "chave_reutilizada")
		_, _, err = s.agents().DoWithin(t.Context(), by, anew("b", cpfs[1]), a)
		equal(t, "a new one beyond the ceiling", said(err), "teto_da_sessao")
		s.bureau.Script = portstest.Fails(ports.NotSent)
		b := session(price)
		for range 2 {
			_, _, err = s.agents().DoWithin(t.Context(), by, anew("b", cpfs[1]), b)
			equal(t, "never sent leaves the key free", said(err), "bureau_indisponivel")
		}
		s.bureau.Script = portstest.Fails(ports.Failed)
		for range 2 {
			_, _, err = s.agents().DoWithin(t.Context(), by, anew("b", cpfs[1]), b)
			equal(t, "a charged failure is kept", said(err), "bureau_falhou")
		}
		equal(t, "calls and what counts", line(len(s.bureau.Asked()),
			must(s.agents().Spent(t.Context(), by, b))), "4 0.45")
	})
}

// TestHowLongASessionGoesOn: a month, even by the clock of another instance that is a little ahead.
func TestHowLongASessionGoesOn(t *testing.T) {
	t.Parallel()
	begun := now()
	s := session(price)
	for _, c := range []struct {
		since time.Duration
		want  bool
	}{
		{0, true}, {-time.Minute, true}, {-2 * time.Hour, false}, {29 * 24 * time.Hour, true},
		{30*24*time.Hour + time.Minute, false},
	} {
		equal(t, c.since.String(), s.OpenAt(begun.Add(c.since)), c.want)
	}
	for _, id := range []string{"", "x", strings.ToUpper(s.ID), s.ID + "0"} {
		equal(t, id, agents.Session{ID: id}.OpenAt(begun), false)
	}
}

// TestWhichKeysReadContacts: those that were made for it; the audit records what they are shown.
func TestWhichKeysReadContacts(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	must(s.contacts.Create(t.Context(), s.add("ana", crm.Common), bia()))
	look := func(key access.Key) (int, string) {
		page, err := s.contacts.HandOut(t.Context(), app.ByKey(&key), "bia", "", 5)
		return len(page.Contacts), said(err)
	}
	ordinary, _ := s.key(wide)
	found, refusal := look(ordinary)
	equal(t, "an ordinary key", line(found, refusal), "0 nao_permitido")
	_, err := s.contacts.Search(t.Context(), app.ByKey(&ordinary), contacts.ContactSearch{}, "", "", 5)
	equal(t, "an ordinary key's search", said(err), "nao_permitido")
	allowed, _, err := s.keys.Create(t.Context(), app.Operator(), lookups.NewKey{
		OrgID: s.orgID, Name: "Agente", Scopes: ordinary.Scopes, Limits: wide, Contacts: true,
	})
	done(err)
	last := must(s.store.Repos().Audit.Last(t.Context(), s.orgID))
	found, refusal = look(allowed)
	equal(t, "a key for contacts", line(found, refusal), "1 ")
	lines := s.lines(last)
	equal(t, "the audit", line(len(lines), lines[0].Action, lines[0].Actor), line(1, audit.ContactsDownloaded, audit.ByKey(allowed.ID)))
}

// TestASessionPaysForAnAnswerThatCannotBeWritten: an answer that came later is paid for, and the agent hears that the
// service is unavailable.
func TestASessionPaysForAnAnswerThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		b, disk := &unhurried{}, &fullDisk{Store: s.store}
		var at *desk
		s.store = takenStore{disk, func() error {
			b.set(true, "")
			disk.full.Store(true)
			time.Sleep(2 * time.Millisecond)
			done(at.FetchLater(t.Context()))
			time.Sleep(time.Millisecond)
			return nil
		}}
		at = s.patiently(b)
		key, a := s.byKey(wide), session(2*price)
		sessions := agents.NewSessions(at.Asker, disk, s.now, s.log.logger())
		_, _, err := sessions.DoWithin(t.Context(), key, lookups.Request{Product: catalog.CPF, Document: cpfs[0]}, a)
		equal(t, "said", said(err), "servico_indisponivel")
		equal(t, "asked", b.said(), 1)
		equal(t, "spent", must(sessions.Spent(t.Context(), key, a)), catalog.Money(price))
		disk.full.Store(false)
		time.Sleep(10 * time.Second)
		equal(t, "entries", line(s.entries()), "[concluida 0.45]")
	})
}
