package app_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/automations"
	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/privacy"
	"fichario/domain/webhook"
	"fichario/ports"
)

// listen makes an automation that calls a system on an event.
func (s *setting) listen(event automation.EventName, when string) automation.Automation {
	s.t.Helper()
	return must(s.automations.Add(s.t.Context(), app.Operator(), automations.NewAutomation{
		OrgID: s.orgID, Name: string(event), Event: event, Action: automation.HTTP, URL: "https://x.example/" + string(event),
		When: when,
	}))
}

// events returns the names of the events sent to systems, in order.
func (s *setting) events() (names []string) {
	for _, call := range s.dispatcher.list() {
		names = append(names, string(call.Event.Name))
	}
	return names
}

// waiting returns the names of the events whose jobs were written.
func (s *setting) waiting() (names []string) {
	s.t.Helper()
	done(s.store.InTx(s.t.Context(), func(_ context.Context, r ports.Repos) error {
		names = nil
		for _, job := range must(r.JobQueue.Lock(s.t.Context(), automation.FanOut, 100)) {
			names = append(names, string(job.Event))
		}
		return nil
	}))
	slices.Sort(names)
	return names
}

// TestAnEventCostsNothingWhereNobodyListens: only a new contact always has a job.
func TestAnEventCostsNothingWhereNobodyListens(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		hook := s.hook(webhook.Signature{})
		made := must(s.contacts.Create(t.Context(), owner, bia()))
		everything := func() {
			stage := must(s.funnels.List(t.Context(), owner, s.orgID))[0].Stages[1]
			must(s.contacts.Move(t.Context(), owner, made.ID, stage.ID))
			done(s.contacts.Note(t.Context(), owner, made.ID, "oi"))
			must(s.lookups.Do(t.Context(), owner, lookups.Request{
				Product: "cpf", Document: "52998224725", ContactID: made.ID,
			}))
			must(s.lookups.Do(t.Context(), owner, lookups.Request{Product: "cpf", Document: "52998224725"}))
			_, err := s.intake.Receive(t.Context(), hook, post(`{"nome":"sem e-mail"}`))
			equal(t, "refused", err != nil, true)
		}
		everything()
		equal(t, "nobody listens", line(s.waiting()), line([]string{""}))
		s.work(s.worker(), time.Second)
		off := s.listen(automation.ContactMoved, "")
		done(s.automations.SetEnabled(t.Context(), owner, off.ID, false))
		for _, event := range []automation.EventName{
			automation.ContactUpdated, automation.LookupCompleted, automation.DeliveryRefused,
		} {
			s.listen(event, "")
		}
		must(s.contacts.Move(t.Context(), owner, made.ID, made.StageID))
		everything()
		equal(t, "those that somebody listens to", line(s.waiting()),
			line([]string{"contact.updated", "delivery.refused", "lookup.completed", "lookup.completed"}))
		s.work(s.worker(), 2*time.Second)
		told := s.events()
		slices.Sort(told)
		equal(t, "told", line(told),
			line([]string{"contact.updated", "delivery.refused", "lookup.completed", "lookup.completed"}))
		for _, call := range s.dispatcher.list() {
			switch e := call.Event; e.Name {
			case automation.ContactUpdated:
				equal(t, "updated", line(e.Contact.ID == made.ID, e.Changed), line(true, []string{"nota"}))
			case automation.DeliveryRefused:
				equal(t, "refused", line(e.Delivery.Code, e.Webhook), "email_invalido Site")
			case automation.LookupCompleted:
				equal(t, "looked up", line(e.Lookup.Entry.Product, len(e.Lookup.Record.Fields) > 2), "cpf true")
			}
		}
	})
}

// TestACapIsToldAtEightyAndAHundred, each once, to the team and to listening automations.
func TestACapIsToldAtEightyAndAHundred(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		s.listen(automation.CapReached, "")
		key, _ := s.key(access.Limits{PerMinute: 60, PerDay: 5, PerMonth: 100})
		for range 6 {
			_, _ = s.lookups.Do(t.Context(), app.ByKey(&key), lookups.Request{
				Product: "cpf", Document: "52998224725", Refresh: true,
			})
		}
		s.work(s.worker(), 2*time.Second)
		var told []string
		for _, call := range s.dispatcher.list() {
			c := call.Event.Cap
			told = append(told, line(c.Period, c.Percent, c.Used, c.Limit, c.KeyID == key.ID))
		}
		slices.Sort(told)
		equal(t, "told", line(told), line([]string{"dia 100 5 5 true", "dia 80 4 5 true"}))
		var texts []string
		for _, n := range must(s.notifications.List(t.Context(), owner, s.orgID, "", 10)) {
			texts = append(texts, line(n.Kind, strings.Contains(n.Text(), "limite diário"), n.ContactID))
		}
		equal(t, "notified", line(texts), line([]string{"limite true ", "limite true "}))
	})
}

// TestAConditionIsLookedAtOnTheRun: a failing one is reported in the run, and holds nothing up.
func TestAConditionIsLookedAtOnTheRun(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		results := map[string]string{
			`.valor >= 0`: "done status 204", `.valor > 5000`: "done a condição não vale para este evento",
			`.nome | startswith("B")`: "done status 204", `.nada`: "done a condição não vale para este evento",
			`.nome.nada`: "dead a condição falhou: não foi possível calcular a expressão com este evento, ou ela demora demais",
			`.nome`:      "dead a condição falhou: a expressão não dá verdadeiro nem falso",
			`[range(1e9)] | length > 1`: "dead a condição falhou: não foi possível calcular a expressão com este evento, ou " +
				"ela demora demais",
		}
		rules := map[string]string{}
		for when := range results {
			rules[s.listen(automation.ContactCreated, when).ID] = when
		}
		_, err := s.automations.Add(t.Context(), owner, automations.NewAutomation{
			OrgID: s.orgID, Name: "x", Event: automation.ContactCreated, Action: automation.AddNote, Text: "x", When: ".nome ==",
		})
		equal(t, "an expression that is none", said(err), "requisicao_invalida when")
		for _, blank := range []string{" ", "\n\t", "# .valor > 5", " # a\n #b"} {
			_, err := s.automations.Add(t.Context(), owner, automations.NewAutomation{
				OrgID: s.orgID, Name: "x", Event: automation.ContactCreated, Action: automation.AddNote, Text: "x", When: blank,
			})
			equal(t, "a blank expression is no condition", said(err), "requisicao_invalida when")
			for field, form := range map[string]automations.RequestForm{"body": {Body: blank}, "done": {Done: blank}} {
				_, err = s.automations.Add(t.Context(), owner, automations.NewAutomation{
					OrgID: s.orgID, Name: "x", Event: automation.ContactCreated, Action: automation.HTTP,
					URL: "https://x.example", RequestForm: form,
				})
				equal(t, "a blank "+field, said(err), "requisicao_invalida "+field)
			}
		}
		must(s.contacts.Create(t.Context(), owner, bia()))
		s.work(s.worker(), 5*time.Second)
		seen := 0
		for _, run := range must(s.automations.Runs(t.Context(), owner, s.orgID, automation.JobFilter{}, "", 50)) {
			if when, ok := rules[run.AutomationID]; ok {
				equal(t, when, line(run.State, run.Result), results[when])
				seen++
			}
		}
		equal(t, "runs", seen, len(results))
	})
}

// TestAutomationsThatFeedEachOther end: none triggers itself, and a chain has at most five.
func TestAutomationsThatFeedEachOther(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		note := func(event automation.EventName, name string) {
			must(s.automations.Add(t.Context(), app.Operator(), automations.NewAutomation{
				OrgID: s.orgID, Name: name, Event: event, Action: automation.AddNote, Text: name,
			}))
		}
		note(automation.ContactUpdated, "A")
		note(automation.ContactUpdated, "B")
		made := must(s.contacts.Create(t.Context(), owner, bia()))
		done(s.contacts.Note(t.Context(), owner, made.ID, "começa"))
		s.work(s.worker(), 30*time.Second)
		notes := strings.Count(s.contact(made.ID).Note, "A") + strings.Count(s.contact(made.ID).Note, "B")
		equal(t, "notes of two that feed each other: A, B, A after B, B after A", notes, 4)
		cut := 0
		for _, run := range must(s.automations.Runs(t.Context(), owner, s.orgID, automation.JobFilter{}, "", 100)) {
			equal(t, "state", run.State, automation.Done)
			if strings.HasPrefix(run.Result, "cadeia interrompida: o evento vem de uma mudança") {
				cut++
			}
		}
		equal(t, "runs that say where it was cut", cut, 6)
	})
}

// TestAChainHasFiveSteps at most, and says where it was cut.
func TestAChainHasFiveSteps(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		made := must(s.contacts.Create(t.Context(), owner, bia()))
		must(s.automations.Add(t.Context(), app.Operator(), automations.NewAutomation{
			OrgID: s.orgID, Name: "passo", Event: automation.ContactUpdated, Action: automation.AddNote, Text: "passo",
		}))
		for steps, want := range []string{4: "done nota adicionada", 5: "done cadeia interrompida: ela já tem 5 passos"} {
			if want == "" {
				continue
			}
			trail := automation.Trail("")
			for range steps {
				trail = trail.With(lookups.NewKeyID())
			}
			equal(t, "steps", trail.Steps(), steps)
			done(s.store.Repos().Jobs.Add(t.Context(), automation.Job{
				ID: lookups.NewKeyID(), OrgID: s.orgID, Kind: automation.FanOut, Event: automation.ContactUpdated,
				ContactID: made.ID,
				Trail:     trail, State: automation.Ready, RunAt: s.now(), CreatedAt: s.now(),
			}))
			s.work(s.worker(), 3*time.Second)
			said := false
			for _, run := range must(s.automations.Runs(t.Context(), owner, s.orgID, automation.JobFilter{}, "", 20)) {
				said = said || line(run.State, run.Result) == want
			}
			equal(t, want, said, true)
		}
		equal(t, "notes", strings.Count(s.contact(made.ID).Note, "passo"), 1)
	})
}

// TestALookupByItself is tied to the contact and the automation, within the ceiling, and charged once.
func TestALookupByItself(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		rule := must(s.automations.Add(t.Context(), owner, automations.NewAutomation{
			OrgID: s.orgID, Name: "Receita", Event: automation.ContactCreated, Action: automation.Lookup, Product: "cnpj",
			Ceiling: 2*price + price/2,
		}))
		s.listen(automation.LookupCompleted, `.contato != null and .automacao != null and (.campos | type) == "object"`)
		var contacts []crm.Contact
		for i, documents := range []string{"11222333000181, 529.982.247-25", "00000000000191, 90021382000122", "",
			"90024778000123"} {
			form := bia()
			form.Documents, form.Email = documents, fmt.Sprint(i, "@x.example")
			contacts = append(contacts, must(s.contacts.Create(t.Context(), owner, form)))
			s.work(s.worker(), 2*time.Second)
		}
		result := func(c crm.Contact) string {
			for _, run := range must(s.automations.Runs(t.Context(), owner, s.orgID,
				automation.JobFilter{ContactID: c.ID, AutomationID: rule.ID}, "", 10)) {
				return line(run.State, run.Result)
			}
			return ""
		}
		offered, _ := products().Find("cnpj")
		name := offered.Name
		equal(t, "one of two documents", result(contacts[0]), "done "+name+" consultado, "+catalog.Money(price).Reais())
		ceiling := "teto mensal de " + catalog.Money(2*price+price/2).Reais() + " atingido: nada mais foi consultado"
		equal(t, "at the ceiling", result(contacts[1]),
			"done "+name+" consultado, "+catalog.Money(price).Reais()+"; "+ceiling)
		equal(t, "without documents", result(contacts[2]), "done o contato não tem documento que este produto consulte")
		equal(t, "after it", result(contacts[3]), "done "+ceiling)
		equal(t, "calls", len(s.bureau.Asked()), 2)
		equal(t, "listeners", line(s.events()), line([]string{"lookup.completed", "lookup.completed"}))
		teto := 0
		for _, n := range must(s.notifications.List(t.Context(), owner, s.orgID, "", 50)) {
			if n.Kind == crm.CeilingReached {
				teto++
			}
		}
		equal(t, "notified once", teto, 1)
		page := must(s.store.Repos().LookupContacts.OfContact(t.Context(), s.orgID, contacts[0].ID, 10))
		equal(t, "statement", line(len(page), page[0].AutomationID == rule.ID, page[0].MemberID+page[0].KeyID), "1 true ")

		run := must(s.automations.Runs(t.Context(), owner, s.orgID,
			automation.JobFilter{ContactID: contacts[0].ID, AutomationID: rule.ID}, "", 10))[0]
		run.State, run.Attempts = automation.Ready, 0
		done(errors.Join(s.store.Repos().JobQueue.Remove(t.Context(), run), s.store.Repos().Jobs.Add(t.Context(), run)))
		s.work(s.worker(), 2*time.Second)
		equal(t, "the same run again", line(result(contacts[0]), len(s.bureau.Asked())),
			"done "+name+" consultado, "+catalog.Money(price).Reais()+" 2")
	})
}

// TestARaisedCeiling is reported when it is reached too, each once a month.
func TestARaisedCeiling(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		form := automations.NewAutomation{
			OrgID: s.orgID, Name: "Receita", Event: automation.ContactCreated, Action: automation.Lookup, Product: catalog.CPF,
			Ceiling: price,
		}
		rule := must(s.automations.Add(t.Context(), owner, form))
		arrive := func(documents ...string) {
			for _, document := range documents {
				contact := bia()
				contact.Documents, contact.Email = document, document+"@x.example"
				must(s.contacts.Create(t.Context(), owner, contact))
				s.work(s.worker(), 2*time.Second)
			}
		}
		told := func() (texts []string) {
			for _, n := range must(s.notifications.List(t.Context(), owner, s.orgID, "", 50)) {
				if n.Kind == crm.CeilingReached {
					texts = append(texts, n.Subject)
				}
			}
			slices.Reverse(texts)
			return texts
		}
		reached := func(ceiling catalog.Money) string {
			return "A automação Receita atingiu o teto de " + ceiling.Reais() + " deste mês e não consulta mais até o próximo."
		}
		arrive(someCPFs(9000, 3)...)
		equal(t, "at the first", line(told()), line([]string{reached(price)}))
		form.Ceiling = 2 * price
		done(s.automations.Edit(t.Context(), owner, rule.ID, form))
		arrive(someCPFs(9010, 3)...)
		equal(t, "at the second", line(told()), line([]string{reached(price), reached(2 * price)}))
	})
}

// TestABlockCountsBeforeItsErasureIsDone: until then history still has the answer, but gives it to nobody.
func TestABlockCountsBeforeItsErasureIsDone(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, key := s.add("dona", crm.Owner), s.byKey(wide)
		must(s.ask(key, lookups.Request{Document: cpfs[0]}))
		must(s.ask(key, lookups.Request{Document: cpfs[1]}))
		e := must(s.subjects.Erase(t.Context(), owner, privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}, true))
		for _, req := range []lookups.Request{{Document: cpfs[0]}, {Document: cpfs[0], Free: true}} {
			_, err := s.ask(key, req)
			equal(t, "who is blocked", said(err), "titular_bloqueado")
		}
		other := must(s.ask(key, lookups.Request{Document: cpfs[1]}))
		equal(t, "somebody else, from history", other.Entry.Cache, true)
		done(s.subjects.Finish(t.Context(), e.ID))
		equal(t, "lookups", len(must(s.statement.Page(t.Context(), key, lookups.StatementQuery{})).Entries), 3)
		equal(t, "calls", len(s.bureau.Asked()), 2)
	})
}

// TestALookupByItselfOfABlockedPerson is neither made nor retried; those for the other documents are made.
func TestALookupByItselfOfABlockedPerson(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		rule := must(s.automations.Add(t.Context(), owner, automations.NewAutomation{
			OrgID: s.orgID, Name: "Receita", Event: automation.ContactCreated, Action: automation.Lookup, Product: "cnpj",
			Ceiling: 10 * price,
		}))
		blocked, _ := privacy.OfDocument(document.Restore(document.CNPJ, "00000000000191"))
		hashes := must(s.store.Repos().Subjects.Hashes(t.Context(), s.orgID, blocked))
		done(s.store.InTx(t.Context(), func(_ context.Context, r ports.Repos) error {
			return r.SubjectBlocks.Block(t.Context(),
				privacy.Block{ErasureID: rule.ID, OrgID: s.orgID, At: s.now(), Hashes: hashes})
		}))
		form := bia()
		form.Documents = "00000000000191, 90021382000122"
		c := must(s.contacts.Create(t.Context(), owner, form))
		s.work(s.worker(), 2*time.Second)
		runs := must(s.automations.Runs(t.Context(), owner, s.orgID,
			automation.JobFilter{ContactID: c.ID, AutomationID: rule.ID}, "", 10))
		offered, _ := products().Find("cnpj")
		equal(t, "one of two", line(runs[0].State, runs[0].Result), line(automation.Done, offered.Name+
			": o titular pediu para não ser consultado, nada foi cobrado; "+offered.Name+" consultado, "+catalog.Money(price).Reais()))
		equal(t, "calls", len(s.bureau.Asked()), 1)
	})
}

// TestNewLookupsByThemselvesAreHeldToTheirForm: a ceiling is required.
func TestNewLookupsByThemselvesAreHeldToTheirForm(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	good := automations.NewAutomation{
		OrgID: s.orgID, Name: "x", Event: automation.ContactCreated, Action: automation.Lookup, Product: "cnpj",
		Ceiling: 50 * catalog.Real,
	}
	old := 31
	for _, c := range []struct {
		change func(*automations.NewAutomation)
		want   string
	}{
		{func(*automations.NewAutomation) {}, ""},
		{func(n *automations.NewAutomation) { n.Ceiling = 0 }, "monthlyCeiling"},
		{func(n *automations.NewAutomation) { n.Product = "" }, "product"},
		{func(n *automations.NewAutomation) { n.Product = "nada" }, "product"},
		{func(n *automations.NewAutomation) { n.MaxAge = &old }, "maxAge"},
		{func(n *automations.NewAutomation) { n.Event = automation.CapReached }, "event"},
		{func(n *automations.NewAutomation) { n.Action, n.Product, n.Text = automation.AddNote, "", "x" }, "monthlyCeiling"},
	} {
		n := good
		c.change(&n)
		_, err := s.automations.Add(t.Context(), app.Operator(), n)
		want := ""
		if c.want != "" {
			want = "requisicao_invalida " + c.want
		}
		equal(t, c.want, said(err), want)
	}
}
