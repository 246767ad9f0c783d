package app_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fichario/app"
	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest"
)

// unhurried is a bureau that takes questions and answers later.
type unhurried struct {
	mu            sync.Mutex
	asked, polls  int
	callback      string // of the last question
	ready         bool
	says          ports.BureauOutcome // how it ends; empty for an answer
	every, within time.Duration
	polled        func() // while it says that an answer is not there yet; nil for nothing
	unread        bool   // its file does not say how an answer is fetched
	other         bool   // its file finds no answer in a post
}

// Ask takes a question, or fetches its answer.
func (b *unhurried) Ask(_ context.Context, q ports.Question) (ports.Answer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	later := ports.Answer{Later: &ports.Later{Ticket: "t-" + q.Document.Value(), Every: b.every, For: b.within}}
	if q.Ticket == "" {
		b.asked++
		b.callback = q.Callback
		return later, nil
	}
	if q.Ticket != later.Later.Ticket {
		return ports.Answer{}, &ports.BureauError{Outcome: ports.Failed, Reason: "another question's ticket"}
	}
	if b.unread {
		later.Later.Unread = true
		return later, nil
	}
	if q.Reply != nil && (b.other || string(q.Reply.Body) != "pronto") {
		return later, nil
	}
	if q.Reply == nil {
		b.polls++
	}
	switch {
	case !b.ready && q.Reply == nil:
		if b.polled != nil {
			b.polled()
		}
		return later, nil
	case b.says != "":
		return ports.Answer{}, &ports.BureauError{Outcome: b.says, Reason: "as told"}
	}
	return portstest.Found(q.Product, map[string]any{"nome": "Ana"}), nil
}

func (b *unhurried) set(ready bool, says ports.BureauOutcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ready, b.says = ready, says
}

func (b *unhurried) said() (asked int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.asked
}

// patiently makes the desk of an instance that asks this bureau first, and then others. Calls take up to a tenth of a
// second.
func (s *setting) patiently(b *unhurried, others ...*chained) *desk {
	return s.patientlyThrough(ports.Chain{}, b, others...)
}

// patientlyThrough is patiently with what else the chain says.
func (s *setting) patientlyThrough(c ports.Chain, b *unhurried, others ...*chained) *desk {
	c.Links = []ports.Link{b.link("tarde")}
	for _, o := range others {
		c.Links = append(c.Links, ports.Link{Name: o.name, Product: o.product(), Timeout: brief, Bureau: o})
	}
	return s.linked(c)
}

// brief is how long a call to a bureau may take that answers later.
const brief = 100 * time.Millisecond

// link is the bureau in a chain.
func (b *unhurried) link(name string) ports.Link {
	b.every, b.within = max(b.every, time.Millisecond), max(b.within, time.Hour)
	p, _ := products().Find(catalog.CPF)
	return ports.Link{Name: name, Product: p, Timeout: brief, Bureau: b}
}

// linked makes the desk of an instance with a chain whose calls are brief.
func (s *setting) linked(c ports.Chain) *desk {
	terms := lookups.NewTerms(products()[:1], c.Timeout(), fresh, calendar)
	ledger := lookups.NewLedger(lookups.LedgerConfig{
		Store: s.store, Terms: terms, Clock: s.now, Log: s.log.logger(), Observe: s.observed.add, Callbacks: "https://f/",
		Bureaus: lookups.NewBureaus(ports.Chains{catalog.CPF: c}, s.store, calendar, s.now, s.log.logger()),
	})
	s.t.Cleanup(ledger.Close)
	return &desk{
		Asker: lookups.NewAsker(ledger, nil), Ledger: ledger, Sheet: lookups.NewSheet(s.store, terms, s.now), terms: terms,
		pace: s.lookups.pace,
	}
}

// fetched fetches on an instance what is due, and waits for it.
func (s *setting) fetched(d *desk) {
	s.t.Helper()
	time.Sleep(2 * time.Millisecond)
	done(d.FetchLater(s.t.Context()))
	d.Close()
}

// TestAnAnswerThatComesLater: whoever asks gets the running entry, so does everybody who asks the same meanwhile, and
// after a restart another instance fetches the answer. The question is asked and charged once.
func TestAnAnswerThatComesLater(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		b := &unhurried{}
		first, by := s.patiently(b), s.byKey(wide)
		asked := must(first.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0]}))
		equal(t, "asked", line(asked.Entry.Status, asked.Entry.Amount, asked.Record.ID), line(lookup.Running, catalog.Money(price), ""))
		second := s.patiently(b) // the first one was killed
		done(second.Settle(t.Context()))
		done(second.SettleAll(t.Context()))
		same := must(second.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0]}))
		equal(t, "the same by the same key", line(same.Entry.Status, same.Entry.ID), line(lookup.Running, asked.Entry.ID))
		_, err := second.Do(t.Context(), s.byKey(wide), lookups.Request{Product: catalog.CPF, Document: cpfs[0]})
		equal(t, "by another key", said(err), "bureau_indisponivel")
		equal(t, "again", must(second.Again(t.Context(), by, asked.Entry.ID)).Entry.Status, lookup.Running)
		s.fetched(second)
		equal(t, "not ready", s.linesOf(""), "tarde em_andamento 0.45")
		s.sound()
		b.set(true, "")
		s.fetched(second)
		equal(t, "answered", s.linesOf(""), "tarde concluida 0.45")
		got := must(first.Again(t.Context(), by, asked.Entry.ID))
		equal(t, "the answer", answered(got, nil), "tarde 0.45")
		free := must(first.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0]}))
		equal(t, "from history", free.Entry.Cache, true)
		equal(t, "asked", line(b.said(), b.polls), line(1, 2))
		equal(t, "the key's account", s.spent(by), line(1, 1, 1, catalog.Money(price)))
		s.fetched(second)
		equal(t, "fetched no more", b.polls, 2)
		s.sound()
	})
}

// posted posts to a question's address, and says what was answered, and whether the post was read.
func (s *setting) posted(d *desk, callback, body string) string {
	read := false
	token := strings.TrimPrefix(callback, "https://f/")
	err := d.CalledBack(s.t.Context(), token, func() (map[string][]string, []byte, error) {
		read = true
		return nil, []byte(body), nil
	})
	return line(said(err), read)
}

// TestAnAnswerThatIsPosted: only its bureau can post it, once; it is kept before that is confirmed, and any instance
// goes on with it. Nothing is charged for a post.
func TestAnAnswerThatIsPosted(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		for _, c := range []struct {
			says         ports.BureauOutcome
			lines, after string
		}{
			{"", "tarde concluida 0.45; tarde em_andamento 0.45", line("", true)},
			// Another bureau has been asked, and the address is no longer this one's.
			{ports.NotCharged, "b concluida 0.6; tarde em_andamento 0.45; tarde nao_enviada 0 seguida by another",
				line("consulta_desconhecida", false)},
		} {
			s := s.another()
			b, next := &unhurried{every: time.Hour, says: c.says}, &chained{name: "b", price: 6000, says: "ana"}
			first, by := s.patiently(b, next), s.byKey(wide)
			asked := must(first.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0]}))
			must(first.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0]}))
			id, proof, _ := strings.Cut(strings.TrimPrefix(b.callback, "https://f/"), ".")
			equal(t, "the address is of", id, asked.Entry.ID)
			other := must(first.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[1]})).Entry.ID
			for _, forged := range []string{"", "x", id, id + ".", id + ".x", other + "." + proof, app.NewID() + "." + proof} {
				equal(t, "forged", s.posted(first, forged, "pronto"), line("consulta_desconhecida", false))
			}
			callback := "https://f/" + id + "." + proof
			equal(t, "no answer", s.posted(first, callback, "fila"), line("", true))
			s.fetched(first)
			equal(t, "nothing is fetched before it is due", b.polls, 0)
			equal(t, "posted", s.posted(first, callback, "pronto"), line("", true))
			equal(t, "again", s.posted(s.patiently(b, next), callback, "pronto"), line("", true))
			second := s.patiently(b, next)
			s.fetched(second)
			equal(t, "after its end", s.posted(second, callback, "pronto"), c.after)
			s.fetched(second)
			equal(t, "lines", s.linesOf(""), c.lines)
			equal(t, "asked and fetched", line(b.said(), b.polls), line(2, 0))
			s.sound()
		}
	})
}

// TestAPostedAnswerWaitsForWhoCanReadIt: an instance with another file does not confirm it, and leaves one that is
// kept, also when the bureau's time is over. If nobody can read it in an hour more, the question ends without an
// answer.
func TestAPostedAnswerWaitsForWhoCanReadIt(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		for what, last := range map[string]string{"read": "tarde concluida 0.45", "never read": "tarde sem_resposta 0.45"} {
			s := s.another()
			b, elsewhere := &unhurried{every: time.Hour}, &unhurried{}
			first := s.patiently(b)
			cannot := []*desk{
				s.patiently(&unhurried{unread: true}),
				s.linked(ports.Chain{Links: []ports.Link{elsewhere.link("b")}}),
				s.patiently(&unhurried{every: time.Hour, other: true}),
			}
			must(first.Do(t.Context(), s.byKey(wide), lookups.Request{Product: catalog.CPF, Document: cpfs[0]}))
			for _, d := range cannot[:2] {
				equal(t, what+": posted where it cannot be read", s.posted(d, b.callback, "pronto"), line("servico_indisponivel", true))
			}
			equal(t, "posted", s.posted(first, b.callback, "pronto"), line("", true))
			for range 2 {
				for _, d := range cannot {
					time.Sleep(70 * time.Second)
					s.fetched(d)
					equal(t, what+": left", s.linesOf(""), "tarde em_andamento 0.45")
					s.sound()
				}
				time.Sleep(time.Hour) // the bureau's time is over
			}
			time.Sleep(2 * time.Hour)
			if what == "read" {
				s.fetched(first)
			} else {
				s.fetched(cannot[0])
			}
			equal(t, what, s.linesOf(""), last)
			equal(t, "polled", b.polls, 0)
			s.sound()
		}
	})
}

// TestAnAnswerThatIsPostedAtTheLastMoment: what the bureau posts while it is asked for the last time is the answer.
func TestAnAnswerThatIsPostedAtTheLastMoment(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		b := &unhurried{}
		at, by := s.patiently(b), s.byKey(wide)
		b.within = time.Millisecond
		id := must(at.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0]})).Entry.ID
		b.polled = func() {
			now := s.now()
			done(s.store.Repos().LaterAnswers.Arrive(t.Context(), id, ports.Reply{Body: []byte("pronto")}, now))
		}
		s.fetched(at)
		b.polled = nil
		s.fetched(at)
		equal(t, "lines", s.linesOf(""), "tarde concluida 0.45")
		equal(t, "fetched", b.polls, 1)
		s.sound()
	})
}

// TestHowALaterAnswerEnds: charged unless the bureau says that it is not, which alone lets the next bureau be asked.
func TestHowALaterAnswerEnds(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		for _, c := range []struct {
			says  ports.BureauOutcome
			lines string
		}{
			{"", "tarde concluida 0.45"},
			{ports.Failed, "tarde falhou 0.45"},
			{ports.NotCharged, "b concluida 0.6; tarde nao_enviada 0 seguida"},
		} {
			t.Run(string(c.says), func(t *testing.T) {
				s := s.another()
				s.t = t
				b, next := &unhurried{}, &chained{name: "b", price: 6000, says: "ana"}
				desk, by := s.patiently(b, next), s.byKey(wide)
				must(desk.later(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0]}))
				desk.Close()
				equal(t, "the next one is not asked", next.asked, 0)
				b.set(true, c.says)
				s.fetched(s.patiently(b, next))
				equal(t, "lines", s.linesOf(""), c.lines)
				s.sound()
			})
		}
	})
}

// TestAChangedChainKeepsWhatIsReserved: where an instance that fetches the answer has another chain, or other prices,
// nothing is charged beyond what was reserved when the question was asked.
func TestAChangedChainKeepsWhatIsReserved(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		need := ports.Chain{Need: []string{"telefones"}}
		for what, c := range map[string]struct {
			says            ports.BureauOutcome
			chain, then     ports.Chain
			price           catalog.Money // of the next bureau by now; it was 0.60
			lines, accounts string
		}{
			"needs more":  {"", ports.Chain{}, need, 6000, "tarde concluida 0.45", "1 1 1 0.45"},
			"dearer":      {ports.NotCharged, ports.Chain{}, ports.Chain{}, 6001, "tarde nao_enviada 0", "0 0 0 0"},
			"as reserved": {ports.NotCharged, ports.Chain{}, need, 6000, "b concluida 0.6; tarde nao_enviada 0 seguida", "1 1 1 0.6"},
			"cheaper":     {"", need, need, 100, "b concluida 0.01; tarde concluida 0.45 seguida", "2 2 2 0.46"},
		} {
			t.Run(what, func(t *testing.T) {
				s := s.another()
				s.t = t
				b, limits := &unhurried{}, access.Limits{PerMinute: 9, PerDay: 1, PerMonth: 9}
				if len(c.chain.Need) > 0 {
					limits.PerDay = 2
				}
				by, desk := s.byKey(limits), s.patientlyThrough(c.chain, b, &chained{name: "b", price: 6000, says: "phone"})
				must(desk.later(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0]}))
				desk.Close()
				b.set(true, c.says)
				s.fetched(s.patientlyThrough(c.then, b, &chained{name: "b", price: c.price, says: "phone"}))
				equal(t, "lines", s.linesOf(""), c.lines)
				equal(t, "the key's account", s.spent(by), c.accounts)
				s.sound()
			})
		}
	})
}

// TestALaterAnswerIsGivenUp when its time is over: charged, and without an answer.
func TestALaterAnswerIsGivenUp(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		b := &unhurried{}
		desk, by := s.patiently(b), s.byKey(wide)
		b.within = time.Millisecond
		id := must(desk.later(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0]})).Entry.ID
		desk.Close()
		s.fetched(s.patiently(&unhurried{within: time.Millisecond}))
		equal(t, "lines", s.linesOf(""), "tarde sem_resposta 0.45")
		_, err := desk.Again(t.Context(), by, id)
		equal(t, "the outcome", said(err), "bureau_sem_resposta")
		s.sound()
	})
}

// TestALaterAnswerIsFetchedByOneAtATime, however many instances there are.
func TestALaterAnswerIsFetchedByOneAtATime(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		for range meetings {
			b := &unhurried{every: time.Hour}
			taking := s.patiently(b)
			doc := someCPFs(0, 1)[0]
			must(taking.later(t.Context(), s.byKey(wide), lookups.Request{Product: catalog.CPF, Document: doc, Refresh: true}))
			taking.Close()
			equal(t, "kept", len(must(s.store.Repos().LaterAnswers.Claim(t.Context(), s.now().Add(2*time.Hour), s.now(), 9))), 1)
			time.Sleep(2 * time.Millisecond)
			one, other := s.patiently(b), s.patiently(b)
			both(func(i int) { s.fetched(map[int]*desk{0: one, 1: other}[i]) })
			equal(t, "fetches", b.polls, 1)
			for _, a := range must(s.store.Repos().LaterAnswers.Claim(t.Context(), s.now().Add(2*time.Hour), s.now(), 9)) {
				done(s.store.Repos().LaterAnswers.Remove(t.Context(), a))
			}
		}
	})
}

// TestARequestKeyOfALaterAnswer stands for it, while it comes and afterwards.
func TestARequestKeyOfALaterAnswer(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		b := &unhurried{}
		desk, by := s.patiently(b), s.byKey(wide)
		request := lookups.Request{Product: catalog.CPF, Document: cpfs[0], RequestKey: "k"}
		asked := must(desk.Do(t.Context(), by, request))
		again := must(s.patiently(b).Do(t.Context(), by, request))
		equal(t, "again", line(again.Entry.ID, again.Entry.Status, again.Replayed), line(asked.Entry.ID, lookup.Running, true))
		b.set(true, "")
		s.fetched(desk)
		got, err := desk.Do(t.Context(), by, request)
		equal(t, "the answer", line(answered(got, err), got.Entry.ID, got.Replayed), line("tarde 0.45", asked.Entry.ID, true))
		equal(t, "asked", b.said(), 1)
	})
}

// fetching fetches later answers as a service does, until the returned function is called.
func (s *setting) fetching(d *desk) (stop func()) {
	ctx, cancel := context.WithCancel(s.t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		app.RunChores(ctx, s.log.logger(), app.Chore{Name: "fetch", Every: time.Second, Do: d.FetchLater},
			app.Chore{Name: "settle", Every: 3 * time.Second, Do: d.Settle})
	})
	return func() { cancel(); wg.Wait() }
}

// TestWhoeverAsksWaitsForALaterAnswer as long as a call may take.
func TestWhoeverAsksWaitsForALaterAnswer(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		b := &unhurried{every: time.Second}
		p, _ := products().Find(catalog.CPF)
		c := ports.Chain{Links: []ports.Link{{Name: "tarde", Product: p, Timeout: timeout, Bureau: b}}}
		desk := s.patiently(b)
		terms := lookups.NewTerms(products()[:1], timeout, fresh, calendar)
		desk.Ledger = lookups.NewLedger(lookups.LedgerConfig{
			Store: s.store, Terms: terms, Clock: s.now, Log: s.log.logger(), Observe: s.observed.add,
			Bureaus: lookups.NewBureaus(ports.Chains{catalog.CPF: c}, s.store, calendar, s.now, s.log.logger()),
		})
		defer desk.Close()
		desk.Asker = lookups.NewAsker(desk.Ledger, nil)
		defer s.fetching(desk)()
		by := s.byKey(wide)
		ask := func(n int) (string, time.Duration) {
			began := time.Now()
			got, err := desk.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[n]})
			if err == nil && got.Entry.Status == lookup.Running {
				return "running", time.Since(began).Round(time.Second)
			}
			return answered(got, err), time.Since(began).Round(time.Second)
		}
		go func() {
			time.Sleep(4 * time.Second)
			b.set(true, "")
		}()
		got, took := ask(0)
		equal(t, "in time", line(got, took < timeout), line("tarde 0.45", true))
		b.set(false, "")
		got, took = ask(1)
		equal(t, "not in time", line(got, took), line("running", timeout))
	})
}

// TestABatchWaitsForLaterAnswers: its items are in flight until then, and a restart asks about none again.
func TestABatchWaitsForLaterAnswers(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		b := &unhurried{every: 3 * time.Second}
		desk := s.patiently(b)
		s.batches = s.otherBatches(desk)
		key := s.byKey(wide)
		q := must(s.batches.Quote(t.Context(), key, quote(cpfs[:3]...)))
		must(s.batches.Confirm(t.Context(), key, q.ID, nil))
		stop := running(s)
		time.Sleep(time.Minute)
		stop()
		equal(t, "waiting", state(must(s.batches.Show(t.Context(), key, q.ID))), "em_andamento  ended 0 charged 0 free 0 failed 0 spent 1.35")
		desk = s.patiently(b) // another instance
		s.batches = s.otherBatches(desk)
		defer s.fetching(desk)()
		defer running(s)()
		time.Sleep(time.Minute)
		b.set(true, "")
		end := s.until(q.ID, ended)
		equal(t, "the end", state(end), "concluido  ended 3 charged 3 free 0 failed 0 spent 1.35")
		equal(t, "asked", b.said(), 3)
	})
}

// TestAnAutomationWaitsForALaterAnswer, and asks once.
func TestAnAutomationWaitsForALaterAnswer(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		b := &unhurried{every: 3 * time.Second}
		s.lookups = s.patiently(b)
		s.add("dona", crm.Owner)
		job := s.lookupRun()
		s.work(s.worker(), time.Second)
		equal(t, "waiting", s.job(job.ID).State, automation.Ready)
		s.lookups = s.patiently(b) // another instance
		defer s.fetching(s.lookups)()
		s.work(s.worker(), 2*time.Minute)
		b.set(true, "")
		s.work(s.worker(), 10*time.Minute)
		equal(t, "the end", line(s.job(job.ID).State, s.job(job.ID).Result), line(automation.Done, "Cadastro de pessoa consultado, "+catalog.Money(price).Exact()))
		equal(t, "asked", b.said(), 1)
	})
}

// TestAnErasureWaitsForALaterAnswer like for any lookup that is running, and then removes it.
func TestAnErasureWaitsForALaterAnswer(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		b := &unhurried{every: 3 * time.Second}
		desk, owner := s.patiently(b), s.add("dona", crm.Owner)
		must(desk.later(t.Context(), s.byKey(wide), lookups.Request{Product: catalog.CPF, Document: cpfs[0]}))
		defer s.fetching(desk)()
		go func() {
			time.Sleep(time.Minute)
			b.set(true, "")
		}()
		began := time.Now()
		s.erase(owner, privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]})
		equal(t, "it waited", time.Since(began) >= time.Minute, true)
		equal(t, "the call that fetched it did not take that long", s.observed.list()[0].Took < time.Second, true)
		equal(t, "lines", line(s.entries()), "[concluida 0.45]")
	})
}

// takenStore calls then when it is stored that a bureau has taken a question, and answers with its error.
type takenStore struct {
	ports.Store
	then func() error
}

func (s takenStore) Repos() ports.Repos {
	r := s.Store.Repos()
	r.LaterAnswers = takenAnswers{r.LaterAnswers, s.then}
	return r
}

type takenAnswers struct {
	ports.LaterAnswers
	then func() error
}

func (a takenAnswers) Accept(ctx context.Context, question ports.Accepted) error {
	return errors.Join(a.LaterAnswers.Accept(ctx, question), a.then())
}

// TestWhatABureauHasTakenIsNotGivenUp where nobody heard that it was stored, and then the instance stops, or the time
// is over that the bureau had when it took the question: what was stored is fetched, and its answer paid for once.
func TestWhatABureauHasTakenIsNotGivenUp(t *testing.T) {
	t.Parallel()
	for what, within := range map[string]time.Duration{"stopped": time.Hour, "over": 50 * time.Millisecond} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				b, kept := &unhurried{}, s.store
				other := s.patiently(b)
				s.store = takenStore{kept, func() error { return ports.ErrUncertain }}
				desk := s.patiently(b)
				s.store, b.within = kept, within
				must(desk.later(t.Context(), s.byKey(wide), lookups.Request{Product: catalog.CPF, Document: cpfs[0]}))
				synctest.Wait() // until it is about to be stored again
				if what == "stopped" {
					desk.GiveUp()
				}
				desk.Close()
				b.set(true, "")
				s.fetched(other)
				equal(t, "lines", s.linesOf(""), "tarde concluida 0.45")
				s.sound()
			})
		})
	}
}

// awayStore loses the commit that a bureau has taken a question, and then its database is away.
type awayStore struct {
	ports.Store
	away *atomic.Bool
}

func (s awayStore) Repos() ports.Repos {
	r := s.Store.Repos()
	r.LaterAnswers, r.Statement = awayAnswers{r.LaterAnswers, s.away}, awayStatement{r.Statement, s.away}
	r.Calls = tightCalls{r.Calls, s.away}
	return r
}

type awayAnswers struct {
	ports.LaterAnswers
	away *atomic.Bool
}

func (a awayAnswers) Accept(ctx context.Context, question ports.Accepted) error {
	if !a.away.Swap(true) {
		done(a.LaterAnswers.Accept(ctx, question))
	}
	return ports.ErrUncertain
}

func (a awayAnswers) Find(ctx context.Context, id string) (ports.LaterAnswer, error) {
	if a.away.Load() {
		return ports.LaterAnswer{}, errAway
	}
	return a.LaterAnswers.Find(ctx, id)
}

type awayStatement struct {
	ports.Statement
	away *atomic.Bool
}

func (s awayStatement) Find(ctx context.Context, orgID, id string) (lookup.Entry, error) {
	if s.away.Load() {
		return lookup.Entry{}, errAway
	}
	return s.Statement.Find(ctx, orgID, id)
}

var errAway = fault.New(fault.ServiceUnavailable, "fora")

// TestADatabaseThatIsAway says nothing about what a bureau has taken: whoever waits and a stop end, and when it is back
// the answer is fetched.
func TestADatabaseThatIsAway(t *testing.T) {
	t.Parallel()
	for what, within := range map[string]time.Duration{"stopped": time.Hour, "over": 50 * time.Millisecond} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				b, kept, away := &unhurried{}, s.store, &atomic.Bool{}
				other := s.patiently(b)
				s.store = awayStore{kept, away}
				desk := s.patiently(b)
				s.store, b.within = kept, within
				var asking sync.WaitGroup
				asking.Go(func() {
					_, err := desk.Do(t.Context(), s.byKey(wide), lookups.Request{Product: catalog.CPF, Document: cpfs[0]})
					equal(t, "whoever waits", said(err), "servico_indisponivel")
				})
				synctest.Wait() // until it is about to be stored again
				if what == "stopped" {
					desk.GiveUp()
				}
				asking.Wait()
				away.Store(false)
				desk.Close()
				b.set(true, "")
				s.fetched(other)
				equal(t, "lines", s.linesOf(""), "tarde concluida 0.45")
				s.sound()
			})
		})
	}
}

// lateAnswers calls then instead of storing for the first time that a bureau has taken a question.
type lateAnswers struct {
	ports.LaterAnswers
	first *sync.Once
	then  func()
}

type lateStore struct {
	ports.Store
	first *sync.Once
	then  func()
}

func (s lateStore) Repos() ports.Repos {
	r := s.Store.Repos()
	r.LaterAnswers = lateAnswers{r.LaterAnswers, s.first, s.then}
	return r
}

func (a lateAnswers) Accept(ctx context.Context, question ports.Accepted) error {
	away := false
	if a.first.Do(func() { a.then(); away = true }); away {
		return errAway
	}
	return a.LaterAnswers.Accept(ctx, question)
}

// TestAQuestionThatWasSettled before it was stored that its bureau has taken it is running again: whoever asked, with
// an idempotency key, hears that its answer comes, nobody else buys it, and what was given back is not charged again.
func TestAQuestionThatWasSettled(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		b, next, kept := &unhurried{}, &chained{name: "b", price: 6000, says: "phone"}, s.store
		chain := ports.Chain{Need: []string{"telefones"}}
		other := s.patientlyThrough(chain, b, next)
		s.store = lateStore{kept, &sync.Once{}, func() {
			time.Sleep(10 * time.Second)
			done(other.Settle(t.Context()))
			equal(t, "settled", s.linesOf(""), "tarde sem_resposta 0.45")
		}}
		desk := s.patientlyThrough(chain, b, next)
		s.store = kept
		by, question := s.byKey(wide), lookups.Request{Product: catalog.CPF, Document: cpfs[0], RequestKey: "k"}
		asked := must(desk.Do(t.Context(), by, question))
		equal(t, "asked", asked.Entry.Status, lookup.Running)
		again := must(other.Do(t.Context(), by, question))
		equal(t, "again", line(again.Entry.ID, again.Entry.Status, again.Replayed), line(asked.Entry.ID, lookup.Running, true))
		_, err := other.Do(t.Context(), s.byKey(wide), lookups.Request{Product: catalog.CPF, Document: cpfs[0]})
		equal(t, "another key", said(err), "bureau_indisponivel")
		s.sound()
		b.set(true, "")
		s.fetched(other)
		equal(t, "lines", s.linesOf(""), "tarde concluida 0.45")
		got, err := other.Do(t.Context(), by, question)
		equal(t, "the answer", line(answered(got, err), got.Replayed), line("tarde 0.45", true))
		equal(t, "asked", line(b.said(), next.asked), line(1, 0))
		equal(t, "the key's account", s.spent(by), line(1, 1, 1, catalog.Money(price)))
		s.sound()
	})
}

// TestAnAnswerThatAnotherInstanceFetched before whoever asked heard that it was stored that the bureau has taken the
// question: they get what came of it, from whatever bureau, and not that the bureau did not answer.
func TestAnAnswerThatAnotherInstanceFetched(t *testing.T) {
	t.Parallel()
	for says, c := range map[ports.BureauOutcome]struct{ said, lines string }{
		"":               {"tarde 0.45", "tarde concluida 0.45"},
		ports.Failed:     {"bureau_falhou", "tarde falhou 0.45"},
		ports.NotCharged: {"b 0.6", "b concluida 0.6; tarde nao_enviada 0 seguida"},
	} {
		for what, within := range map[string]time.Duration{"in time": time.Hour, "over": 50 * time.Millisecond} {
			t.Run(line(string(says), what), func(t *testing.T) {
				t.Parallel()
				inBubble(t, func(t *testing.T, s *setting) {
					b, next, kept := &unhurried{}, &chained{name: "b", price: 6000, says: "ana"}, s.store
					other := s.patiently(b, next)
					unheard := ports.ErrUncertain
					s.store = takenStore{kept, func() (err error) {
						b.set(true, says)
						s.fetched(other)
						err, unheard = unheard, nil
						return err
					}}
					desk := s.patiently(b, next)
					s.store, b.within = kept, within
					result, err := desk.Do(t.Context(), s.byKey(wide), lookups.Request{Product: catalog.CPF, Document: cpfs[0]})
					equal(t, "the answer", answered(result, err), c.said)
					equal(t, "lines", s.linesOf(""), c.lines)
					s.sound()
				})
			})
		}
	}
}

// frozenStore calls then when somebody is about to write what a later answer has said.
type frozenStore struct {
	ports.Store
	then func()
}

func (s frozenStore) Repos() ports.Repos {
	r := s.Store.Repos()
	r.LaterAnswers = frozenAnswers{r.LaterAnswers, s.then}
	return r
}

type frozenAnswers struct {
	ports.LaterAnswers
	then func()
}

func (a frozenAnswers) Hold(ctx context.Context, answer ports.LaterAnswer, until time.Time) (bool, error) {
	ours, err := a.LaterAnswers.Hold(ctx, answer, until)
	a.then()
	return ours, err
}

// TestAnInstanceThatWakesUp when another one has gone on with a question to the next bureau, which answers later, too:
// whatever it was told changes nothing, and that bureau is asked once.
func TestAnInstanceThatWakesUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says  ports.BureauOutcome // to the one that freezes
		chain ports.Chain
	}{
		{says: ports.NotCharged}, {says: ports.Failed}, {says: ""}, {chain: ports.Chain{Need: []string{"telefones"}}},
	} {
		t.Run(line(string(c.says), len(c.chain.Need)), func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				one, two, kept := &unhurried{}, &unhurried{}, s.store
				c.chain.Links = []ports.Link{one.link("tarde"), two.link("depois")}
				other := s.linked(c.chain)
				s.store = frozenStore{kept, func() {
					time.Sleep(time.Minute) // its turn is over
					one.set(true, ports.NotCharged)
					s.fetched(other)
				}}
				frozen := s.linked(c.chain)
				s.store = kept
				by := s.byKey(wide)
				must(frozen.later(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0]}))
				frozen.Close()
				one.set(true, c.says)
				s.fetched(frozen)
				equal(t, "gone on", s.linesOf(""), "depois em_andamento 0.45; tarde nao_enviada 0 seguida")
				s.sound()
				two.set(true, "")
				s.fetched(other)
				equal(t, "answered", s.linesOf(""), "depois concluida 0.45; tarde nao_enviada 0 seguida")
				equal(t, "asked", line(one.said(), two.said()), line(1, 1))
				equal(t, "the key's account", s.spent(by), line(1, 1, 1, catalog.Money(price)))
				s.sound()
			})
		})
	}
}

// TestAnAnswerThatWasErasedIsCharged: whoever still waits for it when its person is erased hears that.
func TestAnAnswerThatWasErasedIsCharged(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		b := &unhurried{}
		other, owner := s.patiently(b), s.add("dona", crm.Owner)
		s.store = takenStore{s.store, func() error {
			b.set(true, "")
			s.fetched(other)
			s.erase(owner, privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]})
			return nil
		}}
		_, err := s.patiently(b).Do(t.Context(), s.byKey(wide), lookups.Request{Product: catalog.CPF, Document: cpfs[0]})
		equal(t, "said", said(err), "bureau_sem_resposta")
		equal(t, "it is charged", strings.Contains(app.FaultOf(err).Message, "é cobrada"), true)
		equal(t, "lines", line(s.entries()), "[concluida 0.45]")
	})
}
