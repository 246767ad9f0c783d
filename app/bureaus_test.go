package app_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/ports"
	"fichario/ports/portstest"
)

// twoBureaus are the bureaus of an instance that asks one called barato, and where that does not charge one called
// completo; scores are known by the latter only.
func (s *setting) twoBureaus(cheap, complete ports.Bureau) *lookups.Bureaus {
	return s.twoBureausAt(s.now, cheap, complete)
}

// twoBureausAt is twoBureaus by another clock.
func (s *setting) twoBureausAt(clock app.Clock, cheap, complete ports.Bureau) *lookups.Bureaus {
	cpf, _ := products().Find(catalog.CPF)
	score, _ := products().Find("score")
	link := func(name string, p catalog.Product, b ports.Bureau) ports.Link {
		return ports.Link{Name: name, Product: p, Timeout: timeout, Bureau: b}
	}
	chains := ports.Chains{
		cpf.ID:   {Links: []ports.Link{link("barato", cpf, cheap), link("completo", cpf, complete)}},
		score.ID: {Links: []ports.Link{link("completo", score, complete)}},
	}
	return lookups.NewBureaus(chains, s.store, calendar, clock, s.log.logger())
}

// asking is a desk that asks those bureaus.
func (s *setting) asking(bureaus *lookups.Bureaus) *lookups.Asker {
	ledger := lookups.NewLedger(lookups.LedgerConfig{
		Store: s.store, Terms: lookups.NewTerms(products(), 2*timeout, fresh, calendar), Clock: s.now, Log: s.log.logger(),
		Observe: s.observed.add, Bureaus: bureaus,
	})
	s.t.Cleanup(ledger.Close)
	return lookups.NewAsker(ledger, func() {})
}

// shown is a list of bureaus, and the order of a product in it.
func shown(list lookups.BureauList, product string) string {
	var all []string
	for _, b := range list.States {
		all = append(all, line(b.Name, b.Condition, b.Calls, b.Failed, b.P50, b.P99, b.Month))
	}
	for _, o := range list.Orders {
		if o.Product.ID == product {
			all = append(all, line(o.Asked, o.Left, o.Set))
		}
	}
	return strings.Join(all, "; ")
}

// TestTheOrderOfBureaus: it is changed while questions are asked, on every instance, and whoever did it is in the
// audit.
func TestTheOrderOfBureaus(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, key := s.add("dona", crm.Admin), s.byKey(wide)
	cheap, complete := &portstest.FakeBureau{}, &portstest.FakeBureau{}
	here, elsewhere := s.twoBureaus(cheap, complete), s.twoBureaus(cheap, complete)
	desk := s.asking(elsewhere)
	ask := func() int {
		must(desk.Do(t.Context(), key, lookups.Request{Product: catalog.CPF, Document: cpfs[0], Refresh: true}))
		return len(complete.Asked())
	}
	last := must(s.store.Repos().Audit.Last(t.Context(), s.orgID))
	order := func(names ...string) string { return said(here.SetOrder(t.Context(), owner, catalog.CPF, names)) }

	equal(t, "as configured", ask(), 0)
	equal(t, "a bureau that there is not", order("barato", "caro"), "requisicao_invalida bureaus")
	equal(t, "one that does not offer it", said(here.SetOrder(t.Context(), owner, "score", []string{"barato"})),
		"requisicao_invalida bureaus")
	equal(t, "one twice", order("barato", "barato"), "requisicao_invalida bureaus")
	equal(t, "no such product", said(here.SetOrder(t.Context(), owner, "cnpj", nil)), "nao_encontrado product")
	equal(t, "the other one only", order("completo"), "")
	done(elsewhere.Refresh(t.Context()))
	equal(t, "asked elsewhere", ask(), 1)
	equal(t, "the order", strings.Split(shown(must(here.List(t.Context(), owner)), catalog.CPF), "; ")[2],
		"[completo] [barato] true")
	equal(t, "that of the configuration", order(), "")
	done(elsewhere.Refresh(t.Context()))
	equal(t, "asked elsewhere", ask(), 1)

	done(here.TakeOut(t.Context(), owner, "barato", 0))
	done(elsewhere.Refresh(t.Context()))
	equal(t, "one that is out is not asked", ask(), 2)
	equal(t, "and says so", must(elsewhere.List(t.Context(), owner)).States[0].Condition, lookups.BureauOut)
	equal(t, "back", must(here.Back(t.Context(), owner, "barato")), true)
	equal(t, "back twice", must(here.Back(t.Context(), owner, "barato")), false)
	equal(t, "one that there is not", said(here.TakeOut(t.Context(), owner, "caro", 0)), "nao_encontrado bureau")
	_, err := here.Back(t.Context(), owner, "caro")
	equal(t, "one that there is not", said(err), "nao_encontrado bureau")
	equal(t, "a time that has passed", said(here.TakeOut(t.Context(), owner, "barato", -1)), "requisicao_invalida for")
	var wrote []string
	for _, l := range s.lines(last) {
		wrote = append(wrote, line(l.Action, l.Actor.ID() == owner.MemberID(), l.Detail["ordem"]+l.Detail["bureau"]))
	}
	equal(t, "the audit", strings.Join(wrote, "; "), "bureaus.ordem_alterada true completo; "+
		"bureaus.ordem_alterada true a da configuração; bureau.retirado true barato; bureau.chamado true barato")
}

// TestABureauThatIsOutForAWhile is asked again after it, and one without credit when somebody says so.
func TestABureauThatIsOutForAWhile(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		cheap := &portstest.FakeBureau{}
		all := s.twoBureaus(cheap, &portstest.FakeBureau{})
		desk := s.asking(all)
		first := func() lookups.BureauState { return must(all.List(t.Context(), owner)).States[0] }
		done(all.TakeOut(t.Context(), owner, "barato", time.Hour))
		equal(t, "out until", first().Until, s.now().Add(time.Hour))
		time.Sleep(time.Hour)
		equal(t, "and in again", first().Condition, lookups.BureauIn)
		cheap.Script = portstest.Fails(ports.Exhausted)
		key := s.byKey(wide)
		for range 2 {
			must(desk.Do(t.Context(), key, lookups.Request{Product: catalog.CPF, Document: cpfs[0], Refresh: true}))
		}
		equal(t, "asked until it said so", len(cheap.Asked()), 1)
		equal(t, "then it is", first().Condition, lookups.BureauExhausted)
		equal(t, "back", must(all.Back(t.Context(), owner, "barato")), true)
		equal(t, "and in again", first().Condition, lookups.BureauIn)
	})
}

// TestABureauWhoseCreditRenews is out until its month ends, and only for a day where ours has just begun: its own may
// not have.
func TestABureauWhoseCreditRenews(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, key := s.add("dona", crm.Owner), s.byKey(wide)
		for at, until := range map[string]string{
			"2026-11-20 09:00": "2026-12-01 00:00", "2026-11-30 21:30": "2026-12-01 00:00",
			"2026-12-01 00:30": "2026-12-02 00:00", "2026-12-31 09:00": "2027-01-01 00:00",
		} {
			const minutes = "2006-01-02 15:04"
			from := must(time.ParseInLocation(minutes, at, calendar.Location))
			cheap := &portstest.FakeBureau{Script: func(context.Context) (ports.Answer, error) {
				return ports.Answer{}, &ports.BureauError{Outcome: ports.Exhausted, Renews: true}
			}}
			all := s.twoBureausAt(func() time.Time { return from }, cheap, &portstest.FakeBureau{})
			must(s.asking(all).Do(t.Context(), key, lookups.Request{Product: catalog.CPF, Document: cpfs[0], Refresh: true}))
			equal(t, at, must(all.List(t.Context(), owner)).States[0].Until.In(calendar.Location).Format(minutes), until)
			must(all.Back(t.Context(), owner, "barato"))
		}
	})
}

// TestWhenABureauThatIsOutIsAskedAgain: when the first of them is, as far as that is known; no wait helps where only
// somebody can call it back.
func TestWhenABureauThatIsOutIsAskedAgain(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		for calendar.Day(s.now())[8:] != "03" { // so that the month ends later than tomorrow
			time.Sleep(12 * time.Hour)
		}
		owner, key := s.add("dona", crm.Owner), s.byKey(wide)
		cheap := &portstest.FakeBureau{}
		all := s.twoBureaus(cheap, &portstest.FakeBureau{})
		desk := s.asking(all)
		waits := func() string {
			_, err := desk.Do(t.Context(), key, lookups.Request{Product: catalog.CPF, Document: cpfs[0], Refresh: true})
			return line(said(err), app.FaultOf(err).RetryAfter)
		}
		const refused = "bureau_indisponivel "
		out := func(name string, while time.Duration) { done(all.TakeOut(t.Context(), owner, name, while)) }
		for _, c := range []struct {
			cheap, complete time.Duration
			want            string
		}{
			{time.Hour, 2 * time.Hour, "1h0m0s"}, {2 * time.Hour, time.Hour, "1h0m0s"}, {time.Hour, 0, "1h0m0s"},
			{0, time.Hour, "1h0m0s"}, {0, 0, "0s"},
		} {
			out("barato", c.cheap)
			out("completo", c.complete)
			equal(t, line(c.cheap, c.complete), waits(), refused+c.want)
		}
		for renews, want := range map[bool]string{false: "0s", true: monthEnds(s.now()).String()} {
			must(all.Back(t.Context(), owner, "barato"))
			cheap.Script = func(context.Context) (ports.Answer, error) {
				return ports.Answer{}, &ports.BureauError{Outcome: ports.Exhausted, Renews: renews}
			}
			equal(t, "when it says so", waits(), refused+want)
			equal(t, "then", waits(), refused+want)
		}
	})
}

// monthEnds is how long the month of a time still lasts.
func monthEnds(now time.Time) time.Duration {
	at := now
	for calendar.Month(at) == calendar.Month(now) {
		at = calendar.NextDay(at)
	}
	return at.Sub(now)
}

// TestHowBureausAreDoing: their times and failures of today and yesterday, and what they were charged for this month.
func TestHowBureausAreDoing(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		for calendar.Day(s.now())[8:] != "03" { // so that all days are of one month
			time.Sleep(12 * time.Hour)
		}
		owner, key := s.add("dona", crm.Owner), s.byKey(wide)
		cheap := &portstest.FakeBureau{}
		all := s.twoBureaus(cheap, &portstest.FakeBureau{})
		desk := s.asking(all)
		ask := func(n int, after time.Duration, outcome ports.BureauOutcome) {
			for range n {
				release := make(chan struct{})
				time.AfterFunc(after, func() { close(release) })
				if cheap.Script = portstest.Holds(release); outcome != "" {
					cheap.Script = portstest.Fails(outcome)
				}
				_, _ = desk.Do(t.Context(), key, lookups.Request{Product: catalog.CPF, Document: cpfs[0], Refresh: true})
			}
		}
		equal(t, "before anything", shown(must(all.List(t.Context(), owner)), ""),
			"barato ativo 0 0 0s 0s 0; completo ativo 0 0 0s 0s 0")
		ask(1, 3*time.Second, "")
		time.Sleep(48 * time.Hour)
		ask(3, 90*time.Millisecond, "")
		ask(1, 2*time.Second, "")
		ask(1, 0, ports.Failed)
		equal(t, "after some", shown(must(all.List(t.Context(), owner)), ""),
			"barato ativo 5 1 90.496ms 2.048s 2.7; completo ativo 0 0 0s 0s 0")
	})
}

// TestWhoMayChangeBureaus: who manages the only organisation of an instance, and otherwise the operator, who sees alone
// what all organisations spend.
func TestWhoMayChangeBureaus(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	bureaus := s.twoBureaus(&portstest.FakeBureau{}, &portstest.FakeBureau{})
	owner, member := s.add("dona", crm.Owner), s.add("ana", crm.Common)
	changes := func(by app.Caller) string {
		_, err := bureaus.Back(t.Context(), by, "barato")
		return strings.Join(slices.Compact([]string{
			said(bureaus.SetOrder(t.Context(), by, catalog.CPF, []string{"completo"})),
			said(bureaus.TakeOut(t.Context(), by, "barato", 0)), said(err),
		}), ",")
	}
	for who, by := range map[string]app.Caller{"a member": member, "a key": s.byKey(wide), "nobody": {}} {
		equal(t, who, changes(by), "nao_permitido")
		_, err := bureaus.List(t.Context(), by)
		equal(t, who+" looks", said(err), "nao_permitido")
	}
	equal(t, "the owner", changes(owner), "")
	s.another()
	last := must(s.store.Repos().Audit.Last(t.Context(), s.orgID))
	equal(t, "the owner of one of two", changes(owner), "nao_permitido")
	equal(t, "the operator", changes(app.Operator()), "")
	equal(t, "lines of the audit", len(s.lines(last)), 0)
	list := must(bureaus.List(t.Context(), owner))
	equal(t, "what it sees", line(list.Shared, list.States[0].Name, list.States[0].Month == nil), "true barato true")
	equal(t, "what the operator sees", *must(bureaus.List(t.Context(), app.Operator())).States[0].Month, catalog.Money(0))
}
