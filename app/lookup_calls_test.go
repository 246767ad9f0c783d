package app_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fichario/app"
	"fichario/app/automations"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest"
)

// TestFollowersShareACall: identical lookups in flight, on this instance and another, share one call. They get its
// answer free, or its failure, free and without an entry.
func TestFollowersShareACall(t *testing.T) {
	t.Parallel()
	const followers = 6
	for _, c := range []struct {
		what    string
		outcome ports.BureauOutcome
		want    string
		lines   map[string]int
	}{
		{"an answer", "", "", map[string]int{"concluida 0.45": 1, "concluida livre do histórico": followers}},
		{"failed", ports.Failed, "bureau_falhou", map[string]int{"falhou 0.45": 1}},
		{"no answer", ports.NoAnswer, "bureau_sem_resposta", map[string]int{"sem_resposta 0.45": 1}},
		{"not sent", ports.NotSent, "bureau_indisponivel", map[string]int{"nao_enviada livre": 1}},
		{"refused", ports.NotCharged, "bureau_indisponivel", map[string]int{"nao_enviada livre": 1}},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				release := make(chan struct{})
				s.bureau.Script = func(ctx context.Context) (ports.Answer, error) {
					answer, err := portstest.Holds(release)(ctx)
					if c.outcome != "" {
						return portstest.Fails(c.outcome)(ctx)
					}
					return answer, err
				}
				instances := []*desk{s.lookups, s.otherLookups(s.store)}
				var asking sync.WaitGroup
				var shared atomic.Int32
				ask := func(i int) {
					by := s.byKey(wide)
					asking.Go(func() {
						_, err := instances[i%2].Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0]})
						equal(t, fmt.Sprint("lookup ", i), said(err), c.want)
						if f := app.FaultOf(err); f != nil && strings.Contains(f.Message, "feito ao mesmo tempo") {
							shared.Add(1)
						}
					})
				}
				ask(0)
				synctest.Wait() // until it blocks at the bureau
				for i := range followers {
					ask(i + 1)
				}
				time.Sleep(time.Second) // they all wait by now
				close(release)
				asking.Wait()
				equal(t, "calls", len(s.bureau.Asked()), 1)
				lines := map[string]int{}
				for _, e := range s.entries() {
					lines[e]++
				}
				equal(t, "entries", line(lines), line(c.lines))
				if c.outcome == ports.Failed || c.outcome == ports.NoAnswer {
					equal(t, "told that it was another's call", shared.Load(), followers)
				}
			})
		})
	}
}

// TestARunThatSharesAFailureIsNotCharged: it waited for somebody else's call, whose entry has the charge.
func TestARunThatSharesAFailureIsNotCharged(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		s.bureau.Script = func(ctx context.Context) (ports.Answer, error) {
			time.Sleep(3 * time.Second)
			return portstest.Fails(ports.Failed)(ctx)
		}
		owner := s.add("dona", crm.Owner)
		rule := s.rule(automations.NewAutomation{Action: automation.Lookup, Product: catalog.CPF, Ceiling: 10 * catalog.Real})
		form := bia()
		form.Documents = cpfs[0]
		c := must(s.contacts.Create(t.Context(), owner, form))
		var asking sync.WaitGroup
		asking.Go(func() {
			_, err := s.ask(s.byKey(wide), lookups.Request{Document: cpfs[0]})
			equal(t, "who called", said(err), "bureau_falhou")
		})
		time.Sleep(time.Second)
		s.work(s.worker(), 10*time.Second)
		asking.Wait()
		runs := must(s.automations.Runs(t.Context(), owner, s.orgID,
			automation.JobFilter{ContactID: c.ID, AutomationID: rule.ID}, "", 10))
		equal(t, "runs", len(runs), 1)
		equal(t, "what became of it", strings.Contains(runs[0].Result, "nada foi cobrado por esta"), true)
		equal(t, "calls", len(s.bureau.Asked()), 1)
	})
}

// TestFollowersHearHowLongTheBureauAsksToWait, like the lookup that made the call.
func TestFollowersHearHowLongTheBureauAsksToWait(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		s.bureau.Script = func(context.Context) (ports.Answer, error) {
			time.Sleep(time.Second)
			return ports.Answer{}, &ports.BureauError{Outcome: ports.NotCharged, RetryAfter: 42 * time.Second}
		}
		var asking sync.WaitGroup
		for range 3 {
			asking.Go(func() {
				_, err := s.ask(s.byKey(wide), lookups.Request{Document: cpfs[0]})
				equal(t, "told", line(said(err), app.FaultOf(err).RetryAfter), "bureau_indisponivel 42s")
			})
		}
		asking.Wait()
		equal(t, "calls", len(s.bureau.Asked()), 1)
	})
}

// TestARefreshSharesNothing, unless the asker names the answer seen last.
func TestARefreshSharesNothing(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		key := s.byKey(wide)
		must(s.ask(key, lookups.Request{Document: cpfs[0]}))
		for says, calls := range map[bool]int{false: 3, true: 1} {
			seen := ""
			if says {
				seen = must(s.ask(key, lookups.Request{Document: cpfs[0]})).Record.ID
			}
			release, before := make(chan struct{}), len(s.bureau.Asked())
			s.bureau.Script = portstest.Holds(release)
			var asking sync.WaitGroup
			for range 3 {
				asking.Go(func() { must(s.ask(key, lookups.Request{Document: cpfs[0], Refresh: true, Seen: seen})) })
			}
			time.Sleep(time.Second)
			close(release)
			asking.Wait()
			equal(t, "calls", len(s.bureau.Asked())-before, calls)
		}
	})
}

// TestWhoeverLeavesHasPaidForEverybody: the call goes on and is stored.
func TestWhoeverLeavesHasPaidForEverybody(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		release := make(chan struct{})
		s.bureau.Script = portstest.Holds(release)
		key := s.byKey(wide)
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		for _, who := range []string{"the leader", "a follower"} {
			_, err := s.lookups.Do(ctx, key, lookups.Request{Product: catalog.CPF, Document: cpfs[0]})
			if said(err) != "tempo_esgotado" && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", who, err)
			}
		}
		close(release)
		s.lookups.Close()
		equal(t, "the next one", must(s.ask(key, lookups.Request{Document: cpfs[0]})).Entry.Cache, true)
		equal(t, "entries", line(s.entries()), "[concluida livre do histórico concluida 0.45]")
	})
}

// TestTheLeaderDies: a follower waits for an outcome as long as the call may take, and no longer.
func TestTheLeaderDies(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		n, key := 0, s.byKey(wide)
		dies := s.otherLookups(&broken{Store: s.store, before: func() error {
			if n++; n > 1 {
				return errors.New("killed")
			}
			return nil
		}})
		s.bureau.Script = portstest.Fails(ports.Failed)
		_, _ = dies.Do(t.Context(), key, lookups.Request{Product: catalog.CPF, Document: cpfs[0]})
		ctx, stop := context.WithCancel(t.Context())
		var chores sync.WaitGroup
		chores.Go(func() {
			app.RunChores(ctx, s.log.logger(), app.Chore{Name: "settle", Every: 5 * time.Second, Do: s.lookups.Settle})
		})
		time.Sleep(timeout / 2)
		for _, most := range []time.Duration{timeout/2 + time.Second, time.Second} {
			began := time.Now()
			_, err := s.ask(key, lookups.Request{Document: cpfs[0]})
			equal(t, "the follower", said(err), "bureau_sem_resposta")
			if waited := time.Since(began); waited > most {
				t.Errorf("it waited for %s", waited)
			}
		}
		stop()
		chores.Wait()
		equal(t, "calls", len(s.bureau.Asked()), 1)
	})
}

// TestAFollowerOfShorterCalls: an instance whose calls take less time, as while bureaus are changed, ends no call of
// another that goes on.
func TestAFollowerOfShorterCalls(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		key, request := s.byKey(wide), lookups.Request{Product: catalog.CPF, Document: cpfs[0]}
		patient := s.patientDesk(s.store, s.bureau, products(), s.now, 4*timeout)
		release := make(chan struct{})
		s.bureau.Script = portstest.Holds(release)
		var asking sync.WaitGroup
		asking.Go(func() { equal(t, "the owner", must(patient.Do(t.Context(), key, request)).Entry.Cache, false) })
		synctest.Wait()
		equal(t, "the follower", must(s.lookups.Do(t.Context(), key, request)).Entry.Status, lookup.Running)
		equal(t, "meanwhile", line(s.entries()), "[em_andamento 0.45]")
		close(release)
		asking.Wait()
		equal(t, "entries", line(s.entries()), "[concluida 0.45]")
		equal(t, "calls", len(s.bureau.Asked()), 1)
	})
}

// TestCallsAtOneTimeAreBounded: one more is refused, and costs nothing.
func TestCallsAtOneTimeAreBounded(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		const most = 256
		release := make(chan struct{})
		s.bureau.Script = portstest.Holds(release)
		key := s.byKey(access.Limits{PerMinute: 999, PerDay: 999, PerMonth: 999})
		var asking sync.WaitGroup
		for range most {
			asking.Go(func() { must(s.ask(key, lookups.Request{Document: cpfs[0], Refresh: true})) })
		}
		synctest.Wait()
		equal(t, "calls", len(s.bureau.Asked()), most)
		_, err := s.ask(key, lookups.Request{Document: cpfs[1]})
		equal(t, "one more", line(said(err), app.FaultOf(err).RetryAfter), "bureau_indisponivel 1s")
		close(release)
		asking.Wait()
		equal(t, "spent", s.spent(key), line(most, most, most, catalog.Money(most*price)))
		must(s.ask(key, lookups.Request{Document: cpfs[1]}))
	})
}

// TestAMembersLookupGoesOn: it has an entry at once, and an outcome when its call has.
func TestAMembersLookupGoesOn(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		ana := s.add("ana", crm.Common)
		c := must(s.contacts.Create(t.Context(), ana, bia()))
		theirs := s.another()
		stranger := theirs.add("rui", crm.Owner)
		release := make(chan struct{})
		s.bureau.Script = portstest.Holds(release)
		start := func(by app.Caller, r lookups.Request) (string, <-chan struct{}, error) {
			r.Product = catalog.CPF
			return s.lookups.Start(t.Context(), by, r)
		}
		status := func(id string) string { return string(must(s.lookups.Show(t.Context(), ana, id)).Entry.Status) }
		id, ended, err := start(ana, lookups.Request{Document: cpfs[0], ContactID: c.ID})
		equal(t, "started", line(said(err), status(id)), " em_andamento")
		same, sameEnded, err := start(ana, lookups.Request{Document: cpfs[0]})
		equal(t, "the same again", line(said(err), same == id), " true")
		_, _, err = start(stranger, lookups.Request{Document: cpfs[0], ContactID: c.ID})
		equal(t, "about a contact of others", said(err), "nao_encontrado contact")
		_, _, err = start(ana, lookups.Request{Document: cpfs[1], Free: true})
		equal(t, "only what is free", errors.Is(err, lookups.ErrNotInHistory), true)
		close(release)
		<-ended
		<-sameEnded
		equal(t, "ended", status(id), "concluida")
		free, at, err := start(ana, lookups.Request{Document: cpfs[0]})
		<-at
		equal(t, "from history", line(said(err), status(free)), " concluida")
		equal(t, "entries", len(s.entries()), 3)
		shown := must(s.lookups.Show(t.Context(), ana, id))
		equal(t, "shown", line(shown.Member, shown.Contact.Name, shown.Fresh, lookups.Subject(shown.Record)), "ana Bia true Ana")
		documents := must(s.contacts.Documents(t.Context(), ana, c.ID))
		equal(t, "tied to the contact", line(len(documents), documents[0].By), "1 ana")
	})
}

// TestTheLookupSheet: what is offered, what history has, what was looked up last and by whom.
func TestTheLookupSheet(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	ana, key := s.add("ana", crm.Common), s.byKey(wide)
	var ids []string
	for _, o := range s.lookups.terms.Offers(key) {
		ids = append(ids, o.Product.ID+line(o.Scopes))
	}
	equal(t, "offered to a key", strings.Join(ids, " "),
		"cpf[cpf] situacao_cadastral[cpf] obito[cpf] participacao_societaria[cpf] protestos[cpf] score[cpf]")
	equal(t, "offered to a member", len(s.lookups.terms.Offers(ana)), len(products()))
	equal(t, "offered to nobody", len(s.lookups.terms.Offers(app.Caller{})), 0)

	must(s.ask(key, lookups.Request{Document: cpfs[0]}))
	must(s.ask(ana, lookups.Request{Document: cpfs[0]}))
	must(s.ask(ana, lookups.Request{Document: cpfs[1]}))
	must(s.ask(ana, lookups.Request{Document: cpfs[0], Refresh: true}))
	theirs := s.another()
	must(theirs.ask(theirs.byKey(wide), lookups.Request{Document: cpfs[0]}))

	choices := must(s.lookups.Choices(t.Context(), ana, must(document.Parse(document.CPF, cpfs[0])), "", nil))
	fresh := 0
	for _, c := range choices {
		if c.Fresh {
			fresh++
		}
	}
	equal(t, "choices", line(len(choices), fresh, choices[0].Product.ID, choices[0].Fresh), "6 1 cpf true")
	var recent []string
	for _, v := range must(s.lookups.Recent(t.Context(), ana, 5)) {
		recent = append(recent, line(v.Entry.Document.Value(), v.Member+v.Key, v.AskedMember+v.AskedKey))
	}
	equal(t, "recent", strings.Join(recent, ", "), line(cpfs[0], "ana", "ana,", cpfs[1], "ana", "ana"))
	newest := must(s.lookups.Recent(t.Context(), ana, 1))[0]
	var askers []string
	for _, v := range must(s.lookups.Answers(t.Context(), ana, newest, 5)) {
		askers = append(askers, v.Member+v.Key)
	}
	equal(t, "answers, newest first, were asked by", strings.Join(askers, ", "), "ana, k")
	today := must(s.statement.SpentToday(t.Context(), ana))
	equal(t, "spent today", line(today.Count, today.Amount), "3 1.35")
}
