package app_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest"
)

// cpfs are valid, and belong to nobody.
var cpfs = []string{"52998224725", "11144477735", "12345678909", "98765432100"}

const cnpj = "12ABC34501DE35"

// ask makes one lookup.
func (s *setting) ask(by app.Caller, r lookups.Request) (lookups.Result, error) {
	if r.Product == "" {
		r.Product = catalog.CPF
	}
	return s.lookups.Do(s.t.Context(), by, r)
}

// entries returns the organisation's statement, newest first: status, cache, charged, amount.
func (s *setting) entries() (all []string) {
	s.t.Helper()
	asker := lookup.Asker{OrgID: s.orgID}
	for _, e := range must(s.store.Repos().Statement.Page(s.t.Context(), asker, lookup.Filter{}, "", 500)) {
		how := "livre"
		if e.Charged {
			how = e.Amount.String()
		}
		if e.Cache {
			how += " do histórico"
		}
		all = append(all, string(e.Status)+" "+how)
	}
	return all
}

// spent returns what a key was charged: the calls of today, this month and in total, and their price.
func (s *setting) spent(by app.Caller) string {
	s.t.Helper()
	today, month, ever, err := s.store.Repos().Usage.Spent(s.t.Context(), s.orgID, by.Key().ID, calendar.Day(s.now()),
		calendar.Month(s.now()))
	done(err)
	return line(today.Count, month.Count, ever.Count, ever.Amount)
}

// TestTheOrderOfALookupsChecks: product, check digits, scope, history, caps, bureau; a refusal leaves no entry.
func TestTheOrderOfALookupsChecks(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	s.bureau.Script = portstest.Fails(ports.Failed)
	full := s.byKey(access.Limits{PerMinute: 1}) // no lookup per day or month
	for _, c := range []struct {
		what string
		r    lookups.Request
		want string
	}{
		{"product before digits", lookups.Request{Product: "nada", Document: "1"}, "produto_desconhecido produto"},
		{"digits before scope", lookups.Request{Product: catalog.CNPJ, Document: "1"}, "documento_invalido documento"},
		{"a type that the product does not take", lookups.Request{Document: cnpj}, "documento_invalido documento"},
		{"scope before caps", lookups.Request{Product: catalog.CNPJ, Document: cnpj}, "escopo_ausente"},
		{"scope by document, of one product", lookups.Request{Product: "score", Document: cnpj}, "escopo_ausente"},
		{"caps before the bureau", lookups.Request{Document: cpfs[0]}, "limite_mensal"},
		{"history only", lookups.Request{Document: cpfs[0], Free: true}, "fora_do_historico"},
	} {
		_, err := s.ask(full, c.r)
		equal(t, c.what, said(err), c.want)
	}
	equal(t, "calls and lines", len(s.bureau.Asked())+len(s.entries()), 0)

	s.bureau.Script = nil
	must(s.ask(s.byKey(wide), lookups.Request{Document: cpfs[0]}))
	got := must(s.ask(full, lookups.Request{Document: cpfs[0]}))
	equal(t, "history before caps", line(got.Entry.Cache, got.Entry.Charged), "true false")
}

// TestCaps: the month's takes precedence over the day's, and the fault says whether waiting helps.
func TestCaps(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	for _, c := range []struct {
		what       string
		day, month int
		want       string // after one lookup that is allowed, if any is
		waits      bool
	}{
		{"a day's", 1, 9, "limite_diario", true}, {"a month's", 9, 1, "limite_mensal", false},
		{"both", 1, 1, "limite_mensal", false},
		{"no day", 0, 9, "limite_diario", false}, {"no month", 9, 0, "limite_mensal", false},
	} {
		by := s.byKey(access.Limits{PerMinute: 9, PerDay: c.day, PerMonth: c.month})
		limit := min(c.day, c.month)
		_, err := s.ask(by, lookups.Request{Document: cpfs[0], Refresh: true})
		if limit > 0 {
			equal(t, c.what+": the first", said(err), "")
			_, err = s.ask(by, lookups.Request{Document: cpfs[1], Refresh: true})
		}
		f := app.FaultOf(err)
		equal(t, c.what, line(said(err), f.Limit), line(c.want, limit))
		midnight := calendar.NextDay(s.now()).Sub(s.now())
		if (f.RetryAfter > 0) != c.waits || c.waits && (f.RetryAfter-midnight).Abs() > time.Minute {
			t.Errorf("%s: Retry-After %s, midnight in %s", c.what, f.RetryAfter, midnight)
		}
		if only := strings.Contains(f.Message, "só lê o histórico"); only != (limit == 0) {
			t.Errorf("%s: %s", c.what, f.Message)
		}
		equal(t, c.what+": spent", strings.Fields(s.spent(by))[2], fmt.Sprint(limit))
	}
}

// TestHistoryAnswers for thirty days, for free, everybody in the organisation and nobody else.
func TestHistoryAnswers(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		key, member := s.byKey(wide), s.add("ana", crm.Common)
		theirs := s.another()
		first := must(s.ask(key, lookups.Request{Document: cpfs[0]}))
		for _, by := range []app.Caller{key, s.byKey(wide), member} {
			got := must(s.ask(by, lookups.Request{Document: cpfs[0]}))
			equal(t, "the answer", line(got.Record.ID, string(got.Record.Raw), got.Entry.Cache, got.Entry.RecordID),
				line(first.Record.ID, `{"nome":"Ana"}`, true, first.Record.ID))
			equal(t, "who asked", line(got.Entry.KeyID != "", got.Entry.MemberID), line(by.Key() != nil, by.MemberID()))
		}
		equal(t, "another product", must(s.ask(key, lookups.Request{Product: "score", Document: cpfs[0]})).Entry.Cache,
			false)
		theirKey := theirs.byKey(wide)
		equal(t, "another organisation", must(theirs.ask(theirKey, lookups.Request{Document: cpfs[0]})).Entry.Cache, false)
		time.Sleep(fresh - time.Microsecond)
		equal(t, "just before its time", must(s.ask(key, lookups.Request{Document: cpfs[0]})).Entry.Cache, true)
		time.Sleep(time.Microsecond)
		equal(t, "after it", must(s.ask(key, lookups.Request{Document: cpfs[0]})).Entry.Cache, false)
		equal(t, "charged", strings.Count(line(s.entries()), "concluida 0.45"), 3)
	})
}

// TestRefreshing asks the bureau again; with Seen, only where history has no newer answer.
func TestRefreshing(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	key := s.byKey(wide)
	_, err := s.ask(key, lookups.Request{Document: cpfs[0], Free: true})
	equal(t, "only what is free", errors.Is(err, lookups.ErrNotInHistory), true)
	first := must(s.ask(key, lookups.Request{Document: cpfs[0]})).Record.ID
	equal(t, "free then", must(s.ask(key, lookups.Request{Document: cpfs[0], Free: true})).Record.ID, first)
	refresh := func(seen string) (id string, charged bool) {
		got := must(s.ask(key, lookups.Request{Document: cpfs[0], Refresh: true, Seen: seen}))
		return got.Record.ID, got.Entry.Charged
	}
	second, charged := refresh("")
	equal(t, "refreshed", line(second != first, charged), "true true")
	third, charged := refresh(second)
	equal(t, "who knows the newest", line(third != second, charged), "true true")
	again, charged := refresh(second)
	equal(t, "who does not", line(again == third, charged), "true false")
	equal(t, "calls", len(s.bureau.Asked()), 3)
}

// TestWhatAFailureCosts: whatever may have reached the bureau is charged, and none of it is history.
func TestWhatAFailureCosts(t *testing.T) {
	t.Parallel()
	strange := func(context.Context) (ports.Answer, error) { return ports.Answer{}, errors.New("?") }
	panics := func(context.Context) (ports.Answer, error) { panic("segredo de " + cpfs[0]) }
	for _, c := range []struct {
		what   string
		script func(context.Context) (ports.Answer, error)
		want   string
		entry  string
		spent  string
		wait   time.Duration
	}{
		{"failed", portstest.Fails(ports.Failed), "bureau_falhou", "falhou 0.45", "1 1 1 0.45", 0},
		{"no answer", portstest.Fails(ports.NoAnswer), "bureau_sem_resposta", "sem_resposta 0.45", "1 1 1 0.45", 0},
		{"not sent", portstest.Fails(ports.NotSent), "bureau_indisponivel", "nao_enviada livre", "0 0 0 0", 5 * time.Second},
		{"refused", portstest.Fails(ports.NotCharged), "bureau_indisponivel", "nao_enviada livre", "0 0 0 0", 5 * time.Second},
		{"silence", portstest.Holds(nil), "bureau_sem_resposta", "sem_resposta 0.45", "1 1 1 0.45", 0},
		{"a stranger's error", strange, "bureau_sem_resposta", "sem_resposta 0.45", "1 1 1 0.45", 0},
		{"a panic", panics, "bureau_falhou", "falhou 0.45", "1 1 1 0.45", 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				s.bureau.Script = c.script
				key := s.byKey(wide)
				began := time.Now()
				_, err := s.ask(key, lookups.Request{Document: cpfs[0]})
				if took := time.Since(began); took > timeout {
					t.Errorf("it is answered after %s", took)
				}
				equal(t, "said", said(err), c.want)
				equal(t, "retry", app.FaultOf(err).RetryAfter, c.wait)
				equal(t, "entries", line(s.entries()), line([]string{c.entry}))
				equal(t, "spent", s.spent(key), c.spent)
				_, err = s.ask(key, lookups.Request{Document: cpfs[0], Free: true})
				equal(t, "it is no history", errors.Is(err, lookups.ErrNotInHistory), true)
				log := s.log.String()
				if strings.Contains(log, cpfs[0]) || strings.Contains(log, "segredo") {
					t.Error("the log holds the document")
				}
				if c.what == "a panic" && (!strings.Contains(log, "bureau_fake.go") || !strings.Contains(log, "type=string")) {
					t.Errorf("the log has no stack: %.300s", log)
				}
				s.bureau.Script = nil
				equal(t, "the next one asks", must(s.ask(key, lookups.Request{Document: cpfs[0]})).Entry.Cache, false)
				seen := s.observed.list()
				equal(t, "observed", line(len(seen), seen[0].Status, seen[1].Status, seen[1].Charged),
					line(2, strings.Fields(c.entry)[0], lookup.Done, catalog.Money(price)))
			})
		})
	}
}

// TestNoRecordIsAnAnswer: charged, and history.
func TestNoRecordIsAnAnswer(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	s.bureau.Script = func(context.Context) (ports.Answer, error) {
		return ports.Answer{Raw: []byte("null"), Fields: []byte(`{}`)}, nil
	}
	key := s.byKey(wide)
	for _, cache := range []bool{false, true} {
		got := must(s.ask(key, lookups.Request{Document: cpfs[0]}))
		equal(t, "an answer", line(got.Record.Found, string(got.Record.Raw), got.Entry.Cache), line(false, "null", cache))
	}
	equal(t, "spent", s.spent(key), "1 1 1 0.45")
}

// TestOldAnswersGetNewFields: fields that a product has gained since are null in older answers.
func TestOldAnswersGetNewFields(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	key := s.byKey(wide)
	must(s.ask(key, lookups.Request{Product: "obito", Document: cpfs[0]}))
	grown := products()
	for i, p := range grown {
		if p.ID == "obito" {
			grown[i].Fields = append(p.Fields, catalog.Field{Name: "cartorio", Kind: catalog.String})
		}
	}
	l := s.desk(s.store, s.bureau, grown, s.now)
	got := must(l.Do(t.Context(), key, lookups.Request{Product: "obito", Document: cpfs[0]}))
	equal(t, "fields", string(got.Record.Fields), `{"obito":null,"obitoEm":null,"cartorio":null}`)
}

// TestADatabaseThatFails: a charge whose commit is in doubt is taken back, because no call is made; an outcome that
// cannot be written at once is written later, and one that never can leaves the entry charged.
func TestADatabaseThatFails(t *testing.T) {
	t.Parallel()
	away := fault.New(fault.ServiceUnavailable, "fora")
	for _, c := range []struct {
		what         string
		after        bool // the transaction is written, but its confirmation lost
		fails        func(n int) bool
		want, entry  string
		spent, calls string
	}{
		{"the charge", false, func(n int) bool { return n == 1 }, "servico_indisponivel", "", "0 0 0 0", "0"},
		{
			"the charge's confirmation", true, func(n int) bool { return n == 1 }, "servico_indisponivel", "nao_enviada livre",
			"0 0 0 0", "0",
		},
		{
			"the outcome, for a while", false, func(n int) bool { return n > 1 && n < 6 }, "", "concluida 0.45", "1 1 1 0.45",
			"1",
		},
		{"the outcome's confirmation", true, func(n int) bool { return n == 2 }, "", "concluida 0.45", "1 1 1 0.45", "1"},
		{"the outcome, for good", false, func(n int) bool { return n > 1 }, "", "em_andamento 0.45", "1 1 1 0.45", "1"},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				n := 0
				fail := func() error {
					if n++; c.fails(n) {
						return away
					}
					return nil
				}
				store := &broken{Store: s.store, before: fail}
				if c.after {
					store.before, store.after = nil, fail
				}
				s.lookups = s.otherLookups(store)
				key := s.byKey(wide)
				_, err := s.ask(key, lookups.Request{Document: cpfs[0]})
				s.lookups.Close()
				equal(t, "said", said(err), c.want)
				equal(t, "entries", strings.Join(s.entries(), ", "), c.entry)
				equal(t, "spent", s.spent(key), c.spent)
				equal(t, "calls", fmt.Sprint(len(s.bureau.Asked())), c.calls)
				equal(t, "logged", strings.Contains(s.log.String(), "it stays charged"), c.what == "the outcome, for good")
			})
		})
	}
}

// TestAChargeWhoseCommitComesLate is taken back all the same: the caller got a 503, and no call is made.
func TestAChargeWhoseCommitComesLate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ waits, by time.Duration }{
		{0, time.Second},
		{0, timeout},
		{timeout, time.Second}, // the database was slow before, too: the entry's own time is long past
		{2 * timeout, timeout},
	} {
		t.Run(fmt.Sprint(c.waits, " and ", c.by), func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				s.lookups = s.otherLookups(&late{Store: s.store, waits: c.waits, by: c.by})
				key := s.byKey(wide)
				_, err := s.ask(key, lookups.Request{Document: cpfs[0]})
				if !errors.Is(err, ports.ErrUncertain) {
					t.Error(err)
				}
				for range 60 {
					time.Sleep(time.Second)
					done(s.lookups.Settle(t.Context()))
				}
				equal(t, "entries", strings.Join(s.entries(), ", "), "nao_enviada livre")
				equal(t, "spent, calls", line(s.spent(key), len(s.bureau.Asked())), "0 0 0 0 0")
				s.lookups.Close()
			})
		})
	}
}

// TestACallThatNobodyFinished is settled after its time, once, charged, and the next lookup makes a new call.
func TestACallThatNobodyFinished(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		n, key := 0, s.byKey(wide)
		dies := s.otherLookups(&broken{Store: s.store, before: func() error {
			if n++; n > 1 {
				return fault.New(fault.ServiceUnavailable, "fora")
			}
			return nil
		}})
		began := time.Now()
		must(dies.Do(t.Context(), key, lookups.Request{Product: catalog.CPF, Document: cpfs[0]}))
		time.Sleep(timeout + 5*time.Second - time.Since(began) - time.Microsecond)
		for range 2 {
			done(s.lookups.Settle(t.Context()))
			equal(t, "before its time", line(s.entries()), "[em_andamento 0.45]")
		}
		time.Sleep(time.Microsecond)
		for range 2 {
			done(s.lookups.Settle(t.Context()))
			equal(t, "after it", line(s.entries()), "[sem_resposta 0.45]")
		}
		equal(t, "logged", strings.Count(s.log.String(), "lookups settled without an outcome"), 1)
		must(s.ask(key, lookups.Request{Document: cpfs[0]}))
		equal(t, "its lease is free", line(s.entries()), "[concluida 0.45 sem_resposta 0.45]")
	})
}
