package app_test

import (
	"fmt"
	"testing"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/automations"
	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/privacy"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/ports/portstest"
)

// TestALookupOfAnOldRun: a run revived days after it was made leaves a lookup that is found by its day and among the
// person's data, and that is not repeated where its instance dies after it.
func TestALookupOfAnOldRun(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		body := post(`{"email":"a@x.example","cpf":"` + cpfs[0] + `"}`)
		c := must(s.intake.Receive(t.Context(), s.hook(webhook.Signature{}), body))
		s.work(s.worker(), 200*time.Millisecond) // nobody listens yet
		rule := s.rule(automations.NewAutomation{Action: automation.Lookup, Product: catalog.CPF, Ceiling: 10 * catalog.Real})
		made := s.now().Add(-48 * time.Hour)
		job := automation.Job{
			ID: fmt.Sprintf("%08x-%04x-7000-8000-000000000010", made.UnixMilli()>>16, made.UnixMilli()&0xffff), OrgID: s.orgID,
			Kind: automation.RunAutomation, ContactID: c.ContactID, AutomationID: rule.ID, State: automation.Dead,
			RunAt: made, CreatedAt: made, EndedAt: made, Result: "bureau_indisponivel",
		}
		repos := s.store.Repos()
		done(repos.Jobs.Add(t.Context(), job))
		done(s.store.(*gormstore.Store).CatchUp(t.Context()))
		for range 2 { // the second time as after a crash that kept its end from being written
			must(s.automations.RunAgain(t.Context(), owner, job.ID))
			for tries := 0; tries < 50 && job.State != automation.Done; tries++ {
				s.work(s.worker(), 200*time.Millisecond)
				job = must(repos.JobRuns.Find(t.Context(), ports.AnyOrg, job.ID))
			}
			equal(t, "the run", job.State, automation.Done)
			job.State = automation.Dead
			equal(t, "written", must(repos.JobQueue.Finish(t.Context(), job)), 1)
		}
		today := calendar.Day(s.now())
		page := must(s.statement.Page(t.Context(), owner, lookups.StatementQuery{From: today, Until: today}))
		equal(t, "lookups of today", len(page.Entries), 1)
		who := privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
		equal(t, "lookups of the person", must(s.subjects.Count(t.Context(), owner, who, 0)).Counts[privacy.Lookups], 1)
	})
}

// lookupRun is a run that looks up the CPF of a contact that has just come in.
func (s *setting) lookupRun() automation.Job {
	s.t.Helper()
	body := post(`{"email":"a@x.example","cpf":"` + cpfs[0] + `"}`)
	c := must(s.intake.Receive(s.t.Context(), s.hook(webhook.Signature{}), body))
	forgetNew(s)
	return s.ready(s.rule(automations.NewAutomation{
		Action: automation.Lookup, Product: catalog.CPF, Ceiling: 10 * catalog.Real,
	}), c.ContactID)
}

// TestARunWhoseBureauIsCalledBack is tried again soon, although the bureau was to be out for weeks.
func TestARunWhoseBureauIsCalledBack(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		s.lookups = s.through(ports.Chain{}, &chained{name: "a", price: price, says: "ana"})
		job := s.lookupRun()
		done(s.lookups.bureaus.TakeOut(t.Context(), app.Operator(), "a", 20*24*time.Hour))
		s.work(s.worker(), time.Second)
		equal(t, "out", s.job(job.ID).State, automation.Ready)
		must(s.lookups.bureaus.Back(t.Context(), app.Operator(), "a"))
		s.work(s.worker(), 10*time.Minute)
		equal(t, "back", s.job(job.ID).State, automation.Done)
	})
}

// TestALookupThatTakesLongerThanAnAttempt is charged, and never said not to have been made; the next attempt finds it.
func TestALookupThatTakesLongerThanAnAttempt(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		product, _ := products().Find(catalog.CPF)
		answer := make(chan struct{})
		s.bureau.Script = portstest.Holds(answer)
		s.lookups = s.linked(ports.Chain{Links: []ports.Link{
			{Name: "a", Product: product, Timeout: time.Minute, Bureau: s.bureau},
		}})
		job := s.lookupRun()
		s.work(s.worker(), 25500*time.Millisecond)
		waits := s.job(job.ID)
		equal(t, "after an attempt", line(waits.State, waits.Result), "ready a consulta ainda está em andamento")
		close(answer)
		s.work(s.worker(), time.Minute)
		ended := s.job(job.ID)
		equal(t, "in the end", line(ended.State, ended.Result), "done Cadastro de pessoa consultado, R$\u00a00,45")
	})
}

// TestAutomationsAskNothingWhereLookupsAreOff, or where the product is not offered: their runs wait, as they do for a
// bureau that is away.
func TestAutomationsAskNothingWhereLookupsAreOff(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		job := s.lookupRun()
		off := s.worker()
		off.LookupsOff = true
		s.work(off, time.Second)
		waits := s.job(job.ID)
		today := calendar.Day(s.now())
		page := must(s.statement.Page(t.Context(), owner, lookups.StatementQuery{From: today, Until: today}))
		equal(t, "off", line(waits.State, waits.Result, len(page.Entries)),
			"ready as consultas estão desligadas nesta instância 0")
		without := s.worker()
		without.Terms = lookups.NewTerms(nil, timeout, fresh, calendar)
		s.work(without, 10*time.Second)
		waits = s.job(job.ID)
		equal(t, "not offered", line(waits.State, waits.Result), "ready o produto não é oferecido nesta instância")
		s.work(s.worker(), 10*time.Minute)
		equal(t, "on", s.job(job.ID).State, automation.Done)
	})
}

// TestAnAutomationHasNoInputs: one for a product that cannot do without is refused, and a run from before the product
// needed any ends at once and says what is missing.
func TestAnAutomationHasNoInputs(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		s.add("dona", crm.Owner)
		n := automations.NewAutomation{Action: automation.Lookup, Product: catalog.CPF, Ceiling: 10 * catalog.Real}
		rule := s.rule(n)
		body := post(`{"email":"a@x.example","cpf":"` + cpfs[0] + `"}`)
		c := must(s.intake.Receive(t.Context(), s.hook(webhook.Signature{}), body))
		forgetNew(s)
		job := s.ready(rule, c.ContactID)
		birth := catalog.Input{Name: "nascimento", Label: "Data de nascimento", Type: catalog.InputDate, Required: true}
		for _, o := range []struct {
			input      catalog.Input
			made, runs string
		}{
			{birth, "requisicao_invalida product", "dead o produto precisa de Data de nascimento, que uma automação não tem"},
			{catalog.Input{Name: "uf", Type: catalog.InputState}, "", "done Cadastro de pessoa consultado, R$\u00a00,45"},
		} {
			offered, asker := s.needing(&asksFor{}, o.input)
			with := means(true)
			with.Catalog = offered
			n.OrgID, n.Event, n.Name = s.orgID, automation.ContactCreated, "Regra"
			_, err := automations.New(s.store, s.now, with).Add(t.Context(), app.Operator(), n)
			equal(t, "made", said(err), o.made)
			worker := s.worker()
			worker.Asker, worker.Terms = asker, lookups.NewTerms(offered, timeout, fresh, calendar)
			s.work(worker, time.Second)
			job = s.job(job.ID)
			equal(t, "run", line(job.State, job.Result), o.runs)
			if job.State == automation.Dead {
				must(s.automations.RunAgain(t.Context(), app.Operator(), job.ID))
			}
		}
	})
}
