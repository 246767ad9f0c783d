package app_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/adapters/download"
	"fichario/app"
	"fichario/app/batches"
	"fichario/app/lookups"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/ports"
	"fichario/ports/portstest"
)

// otherBatches makes the Batches of another instance, with these lookups.
func (s *setting) otherBatches(l *desk) *batches.Batches {
	return batches.New(batches.Config{
		Store: s.store, Asker: l.Asker, Pace: l.pace, Catalog: products(), Fresh: fresh, Calendar: calendar, Clock: s.now,
		Log: s.log.logger(), Concurrency: 8,
	})
}

// running runs an instance until the returned function has stopped it.
func running(s *setting) (stop func()) {
	ctx, cancel := context.WithCancel(s.t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { s.batches.Run(ctx) })
	return func() { cancel(); wg.Wait() }
}

// someCPFs returns n valid CPFs, ascending from a number.
func someCPFs(from, n int) (out []string) {
	for i := from; len(out) < n; i++ {
		for digits := range 100 {
			text := fmt.Sprintf("%09d%02d", i, digits)
			if _, err := document.Parse(document.CPF, text); err == nil {
				out = append(out, text)
			}
		}
	}
	return out
}

func quote(documents ...string) batches.NewBatch {
	return batches.NewBatch{Product: catalog.CPF, Documents: documents}
}

// until waits until a batch meets a condition.
func (s *setting) until(id string, is func(batches.View) bool) batches.View {
	s.t.Helper()
	for range 5000 {
		if v := must(s.batches.Show(s.t.Context(), app.Operator(), id)); is(v) {
			return v
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.t.Fatalf("it is %s", state(must(s.batches.Show(s.t.Context(), app.Operator(), id))))
	return batches.View{}
}

func ended(v batches.View) bool  { return v.Status == batch.Done }
func paused(v batches.View) bool { return v.Status == batch.Paused }

// state describes a batch in one line.
func state(v batches.View) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s ended %d charged %d free %d failed %d spent %s", v.Status, v.Reason, v.Ended,
		v.Charged, v.Free, v.Failed, v.Spent.Amount))
}

// outcomes returns the results of a batch, each as line, state, cost and whether it was free.
func (s *setting) outcomes(id string) (out []string) {
	s.t.Helper()
	for r, err := range must(s.batches.AllResults(s.t.Context(), app.Operator(), id, "")).All {
		done(err)
		out = append(out, line(r.Line, r.State, r.Amount, r.Cache, r.Fields != nil))
	}
	return out
}

// TestABatch: answers from history and repeats are free, invalid items are reported, and the results are in order.
func TestABatch(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		key := s.byKey(wide)
		must(s.ask(key, lookups.Request{Document: cpfs[1]}))
		q := must(s.batches.Quote(t.Context(), key, quote(cpfs[0], cpfs[1], "529.982.247-25", cpfs[0], cpfs[2])))
		equal(t, "quote", line(q.Status, q.Total, q.Valid, q.Repeated, q.Invalid, q.FromHistory, q.ToAsk(), q.MaxCost(), len(q.Invalids)),
			"orcado 5 3 1 1 1 2 0.9 1")
		equal(t, "lines of the statement", len(s.entries()), 1)
		defer running(s)()
		time.Sleep(5 * time.Second)
		equal(t, "asked without being told to", len(s.bureau.Asked()), 1)
		must(s.batches.Confirm(t.Context(), key, q.ID, nil))
		end := s.until(q.ID, ended)
		equal(t, "the end", state(end), "concluido  ended 3 charged 2 free 1 failed 0 spent 0.9")
		equal(t, "results", strings.Join(s.outcomes(q.ID), "\n"), strings.Join([]string{
			"1 concluida 0.45 false true", "2 concluida 0 true true", "3 invalido 0 false false", "4 concluida 0 true true",
			"5 concluida 0.45 false true",
		}, "\n"))
		for what, err := range map[string]error{
			"confirm": second(s.batches.Confirm(t.Context(), key, q.ID, nil)), "pause": second(s.batches.Pause(t.Context(), key, q.ID)),
			"resume": second(s.batches.Resume(t.Context(), key, q.ID, nil, true)), "cancel": second(s.batches.Cancel(t.Context(), key, q.ID)),
		} {
			equal(t, what, said(err), "estado_do_lote")
		}
		last := must(s.store.Repos().Audit.Last(t.Context(), s.orgID))
		page := must(s.batches.Results(t.Context(), key, q.ID, batch.Answered, "", 2))
		must(s.batches.Results(t.Context(), key, q.ID, batch.Invalid, "", 2)) // no answers
		equal(t, "the audit of answers that a key reads", actions(s.lines(last)), "lote.baixado")
		equal(t, "a page", line(len(page.Results), page.Next), "2 2")
		page = must(s.batches.Results(t.Context(), key, q.ID, batch.Answered, page.Next, 2))
		equal(t, "the next", line(len(page.Results), page.Results[0].Line, page.Next), "2 4 ")
	})
}

func second[T any](_ T, err error) error { return err }

// TestARateHolds even when as many calls as there are places end at once, after a while without any.
func TestARateHolds(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		var held atomic.Int64
		answer := make(chan struct{})
		s.bureau.Script = func(context.Context) (ports.Answer, error) {
			held.Add(1)
			<-answer
			cpf, _ := products().Find(catalog.CPF)
			return portstest.Found(cpf, map[string]any{"nome": "Ana"}), nil
		}
		s.batches.Bureau, s.batches.PerSecond = "b", 2
		n := quote(someCPFs(4000, 20)...)
		n.Ceiling, n.Confirm = at(catalog.Money(20*price)), true
		defer running(s)()
		q := must(s.batches.Quote(t.Context(), s.byKey(wide), n))
		time.Sleep(9500 * time.Millisecond)
		equal(t, "places", held.Load(), 8)
		close(answer)
		time.Sleep(time.Second)
		if more := held.Load() - 8; more < 1 || more > 3 {
			t.Errorf("%d calls within a second, at two a second", more)
		}
		equal(t, "the end", state(s.until(q.ID, ended)), "concluido  ended 20 charged 20 free 0 failed 0 spent 9")
	})
}

// TestTheCeiling is exact under concurrency; what was not sent is returned to it, and a higher one lets the batch go
// on.
func TestTheCeiling(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		var fail atomic.Bool
		s.bureau.Script = func(ctx context.Context) (ports.Answer, error) {
			time.Sleep(100 * time.Millisecond)
			if fail.Swap(false) {
				return portstest.Fails(ports.NotSent)(ctx)
			}
			cpf, _ := products().Find(catalog.CPF)
			return portstest.Found(cpf, map[string]any{"nome": "Ana"}), nil
		}
		key := s.byKey(wide)
		n := quote(someCPFs(1000, 30)...)
		n.Ceiling, n.Confirm = at(catalog.Money(20*price+1)), true
		defer running(s)()
		q := must(s.batches.Quote(t.Context(), key, n))
		s.until(q.ID, paused)
		v := s.until(q.ID, func(v batches.View) bool { return v.Ended == 20 })
		equal(t, "at the ceiling", state(v), "pausado teto ended 20 charged 20 free 0 failed 0 spent 9")
		_, err := s.batches.Resume(t.Context(), key, q.ID, at(catalog.Money(20*price-1)), false)
		equal(t, "below what was spent", said(err), "requisicao_invalida teto")
		if message := app.FaultOf(err).Message; !strings.Contains(message, "R$\u00a09,00") {
			t.Errorf("the least is not in %q", message)
		}
		equal(t, "its ceiling", must(s.batches.Show(t.Context(), key, q.ID)).Ceiling, 20*price+1)
		fail.Store(true)
		must(s.batches.Resume(t.Context(), key, q.ID, at(catalog.Money(25*price)), false))
		v = s.until(q.ID, func(v batches.View) bool {
			return v.Status == batch.Paused && v.Reason == batch.Ceiling && v.Ended == 25
		})
		equal(t, "at the next one", state(v), "pausado teto ended 25 charged 25 free 0 failed 0 spent 11.25")
		must(s.batches.Resume(t.Context(), key, q.ID, at(catalog.Money(30*price)), false))
		equal(t, "the end", state(s.until(q.ID, ended)), "concluido  ended 30 charged 30 free 0 failed 0 spent 13.5")
	})
}

// TestSlowADayCapInTheMiddle pauses a batch until midnight; others' single lookups go on meanwhile.
func TestSlowADayCapInTheMiddle(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		key := s.byKey(access.Limits{PerMinute: 60, PerDay: 5, PerMonth: 8})
		n := quote(someCPFs(2000, 11)...) // more than two days allow, where they are of two months
		n.Ceiling, n.Confirm = at(catalog.Money(100*price)), true
		defer running(s)()
		q := must(s.batches.Quote(t.Context(), key, n))
		v := s.until(q.ID, func(v batches.View) bool { return v.Ended == 5 && paused(v) })
		equal(t, "today", state(v), "pausado limite_diario ended 5 charged 5 free 0 failed 0 spent 2.25")
		midnight := calendar.NextDay(s.now())
		if late := v.ResumeAt.Sub(midnight); late < 0 || late > time.Second {
			t.Errorf("it goes on %s after midnight", late)
		}
		must(s.ask(s.byKey(wide), lookups.Request{Document: cpfs[0]}))
		time.Sleep(midnight.Sub(s.now()) - time.Minute)
		equal(t, "before midnight", must(s.batches.Show(t.Context(), key, q.ID)).Ended, 5)
		time.Sleep(2 * time.Minute)
		v = s.until(q.ID, paused)
		reason := "limite_mensal"
		if calendar.Month(midnight) != calendar.Month(midnight.Add(-time.Minute)) {
			reason = "limite_diario"
		}
		equal(t, "after midnight", string(v.Reason), reason)
	})
}

// TestABureauThatIsAway pauses a batch until it is back; what was not sent is not charged.
func TestABureauThatIsAway(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		var back atomic.Bool
		s.bureau.Script = func(ctx context.Context) (ports.Answer, error) {
			if !back.Load() {
				return portstest.Fails(ports.NotSent)(ctx)
			}
			cpf, _ := products().Find(catalog.CPF)
			return portstest.Found(cpf, map[string]any{"nome": "Ana"}), nil
		}
		key, n := s.byKey(wide), quote(someCPFs(3000, 20)...)
		n.Ceiling, n.Confirm = at(catalog.Money(20*price)), true
		defer running(s)()
		q := must(s.batches.Quote(t.Context(), key, n))
		v := s.until(q.ID, paused)
		equal(t, "away", state(v), "pausado bureau_indisponivel ended 0 charged 0 free 0 failed 0 spent 0")
		time.Sleep(time.Minute)
		back.Store(true)
		equal(t, "back", state(s.until(q.ID, ended)), "concluido  ended 20 charged 20 free 0 failed 0 spent 9")
	})
}

// TestFailures are charged and not retried by themselves; a requested retry is charged again.
func TestFailures(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		s.bureau.Script = portstest.Fails(ports.Failed)
		key, n := s.byKey(wide), quote(cpfs...)
		n.Ceiling, n.Confirm = at(catalog.Money(4*price)), true
		defer running(s)()
		q := must(s.batches.Quote(t.Context(), key, n))
		v := s.until(q.ID, ended)
		equal(t, "failed", state(v), "concluido  ended 4 charged 4 free 0 failed 4 spent 1.8")
		equal(t, "what it costs again", v.RetryCost(), 4*price)
		s.bureau.Script = nil
		must(s.batches.Resume(t.Context(), key, q.ID, nil, true))
		equal(t, "without more money", string(s.until(q.ID, paused).Reason), "teto")
		must(s.batches.Resume(t.Context(), key, q.ID, at(catalog.Money(8*price)), true))
		equal(t, "again", state(s.until(q.ID, ended)), "concluido  ended 4 charged 4 free 0 failed 0 spent 3.6")
	})
}

// TestAFailureThatCostsNothingIsAskedAgain, and what was charged is counted as it was.
func TestAFailureThatCostsNothingIsAskedAgain(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		var asked atomic.Int32
		s.bureau.Script = func(context.Context) (ports.Answer, error) {
			if asked.Add(1) == 1 {
				return ports.Answer{}, &ports.BureauError{Outcome: ports.Failed, Reason: "as told", Amount: at(catalog.Money(0))}
			}
			cpf, _ := products().Find(catalog.CPF)
			return portstest.Found(cpf, map[string]any{"nome": "Ana"}), nil
		}
		n := quote(cpfs[0])
		n.Ceiling, n.Confirm = at(catalog.Money(2*price)), true
		defer running(s)()
		key := s.byKey(wide)
		q := must(s.batches.Quote(t.Context(), key, n))
		equal(t, "failed", state(s.until(q.ID, ended)), "concluido  ended 1 charged 0 free 1 failed 1 spent 0")
		must(s.batches.Resume(t.Context(), key, q.ID, nil, true))
		equal(t, "again", state(s.until(q.ID, ended)), "concluido  ended 1 charged 1 free 0 failed 0 spent 0.45")
	})
}

// TestAnItemThatCannotBeRead ends alone and free, and those after it are looked up; when its content is back, it is
// retried along with what failed.
func TestAnItemThatCannotBeRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	template.Copy(t, path)
	s := newSetting(t, open(t, "sqlite://"+path), now)
	key := s.byKey(wide)
	q := must(s.batches.Quote(t.Context(), key, quote(cpfs[0], cpfs[1], cpfs[2], cpfs[0])))
	db := must(sql.Open("sqlite", path))
	defer func() { done(db.Close()) }()
	of := func(line int) (content []byte) {
		done(db.QueryRowContext(t.Context(), "SELECT content FROM batch_items WHERE line = ?", line).Scan(&content))
		return content
	}
	set := func(content []byte) {
		must(db.ExecContext(t.Context(), "UPDATE batch_items SET content = ? WHERE line = 1", content))
	}
	own := of(1)
	set(of(2)) // encrypted for another item
	must(s.batches.Confirm(t.Context(), key, q.ID, nil))
	defer running(s)()
	v := s.until(q.ID, func(v batches.View) bool { return ended(v) || paused(v) })
	equal(t, "the end", state(v), "concluido  ended 3 charged 2 free 1 failed 1 spent 0.9")
	equal(t, "results", strings.Join(s.outcomes(q.ID), "\n"), strings.Join([]string{
		"1 falhou 0 false false", "2 concluida 0.45 false true", "3 concluida 0.45 false true", "4 falhou 0 true false",
	}, "\n"))
	for _, r := range must(s.batches.Results(t.Context(), key, q.ID, batch.Failed, "", 10)).Results {
		equal(t, fmt.Sprint("what is said of line ", r.Line), line(r.Code, r.Message), "erro_interno "+
			"O que está gravado deste item não pode ser lido: nada foi consultado nem cobrado. Envie o documento em outro "+
			"lote, ou peça a quem opera o serviço que restaure o que falta e retome este com o que falhou.")
	}
	set(own)
	must(s.batches.Resume(t.Context(), key, q.ID, at(catalog.Money(3*price)), true))
	equal(t, "again", state(s.until(q.ID, ended)), "concluido  ended 3 charged 3 free 0 failed 0 spent 1.35")
}

// TestWhoMaySpend: members up to the organisation's limit; revoking its key stops a batch.
func TestWhoMaySpend(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		admin, member, other := s.add("adm", crm.Admin), s.add("membro", crm.Common), s.another().add("outra", crm.Owner)
		done(s.orgs.SetMemberBatchLimit(t.Context(), app.Operator(), s.orgID, 3*price))
		q := must(s.batches.Quote(t.Context(), member, quote(cpfs...)))
		equal(t, "above", said(second(s.batches.Confirm(t.Context(), member, q.ID, nil))), "nao_permitido teto")
		for _, err := range []error{
			second(s.batches.Show(t.Context(), other, q.ID)), second(s.batches.Confirm(t.Context(), other, q.ID, nil)),
			second(s.batches.Results(t.Context(), other, q.ID, "", "", 10)),
			second(s.batches.Cancel(t.Context(), s.byKey(wide), q.ID)),
			second(s.batches.Show(t.Context(), other, "x")),
		} {
			equal(t, "of somebody else", said(err), "lote_desconhecido id")
		}
		must(s.batches.Confirm(t.Context(), member, q.ID, at(catalog.Money(3*price))))
		equal(t, "more", said(second(s.batches.Resume(t.Context(), member, q.ID, at(catalog.Money(4*price)), false))), "estado_do_lote")
		must(s.batches.Pause(t.Context(), member, q.ID))
		equal(t, "more", said(second(s.batches.Resume(t.Context(), member, q.ID, at(catalog.Money(4*price)), false))), "nao_permitido teto")
		must(s.batches.Resume(t.Context(), admin, q.ID, at(catalog.Money(4*price)), false))
		stop := running(s)
		equal(t, "the end", state(s.until(q.ID, ended)), "concluido  ended 4 charged 4 free 0 failed 0 spent 1.8")
		stop()

		key := s.byKey(wide)
		q = must(s.batches.Quote(t.Context(), key, quote(someCPFs(4000, 3)...)))
		must(s.batches.Confirm(t.Context(), key, q.ID, nil))
		done(s.keys.Revoke(t.Context(), app.Operator(), key.Key().ID))
		defer running(s)()
		v := s.until(q.ID, paused)
		equal(t, "of a revoked key", line(v.Reason, v.Note != "", v.Ended), "pedido true 0")
	})
}

// TestABatchIsMadeOnce: a repeated request makes nothing new, and another one with its key is refused.
func TestABatchIsMadeOnce(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	key, n := s.byKey(wide), quote(cpfs...)
	n.RequestKey, n.RequestBody = "pedido-1", []byte{1}
	first, second := must(s.batches.Quote(t.Context(), key, n)), must(s.batches.Quote(t.Context(), key, n))
	equal(t, "repeated", second.ID, first.ID)
	n.RequestBody = []byte{2}
	_, err := s.batches.Quote(t.Context(), key, n)
	equal(t, "another body", said(err), "chave_reutilizada")
	equal(t, "another key", must(s.batches.Quote(t.Context(), s.byKey(wide), n)).ID != first.ID, true)
	for what, c := range map[string]struct {
		n    batches.NewBatch
		want string
	}{
		"unknown product":  {batches.NewBatch{Product: "x", Documents: cpfs}, "produto_desconhecido produto"},
		"nothing":          {quote(), "requisicao_invalida documentos"},
		"no ceiling":       {batches.NewBatch{Product: catalog.CPF, Documents: cpfs, Confirm: true}, "requisicao_invalida teto"},
		"too many":         {quote(make([]string, batch.MaxItems+1)...), "corpo_grande_demais"},
		"no documents":     {batches.NewBatch{Product: catalog.CPF, Tabs: []batch.Tab{{Rows: []batch.Row{{Line: 1, Cells: []string{"x"}}}}}}, "requisicao_invalida coluna"},
		"a column of none": {batches.NewBatch{Product: catalog.CPF, Column: "y", Tabs: []batch.Tab{{Rows: []batch.Row{{Line: 1, Cells: []string{"x"}}}}}}, "requisicao_invalida coluna"},
	} {
		_, err := s.batches.Quote(t.Context(), key, c.n)
		equal(t, what, said(err), c.want)
	}
}

// TestWhatACrashLeaves: an item whose instance is gone is settled by the entry of its lookup, and retried only where
// there is none.
func TestWhatACrashLeaves(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		key := s.byKey(wide)
		docs := someCPFs(5000, 4)
		q := must(s.batches.Quote(t.Context(), key, quote(docs...)))
		must(s.batches.Confirm(t.Context(), key, q.ID, nil))
		repo := s.store.Repos().BatchItems
		items := must(repo.Next(t.Context(), q.OrgID, q.ID, 4))
		for i := range items {
			items[i].LookupID, items[i].Owner, items[i].LeaseUntil = lookups.NewKeyID(), "dead", s.now().Add(time.Second)
		}
		done(s.store.InTx(t.Context(), func(_ context.Context, r ports.Repos) error {
			return r.BatchRuns.Claim(t.Context(), items)
		}))
		asked := func(i int, script func(context.Context) (ports.Answer, error)) {
			s.bureau.Script = script
			_, _ = s.ask(key, lookups.Request{
				Document: docs[i], ID: items[i].LookupID, BatchID: q.ID, Ceiling: 4 * price,
			}) // its entry says the same
		}
		asked(0, nil)
		asked(1, portstest.Fails(ports.Failed))
		asked(2, portstest.Fails(ports.NotSent))
		s.bureau.Script = nil
		before := len(s.bureau.Asked())
		defer running(s)()
		equal(t, "the end", state(s.until(q.ID, ended)), "concluido  ended 4 charged 4 free 0 failed 1 spent 1.8")
		equal(t, "asked again: what was not sent, and what was not asked", len(s.bureau.Asked())-before, 2)
	})
}

// TestAQuoteThatIsOver stays so, and what was sent for it is removed: after its expiry, and where it was cancelled.
func TestAQuoteThatIsOver(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	key := s.byKey(wide)
	over := must(s.batches.Quote(t.Context(), key, quote(append(someCPFs(8000, 120), "123")...)))
	cancelled := must(s.batches.Quote(t.Context(), key, quote(cpfs...)))
	must(s.batches.Cancel(t.Context(), key, cancelled.ID))
	for _, c := range []struct {
		after time.Duration
		want  string
	}{
		{batch.QuoteLasts - time.Minute, "orcado 121 1 121 cancelado 4"},
		{batch.QuoteLasts + time.Minute, "expirado 121 1 121 cancelado 4"},
		{batch.QuoteLasts + 2*time.Hour, "expirado 121 0 0 cancelado 0"},
	} {
		later := s.otherBatches(s.lookups)
		later.Clock = func() time.Time { return s.now().Add(c.after) }
		done(later.Forget(t.Context()))
		v, w := must(s.batches.Show(t.Context(), key, over.ID)), must(s.batches.Show(t.Context(), key, cancelled.ID))
		left, ofOther := len(s.outcomes(v.ID)), len(s.outcomes(w.ID))
		equal(t, c.after.String(), line(v.Status, v.Total, len(v.Invalids), left, w.Status, ofOther), c.want)
	}
}

// lossy is a store that loses the answer of one commit; left receives the items that were claimed in it.
type lossy struct {
	ports.Store
	lose atomic.Bool
	left chan []batch.Item
}

func (l *lossy) InTx(ctx context.Context, f ports.Tx) error {
	if err := l.Store.InTx(ctx, f); err != nil || !l.lose.CompareAndSwap(true, false) {
		return err
	}
	items, err := l.Repos().BatchItems.InFlight(ctx, must(l.Repos().BatchRuns.Busy(ctx, now()))[0])
	l.left <- items
	return errors.Join(ports.ErrUncertain, err)
}

// TestSlowItemsThatNobodyKnowsOf are claimed in a step whose answer was lost: their owner does not know of them, and
// looks them up when their lease has expired, not at the end of the batch.
func TestSlowItemsThatNobodyKnowsOf(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		store := &lossy{Store: s.store, left: make(chan []batch.Item, 1)}
		began := 0
		s.bureau.Script = func(context.Context) (ports.Answer, error) {
			if began++; began == 30 {
				store.lose.Store(true)
			}
			time.Sleep(time.Duration(800+37*(began%9)) * time.Millisecond)
			cpf, _ := products().Find(catalog.CPF)
			return portstest.Found(cpf, map[string]any{"nome": "Ana"}), nil
		}
		other := *s
		other.store = store
		s.batches = other.otherBatches(s.lookups)
		n := quote(someCPFs(6000, 400)...)
		n.Ceiling, n.Confirm = at(catalog.Money(400*price)), true
		q := must(s.batches.Quote(t.Context(), s.add("dona", crm.Owner), n))
		defer running(s)()
		left := <-store.left
		time.Sleep(10 * time.Second)
		asked := map[string]bool{}
		for _, item := range must(s.store.Repos().BatchItems.InFlight(t.Context(), s.orgID)) {
			asked[item.LookupID] = true
		}
		for _, item := range left {
			equal(t, fmt.Sprint("nobody asks about line ", item.Line), asked[item.LookupID], false)
		}
		equal(t, "the end", state(s.until(q.ID, ended)), "concluido  ended 400 charged 400 free 0 failed 0 spent 180")
	})
}

// TestAQueueWhoseTurnDoesNotCome is given back, because the outcome of the item before it is unknown.
func TestAQueueWhoseTurnDoesNotCome(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		var failed atomic.Int32
		s.lookups = s.otherLookups(&broken{Store: s.store, before: func() error {
			if failed.Add(1) > 8 {
				return nil
			}
			return errors.New("nobody knows why")
		}})
		s.batches = s.otherBatches(s.lookups)
		n := quote(someCPFs(7000, 20)...)
		n.Ceiling, n.Confirm = at(catalog.Money(20*price)), true
		q := must(s.batches.Quote(t.Context(), s.byKey(wide), n))
		defer running(s)()
		began := time.Now()
		equal(t, "the end", state(s.until(q.ID, ended)), "concluido  ended 20 charged 20 free 0 failed 0 spent 9")
		equal(t, "before a lease is over", time.Since(began) < 4*time.Second, true)
	})
}

// TestOneRequestForABatchManyTimes: repeats that arrive while the first one is quoted wait for it.
func TestOneRequestForABatchManyTimes(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	by := s.byKey(wide)
	asked := quote(someCPFs(100_000_000, 500)...)
	asked.RequestKey, asked.RequestBody = "a", []byte("a")
	var ids [12]string
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			v, err := s.batches.Quote(t.Context(), by, asked)
			if ids[i] = v.ID; err != nil || v.Status != batch.Quoted {
				t.Errorf("%v, %s", err, v.Status)
			}
		})
	}
	wg.Wait()
	equal(t, "batches", len(slices.Compact(slices.Sorted(slices.Values(ids[:])))), 1)
}

// TestResultsOfAProductThatIsGone: after a bureau file lost the product, a file of what was paid for still has its
// fields, those of the contract, or, of a product that a file had added, those that the answers have.
func TestResultsOfAProductThatIsGone(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		offered := append(products(), catalog.Product{
			ID: "renda", Name: "Renda", Documents: []document.Type{document.CPF}, Price: price,
			Fields: []catalog.Field{{Name: "nome", Kind: catalog.String}, {Name: "faixas", Kind: catalog.List}},
		})
		d := s.desk(s.store, s.bureau, offered, s.now)
		s.batches = s.otherBatches(d)
		s.batches.Catalog = offered
		defer running(s)()
		s.bureau.Knows(cpfs[1], map[string]any{"nome": "Ana", "faixas": []any{"B", "C"}})
		key := s.byKey(wide)
		var ids []string
		for _, product := range []string{catalog.CPF, "renda"} {
			q := must(s.batches.Quote(t.Context(), key, batches.NewBatch{Product: product, Documents: []string{"x", cpfs[1]}}))
			must(s.batches.Confirm(t.Context(), key, q.ID, nil))
			s.until(q.ID, ended)
			ids = append(ids, q.ID)
		}
		after := s.otherBatches(d)
		after.Catalog = catalog.Catalog{}
		for i, want := range []string{"documento nome nomeMae", "documento nome faixas"} {
			all := must(after.AllResults(t.Context(), app.Operator(), ids[i], ""))
			table := download.Batch(all)
			equal(t, "columns", strings.HasPrefix(strings.Join(table.Columns, " "), want), true)
			for row, err := range table.Rows {
				if done(err); row[0] == cpfs[1] {
					equal(t, "the name", row[1], "Ana")
				}
			}
		}
	})
}

// TestABatchAfterItsPriceChanged: its ceiling stays as it was agreed on; what finishing it or asking again would cost
// is told at the present price, and a budget has to bear that.
func TestABatchAfterItsPriceChanged(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		dearer := products()
		for i := range dearer {
			dearer[i].Price = 2 * price
		}
		ana := s.add("ana", crm.Common)
		q := must(s.batches.Quote(t.Context(), ana, quote(cpfs[0], cpfs[1], cpfs[2])))
		s.batches = s.otherBatches(s.desk(s.store, s.bureau, dearer, s.now))
		s.batches.Catalog = dearer
		owner := app.Operator()
		done(s.members.Update(t.Context(), owner, ana.MemberID(), team.MemberChange{Budget: at(catalog.Money(price + 1))}))
		_, err := s.batches.Confirm(t.Context(), ana, q.ID, nil)
		equal(t, "a budget below the price of now", said(err), "limite_mensal")
		done(s.members.Update(t.Context(), owner, ana.MemberID(), team.MemberChange{Budget: at(team.NoBudget)}))
		equal(t, "what was agreed on", must(s.batches.Confirm(t.Context(), ana, q.ID, nil)).Ceiling, catalog.Money(3*price))
		defer running(s)()
		v := s.until(q.ID, paused)
		equal(t, "the ceiling", state(v), "pausado teto ended 1 charged 1 free 0 failed 0 spent 0.9")
		equal(t, "a ceiling that suffices", v.Enough(), catalog.Money(6*price))
		must(s.batches.Resume(t.Context(), ana, q.ID, at(v.Enough()), false))
		equal(t, "the end", state(s.until(q.ID, ended)), "concluido  ended 3 charged 3 free 0 failed 0 spent 2.7")
	})
}
