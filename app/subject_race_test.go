package app_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/agents"
	"fichario/app/automations"
	"fichario/app/contacts"
	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/ports/portstest"
)

var raceSeed = flag.Uint64("seed", 0, "seed of the pauses in TestSlowErasuresAmongEverything; 0 for another one each time")

// heldStore holds operations at gates, as on an instance that is slow: before a call is charged, before the history is
// read, before the entry of an answer from it is written, and before a member is read.
type heldStore struct {
	ports.Store
	begin, add, latest, member func()
	refused                    chan error // what Begin returned
}

func (l *heldStore) Repos() ports.Repos {
	r := l.Store.Repos()
	r.Calls, r.Statement, r.History = heldCalls{r.Calls, l}, heldStatement{r.Statement, l}, heldHistory{r.History, l}
	r.Members = heldMembers{r.Members, l}
	return r
}

func held(f func()) {
	if f != nil {
		f()
	}
}

type heldCalls struct {
	ports.Calls
	*heldStore
}

func (l heldCalls) Begin(ctx context.Context, c ports.Charge) (ports.Begun, error) {
	held(l.begin)
	begun, err := l.Calls.Begin(ctx, c)
	if l.refused != nil {
		l.refused <- err
	}
	return begun, err
}

type heldStatement struct {
	ports.Statement
	*heldStore
}

func (l heldStatement) Add(ctx context.Context, e lookup.Entry) error {
	held(l.add)
	return l.Statement.Add(ctx, e)
}

type heldMembers struct {
	ports.Members
	*heldStore
}

func (l heldMembers) Find(ctx context.Context, orgID, id string) (crm.Member, error) {
	held(l.member)
	return l.Members.Find(ctx, orgID, id)
}

type heldHistory struct {
	ports.History
	*heldStore
}

func (l heldHistory) Only(o ports.Only) ports.History {
	l.History = l.History.Only(o)
	return l
}

func (l heldHistory) Latest(ctx context.Context, orgID, product string, d document.Document) (lookup.Record, error) {
	held(l.latest)
	return l.History.Latest(ctx, orgID, product, d)
}

// gate holds whoever comes until it is opened; came says that somebody is there.
type gate struct{ came, open chan struct{} }

func newGate() gate { return gate{make(chan struct{}, 100), make(chan struct{})} }

func (g gate) wait() { g.came <- struct{}{}; <-g.open }

// left returns what is stored of a person: identities in any index, entries with a document.
func (s *setting) left(owner app.Caller, who privacyapp.SubjectQuery) string {
	s.t.Helper()
	held := must(s.subjects.Count(s.t.Context(), owner, who, 0))
	for k, n := range held.Counts {
		if n == 0 {
			delete(held.Counts, k)
		}
	}
	return line(held.Counts)
}

// erase erases a person completely and expects that nothing is left.
func (s *setting) erase(owner app.Caller, who privacyapp.SubjectQuery) {
	s.t.Helper()
	e := must(s.subjects.Erase(s.t.Context(), owner, who, false))
	e = must(s.subjects.Await(s.t.Context(), e.ID))
	equal(s.t, "the receipt", e.State, privacy.Done)
	equal(s.t, "what is left", s.left(owner, who), "map[]")
}

// tracedStore calls came when an erasure looks for what there is of a person, and found, unless it is nil, when it has
// looked; and most, unless it is nil, with how much it looks for.
type tracedStore struct {
	ports.Store
	came, found func(privacy.Kind)
	most        func(privacy.Kind, int)
}

func (l tracedStore) Repos() ports.Repos {
	r := l.Store.Repos()
	r.SubjectTraces = tracedTraces{r.SubjectTraces, l}
	return r
}

type tracedTraces struct {
	ports.SubjectTraces
	tracedStore
}

func (l tracedTraces) Traces(
	ctx context.Context, p *privacy.Person, k privacy.Kind, after string, n int,
) ([]string, string, error) {
	if l.came != nil {
		l.came(k)
	}
	if l.most != nil {
		l.most(k, n)
	}
	ids, next, err := l.SubjectTraces.Traces(ctx, p, k, after, n)
	if l.found != nil {
		l.found(k)
	}
	return ids, next, err
}

// TestWhoComesWhileNothingMoreIsFoundIsErased: a contact that is made during an erasure's last round, which has looked
// for contacts at its beginning and goes on, is not there after the receipt.
func TestWhoComesWhileNothingMoreIsFoundIsErased(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, who := s.add("dona", crm.Owner), privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
		came := false
		slow := privacyapp.NewSubjects(tracedStore{Store: s.store, came: func(k privacy.Kind) {
			if k != privacy.Lookups && !came {
				came = true
				must(s.contacts.Create(t.Context(), owner, contacts.ContactForm{
					Name: "Ana", Email: "ana@x.example", Documents: cpfs[0],
				}))
			}
		}}, s.store.(ports.SubjectIndex), journal{}, now, s.contacts.PartToErase)
		e := must(slow.Erase(t.Context(), owner, who, false))
		equal(t, "the receipt", must(slow.Await(t.Context(), e.ID)).State, privacy.Done)
		equal(t, "somebody came", came, true)
		equal(t, "what is left", s.left(owner, who), "map[]")
	})
}

// busyStore refuses to lease erasures while others have the database's only writer; what is read is read.
type busyStore struct {
	ports.Store
	busy func() bool
}

func (l busyStore) Repos() ports.Repos {
	r := l.Store.Repos()
	r.Erasures = busyErasures{r.Erasures, l}
	return r
}

type (
	allErasures  = ports.Erasures // which has a method of its own name
	busyErasures struct {
		allErasures
		busyStore
	}
)

func (l busyErasures) LeaseErasure(
	ctx context.Context, id, lease string, now, until time.Time,
) (privacy.Erasure, error) {
	if l.busy() {
		return privacy.Erasure{}, errAway
	}
	return l.allErasures.LeaseErasure(ctx, id, lease, now, until)
}

// TestWhoWaitsForAnErasureBearsABusyWriter: a command whose turn to write does not come, beside a busy service with
// SQLite, does not say that a begun erasure has failed; where nobody can write for long, it does.
func TestWhoWaitsForAnErasureBearsABusyWriter(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, who, tries, times := s.add("dona", crm.Owner), privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}, 0, 3
		command := privacyapp.NewSubjects(busyStore{s.store, func() bool { tries++; return tries <= times }},
			s.store.(ports.SubjectIndex), journal{}, s.now, leaveMerged)
		e := must(command.Erase(t.Context(), owner, who, false))
		equal(t, "the receipt", must(command.Await(t.Context(), e.ID)).State, privacy.Done)
		e, times = must(command.Erase(t.Context(), owner, who, false)), 1<<30
		_, err := command.Await(t.Context(), e.ID)
		equal(t, "for good", said(err), "servico_indisponivel")
	})
}

// TestAnErasureEndsWhilePeopleWrite: posts about the person that come in each round, each with another address, do not
// keep its receipt back. What was there when the last round began is gone, and what came after that is new.
func TestAnErasureEndsWhilePeopleWrite(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, hook := s.add("dona", crm.Owner), s.hook(webhook.Signature{})
		who, posts := privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}, 0
		arrive := func() string {
			body := fmt.Sprintf(`{"nome":"Ana","email":"ana-%d@x.example","cpf":%q}`, posts, cpfs[0])
			return must(s.intake.Receive(t.Context(), hook, post(body))).ContactID
		}
		ids := []string{arrive()}
		slow := privacyapp.NewSubjects(tracedStore{Store: s.store, came: func(k privacy.Kind) {
			if k == privacy.Texts && posts < 10 { // a round takes four minutes
				posts++
				ids = append(ids, arrive())
			}
		}}, s.store.(ports.SubjectIndex), journal{}, func() time.Time {
			return now().Add(time.Duration(posts) * 4 * time.Minute)
		}, s.contacts.PartToErase)
		e := must(slow.Erase(t.Context(), owner, who, false))
		equal(t, "the receipt", must(slow.Await(t.Context(), e.ID)).State, privacy.Done)
		equal(t, "rounds", posts, 4)
		equal(t, "what is left", s.left(owner, who), "map[contatos:1 entregas:1 historico:1]")
		equal(t, "who is left", s.contact(ids[posts]).Email, fmt.Sprintf("ana-%d@x.example", posts))
	})
}

// TestAnErasureBeginsEachKindWithOneRow, since a row may hold a megabyte and posts wait.
func TestAnErasureBeginsEachKindWithOneRow(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, hook, who := s.add("dona", crm.Owner), s.hook(webhook.Signature{}), privacyapp.SubjectQuery{
			OrgID: s.orgID, Document: cpfs[0],
		}
		for n := range 9 {
			body := fmt.Sprintf(`{"nome":"Ana","email":"ana-%d@x.example","cpf":%q}`, n, cpfs[0])
			must(s.intake.Receive(t.Context(), hook, post(body)))
		}
		var last privacy.Kind
		kinds := 0
		paced := privacyapp.NewSubjects(tracedStore{Store: s.store, most: func(k privacy.Kind, n int) {
			if k != last {
				kinds++
				equal(t, fmt.Sprint("the first rows of ", k), n, 1)
			}
			last = k
		}}, s.store.(ports.SubjectIndex), journal{}, now, s.contacts.PartToErase)
		e := must(paced.Erase(t.Context(), owner, who, false))
		equal(t, "the receipt", must(paced.Await(t.Context(), e.ID)).State, privacy.Done)
		if kinds < len(privacy.Kinds()) {
			t.Errorf("only %d kinds were looked for", kinds)
		}
	})
}

// TestARepeatedErasureCountsFromItsRepetition: whoever is written about while an erasure is repeated after a restore is
// gone too, though the request is long past.
func TestARepeatedErasureCountsFromItsRepetition(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, hook, posts := s.add("dona", crm.Owner), s.hook(webhook.Signature{}), 0
		arrive := func() {
			posts++
			body := fmt.Sprintf(`{"nome":"Ana","email":"ana-%d@x.example","cpf":%q}`, posts, cpfs[0])
			must(s.intake.Receive(t.Context(), hook, post(body)))
		}
		arrive()
		again := privacyapp.NewSubjects(tracedStore{Store: s.store, came: func(k privacy.Kind) {
			if k == privacy.Texts && posts < 4 { // once in each round
				arrive()
			}
		}}, s.store.(ports.SubjectIndex), journal{}, now, s.contacts.PartToErase)
		repos := s.store.Repos().Subjects
		replayed, err := again.Replay(t.Context(), app.Operator(), "", []privacy.Entry{{
			ID: lookups.NewKeyID(), OrgID: s.orgID, KeyID: must(repos.KeyID(t.Context())), At: now().Add(-time.Hour),
			Hashes: must(repos.Hashes(t.Context(), s.orgID, must(privacy.ByDocument(cpfs[0])))),
		}})
		equal(t, "replayed", line(replayed, err), line(privacyapp.Replayed{Again: 1}, nil))
		equal(t, "what is left", s.left(owner, privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}), "map[]")
	})
}

// TestAnErasureEndsWhileOthersAreAsked: a lookup of somebody else that names the person in an input is not barred, and
// keeps the receipt back only where it may have begun before the request.
func TestAnErasureEndsWhileOthersAreAsked(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, who := s.add("dona", crm.Owner), privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
		atBureau, rounds := newGate(), 0
		open := sync.OnceFunc(func() { close(atBureau.open) })
		_, asker := s.needing(&portstest.FakeBureau{Script: func(context.Context) (ports.Answer, error) {
			atBureau.wait()
			return portstest.Found(products()[0], map[string]any{"nome": "Bia"}), nil
		}}, catalog.Input{Name: "mae", Type: catalog.InputText})
		slow := privacyapp.NewSubjects(tracedStore{Store: s.store, came: func(k privacy.Kind) {
			if k == privacy.Texts {
				rounds++
			}
			if rounds == 3 {
				open()
			}
		}}, s.store.(ports.SubjectIndex), journal{}, func() time.Time { return now().Add(-11 * time.Minute) }, leaveMerged)
		e := must(slow.Erase(t.Context(), owner, who, false)) // eleven minutes before anything else happens
		var asking sync.WaitGroup
		asking.Go(func() {
			must(asker.Do(t.Context(), owner, lookups.Request{
				Product: catalog.CPF, Document: cpfs[1], Inputs: map[string]string{"mae": cpfs[0]},
			}))
		})
		<-atBureau.came
		equal(t, "the receipt", must(slow.Await(t.Context(), e.ID)).State, privacy.Done)
		equal(t, "rounds", rounds, 1)
		open()
		asking.Wait()
	})
}

// TestWhoIsPartedWhileAnErasureLooks: a contact of another person, which is taken out of an erased person's while the
// erasure has found it there, keeps its history.
func TestWhoIsPartedWhileAnErasureLooks(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, who := s.add("dona", crm.Owner), privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
		make := func(name, cpf string) string {
			form := contacts.ContactForm{Name: name, Email: name + "@x.example", Documents: cpf}
			return must(s.contacts.Create(t.Context(), owner, form)).ID
		}
		ana, bia := make("ana", cpfs[0]), make("bia", cpfs[1])
		done(s.contacts.Merge(t.Context(), owner, ana, bia))
		parted := false
		slow := privacyapp.NewSubjects(tracedStore{Store: s.store, found: func(k privacy.Kind) {
			if k == privacy.Contacts && !parted {
				parted = true
				done(s.contacts.Part(t.Context(), owner, ana, bia))
			}
		}}, s.store.(ports.SubjectIndex), journal{}, now, leaveMerged)
		e := must(slow.Erase(t.Context(), owner, who, false))
		equal(t, "the receipt", must(slow.Await(t.Context(), e.ID)).State, privacy.Done)
		_, history, err := s.contacts.Show(t.Context(), owner, bia)
		done(err)
		equal(t, "the other's history", len(history), 2)
		equal(t, "what is left", s.left(owner, who), "map[]")
	})
}

// leaveMerged parts no contacts before an erasure.
func leaveMerged(context.Context, string, string, bool) error {
	return app.Invalid("contact", "Não.")
}

// stillConditions stands still, as an instance may, before an expression is evaluated, and thus after the event was
// read.
type stillConditions struct {
	ports.Conditions
	still time.Duration
}

func (c stillConditions) Holds(context.Context, string, automation.Event) (bool, error) {
	time.Sleep(c.still)
	return true, nil
}

// TestARunThatHasReadAnErasedPerson: what it sends leaves before the receipt, or never, however long its instance stood
// still, and what it writes of the person into another contact is erased too.
func TestARunThatHasReadAnErasedPerson(t *testing.T) {
	t.Parallel()
	for still, sends := range map[time.Duration]int{20 * time.Second: 2, time.Minute: 0} {
		t.Run(still.String(), func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				owner, hook := s.add("dona", crm.Owner), s.hook(webhook.Signature{})
				s.rule(automations.NewAutomation{Action: automation.HTTP, URL: "https://r.example", When: "true"})
				s.rule(automations.NewAutomation{Action: automation.AddNote, Text: "{empresa}", When: "true"})
				var sent []time.Time
				s.dispatcher.script = func(ctx context.Context, _ ports.Call) (int, error) {
					if ctx.Err() != nil {
						return 0, &ports.SendError{Reason: "demorou"}
					}
					sent = append(sent, time.Now())
					return 204, nil
				}
				s.arrive(hook, "ana")
				must(s.intake.Receive(t.Context(), hook, post(`{"email":"bia@x.example","empresa":"de ana@x.example"}`)))
				worker := s.worker()
				worker.Conditions = stillConditions{worker.Conditions, still}
				working, stop := context.WithTimeout(t.Context(), 50*time.Second)
				defer stop()
				ended := make(chan struct{})
				go func() {
					automations.NewJobs(worker).Run(working)
					close(ended)
				}()
				time.Sleep(time.Second)
				s.erase(owner, privacyapp.SubjectQuery{OrgID: s.orgID, Email: "ana@x.example"})
				receipt := time.Now()
				<-ended
				equal(t, "what is left", s.left(owner, privacyapp.SubjectQuery{OrgID: s.orgID, Email: "ana@x.example"}), "map[]")
				equal(t, "sent", len(sent), sends)
				for _, at := range sent {
					equal(t, "sent after the receipt", at.After(receipt), false)
				}
			})
		})
	}
}

// lateQuiet is an index where something that is not the service's stays open for as long as that.
type lateQuiet struct {
	ports.SubjectIndex
	open time.Duration
}

func (i lateQuiet) Quiet(context.Context) error {
	time.Sleep(i.open)
	return nil
}

// TestAnErasureThatWaits for what stays open for longer than its lease ends all the same, however many instances look
// after it.
func TestAnErasureThatWaits(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, hook := s.add("dona", crm.Owner), s.hook(webhook.Signature{})
		s.arrive(hook, "ana")
		who := privacyapp.SubjectQuery{OrgID: s.orgID, Email: "ana@x.example"}
		e := must(s.subjects.Erase(t.Context(), owner, who, false))
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
		defer stop()
		var working sync.WaitGroup
		for range 2 {
			late := lateQuiet{s.store.(ports.SubjectIndex), 30 * time.Second}
			instance := privacyapp.NewSubjects(s.store, late, journal{}, now, s.contacts.PartToErase)
			working.Go(func() {
				for ; ctx.Err() == nil; time.Sleep(time.Second) {
					_ = instance.Work(ctx) // the time may be over
				}
			})
		}
		working.Wait()
		e = must(s.store.Repos().Erasures.FindErasure(t.Context(), s.orgID, e.ID))
		equal(t, "the receipt", e.State, privacy.Done)
	})
}

// TestWhoIsErasedTwiceAtOnce may not be looked up before both erasures have ended.
func TestWhoIsErasedTwiceAtOnce(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, who := s.add("dona", crm.Owner), privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
	var all []string
	for range 2 {
		all = append(all, must(s.subjects.Erase(t.Context(), owner, who, false)).ID)
	}
	ask := func() string { return said(second(s.ask(owner, lookups.Request{Document: cpfs[0]}))) }
	refused := ask()
	equal(t, "while both run", refused != "", true)
	done(s.subjects.Finish(t.Context(), all[1]))
	equal(t, "while the first runs", ask(), refused)
	equal(t, "what the bureau was asked", len(s.bureau.Asked()), 0)
	done(s.subjects.Finish(t.Context(), all[0]))
	equal(t, "afterwards", ask(), "")
}

// TestAFileThatWasReadBeforeAnErasure: an import's rows are in memory before it is known who imports them, and whoever
// is erased meanwhile is not among those that are stored.
func TestAFileThatWasReadBeforeAnErasure(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, who := s.add("dona", crm.Owner), privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
		late := &heldStore{Store: s.store, member: func() { s.erase(owner, who) }}
		table := tableOf("Nome|E-mail|CPF", "Ana|ana@x.example|"+cpfs[0], "Bia|bia@x.example|"+cpfs[1])
		made := must(contacts.NewBulks(late, now).PrepareImport(t.Context(), owner, table))
		equal(t, "rows", made.Total, 1)
		equal(t, "what is left", s.left(owner, who), "map[]")
	})
}

// TestSlowWhatAnErasureFindsInMemory: whoever read the person's document before the erasure, and asks after its
// receipt, is refused, free, and nothing is stored: a lookup, a batch, an agent, a lookup that history answers. So is
// an automation's run, for which the receipt waits. A new request buys again.
func TestSlowWhatAnErasureFindsInMemory(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, key, who := s.add("dona", crm.Owner), s.byKey(wide), privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
		late := &heldStore{Store: s.store}
		slow := s.otherLookups(late)
		const run = "an automation's"
		refused := func(what string, begun func() error) {
			t.Helper()
			g := newGate()
			late.begin, late.refused = g.wait, make(chan error, 100)
			ended := make(chan error, 1)
			go func() { ended <- begun() }()
			<-g.came
			e := must(s.subjects.Erase(t.Context(), owner, who, false))
			if what == run { // the receipt waits for it
				close(g.open)
			}
			equal(t, "the receipt", must(s.subjects.Await(t.Context(), e.ID)).State, privacy.Done)
			if what != run {
				close(g.open)
			}
			equal(t, what, said(<-ended), "titular_bloqueado")
			late.begin = nil
			equal(t, what+": calls", len(s.bureau.Asked()), 0)
			equal(t, what+": left", s.left(owner, who), "map[]")
			equal(t, what+": spent", s.spent(key), "0 0 0 0")
		}
		ask := lookups.Request{Product: catalog.CPF, Document: cpfs[0]}
		fresh := ask
		fresh.Refresh = true
		refused("a lookup", func() error { return second(slow.Do(t.Context(), key, ask)) })
		refused("a fresh one", func() error { return second(slow.Do(t.Context(), key, fresh)) })
		refused("one for later", func() error { return second(slow.later(t.Context(), key, ask)) })
		refused("a page's", func() error { _, _, err := slow.Start(t.Context(), owner, ask); return err })
		refused("an agent's", func() error {
			within := agents.Session{ID: agents.NewSessionID(), Ceiling: at(catalog.Money(2 * price))}
			sessions := s.agentsOf(slow)
			_, _, err := sessions.DoWithin(t.Context(), key, ask, within)
			equal(t, "the session's", must(sessions.Spent(t.Context(), key, within)), catalog.Money(0))
			return err
		})
		refused("a batch's", func() error {
			batches := s.otherBatches(slow)
			n := quote(cpfs[0])
			n.Confirm, n.Ceiling = true, at(catalog.Money(price))
			b := must(batches.Quote(t.Context(), key, n))
			ctx, stop := context.WithCancel(t.Context())
			var ran sync.WaitGroup
			ran.Go(func() { batches.Run(ctx) })
			defer ran.Wait()
			defer stop()
			equal(t, "the batch", state(s.until(b.ID, ended)), "concluido  ended 1 charged 0 free 1 failed 1 spent 0")
			item := must(s.store.Repos().BatchItems.Items(t.Context(), ports.AnyOrg, b.ID, "", 0, 1))[0]
			return fault.New(fault.Code(item.Code), "")
		})
		refused(run, func() error {
			rule := s.rule(automations.NewAutomation{Action: automation.Lookup, Product: catalog.CPF, Ceiling: 10 * price})
			form := bia()
			form.Documents = cpfs[0]
			must(s.contacts.Create(t.Context(), owner, form))
			worker := s.worker()
			worker.Asker = slow.Asker
			ctx, stop := context.WithCancel(t.Context())
			var ran sync.WaitGroup
			ran.Go(func() { automations.NewJobs(worker).Run(ctx) })
			defer ran.Wait()
			defer stop()
			equal(t, "the run's", errors.Is(<-late.refused, ports.ErrErased), true)
			return errors.Join(s.automations.SetEnabled(t.Context(), owner, rule.ID, false), fault.New(fault.SubjectBlocked, ""))
		})
		must(s.ask(key, ask)) // a new request buys again
		equal(t, "calls", len(s.bureau.Asked()), 1)
	})
}

// TestWhoWaitedForAnAnswerThatIsErased: a lookup that shares another's call is told so, and stores nothing, wherever
// the erasure overtakes it.
func TestWhoWaitedForAnAnswerThatIsErased(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, who := s.add("dona", crm.Owner), privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
		late := &heldStore{Store: s.store, refused: make(chan error, 100)}
		slow := s.otherLookups(late)
		for what, hold := range map[string]func(func()){
			"before it reads": func(f func()) { late.latest = f }, "before it writes": func(f func()) { late.add = f },
		} {
			atBureau, g := newGate(), newGate()
			s.bureau.Script = func(context.Context) (ports.Answer, error) {
				atBureau.wait()
				p, _ := products().Find(catalog.CPF)
				return portstest.Found(p, map[string]any{"nome": "Ana"}), nil
			}
			hold(g.wait)
			first, second := make(chan error, 1), make(chan error, 1)
			ask := func(l *desk, to chan error) {
				_, err := l.Do(t.Context(), s.byKey(wide), lookups.Request{Product: catalog.CPF, Document: cpfs[0]})
				to <- err
			}
			go ask(s.lookups, first)
			<-atBureau.came
			go ask(slow, second)
			<-late.refused //nolint:errcheck // it knows of the first call, and follows it
			close(atBureau.open)
			done(<-first)
			<-g.came
			s.erase(owner, who)
			close(g.open)
			equal(t, what, said(<-second), "titular_bloqueado")
			equal(t, what+": left", s.left(owner, who), "map[]")
			late.latest, late.add = nil, nil
		}
	})
}

// TestSlowErasuresAmongEverything: lookups, batches and imports that began before an erasure, with random pauses, leave
// nothing of the person behind its receipt, and whatever was charged was charged before.
func TestSlowErasuresAmongEverything(t *testing.T) {
	t.Parallel()
	seed := *raceSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	atOnce(t, func(t *testing.T, s *setting) {
		var mu sync.Mutex
		chance := rand.New(rand.NewPCG(seed, 0))
		pause := func() {
			mu.Lock()
			d := time.Duration(chance.IntN(4)) * time.Duration(chance.IntN(4)) * 10 * time.Millisecond
			mu.Unlock()
			time.Sleep(d)
		}
		late := &heldStore{Store: s.store, begin: pause, add: pause, latest: pause}
		owner, key, slow := s.add("dona", crm.Owner), s.byKey(wide), s.otherLookups(late)
		batches := s.otherBatches(slow)
		ctx, stop := context.WithCancel(t.Context())
		var ran sync.WaitGroup
		ran.Go(func() { batches.Run(ctx) })
		defer ran.Wait()
		defer stop()
		for n, cpf := range someCPFs(int(seed%1e6), 2) {
			who := privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpf}
			email := fmt.Sprintf("rosa-%d@x.example", n)
			var all sync.WaitGroup
			begun := func(f func()) {
				all.Go(func() { pause(); f() })
			}
			ask := lookups.Request{Product: catalog.CPF, Document: cpf}
			fresh := ask
			fresh.Refresh = true
			for range 3 {
				begun(func() { _, _ = slow.Do(t.Context(), key, ask) })
				begun(func() { _, _ = slow.Do(t.Context(), owner, fresh) })
			}
			others := someCPFs(int(seed%1e6)+100*(n+1), 12)
			items := quote(append(others, cpf)...)
			items.Confirm, items.Ceiling = true, at(catalog.Money(100*price))
			b := must(batches.Quote(t.Context(), key, items))
			table := []string{"Nome|E-mail|CPF"}
			for i := range 60 {
				table = append(table, fmt.Sprintf("Outro|outro-%d-%d@x.example|", n, i), "Rosa|"+email+"|"+cpf)
			}
			file := must(s.bulks.PrepareImport(t.Context(), owner, tableOf(table...)))
			begun(func() {
				_, _ = s.bulks.StartImport(t.Context(), owner, file.ID, contacts.ImportChoices{Duplicates: crm.CreateDuplicates})
			})
			begun(func() { _, _ = s.bulks.PrepareImport(t.Context(), owner, tableOf(table...)) })
			pause()
			e := must(s.subjects.Erase(t.Context(), owner, who, false))
			must(s.subjects.Await(t.Context(), e.ID))
			calls := len(s.bureau.Asked())
			all.Wait()
			must(s.bulks.FinishImport(t.Context(), owner, file.ID))
			s.until(b.ID, ended)
			equal(t, "left of "+email, s.left(owner, who), "map[]")
			equal(t, "contacts of "+email, s.left(owner, privacyapp.SubjectQuery{OrgID: s.orgID, Email: email}), "map[]")
			for _, d := range s.bureau.Asked()[calls:] {
				equal(t, "asked after the receipt", d.Value() == cpf, false)
			}
		}
	})
}
