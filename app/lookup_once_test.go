package app_test

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/ports"
	"fichario/ports/portstest"
)

// anew is a question that costs, unless its idempotency key has been used.
func anew(key, document string) lookups.Request {
	return lookups.Request{Product: catalog.CPF, Document: document, Refresh: true, RequestKey: key}
}

// TestAQuestionIsBoughtOnce: the same idempotency key with the same question is the same lookup, for a day.
func TestAQuestionIsBoughtOnce(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		by, other := s.byKey(access.Limits{PerMinute: 99, PerDay: 2, PerMonth: 9}), s.byKey(wide)
		first := must(s.ask(by, anew("a", cpfs[0])))
		again := must(s.ask(by, anew("a", cpfs[0])))
		equal(t, "again", line(again.Replayed, first.Replayed, again.Entry.ID == first.Entry.ID, again.Entry.Amount,
			bytes.Equal(again.Record.Raw, first.Record.Raw)), "true false true 0.45 true")
		equal(t, "calls and lines", line(len(s.bureau.Asked()), len(s.entries())), "1 1")
		free := lookups.Request{Product: catalog.CPF, Document: cpfs[0], RequestKey: "b"}
		equal(t, "from history", must(s.ask(by, free)).Entry.Cache, true)
		equal(t, "and again", must(s.ask(by, free)).Entry.Cache, true)
		time.Sleep(requestBegins + time.Second)
		equal(t, "and later", must(s.ask(by, free)).Replayed, true)
		_, err := s.ask(by, anew("b", cpfs[1]))
		equal(t, "another question", said(err), "chave_reutilizada")
		equal(t, "lines", len(s.entries()), 2)

		for what, r := range map[string]lookups.Request{
			"another document": anew("a", cpfs[1]), "another product": {Product: "score", Document: cpfs[0], Refresh: true, RequestKey: "a"},
			"without refresh": {Product: catalog.CPF, Document: cpfs[0], RequestKey: "a"},
		} {
			_, err := s.ask(by, r)
			equal(t, what, said(err), "chave_reutilizada")
		}
		must(s.ask(other, anew("a", cpfs[1])))
		must(s.ask(by, anew("A", cpfs[1])))
		_, err = s.ask(by, anew("c", cpfs[2]))
		equal(t, "beyond the cap", said(err), "limite_diario")
		equal(t, "a replay passes it", must(s.ask(by, anew("a", cpfs[0]))).Replayed, true)
		_, _, err = s.keys.Rotate(t.Context(), app.Operator(), by.Key().ID, 0)
		done(err)
		equal(t, "after a rotation", must(s.ask(by, anew("a", cpfs[0]))).Replayed, true)

		time.Sleep(24*time.Hour + time.Minute)
		equal(t, "a day later", must(s.ask(by, anew("a", cpfs[1]))).Replayed, false)
		time.Sleep(26 * time.Hour)
		done(s.lookups.ForgetRequests(t.Context()))
		equal(t, "calls", len(s.bureau.Asked()), 4)
	})
}

// TestAnIdempotencyKeyOutlivesItsProduct: what was asked is answered again although the product, its bureau or an input
// is offered no longer, as far as the key may still ask it; what was never asked is refused, and its key stays free.
func TestAnIdempotencyKeyOutlivesItsProduct(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	by, other := s.byKey(wide), s.byKey(wide)
	first := must(s.ask(by, anew("a", cpfs[0])))
	offered := catalog.Catalog{}
	for _, p := range products() {
		if p.ID != catalog.CPF {
			offered = append(offered, p)
		}
	}
	later := s.desk(s.store, s.bureau, offered, s.now)
	names := *by.Key()
	names.Bureau = true
	named := anew("named", cpfs[2])
	named.Bureau = "agencia"
	must(s.ask(app.ByKey(&names), named))
	equal(t, "a bureau", must(later.Do(t.Context(), app.ByKey(&names), named)).Replayed, true)
	again := must(later.Do(t.Context(), by, anew("a", cpfs[0])))
	equal(t, "again", line(again.Replayed, again.Entry.ID == first.Entry.ID, bytes.Equal(again.Record.Raw, first.Record.Raw)),
		"true true true")
	equal(t, "calls and lines", line(len(s.bureau.Asked()), len(s.entries())), "2 2")
	for what, c := range map[string]struct {
		by app.Caller
		r  lookups.Request
	}{
		"a bureau that it may no longer name": {by, named},
		"another question":                    {by, anew("a", cpfs[1])}, "a new key": {by, anew("b", cpfs[0])},
		"none":            {by, anew("", cpfs[0])},
		"another's":       {other, anew("a", cpfs[0])},
		"without a scope": {app.ByKey(without(by.Key(), document.CPF)), anew("a", cpfs[0])},
	} {
		_, err := later.Do(t.Context(), c.by, c.r)
		equal(t, what, said(err), "produto_desconhecido produto")
	}
	equal(t, "the new key is free", must(s.ask(by, anew("b", cpfs[1]))).Replayed, false)
}

// without is a key that has lost a scope.
func without(k *access.Key, scope document.Type) *access.Key {
	less := *k
	less.Scopes = slices.DeleteFunc(slices.Clone(k.Scopes), func(t document.Type) bool { return t == scope })
	return &less
}

// TestAnIdempotencyKeyThatWaits for the call of another request, longer than its own may take to begin, stays its own.
func TestAnIdempotencyKeyThatWaits(t *testing.T) {
	t.Parallel()
	for what, later := range map[string]bool{"for its answer": false, "for later": true} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				by, release := s.byKey(wide), make(chan struct{})
				s.bureau.Script = portstest.Holds(release)
				question := lookups.Request{Product: catalog.CPF, Document: cpfs[0]}
				var asking sync.WaitGroup
				asking.Go(func() { must(s.ask(by, question)) })
				time.Sleep(time.Second)
				question.RequestKey, question.Later = "k", later
				var answers [2]lookups.Result
				for i := range answers {
					asking.Go(func() { answers[i] = must(s.ask(by, question)) })
					time.Sleep(map[int]time.Duration{0: requestBegins + time.Second, 1: time.Second}[i])
				}
				_, err := s.ask(by, lookups.Request{Product: catalog.CPF, Document: cpfs[1], RequestKey: "k", Free: true})
				equal(t, "another question", said(err), "chave_reutilizada")
				close(release)
				asking.Wait()
				equal(t, "the same", line(answers[0].Entry.ID == answers[1].Entry.ID, answers[0].Replayed, answers[1].Replayed), "true false true")
				equal(t, "lines", line(s.entries()), "[concluida livre do histórico concluida 0.45]")
			})
		})
	}
}

// requestBegins is how long a request with an idempotency key may take to begin.
const requestBegins = 5 * time.Second

// TestWhatAnIdempotencyKeyKeeps: a failure that was charged, and nothing that certainly cost nothing.
func TestWhatAnIdempotencyKeyKeeps(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	by := s.byKey(wide)
	for i, c := range []struct {
		outcome ports.BureauOutcome
		want    string
		kept    bool
	}{
		{ports.Failed, "bureau_falhou", true}, {ports.NoAnswer, "bureau_sem_resposta", true},
		{ports.NotSent, "bureau_indisponivel", false}, {ports.NotCharged, "bureau_indisponivel", false},
	} {
		s.bureau.Script = portstest.Fails(c.outcome)
		key, before := "k"+c.want+string(rune(97+i)), len(s.bureau.Asked())
		_, first := s.ask(by, anew(key, cpfs[0]))
		equal(t, "first", said(first), c.want)
		_, again := s.ask(by, anew(key, cpfs[0]))
		calls := 2
		if c.kept {
			calls = 1
		}
		equal(t, c.want+" again", line(said(again), app.FaultOf(again).Message == app.FaultOf(first).Message,
			app.FaultOf(again).Replayed, len(s.bureau.Asked())-before), line(c.want, true, c.kept, calls))
		_, err := s.ask(by, anew(key, cpfs[1]))
		want := c.want
		if c.kept {
			want = "chave_reutilizada"
		}
		equal(t, "another question", said(err), want)
	}
	s.bureau.Script = nil
	zero := s.byKey(access.Limits{PerMinute: 9})
	_, err := s.ask(zero, anew("z", cpfs[0]))
	equal(t, "a cap", said(err), "limite_mensal")
	_, err = s.ask(zero, lookups.Request{Product: catalog.CPF, Document: cpfs[1], Free: true, RequestKey: "z"})
	equal(t, "free for another question", said(err), "fora_do_historico")
}

// TestOneCallForManyEqualRequests at two instances, sent at once.
func TestOneCallForManyEqualRequests(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		by := s.byKey(wide)
		instances := []*desk{s.lookups, s.otherLookups(s.store)}
		for round := range 5 {
			key := string(rune('a' + round))
			var mu sync.Mutex
			ids, replayed := map[string]int{}, 0
			var asking sync.WaitGroup
			for i := range 20 {
				asking.Go(func() {
					r, err := instances[i%2].Do(t.Context(), by, anew(key, cpfs[0]))
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					defer mu.Unlock()
					ids[r.Entry.ID]++
					if r.Replayed {
						replayed++
					}
				})
			}
			asking.Wait()
			equal(t, "lookups and replays", line(len(ids), replayed), "1 19")
		}
		equal(t, "calls", len(s.bureau.Asked()), 5)
		equal(t, "spent", s.spent(by), "5 5 5 2.25")
	})
}

// TestAnIdempotencyKeyWhoseInstanceDied: before its call began, another instance makes it; the dead one, should it live
// after all, is refused. Once the call is charged it is settled as any other, and the key answers with that.
func TestAnIdempotencyKeyWhoseInstanceDied(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		by := s.byKey(wide)
		must(s.ask(by, anew("a", cpfs[0]))) // for its entry
		died := ports.LookupRequest{
			OrgID: s.orgID, KeyID: by.Key().ID, Name: "b",
			Question: "cpf|" + cpfs[1] + "||true|false|-", LookupID: lookups.NewKeyID(), At: s.now(),
			Begins: 5 * time.Second, Lasts: 24 * time.Hour,
		}
		must(s.store.Repos().LookupRequests.Claim(t.Context(), died))
		began := time.Now()
		equal(t, "made by another", must(s.ask(by, anew("b", cpfs[1]))).Replayed, false)
		equal(t, "after the dead one could have begun", time.Since(began) >= 5*time.Second, true)

		s.bureau.Script = portstest.Holds(make(chan struct{})) // never answers
		pending, err := s.lookups.later(t.Context(), by, anew("c", cpfs[2]))
		done(err)
		same, err := s.lookups.later(t.Context(), by, anew("c", cpfs[2]))
		done(err)
		equal(t, "later", line(pending.Replayed, same.Replayed, pending.Entry.ID == same.Entry.ID), "false true true")
		_, err = s.ask(by, anew("c", cpfs[2]))
		equal(t, "settled", said(err), "bureau_sem_resposta")
		_, err = s.ask(by, anew("c", cpfs[2]))
		equal(t, "kept", line(said(err), app.FaultOf(err).Replayed), "bureau_sem_resposta true")
		equal(t, "calls", len(s.bureau.Asked()), 3)
		if errors.Is(err, ports.ErrOvertaken) || fault.CodeOf(err) == fault.Internal {
			t.Error(err)
		}
	})
}
