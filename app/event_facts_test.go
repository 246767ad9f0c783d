package app_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/automations"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/tests/testkit/patience"
)

// workers runs jobs as so many instances do, until the function that it returns is called.
func (s *setting) workers(n int) (stop func()) {
	ctx, cancel := context.WithCancel(s.t.Context())
	var running sync.WaitGroup
	for range n {
		running.Go(func() { automations.NewJobs(s.worker()).Run(ctx) })
	}
	return func() { cancel(); running.Wait() }
}

// moved returns the moves that a rule's receiver was told of, by contact.
func (s *setting) moved(rule string) map[string][]string {
	out := map[string][]string{}
	for _, call := range s.dispatcher.list() {
		if e := call.Event; call.URL == rule {
			out[e.Contact.ID] = append(out[e.Contact.ID], e.From+" → "+e.Contact.Stage)
		}
	}
	return out
}

// TestEachMoveIsToldAsItWas: with one rule for each stage, each runs once for the move into it, however fast the next
// move follows.
func TestEachMoveIsToldAsItWas(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		stages := must(s.funnels.List(t.Context(), owner, s.orgID))[0].Stages[:3]
		rules := make([]string, 3)
		for i, stage := range stages {
			rules[i] = must(s.automations.Add(t.Context(), app.Operator(), automations.NewAutomation{
				OrgID: s.orgID, Name: stage.Name, Event: automation.ContactMoved, Action: automation.HTTP,
				URL: fmt.Sprintf("https://x.example/%d", i), When: fmt.Sprintf(".etapa == %q", stage.Name),
			})).Action.URL
		}
		stop := s.workers(2)
		pauses := []time.Duration{0, 0, 20, 50, 80, 120, 200, 400, 800}
		ids := make([]string, len(pauses))
		var all sync.WaitGroup
		for i, pause := range pauses {
			form := bia()
			form.Email = fmt.Sprint(i, form.Email)
			ids[i] = must(s.contacts.Create(t.Context(), owner, form)).ID
			all.Go(func() {
				must(s.contacts.Move(t.Context(), owner, ids[i], stages[1].ID))
				time.Sleep(pause * time.Millisecond)
				must(s.contacts.Move(t.Context(), owner, ids[i], stages[2].ID))
			})
		}
		all.Wait()
		finished := func() (n int) {
			for _, run := range must(s.automations.Runs(t.Context(), app.Operator(), s.orgID, automation.JobFilter{}, "", 200)) {
				if run.State == automation.Done {
					n++
				}
			}
			return n
		}
		patience.Every(t, 50*time.Millisecond, "every rule looked at every move", func() bool { return finished() == 2*3*len(pauses) })
		stop()
		equal(t, "into the first", len(s.moved(rules[0])), 0)
		second, third := s.moved(rules[1]), s.moved(rules[2])
		for i, id := range ids {
			equal(t, fmt.Sprint("pause ", pauses[i]), line(second[id], third[id]), line(
				[]string{stages[0].Name + " → " + stages[1].Name}, []string{stages[1].Name + " → " + stages[2].Name}))
		}
	})
}

// TestTheEventsOfAContactInOrder: a receiver is told of a contact's events one after the other, and one that is tried
// again holds the next ones of that contact, and of no other.
func TestTheEventsOfAContactInOrder(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		stages := must(s.funnels.List(t.Context(), owner, s.orgID))[0].Stages
		rule := s.listen(automation.ContactMoved, "")
		var mu sync.Mutex
		failed, now := map[string]bool{}, map[string]int{}
		held := must(s.contacts.Create(t.Context(), owner, bia())).ID
		s.dispatcher.script = func(_ context.Context, c ports.Call) (int, error) {
			id := c.Event.Contact.ID
			mu.Lock()
			first := id == held && !failed[id]
			failed[id] = true
			now[id]++
			if now[id] > 1 {
				t.Error("two at once for one contact")
			}
			mu.Unlock()
			time.Sleep(10 * time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			now[id]--
			if first {
				return 503, &ports.SendError{Reason: "status 503"}
			}
			return 204, nil
		}
		stop := s.workers(2)
		ids := []string{held}
		for i := range 4 {
			form := bia()
			form.Email = fmt.Sprint(i, form.Email)
			ids = append(ids, must(s.contacts.Create(t.Context(), owner, form)).ID)
		}
		path := []int{1, 2, 3, 1, 2, 0}
		var all sync.WaitGroup
		for _, id := range ids {
			all.Go(func() {
				for _, to := range path {
					must(s.contacts.Move(t.Context(), owner, id, stages[to].ID))
				}
			})
		}
		all.Wait()
		want := make([]string, len(path))
		for i, to := range path {
			from := 0
			if i > 0 {
				from = path[i-1]
			}
			want[i] = stages[from].Name + " → " + stages[to].Name
		}
		patience.Until(t, "all were told", func() bool { return len(s.dispatcher.list()) == len(ids)*len(path)+1 })
		stop()
		for _, id := range ids {
			expected := want
			if id == held {
				expected = append([]string{want[0]}, want...)
			}
			equal(t, "told", line(s.moved(rule.Action.URL)[id]), line(expected))
		}
	})
}

// TestAnAssignmentIsToldAsItWas with who had the contact before, and who was given it.
func TestAnAssignmentIsToldAsItWas(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, ana, rui := s.add("dona", crm.Owner), s.add("ana", crm.Common), s.add("rui", crm.Common)
		made := must(s.contacts.Create(t.Context(), owner, bia()))
		s.listen(automation.ContactUpdated, "")
		s.listen(automation.ContactCreated, "")
		done(s.contacts.Assign(t.Context(), owner, made.ID, ana.MemberID()))
		done(s.contacts.Assign(t.Context(), owner, made.ID, rui.MemberID()))
		form := bia()
		form.Amount = "99"
		done(s.contacts.Edit(t.Context(), owner, made.ID, form))
		must(s.contacts.Move(t.Context(), owner, made.ID, must(s.funnels.List(t.Context(), owner, s.orgID))[0].Stages[2].ID))
		s.work(s.worker(), 2*time.Second)
		var told []string
		for _, c := range s.dispatcher.list() {
			e := c.Event
			told = append(told, line(e.Name, e.Changed, e.Before.Name, "→", e.Contact.Assignee.Name, e.Contact.Stage,
				e.Contact.Amount.Reais()))
		}
		slices.SortFunc(told, cmp.Compare[string])
		equal(t, "told", line(told), line([]string{
			"contact.created []  → dona Novo " + made.Amount.Reais(),
			"contact.updated [responsável] ana → rui Novo " + made.Amount.Reais(),
			"contact.updated [responsável] dona → ana Novo " + made.Amount.Reais(),
			"contact.updated [valor]  → rui Novo R$\u00a099,00",
		}))
	})
}

// TestWhatIsQueuedIsAnnounced: every use case that makes jobs due wakes those who do them, once it is committed.
func TestWhatIsQueuedIsAnnounced(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		for _, event := range automation.Events() {
			s.listen(event, "")
		}
		hook := s.hook(webhook.Signature{})
		var made, other crm.Contact
		stage := must(s.funnels.List(t.Context(), owner, s.orgID))[0].Stages[1].ID
		key, _ := s.key(access.Limits{PerMinute: 60, PerDay: 2, PerMonth: 100})
		lookUp := func(refresh bool) {
			must(s.lookups.Do(t.Context(), app.ByKey(&key), lookups.Request{
				Product: "cpf", Document: "52998224725", Refresh: refresh,
			}))
		}
		for _, step := range []struct {
			name string
			do   func()
		}{
			{"a post", func() { s.arrive(hook, "a") }},
			{"a post of several", func() {
				must(s.intake.Receive(t.Context(), hook, post(`{"leads":[{"email":"b@x.example"},{"email":"c@x.example"}]}`)))
			}},
			{"a refused post", func() { _, _ = s.intake.Receive(t.Context(), hook, post(`{"nome":"sem e-mail"}`)) }},
			{"by hand", func() { made = must(s.contacts.Create(t.Context(), owner, bia())) }},
			{"another", func() { other = must(s.contacts.Create(t.Context(), owner, bia())) }},
			{"a move", func() { must(s.contacts.Move(t.Context(), owner, made.ID, stage)) }},
			{"a note", func() { done(s.contacts.Note(t.Context(), owner, made.ID, "oi")) }},
			{"a merge", func() { done(s.contacts.Merge(t.Context(), owner, made.ID, other.ID)) }},
			{"a parting", func() { done(s.contacts.Part(t.Context(), owner, made.ID, other.ID)) }},
			{"a lookup that the bureau answers", func() { lookUp(true) }},
			{"a lookup from history", func() { lookUp(false) }},
		} {
			before := s.woken.Load()
			step.do()
			if s.woken.Load() == before {
				t.Error("not announced:", step.name)
			}
		}
		before := s.woken.Load()
		must(s.contacts.Move(t.Context(), owner, made.ID, stage))
		equal(t, "a move that changes nothing", s.woken.Load(), before)
	})
}

// TestAutomationsThatAnswerEachOtherAreStopped: beside the depth of a chain, a contact gets only so many runs an hour
// because of other automations, and the team is told once.
func TestAutomationsThatAnswerEachOtherAreStopped(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		for i := range 5 {
			must(s.automations.Add(t.Context(), app.Operator(), automations.NewAutomation{
				OrgID: s.orgID, Name: fmt.Sprint("nota ", i), Event: automation.ContactUpdated, Action: automation.AddNote, Text: "eco",
			}))
		}
		made, other := must(s.contacts.Create(t.Context(), owner, bia())), must(s.contacts.Create(t.Context(), owner, bia()))
		notes := func(id string) int { return strings.Count(s.contact(id).Note, "eco") }
		done(s.contacts.Note(t.Context(), owner, made.ID, "começa"))
		s.work(s.worker(), time.Minute)
		equal(t, "five by the note, thirty by each other", notes(made.ID), 5+automation.MaxAnswers)
		done(s.contacts.Note(t.Context(), owner, made.ID, "de novo"))
		s.work(s.worker(), time.Minute)
		equal(t, "in the same hour only by the note", notes(made.ID), 10+automation.MaxAnswers)
		done(s.contacts.Note(t.Context(), owner, other.ID, "outro"))
		s.work(s.worker(), time.Minute)
		equal(t, "another contact", notes(other.ID), 5+automation.MaxAnswers)
		told := 0
		for _, n := range must(s.notifications.List(t.Context(), owner, s.orgID, "", 50)) {
			if n.Kind == crm.ChainCut {
				told++
				equal(t, "about", n.ContactID, made.ID)
			}
		}
		equal(t, "the team is told", told, 1)
		time.Sleep(time.Hour)
		done(s.contacts.Note(t.Context(), owner, made.ID, "mais tarde"))
		s.work(s.worker(), time.Minute)
		equal(t, "an hour later", notes(made.ID), 15+2*automation.MaxAnswers)
	})
}

// TestACreatedContactIsToldOfAsBefore when a run is repeated, and after the contact became part of another one.
func TestACreatedContactIsToldOfAsBefore(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, hook := s.add("dona", crm.Owner), s.hook(webhook.Signature{})
		other := s.arrive(hook, "ana")
		forgetNew(s)
		time.Sleep(time.Hour)
		rule := s.rule(automations.NewAutomation{Action: automation.HTTP, URL: "https://x.example/a"})
		came := s.arrive(hook, "bia")
		s.work(s.worker(), time.Second)
		run := must(s.automations.Runs(t.Context(), owner, s.orgID, automation.JobFilter{AutomationID: rule.ID}, "", 9))[0]
		must(s.automations.RunAgain(t.Context(), owner, run.ID))
		s.work(s.worker(), time.Second)
		done(s.contacts.Merge(t.Context(), owner, other.ID, came.ID))
		must(s.automations.RunAgain(t.Context(), owner, run.ID))
		s.work(s.worker(), time.Second)
		told := s.dispatcher.list()
		equal(t, "calls", len(told), 3)
		for _, call := range told {
			equal(t, "the event", line(call.Event.ID, call.Event.At.UTC()), line(told[0].Event.ID, came.CreatedAt.UTC()))
		}
	})
}
