package app_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/tests/testkit/patience"
)

// comparator is a bureau that others are compared with: it answers as it is told, once its gate is open.
type comparator struct {
	name  string
	says  string
	gate  chan struct{} // nil for open
	asked atomic.Int32
	saw   atomic.Pointer[ports.Question]
}

const secondPrice = 5000

func (b *comparator) Ask(ctx context.Context, q ports.Question) (ports.Answer, error) {
	b.asked.Add(1)
	b.saw.Store(&q)
	if b.gate != nil {
		select {
		case <-b.gate:
		case <-ctx.Done():
			return ports.Answer{}, &ports.BureauError{Outcome: ports.NoAnswer, Reason: "time is over"}
		}
	}
	says, later := strings.CutPrefix(b.says, "later, ")
	if later && (q.Ticket == "" || b.asked.Load() < 3) {
		return ports.Answer{Later: &ports.Later{Ticket: "senha", Every: time.Millisecond, For: time.Hour}}, nil
	}
	return (&chained{says: says}).Ask(ctx, q)
}

// with is the comparison with it.
func (b *comparator) with(share float64, monthly catalog.Money) *ports.Comparison {
	p, _ := products().Find(catalog.CPF)
	p.Price = secondPrice
	return &ports.Comparison{
		Link: ports.Link{Name: b.name, Product: p, Timeout: timeout, Bureau: b}, Share: share, Monthly: monthly,
	}
}

// account is what the comparisons of CPF have cost this month.
func (s *setting) account() catalog.Money {
	const instance = "00000000-0000-0000-0000-000000000000"
	bucket := lookup.ComparedBucket(calendar.Month(s.now()), catalog.CPF)
	all := must(s.store.Repos().Usage.SpentByKeys(s.t.Context(), instance, []string{instance}, bucket))
	return all[bucket][instance].Amount
}

// all are the organisation's entries.
func (s *setting) all() []lookup.Entry {
	asker := lookup.Asker{OrgID: s.orgID}
	return must(s.store.Repos().Statement.Page(s.t.Context(), asker, lookup.Filter{}, "", 9))
}

// matched is how answers have agreed: the record, and some fields: equal, different, only the first, only the second,
// neither.
func (s *setting) matched(first string) string {
	var all []string
	for _, m := range must(s.store.Repos().Bureaus.Matches(s.t.Context(), "")) {
		if m.First == first && slices.Contains([]string{"", "nome", "telefones", "porte"}, m.Field) {
			said := fmt.Sprint(m.Field, " ", m.Agreement)
			if m.Field == "" {
				said = fmt.Sprint(m.Agreement, " ", m.FirstCost, " ", m.SecondCost)
			}
			all = append(all, said)
		}
	}
	return strings.Join(all, "; ")
}

// TestAnAnswerIsCompared: a bureau is asked what a chain has answered by a call, and how they agree is counted; its
// line is the organisation's and not the key's.
func TestAnAnswerIsCompared(t *testing.T) {
	t.Parallel()
	need := ports.Chain{Need: []string{"telefones"}}
	atOnce(t, func(t *testing.T, s *setting) {
		for n, c := range []struct {
			what, says string // of the chain, then of the other bureau
			chain      ports.Chain
			lines      string // without those of the chain's own
			matched    string
		}{
			{"the same", "ana; ana", ports.Chain{}, "z concluida 0.5", "{1 0 0 0 0} 0.3 0.5; nome {1 0 0 0 0}; telefones {0 0 0 0 1}"},
			{"less", "ana; phone", ports.Chain{}, "z concluida 0.5", "{1 0 0 0 0} 0.3 0.5; nome {0 0 1 0 0}; telefones {0 0 0 1 0}"},
			{"no record", "nobody; ana", ports.Chain{}, "z concluida 0.5", "{0 0 0 1 0} 0.3 0.5; nome {0 0 0 1 0}; telefones {0 0 0 0 1}"},
			{"no records", "nobody; nobody", ports.Chain{}, "z concluida 0.5", "{0 0 0 0 1} 0.3 0.5; nome {0 0 0 0 1}; telefones {0 0 0 0 1}"},
			{"another price", "ana; ana for 0.10", ports.Chain{}, "z concluida 0.1", "{1 0 0 0 0} 0.3 0.1; nome {1 0 0 0 0}; telefones {0 0 0 0 1}"},
			{"from two bureaus", "ana, phone; ana", need, "z concluida 0.5", "{1 0 0 0 0} 0.9 0.5; nome {1 0 0 0 0}; telefones {0 0 1 0 0}"},
			{"it answers later", "ana; later, ana", ports.Chain{}, "z concluida 0.5", "{1 0 0 0 0} 0.3 0.5; nome {1 0 0 0 0}; telefones {0 0 0 0 1}"},
			{"it answers later, and fails", "ana; later, failed", ports.Chain{}, "z falhou 0.5", ""},
			{"it fails", "ana; failed", ports.Chain{}, "z falhou 0.5", ""},
			{"it panics", "ana; panics", ports.Chain{}, "z falhou 0.5", ""},
			{"it refuses", "ana; not_charged", ports.Chain{}, "z nao_enviada 0", ""},
			{"the question fails", "failed; ana", ports.Chain{}, "", ""},
			{"it has answered", "not_sent, z ana; ana", ports.Chain{}, "", ""},
			{"it was asked before", "z not_charged, ana; ana", ports.Chain{}, "", ""},
		} {
			t.Run(c.what, func(t *testing.T) {
				s := s.another()
				s.t = t
				said, compared, _ := strings.Cut(c.says, "; ")
				b, mark := &comparator{name: "z", says: compared}, fmt.Sprint("-", n)
				var bureaus []*chained
				for i, says := range strings.Split(said, ", ") {
					one := &chained{name: "ab"[i:i+1] + mark, price: []catalog.Money{3000, 6000}[i]}
					if one.says = strings.TrimPrefix(says, "z "); one.says != says {
						one.name = "z"
					}
					bureaus = append(bureaus, one)
				}
				c.chain.Compare = b.with(1, 100_000)
				by, desk := s.byKey(wide), s.through(c.chain, bureaus...)
				before := s.account()
				got, err := desk.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0]})
				_, again := desk.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0]})
				equal(t, "from history, or the same fault", app.FaultOf(again) != nil, app.FaultOf(err) != nil)
				desk.Close()
				var lines []string
				cost, keys := catalog.Money(0), 0
				for _, e := range s.all() {
					if !e.Compared {
						keys += int(e.Amount)
						equal(t, "is a key's", e.KeyID, by.KeyID())
						continue
					}
					lines, cost = append(lines, fmt.Sprint(e.Bureau, " ", e.Status, " ", e.Amount)), cost+e.Amount
					equal(t, "whose", e.KeyID+e.MemberID+e.RecordID, "")
					equal(t, "compared", line(e.FollowedID, e.Document), line(got.Entry.ID, got.Entry.Document))
				}
				equal(t, "the lines", strings.Join(lines, "; "), c.lines)
				equal(t, "the account", s.account()-before, cost)
				_, _, ever, err := s.store.Repos().Usage.Spent(t.Context(), by.OrgID(), by.KeyID(), "", "")
				done(err)
				equal(t, "the key's", int(ever.Amount), keys)
				first := bureaus[len(bureaus)-1].name
				equal(t, "how they agree", s.matched(first), c.matched)
			})
		}
		s.sound()
	})
}

// TestWhatIsNotCompared: answers from history, questions to one bureau by its name, and a bureau that is out.
func TestWhatIsNotCompared(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	b, owner := &comparator{name: "z", says: "ana"}, s.add("ana", crm.Owner)
	desk := s.through(ports.Chain{Compare: b.with(1, 100_000)}, &chained{name: "a", price: 3000, says: "ana"})
	ask := func(r lookups.Request) {
		r.Product = catalog.CPF
		must(desk.Do(t.Context(), owner, r))
	}
	ask(lookups.Request{Document: cpfs[0], Bureau: "a"})
	ask(lookups.Request{Document: cpfs[0]})
	done(desk.bureaus.TakeOut(t.Context(), app.Operator(), "z", 0))
	ask(lookups.Request{Document: cpfs[1]})
	desk.Close()
	equal(t, "asked", b.asked.Load(), 0)
}

// TestAnAnswerByNameThatComesLaterIsNotCompared: whoever fetches it does not know the request any more. Others are.
func TestAnAnswerByNameThatComesLaterIsNotCompared(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		for name, want := range map[string]int32{"tarde": 0, "": 1} {
			s := s.another()
			z, b, owner := &comparator{name: "z", says: "ana"}, &unhurried{}, s.add("ana", crm.Owner)
			desk := s.patientlyThrough(ports.Chain{Compare: z.with(1, 100_000)}, b)
			asked := must(desk.Do(t.Context(), owner, lookups.Request{Product: catalog.CPF, Document: cpfs[0], Bureau: name}))
			equal(t, "asked", asked.Entry.Status, lookup.Running)
			b.set(true, "")
			ended := func() bool {
				done(desk.FetchLater(t.Context()))
				e := must(s.store.Repos().Statement.Find(t.Context(), ports.AnyOrg, asked.Entry.ID))
				return e.Status == lookup.Done && z.asked.Load() >= want
			}
			for tries := 0; !ended(); tries++ {
				if tries == 5000 {
					t.Fatal("it is not answered, or not compared")
				}
				time.Sleep(2 * time.Millisecond)
			}
			desk.Close()
			equal(t, "compared, by name "+name, z.asked.Load(), want)
		}
	})
}

// TestTheLimitOfComparisons is exact, also with two instances: what they may cost is reserved before they are made.
func TestTheLimitOfComparisons(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		const limit = 7*secondPrice + secondPrice/2
		b, by := &comparator{name: "z", says: "ana"}, s.add("bia", crm.Owner)
		desks := []*desk{}
		for range 2 {
			desks = append(desks, s.through(ports.Chain{Compare: b.with(1, limit)}, &chained{name: "a", price: 10, says: "ana"}))
		}
		ask := func(at, n int) {
			_, err := desks[at].Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[n%4], Refresh: true})
			done(err)
		}
		both(func(i int) {
			for n := range 10 {
				ask(i, n)
				equal(t, "never above", s.account() <= limit, true)
			}
		})
		n := 0
		patience.Until(t, "the limit is reached", func() bool {
			n++
			ask(n%2, n)
			return s.account() == 7*secondPrice
		})
		for range 4 {
			ask(0, 0)
			ask(1, 1)
		}
		for _, d := range desks {
			d.Close()
		}
		equal(t, "asked", b.asked.Load(), 7)
		equal(t, "in the end", s.account(), 7*secondPrice)
		s.sound()
	})
}

// TestAComparisonDelaysNobody: the answer is given while the other bureau is asked; few are asked at once, and the rest
// is left out. A service that stops waits for what was begun, and begins nothing more.
func TestAComparisonDelaysNobody(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		b, by := &comparator{name: "z", says: "ana", gate: make(chan struct{})}, s.byKey(wide)
		desk := s.through(ports.Chain{Compare: b.with(1, 1_000_000)}, &chained{name: "a", price: 3000, says: "ana"})
		for n := range 9 {
			got, err := desk.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[n%4], Refresh: true})
			equal(t, "answered", answered(got, err), "a 0.3")
		}
		patience.Until(t, "four are asked", func() bool { return b.asked.Load() == 4 })
		equal(t, "reserved", s.account(), 4*secondPrice)
		s.sound()
		stopped := make(chan struct{})
		go func() {
			desk.Close()
			close(stopped)
		}()
		patience.Until(t, "it stops", func() bool {
			_, err := desk.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0], Refresh: true})
			done(err)
			select {
			case <-stopped:
				return true
			default:
				close(b.gate)
				<-stopped
				return true
			}
		})
		equal(t, "asked", b.asked.Load(), 4)
		lines := strings.Count(s.linesOf(""), "z concluida 0.5")
		equal(t, "written", lines, 4)
		must(desk.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0], Refresh: true}))
		desk.Close()
		equal(t, "asked afterwards", b.asked.Load(), 4)
		s.sound()
	})
}

// eventful is a bureau that has no answer before something has happened.
type eventful struct {
	chained
	happens func()
}

func (b *eventful) Ask(ctx context.Context, q ports.Question) (ports.Answer, error) {
	b.happens()
	return b.chained.Ask(ctx, q)
}

// TestNobodyBarredIsCompared: not who is erased or blocked while the question is asked, nor for a purpose that ends.
// What is asked is what was asked of the chain.
func TestNobodyBarredIsCompared(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, b := s.add("caio", crm.Owner), &comparator{name: "z", says: "ana"}
		s.purpose("credito")
		s.purpose("cobranca")
		erase := func(document string, block bool) func() {
			return func() {
				who := privacyapp.SubjectQuery{OrgID: s.orgID, Document: document}
				must(s.subjects.Erase(t.Context(), owner, who, block)) // it ends when the call has
			}
		}
		for n, c := range []struct {
			what    string
			happens func()
			asked   int32
		}{
			{"nothing", func() {}, 1},
			{"erased", erase(cpfs[1], false), 0},
			{"blocked", erase(cpfs[2], true), 0},
			{"the purpose ends", func() {
				must(s.purposes.Set(t.Context(), owner, s.orgID, "credito", privacyapp.PurposeChange{Retired: at(true)}))
			}, 0},
		} {
			p, _ := products().Find(catalog.CPF)
			first := &eventful{chained{name: "a", price: 3000, says: "ana"}, c.happens}
			desk := s.through(ports.Chain{Compare: b.with(1, 1_000_000), Links: []ports.Link{
				{Name: "a", Product: p, Timeout: timeout, Bureau: first},
			}})
			b.asked.Store(0)
			_, err := desk.Do(t.Context(), owner, lookups.Request{Product: catalog.CPF, Document: cpfs[n], Purpose: "credito"})
			done(err)
			desk.Close()
			equal(t, c.what, b.asked.Load(), c.asked)
			equal(t, c.what+": for", b.saw.Load().Purpose, "credito")
		}
		s.sound()
	})
}

// TestNoFurtherBureauIsAskedAboutWhoIsBarred: not of who is erased or blocked while the first one is asked, which may
// be for hours; what that one said ends the question.
func TestNoFurtherBureauIsAskedAboutWhoIsBarred(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner := s.add("caio", crm.Owner)
		erase := func(document string, block bool) func() {
			return func() {
				who := privacyapp.SubjectQuery{OrgID: s.orgID, Document: document}
				must(s.subjects.Erase(t.Context(), owner, who, block)) // it ends when the question has
			}
		}
		for n, c := range []struct {
			what, says string
			happens    func()
			asked      int
		}{
			{"nothing", "not_charged", func() {}, 1},
			{"erased, not charged", "not_charged", erase(cpfs[1], false), 0},
			{"blocked, not charged", "not_charged", erase(cpfs[2], true), 0},
			{"erased, without a record", "nobody", erase(cpfs[3], false), 0},
		} {
			p, _ := products().Find(catalog.CPF)
			first := &eventful{chained{name: "a", price: 3000, says: c.says}, c.happens}
			next := &chained{name: "b", price: 6000, says: "ana"}
			desk := s.through(ports.Chain{OnNoRecord: true, Links: []ports.Link{
				{Name: "a", Product: p, Timeout: timeout, Bureau: first},
			}}, next)
			spent := must(s.statement.SpentToday(t.Context(), owner)).Amount
			_, _ = desk.Do(t.Context(), owner, lookups.Request{Product: catalog.CPF, Document: cpfs[n]})
			desk.Close()
			equal(t, c.what, next.asked, c.asked)
			if c.asked == 0 && c.says == "not_charged" {
				equal(t, c.what+": spent", must(s.statement.SpentToday(t.Context(), owner)).Amount, spent)
			}
		}
		s.sound()
	})
}

// TestAComparisonIsErasedWithItsPerson: its line has the document, and loses it.
func TestAComparisonIsErasedWithItsPerson(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, b := s.add("davi", crm.Owner), &comparator{name: "z", says: "ana"}
		desk := s.through(ports.Chain{Compare: b.with(1, 1_000_000)}, &chained{name: "a", price: 3000, says: "ana"})
		must(desk.Do(t.Context(), owner, lookups.Request{Product: catalog.CPF, Document: cpfs[3]}))
		desk.Close()
		who, spent := privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[3]}, s.account()
		done(s.subjects.Finish(t.Context(), must(s.subjects.Erase(t.Context(), owner, who, false)).ID))
		for _, e := range s.all() {
			equal(t, "erased", line(e.Bureau, e.Erased), line(e.Bureau, true))
		}
		equal(t, "what it cost", s.account(), spent)
		s.sound()
	})
}

// TestAComparisonSurvivesACrash as any call does: it is settled, charged and without an answer.
func TestAComparisonSurvivesACrash(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		at := s.now()
		e := lookup.Entry{
			ID: lookups.NewKeyID(), OrgID: s.orgID, Product: catalog.CPF, At: at, Status: lookup.Running, Compared: true,
			Charged: true, Amount: secondPrice, Bureau: "z", Day: calendar.Day(at), Month: calendar.Month(at),
			Document: must(products()[0].Parse(cpfs[0])), FollowedID: lookups.NewKeyID(),
		}
		begun := must(s.store.Repos().Calls.Begin(t.Context(), ports.Charge{Entry: e, Takes: timeout, Ceiling: secondPrice}))
		equal(t, "begun", begun, ports.Begun{})
		done(s.lookups.SettleAll(t.Context()))
		equal(t, "lines", s.linesOf(e.FollowedID), "z sem_resposta 0.5 seguida")
		equal(t, "account", s.account(), secondPrice)
		s.sound()
	})
}
