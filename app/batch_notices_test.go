package app_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/automations"
	"fichario/app/batches"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/ports"
	"fichario/ports/portstest"
)

// told returns the notifications about batches, oldest first, each as its kind and text.
func (s *setting) told() (texts []string) {
	s.t.Helper()
	for _, n := range must(s.notifications.List(s.t.Context(), app.Operator(), s.orgID, "", 50)) {
		if n.BatchID != "" {
			texts = append(texts, line(n.Kind, n.Text()))
		}
	}
	slices.Reverse(texts)
	return texts
}

// outcomesTold returns the batches reported to other systems, each with how it ended and what it cost.
func (s *setting) outcomesTold() (texts []string) {
	for _, call := range s.dispatcher.list() {
		if b := call.Event.Batch; b != nil {
			texts = append(texts, line(b.Name, b.Status, b.Ended, b.Failed, b.Spent))
		}
	}
	return texts
}

func carteira(n int, ceiling catalog.Money, from int) batches.NewBatch {
	q := quote(someCPFs(from, n)...)
	q.Name, q.Ceiling, q.Confirm = "Carteira", &ceiling, true
	return q
}

const atTheCeiling = "lote_pausado Carteira: O lote chegou ao teto e espera por você: retome-o com um teto maior, ou " +
	"cancele o resto."

// TestWhatIsToldOfABatch: that it reached its ceiling, and that it ended, each once, and again when it ends again.
func TestWhatIsToldOfABatch(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		s.listen(automation.BatchCompleted, `.situacao == "concluido" and .progresso.gasto > 1 and .itens.total == 4`)
		s.listen(automation.BatchCompleted, `.situacao == "cancelado"`)
		var fail atomic.Bool
		s.bureau.Script = func(ctx context.Context) (ports.Answer, error) {
			if fail.Load() {
				return portstest.Fails(ports.Failed)(ctx)
			}
			cpf, _ := products().Find(catalog.CPF)
			return portstest.Found(cpf, map[string]any{"nome": "Ana"}), nil
		}
		key := s.byKey(wide)
		defer running(s)()
		q := must(s.batches.Quote(t.Context(), key, carteira(4, 2*price, 7000)))
		s.until(q.ID, func(v batches.View) bool { return paused(v) && v.Ended == 2 })
		must(s.batches.Resume(t.Context(), key, q.ID, nil, false))
		s.until(q.ID, paused)
		equal(t, "at the same ceiling twice", line(s.told()), line([]string{atTheCeiling}))
		must(s.batches.Resume(t.Context(), key, q.ID, at(catalog.Money(3*price)), false))
		s.until(q.ID, func(v batches.View) bool { return paused(v) && v.Ended == 3 })
		equal(t, "at another", line(s.told()), line([]string{atTheCeiling, atTheCeiling}))
		fail.Store(true)
		must(s.batches.Resume(t.Context(), key, q.ID, at(catalog.Money(4*price)), false))
		s.until(q.ID, ended)
		end := "lote Carteira: O lote foi concluído: documentos consultados: 4, sem resposta: 1, gasto: R$\u00a01,80."
		equal(t, "the end", line(s.told()[2:]), line([]string{end}))
		fail.Store(false)
		must(s.batches.Resume(t.Context(), key, q.ID, at(catalog.Money(5*price)), true))
		s.until(q.ID, ended)
		again := "lote Carteira: O lote foi concluído: documentos consultados: 4, gasto: R$\u00a02,25."
		equal(t, "the end of what was asked again", line(s.told()[3:]), line([]string{again}))
		s.work(s.worker(), 2*time.Second)
		told := s.outcomesTold()
		slices.Sort(told)
		equal(t, "systems, each end as it was", line(told),
			line([]string{"Carteira concluido 4 0 2.25", "Carteira concluido 4 1 1.8"}))
	})
}

// TestWhatPeopleDoToABatch is reported where it ends a batch that had begun, and not where it pauses one.
func TestWhatPeopleDoToABatch(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		s.listen(automation.BatchCompleted, "")
		key := s.byKey(wide)
		n := carteira(3, 9*price, 7100)
		n.Confirm = false
		dropped := must(s.batches.Quote(t.Context(), key, n))
		must(s.batches.Cancel(t.Context(), key, dropped.ID))
		begun := must(s.batches.Quote(t.Context(), key, n))
		must(s.batches.Confirm(t.Context(), key, begun.ID, nil))
		must(s.batches.Pause(t.Context(), key, begun.ID))
		equal(t, "nothing to tell", len(s.told()), 0)
		must(s.batches.Cancel(t.Context(), key, begun.ID))
		equal(t, "cancelled", line(s.told()),
			line([]string{"lote Carteira: O lote foi cancelado: documentos consultados: 0 de 3, gasto: R$\u00a00,00."}))
		s.work(s.worker(), 2*time.Second)
		equal(t, "systems", line(s.outcomesTold()), line([]string{"Carteira cancelado 0 0 0"}))
		owner := s.add("dona", crm.Owner)
		tried := must(s.automations.Try(t.Context(), owner,
			automations.NewAutomation{Event: automation.BatchCompleted, When: `.nome == "Carteira"`}))
		equal(t, "a trial on it", line(tried.Found, tried.Holds, tried.Problem), "true true ")
	})
}

// TestSlowPausesAreToldOnceADay, however often a batch resumes in between.
func TestSlowPausesAreToldOnceADay(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		s.bureau.Script = portstest.Fails(ports.NotSent)
		key := s.byKey(access.Limits{PerMinute: 60, PerDay: 8, PerMonth: 100})
		defer running(s)()
		q := must(s.batches.Quote(t.Context(), key, carteira(20, 99*price, 7200)))
		s.until(q.ID, paused)
		time.Sleep(10 * time.Minute) // it retries every few seconds
		const away = "lote_pausado Carteira: O bureau está indisponível. Nada foi cobrado pelo que não foi enviado. " +
			"Ele continua sozinho quando o bureau voltar."
		equal(t, "away", s.told()[0], away)
		days := calendar.Day(s.now()) != calendar.Day(s.now().Add(-10*time.Minute))
		equal(t, "once", len(s.told()) == 1 || days, true)
		s.bureau.Script = nil
		s.until(q.ID, func(v batches.View) bool { return v.Ended == 8 && v.Reason == batch.DailyLimit })
		before := len(s.told())
		const limit = "lote_pausado Carteira: O limite diário de consultas da chave foi atingido. Ele continua sozinho " +
			"depois da meia-noite."
		equal(t, "the day's limit", s.told()[before-1], limit)
		must(s.batches.Resume(t.Context(), key, q.ID, nil, false))
		s.until(q.ID, paused)
		equal(t, "the same day's", len(s.told()), before)
		time.Sleep(calendar.NextDay(s.now()).Sub(s.now()))
		s.until(q.ID, func(v batches.View) bool { return v.Ended == 16 && paused(v) })
		equal(t, "the next day's", strings.Join(s.told()[before:], "\n"), limit)
		done(s.keys.Revoke(t.Context(), app.Operator(), key.Key().ID))
		must(s.batches.Resume(t.Context(), key, q.ID, nil, false))
		s.until(q.ID, func(v batches.View) bool { return paused(v) && v.Reason == batch.Asked })
		equal(t, "of a revoked key", strings.Contains(s.told()[len(s.told())-1], "O lote parou. A chave que paga o lote"), true)
	})
}

// TestPausesThatEndNotByThemselves say what helps.
func TestPausesThatEndNotByThemselves(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		member := s.add("caio", crm.Admin)
		budget := team.MemberChange{Budget: at(catalog.Money(price))}
		done(s.members.Update(t.Context(), app.Operator(), member.MemberID(), budget))
		defer running(s)()
		for i, c := range []struct {
			by     app.Caller
			reason batch.Reason
			want   string
		}{
			{s.byKey(access.Limits{PerMinute: 60, PerMonth: 100}), batch.DailyLimit, "O limite diário da chave que paga o " +
				"lote não permite nenhuma consulta. Aumente o limite dela, ou retome o lote por outra pessoa, que passa a pagar."},
			{s.byKey(access.Limits{PerMinute: 60, PerDay: 100, PerMonth: 1}), batch.MonthlyLimit, "O limite mensal da chave " +
				"que paga o lote foi atingido. Retome-o no mês que vem, aumente o limite dela, ou retome-o por outra pessoa, que " +
				"passa a pagar o resto."},
			{member, batch.MonthlyLimit, "O orçamento do mês de quem paga o lote foi atingido. Aumente-o, em Equipe, " +
				"e retome o lote; ou outra pessoa o retoma e paga o resto."},
		} {
			q := must(s.batches.Quote(t.Context(), c.by, carteira(3, 99*price, 7300+10*i)))
			v := s.until(q.ID, paused)
			equal(t, "why", line(v.Reason, v.ResumeAt.IsZero()), line(c.reason, true))
			told := s.told()
			equal(t, "what is told", told[len(told)-1], "lote_pausado Carteira: "+c.want)
		}
	})
}
