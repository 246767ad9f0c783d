package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/lookups"
	"fichario/app/privacy"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest"
)

// chained is a bureau of a chain: it answers as it is told, and notes that it was asked.
type chained struct {
	name  string
	price catalog.Money
	says  string
	asked int
	// none is true where it takes no CPF.
	none bool
}

func (b *chained) product() catalog.Product {
	p, _ := products().Find(catalog.CPF)
	if p.Price = b.price; b.none {
		p.Documents = []document.Type{document.CNPJ}
	}
	return p
}

// Ask answers: ana and only-phone have different fields; a number is an amount that the bureau names.
func (b *chained) Ask(_ context.Context, q ports.Question) (ports.Answer, error) {
	b.asked++
	fails := func(o ports.BureauOutcome) (ports.Answer, error) {
		return ports.Answer{}, &ports.BureauError{Outcome: o, Reason: "as told", Renews: true}
	}
	named := func(a ports.Answer, m catalog.Money) (ports.Answer, error) {
		a.Amount = &m
		return a, nil
	}
	ana := portstest.Found(q.Product, map[string]any{"nome": "Ana", "sexo": "F"})
	switch b.says {
	case "ana":
		return ana, nil
	case "phone":
		return portstest.Found(q.Product, map[string]any{"telefones": []any{map[string]any{"numero": "987654321"}}}), nil
	case "nobody":
		return portstest.Found(q.Product, nil), nil
	case "ana for 0.10":
		return named(ana, 1000)
	case "ana for 0":
		return named(ana, 0)
	case "ana for 1.00":
		return named(ana, 10_000)
	case "panics":
		panic("as told")
	}
	return fails(ports.BureauOutcome(b.says))
}

// through makes the desk whose chain of CPF are those bureaus.
func (s *setting) through(c ports.Chain, bureaus ...*chained) *desk {
	for _, b := range bureaus {
		c.Links = append(c.Links, ports.Link{Name: b.name, Product: b.product(), Timeout: timeout, Bureau: b})
	}
	offered := products()[:1]
	offered[0].Price, _ = c.Most()
	terms := lookups.NewTerms(offered, c.Timeout(), fresh, calendar)
	known := lookups.NewBureaus(ports.Chains{catalog.CPF: c}, s.store, calendar, s.now, s.log.logger())
	ledger := lookups.NewLedger(lookups.LedgerConfig{
		Store: s.store, Terms: terms, Clock: s.now, Log: s.log.logger(), Observe: s.observed.add, Bureaus: known,
	})
	s.t.Cleanup(ledger.Close)
	return &desk{
		Asker: lookups.NewAsker(ledger, nil), Ledger: ledger, Sheet: lookups.NewSheet(s.store, terms, s.now), terms: terms,
		bureaus: known,
	}
}

// linesOf returns those of the statement, newest last: bureau, status, amount, and "seguida" where another answered.
func (s *setting) linesOf(answered string) string {
	s.t.Helper()
	var all []string
	entries := must(s.store.Repos().Statement.Page(s.t.Context(), lookup.Asker{OrgID: s.orgID}, lookup.Filter{}, "", 500))
	for _, e := range entries {
		if answered == "" && e.FollowedID == "" {
			answered = e.ID
		}
	}
	for _, e := range slices.Backward(entries) {
		said := fmt.Sprint(e.Bureau, " ", e.Status, " ", e.Amount)
		if e.Charged != (e.Amount > 0) {
			said += " charged?"
		}
		if e.FollowedID != "" {
			said += " seguida"
		}
		if e.FollowedID != "" && e.FollowedID != answered {
			said += " by another"
		}
		all = append(all, said)
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// sound runs doctor's invariants.
func (s *setting) sound() {
	s.t.Helper()
	store, _ := s.store.(*gormstore.Store)
	for _, f := range must(store.Check(s.t.Context(), s.now())) {
		equal(s.t, f.Name, f.Violations, 0)
	}
}

// TestAChain: what each bureau of a chain says decides whether the next one is asked, which answer is given, and what
// every line costs. Key, figures and statement agree to the cent.
func TestAChain(t *testing.T) {
	t.Parallel()
	need := ports.Chain{Need: []string{"telefones"}}
	atOnce(t, func(t *testing.T, s *setting) {
		for _, c := range []struct {
			chain ports.Chain
			says  string // of a, which costs 0.30, and b, which costs 0.60; and c, which costs 0.45, in some
			want  string // the answer: bureau, cost, fields of others; or its fault
			lines string
			asked string
		}{
			{ports.Chain{}, "ana, ana", "a 0.3", "a concluida 0.3", "1 0"},
			{ports.Chain{}, "not_sent, ana", "b 0.6", "b concluida 0.6", "1 1"},
			{ports.Chain{}, "not_charged, ana", "b 0.6", "a nao_enviada 0 seguida; b concluida 0.6", "1 1"},
			{ports.Chain{}, "not_charged, failed", "bureau_falhou", "a nao_enviada 0 seguida; b falhou 0.6", "1 1"},
			{ports.Chain{}, "not_sent, not_sent, ana", "c 0.45", "c concluida 0.45", "1 1 1"},
			{ports.Chain{}, "not_sent, not_sent", "bureau_indisponivel", "b nao_enviada 0", "1 1"},
			{ports.Chain{}, "failed, ana", "bureau_falhou", "a falhou 0.3", "1 0"},
			{ports.Chain{}, "no_answer, ana", "bureau_sem_resposta", "a sem_resposta 0.3", "1 0"},
			{ports.Chain{}, "panics, ana", "bureau_falhou", "a falhou 0.3", "1 0"},
			{ports.Chain{}, "nobody, ana", "a 0.3 nobody", "a concluida 0.3", "1 0"},
			{ports.Chain{OnNoRecord: true}, "nobody, ana", "b 0.9", "a concluida 0.3 seguida; b concluida 0.6", "1 1"},
			{ports.Chain{OnNoRecord: true}, "ana, ana", "a 0.3", "a concluida 0.3", "1 0"},
			{ports.Chain{OnNoRecord: true}, "nobody, nobody", "b 0.9 nobody", "a concluida 0.3 seguida; b concluida 0.6", "1 1"},
			{ports.Chain{OnNoRecord: true}, "nobody, failed", "a 0.9 nobody", "a concluida 0.3; b falhou 0.6 seguida", "1 1"},
			{ports.Chain{OnNoRecord: true}, "nobody, not_sent, ana", "c 0.75",
				"a concluida 0.3 seguida; c concluida 0.45", "1 1 1"},
			{need, "ana, phone", "b 0.9 nome,sexo of a", "a concluida 0.3 seguida; b concluida 0.6", "1 1"},
			{need, "phone, ana", "a 0.3", "a concluida 0.3", "1 0"},
			{need, "ana, not_sent", "a 0.3", "a concluida 0.3; b nao_enviada 0 seguida", "1 1"},
			{need, "ana, no_answer", "a 0.9", "a concluida 0.3; b sem_resposta 0.6 seguida", "1 1"},
			{need, "ana, nobody", "a 0.9", "a concluida 0.3; b concluida 0.6 seguida", "1 1"},
			{ports.Chain{OnNoRecord: true, Need: []string{"telefones"}}, "ana, nobody, failed", "a 1.35",
				"a concluida 0.3; b concluida 0.6 seguida; c falhou 0.45 seguida", "1 1 1"},
			{ports.Chain{}, "ana for 0.10, ana", "a 0.1", "a concluida 0.1", "1 0"},
			{ports.Chain{}, "ana for 0, ana", "a 0", "a concluida 0", "1 0"},
			{ports.Chain{}, "ana for 1.00, ana", "a 1", "a concluida 1", "1 0"},
			{need, "ana for 0.10, phone", "b 0.7 nome,sexo of a", "a concluida 0.1 seguida; b concluida 0.6", "1 1"},
		} {
			t.Run(c.says+fmt.Sprint(c.chain.OnNoRecord, c.chain.Need), func(t *testing.T) {
				s := s.another()
				s.t = t
				var bureaus []*chained
				for i, says := range strings.Split(c.says, ", ") {
					bureaus = append(bureaus, &chained{name: "abc"[i : i+1], price: []catalog.Money{3000, 6000, 4500}[i], says: says})
				}
				by, desk := s.byKey(wide), s.through(c.chain, bureaus...)
				got, err := desk.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0]})
				equal(t, "the answer", answered(got, err), c.want)
				equal(t, "the statement", s.linesOf(got.Entry.ID), c.lines)
				var asked []string
				for _, b := range bureaus {
					asked = append(asked, fmt.Sprint(b.asked))
				}
				equal(t, "asked", strings.Join(asked, " "), c.asked)
				count, sum := 0, catalog.Money(0)
				all := must(s.store.Repos().Statement.Page(t.Context(), lookup.Asker{OrgID: s.orgID}, lookup.Filter{}, "", 9))
				for _, e := range all {
					if sum += e.Amount; e.Charged {
						count++
					}
				}
				equal(t, "the key's account", s.spent(by), line(count, count, count, sum))
				if err != nil {
					return
				}
				equal(t, "again", answered(desk.Again(t.Context(), by, got.Entry.ID)), c.want)
				from, err := desk.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0]})
				free := strings.Replace(c.want, got.Entry.Cost().String(), "0", 1)
				equal(t, "from history", answered(from, err), free)
			})
		}
		s.sound()
	})
}

func answered(r lookups.Result, err error) string {
	if err != nil {
		return said(err)
	}
	text := fmt.Sprint(r.Record.Bureau, " ", r.Entry.Cost())
	if r.Entry.Bureau != r.Record.Bureau {
		text += " in the line of " + r.Entry.Bureau
	}
	if !r.Record.Found {
		text += " nobody"
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(r.Record.Fields, &values); err != nil {
		return err.Error()
	}
	var of []string
	for _, f := range []string{"nome", "sexo", "telefones"} {
		if from, is := r.Record.Sources[f]; is && from.Bureau == "a" && string(values[f]) != "null" {
			of = append(of, f)
		}
	}
	if len(of) > 0 {
		text += " " + strings.Join(of, ",") + " of a"
	}
	return text
}

// TestAQuestionAboutAContactIsOne: however many bureaus were asked, with what all of them cost, whether the contact was
// named with the question or tied to it since.
func TestAQuestionAboutAContactIsOne(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		desk := s.through(ports.Chain{OnNoRecord: true}, &chained{name: "a", price: 3000, says: "nobody"},
			&chained{name: "b", price: 6000, says: "ana"})
		about := func(document string, ties func(lookup.Entry) bool) string {
			c := must(s.contacts.Create(t.Context(), owner, bia()))
			ask := lookups.Request{Product: catalog.CPF, Document: document, ContactID: c.ID}
			if ties != nil {
				ask.ContactID = ""
			}
			got := must(desk.Do(t.Context(), owner, ask))
			all := must(s.store.Repos().Statement.Page(t.Context(), lookup.Asker{OrgID: s.orgID}, lookup.Filter{}, "", 2))
			for _, e := range all {
				if ties != nil && ties(e) {
					done(desk.Tie(t.Context(), owner, e.ID, c.ID))
					equal(t, "the contact of the line", must(desk.Show(t.Context(), owner, e.ID)).Contact.ID, c.ID)
				}
			}
			var shown []string
			for _, d := range must(s.contacts.Documents(t.Context(), owner, c.ID)) {
				shown = append(shown, line(d.ID == got.Entry.ID, d.AnyCharged(), d.Cost()))
			}
			return strings.Join(shown, "; ")
		}
		equal(t, "named", about(cpfs[0], nil), "true true 0.9")
		equal(t, "tied", about(cpfs[1], func(e lookup.Entry) bool { return e.FollowedID == "" }), "true true 0.9")
		equal(t, "tied by a call's line", about(cpfs[2], func(e lookup.Entry) bool { return e.FollowedID != "" }),
			"true true 0.9")
	})
}

// TestABureauThatAnotherStoodInForLeftNobodyWithoutAnAnswer: the list of keys names the newest question that nobody
// answered, not a call whose question another bureau did answer.
func TestABureauThatAnotherStoodInForLeftNobodyWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, by := s.add("dona", crm.Owner), s.byKey(wide)
		a, b := &chained{name: "a", price: 3000, says: "not_charged"}, &chained{name: "b", price: 6000, says: "failed"}
		desk := s.through(ports.Chain{}, a, b)
		ask := func(n int) string {
			got, err := desk.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[n]})
			return answered(got, err)
		}
		unanswered := func() lookup.Entry {
			return must(s.statement.LastFailures(t.Context(), owner, s.orgID))[by.KeyID()]
		}
		equal(t, "both fail", ask(0), "bureau_falhou")
		failed := must(s.store.Repos().Statement.Find(t.Context(), s.orgID, unanswered().ID))
		equal(t, "of the question", line(failed.Bureau, failed.Status), "b falhou")
		b.says = "ana"
		equal(t, "one stands in", ask(1), "b 0.6")
		equal(t, "still the one before", unanswered().ID, failed.ID)
	})
}

// TestAQuestionReservesTheMostThatItMayCost: what a key, a member or a batch cannot bear whole does not begin, also
// while others hold their reserves, and the reserve is given back.
func TestAQuestionReservesTheMostThatItMayCost(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		a, b := &chained{name: "a", price: 3000, says: "ana"}, &chained{name: "b", price: 6000, says: "ana"}
		desk := s.through(ports.Chain{OnNoRecord: true}, a, b)
		do := func(by access.Limits, n int) string {
			_, err := desk.Do(t.Context(), s.byKey(by), lookups.Request{Product: catalog.CPF, Document: cpfs[n]})
			return said(err)
		}
		equal(t, "one call of two", do(access.Limits{PerMinute: 9, PerDay: 1, PerMonth: 9}, 0), "limite_diario")
		equal(t, "asked", a.asked+b.asked, 0)
		equal(t, "two calls of two", do(access.Limits{PerMinute: 9, PerDay: 2, PerMonth: 9}, 0), "")
		by := s.byKey(access.Limits{PerMinute: 9, PerDay: 3, PerMonth: 9})
		for n := range 2 {
			_, err := desk.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[n], Refresh: true})
			done(err)
		}
		equal(t, "given back", s.spent(by), line(2, 2, 2, catalog.Money(6000)))
		_, err := desk.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[2]})
		equal(t, "the third might be two", said(err), "limite_diario")
		s.sound()
	})
}

// TestACrashInAChain: what was reserved for further calls is given back when a question is settled, the call that was
// in flight stays charged, and what was answered before is kept.
func TestACrashInAChain(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		a, b := &chained{name: "a", price: 3000, says: "nobody"}, &chained{name: "b", price: 6000, says: "ana"}

		desk := s.through(ports.Chain{OnNoRecord: true}, a, b, &chained{name: "c", price: 4500, says: "ana"})
		by, at := s.byKey(wide), s.now()
		e := lookup.Entry{
			ID: lookups.NewKeyID(), OrgID: s.orgID, KeyID: by.KeyID(), Product: catalog.CPF, At: at, Status: lookup.Running,
			Charged: true, Amount: 3000, Bureau: "a", Spare: lookup.Spent{Count: 2, Amount: 10_500}, Day: calendar.Day(at),
			Month: calendar.Month(at), Document: must(products()[0].Parse(cpfs[0])),
		}
		calls := s.store.Repos().Calls
		begun := must(calls.Begin(t.Context(), ports.Charge{Entry: e, Takes: timeout, Caps: wide, Shared: true}))
		equal(t, "begun", begun, ports.Begun{})
		equal(t, "reserved", s.spent(by), line(3, 3, 3, catalog.Money(13_500)))
		s.sound()
		ended := e
		ended.ID, ended.FollowedID, ended.Status, ended.Spare = lookups.NewKeyID(), e.ID, lookup.Done, lookup.Spent{}
		next := e
		next.Bureau, next.Amount, next.Spare = "b", 6000, lookup.Spent{Count: 1, Amount: 4500}
		step := ports.Next{Entry: next, From: "a", At: at, Takes: timeout, Ended: &ports.Outcome{Entry: ended}}
		equal(t, "goes on", must(calls.Next(t.Context(), step)), true)
		equal(t, "still reserved", s.spent(by), line(3, 3, 3, catalog.Money(13_500)))
		s.sound()
		done(desk.SettleAll(t.Context()))
		equal(t, "given back", s.spent(by), line(2, 2, 2, catalog.Money(9000)))
		equal(t, "lines", s.linesOf(e.ID), "a concluida 0.3 seguida; b sem_resposta 0.6")
		ended.ID = lookups.NewKeyID()
		equal(t, "does not go on", must(calls.Next(t.Context(), step)), false)
		// Its owner was only slow, and ends it.
		next.Status, next.Charged, next.Amount, next.Spare = lookup.NotSent, false, 0, lookup.Spent{}
		equal(t, "still open", must(calls.End(t.Context(), ports.Outcome{Entry: next, Price: 6000})), true)
		equal(t, "in the end", s.spent(by), line(1, 1, 1, catalog.Money(3000)))
		s.sound()
	})
}

// TestABureauWithoutCredit is out from then on, for every instance, and one organisation is told once.
func TestABureauWithoutCredit(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		a, b := &chained{name: "a", price: 3000, says: "exhausted"}, &chained{name: "b", price: 6000, says: "ana"}
		desk := s.through(ports.Chain{}, a, b)
		for n := range 3 {
			got, err := desk.Do(t.Context(), s.byKey(wide), lookups.Request{Product: catalog.CPF, Document: cpfs[n]})
			equal(t, "answered", answered(got, err), "b 0.6")
		}
		equal(t, "asked", line(a.asked, b.asked), line(1, 3))
		told := must(s.notifications.List(t.Context(), app.Operator(), s.orgID, "", 9))
		equal(t, "told", len(told), 1)
		equal(t, "of", told[0].Kind, crm.BureauExhausted)
		settings := must(s.store.Repos().Bureaus.Settings(t.Context()))
		equal(t, "out", line(len(settings.Outs), settings.Outs[0].Name, settings.Outs[0].Exhausted), line(1, "a", true))
		s.sound()
	})
}

// TestOneBureauByName: it alone is asked, and only its answer in history counts; a key needs the scope.
func TestOneBureauByName(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		a, b := &chained{name: "a", price: 3000, says: "ana"}, &chained{name: "b", price: 6000, says: "ana"}
		desk, member := s.through(ports.Chain{}, a, b), s.add("bia", crm.Admin)
		ask := func(name string, refresh bool) string {
			return answered(desk.Do(t.Context(), member, lookups.Request{
				Product: catalog.CPF, Document: cpfs[0], Bureau: name, Refresh: refresh,
			}))
		}
		equal(t, "the chain", ask("", false), "a 0.3")
		equal(t, "b", ask("b", false), "b 0.6")
		equal(t, "a, from history", ask("a", false), "a 0")
		equal(t, "any, from history", ask("", false), "b 0")
		equal(t, "unknown", ask("z", false), "bureau_desconhecido bureau")
		last := must(desk.Do(t.Context(), member, lookups.Request{Product: catalog.CPF, Document: cpfs[0], Bureau: "a"}))
		done(desk.Opened(t.Context(), member, must(desk.Show(t.Context(), member, last.Entry.ID))))
		page := must(s.audit.Page(t.Context(), s.add("dona", crm.Owner), privacy.AuditSearch{Action: audit.SheetOpened}, 1))
		equal(t, "in the audit", page.Lines[0].Detail["bureau"], "a")
		_, err := desk.Do(t.Context(), s.byKey(wide), lookups.Request{Product: catalog.CPF, Document: cpfs[0], Bureau: "a"})
		equal(t, "without the scope", said(err), "bureau_negado bureau")
		s.sound()
	})
}

// TestAQuestionGoesTheWayOfItsPurpose: the first way that fits, whatever order was set for the others.
func TestAQuestionGoesTheWayOfItsPurpose(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		s.purpose("credito")
		s.purpose("cobranca")
		a, b := &chained{name: "a", price: 3000, says: "ana"}, &chained{name: "b", price: 6000, says: "ana"}
		c := &chained{name: "c", price: 9000, says: "not_charged"}
		desk := s.through(ports.Chain{Asked: []string{"a"}, Routes: []ports.Route{
			{Purposes: []string{"credito"}, Asked: []string{"c", "b"}},
			{Documents: []document.Type{document.CNPJ}, Asked: []string{"c"}},
		}}, a, b, c)
		owner := s.add("dona", crm.Owner)
		ask := func(purpose, bureau string) string {
			return answered(desk.Do(t.Context(), owner, lookups.Request{
				Product: catalog.CPF, Document: cpfs[0], Purpose: purpose, Bureau: bureau, Refresh: true,
			}))
		}
		equal(t, "the most", desk.terms.Catalog[0].Price, 9000)
		equal(t, "cobranca", ask("cobranca", ""), "a 0.3")
		equal(t, "credito", ask("credito", ""), "b 0.6")
		equal(t, "by name", ask("cobranca", "b"), "b 0.6")
		done(s.store.Repos().Bureaus.SetOrder(t.Context(), catalog.CPF, []string{"b", "a"}))
		done(desk.bureaus.Refresh(t.Context()))
		equal(t, "in another order", ask("cobranca", ""), "b 0.6")
		equal(t, "credito still", ask("credito", ""), "b 0.6")
		equal(t, "asked", line(a.asked, b.asked, c.asked), line(1, 4, 2))
		s.sound()
	})
}

// TestAnOrderCostsNoMoreThanThePrice: an order by which a question could cost more than the price that is shown is
// refused; one that was set under another configuration counts for nothing.
func TestAnOrderCostsNoMoreThanThePrice(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		s.purpose("credito")
		s.purpose("cobranca")
		a, c := &chained{name: "a", price: 3000, says: "ana"}, &chained{name: "c", price: 4500, says: "ana"}
		desk := s.through(ports.Chain{Need: []string{"telefones"}, Asked: []string{"a"}, Routes: []ports.Route{
			{Purposes: []string{"credito"}, Asked: []string{"c"}},
		}}, a, c)
		owner := s.add("dona", crm.Owner)
		ask := func() string {
			return answered(desk.Do(t.Context(), owner, lookups.Request{
				Product: catalog.CPF, Document: cpfs[0], Purpose: "cobranca", Refresh: true,
			}))
		}
		set := func(names ...string) string {
			return said(desk.bureaus.SetOrder(t.Context(), owner, catalog.CPF, names))
		}
		equal(t, "the most", desk.terms.Catalog[0].Price, 4500)
		equal(t, "both", set("a", "c"), "requisicao_invalida bureaus")
		equal(t, "the dearer one", set("c"), "")
		equal(t, "by it", ask(), "c 0.45")
		done(s.store.Repos().Bureaus.SetOrder(t.Context(), catalog.CPF, []string{"a", "c"}))
		done(desk.bureaus.Refresh(t.Context()))
		equal(t, "by the configuration", ask(), "a 0.3")
		order := must(desk.bureaus.List(t.Context(), owner)).Orders[0]
		equal(t, "as it is shown", line(order.Asked, order.Left, order.Set), "[a] [c] false")
		equal(t, "the configuration's", set(), "")
		s.sound()
	})
}

// TestACapThatAQuestionDoesNotFit: how much of it is left, and whether waiting for its end helps.
func TestACapThatAQuestionDoesNotFit(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		desk := s.through(ports.Chain{OnNoRecord: true}, &chained{name: "a", price: 3000, says: "nobody"},
			&chained{name: "b", price: 6000, says: "nobody"})
		for _, c := range []struct {
			day, month, asked int // how often before
			want              string
			waits             bool
			says              string
		}{
			{1, 9, 0, "limite_diario 1 1", false, "pode fazer até 2 chamadas cobradas, e o limite desta chave é 1"},
			{9, 1, 0, "limite_mensal 1 1", false, "pode fazer até 2 chamadas cobradas, e o limite desta chave é 1"},
			{3, 9, 1, "limite_diario 3 1", true, "pode fazer até 2 chamadas cobradas, e o limite diário"},
			{9, 3, 1, "limite_mensal 3 1", false, "pode fazer até 2 chamadas cobradas, e o limite mensal"},
			{2, 9, 1, "limite_diario 2 0", true, "foi atingido"},
			{0, 9, 0, "limite_diario 0 0", false, "só lê o histórico"},
		} {
			by := s.byKey(access.Limits{PerMinute: 9, PerDay: c.day, PerMonth: c.month})
			var err error
			for range c.asked + 1 {
				_, err = desk.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0], Refresh: true})
			}
			f := app.FaultOf(err)
			equal(t, c.says, line(said(err), f.Limit, f.Left, f.RetryAfter > 0, strings.Contains(f.Message, c.says)),
				line(c.want, c.waits, true))
		}
		s.sound()
	})
}

// nextFails is a store that refuses a step of a question to its next bureau, after it was written or before.
type nextFails struct {
	ports.Store
	steps   int // that succeed before
	written bool
}

func (s *nextFails) Repos() ports.Repos {
	r := s.Store.Repos()
	r.Calls = failingNext{r.Calls, s}
	return r
}

type failingNext struct {
	ports.Calls
	of *nextFails
}

func (c failingNext) Next(ctx context.Context, n ports.Next) (bool, error) {
	if c.of.steps--; c.of.steps >= 0 {
		return c.Calls.Next(ctx, n)
	}
	if c.of.written {
		_, _ = c.Calls.Next(ctx, n)
	}
	return false, ports.ErrUncertain
}

// TestAStepThatFails: what the bureaus before have answered is given, and what they cost is written once, whether the
// step was written or not.
func TestAStepThatFails(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		whole := s.store
		for _, c := range []struct {
			chain ports.Chain
			says  string
			steps int
			want  string
			lines string
		}{
			{ports.Chain{OnNoRecord: true}, "nobody, ana", 0, "a 0.3 nobody", "a concluida 0.3"},
			{ports.Chain{Need: []string{"telefones"}}, "ana, phone", 0, "a 0.3", "a concluida 0.3"},
			{ports.Chain{}, "not_charged, ana", 0, "bureau_indisponivel", "a nao_enviada 0"},
			{ports.Chain{OnNoRecord: true, Need: []string{"telefones"}}, "ana, nobody, ana", 1, "a 0.9",
				"a concluida 0.3; b concluida 0.6 seguida"},
			{ports.Chain{OnNoRecord: true}, "nobody, nobody, ana", 1, "b 0.9 nobody", "a concluida 0.3 seguida; b concluida 0.6"},
		} {
			for _, written := range []bool{false, true} {
				s := s.another()
				s.store = &nextFails{whole, c.steps, written}
				var bureaus []*chained
				for i, says := range strings.Split(c.says, ", ") {
					bureaus = append(bureaus, &chained{name: "abc"[i : i+1], price: []catalog.Money{3000, 6000, 4500}[i], says: says})
				}
				by, desk := s.byKey(wide), s.through(c.chain, bureaus...)
				got, err := desk.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0]})
				what := fmt.Sprint(c.says, ", written ", written, ": ")
				equal(t, what+"the answer", answered(got, err), c.want)
				lines := c.lines
				if written {
					unmade := "abc"[c.steps+1 : c.steps+2]
					lines += "; " + unmade + " nao_enviada 0 seguida"
				}
				equal(t, what+"the statement", s.linesOf(got.Entry.ID), lines)
			}
		}
		s.sound()
	})
}

// TestNobodyIsAskedAboutADocument: where the way of a question has no bureau for its document, nothing is charged, and
// the answer says so.
func TestNobodyIsAskedAboutADocument(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		s.purpose("credito")
		s.purpose("cobranca")
		a, b := &chained{name: "a", price: 3000, says: "ana"}, &chained{name: "b", price: 6000, says: "ana", none: true}
		desk := s.through(ports.Chain{Routes: []ports.Route{{Purposes: []string{"credito"}, Asked: []string{"b"}}}}, a, b)
		owner := s.add("dona", crm.Owner)
		ask := func(purpose, bureau string) string {
			return answered(desk.Do(t.Context(), owner, lookups.Request{
				Product: catalog.CPF, Document: cpfs[0], Purpose: purpose, Bureau: bureau,
			}))
		}
		equal(t, "its way", ask("credito", ""), "bureau_indisponivel")
		_, err := desk.Do(t.Context(), owner, lookups.Request{
			Product: catalog.CPF, Document: cpfs[0], Purpose: "credito",
		})
		equal(t, "no wait helps", app.FaultOf(err).RetryAfter, 0)
		equal(t, "by name", ask("cobranca", "b"), "bureau_desconhecido bureau")
		equal(t, "another way", ask("cobranca", ""), "a 0.3")
		done(s.store.Repos().Bureaus.SetOrder(t.Context(), catalog.CPF, []string{"b"}))
		done(desk.bureaus.Refresh(t.Context()))
		equal(t, "its order", answered(desk.Do(t.Context(), owner, lookups.Request{
			Product: catalog.CPF, Document: cpfs[1], Purpose: "cobranca",
		})), "bureau_indisponivel")
		equal(t, "asked", line(a.asked, b.asked), line(1, 0))
		equal(t, "lines", len(s.entries()), 1)
		s.sound()
	})
}
