package app_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/automations"
	"fichario/app/lookups"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/webhook"
	"fichario/ports"
)

// rule makes an automation for new contacts.
func (s *setting) rule(n automations.NewAutomation) automation.Automation {
	s.t.Helper()
	n.OrgID, n.Event = s.orgID, automation.ContactCreated
	if n.Name == "" {
		n.Name = string(n.Action)
	}
	return must(s.automations.Add(s.t.Context(), app.Operator(), n))
}

// TestNewAutomationsAreHeldToTheirForm: each action has what it needs and nothing else, and names refer to the
// organisation's own.
func TestNewAutomationsAreHeldToTheirForm(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	s.add("ana", crm.Common)
	s.hook(webhook.Signature{})
	theirs := s.another()
	theirHook, theirMember := theirs.hook(webhook.Signature{}), theirs.add("rui", crm.Owner)
	type n = automations.NewAutomation
	post := n{Action: automation.HTTP, URL: "https://x.example/a"}
	mail := n{Action: automation.Email, To: "contact", Subject: "Olá", Text: "{nome}"}
	with := func(n automations.NewAutomation, change func(*automations.NewAutomation)) automations.NewAutomation {
		change(&n)
		return n
	}
	for _, c := range []struct {
		n    n
		want string
	}{
		{post, ""},
		{with(post, func(n *automations.NewAutomation) { n.Name = " " }), "name"},
		{with(post, func(n *automations.NewAutomation) { n.Event = "contact.deleted" }), "event"},
		{n{Action: "sms"}, "action"},
		{with(post, func(n *automations.NewAutomation) { n.MinAmount = -1 }), "minValue"},
		{n{Action: automation.HTTP}, "url"},
		{n{Action: automation.HTTP, URL: "ftp://x.example"}, "url"},
		{n{Action: automation.HTTP, URL: "https://ana:senha@x.example"}, "url"},
		{n{Action: automation.HTTP, URL: "https://x.example/" + strings.Repeat("a", 2000)}, "url"},
		{with(post, func(n *automations.NewAutomation) { n.Text = "sobra" }), "text"},
		{with(post, func(n *automations.NewAutomation) { n.Stage = "Novo" }), "stage"},
		{mail, ""},
		{with(mail, func(n *automations.NewAutomation) { n.To = " Ana@X.example " }), ""},
		{with(mail, func(n *automations.NewAutomation) { n.To = "ninguém" }), "to"},
		{with(mail, func(n *automations.NewAutomation) { n.Subject = " " }), "subject"},
		{with(mail, func(n *automations.NewAutomation) { n.Text = strings.Repeat("x", 10_001) }), "text"},
		{n{Action: automation.MoveStage, Stage: "NEGOCIACAO"}, ""},
		{n{Action: automation.MoveStage, Stage: "Fechado"}, "stage"},
		{n{Action: automation.Assign, Member: strings.ToUpper(s.email("ana"))}, ""},
		{n{Action: automation.Assign, Member: theirs.email("rui")}, "member"},
		{n{Action: automation.Assign, Member: theirMember.MemberID()}, "member"},
		{n{Action: automation.AddNote, Text: "oi"}, ""},
		{n{Action: automation.AddNote, Text: "oi", Origin: "Feira"}, "origin"},
		{n{Action: automation.AddNote, Text: "oi", WebhookID: theirHook.ID}, "webhook"},
	} {
		if c.n.Name == "" {
			c.n.Name = "Regra"
		}
		if c.n.Event == "" {
			c.n.Event = automation.ContactCreated
		}
		c.n.OrgID = s.orgID
		_, err := s.automations.Add(t.Context(), app.Operator(), c.n)
		got := said(err)
		equal(t, fmt.Sprintf("%+v", c.n), got[strings.LastIndexByte(got, ' ')+1:], c.want)
	}
	equal(t, "automations", len(must(s.automations.List(t.Context(), app.Operator(), s.orgID))), 6)
}

// TestAnEditKeepsTheSecret of an http action that remains one; a new one gets a new secret.
func TestAnEditKeepsTheSecret(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	rule := s.rule(automations.NewAutomation{Action: automation.HTTP, URL: "https://x.example/a"})
	edit := func(n automations.NewAutomation) automation.Action {
		n.Name, n.Event = "Regra", automation.ContactCreated
		done(s.automations.Edit(t.Context(), owner, rule.ID, n))
		return must(s.automations.Find(t.Context(), owner, rule.ID)).Action
	}
	moved := edit(automations.NewAutomation{Action: automation.HTTP, URL: "https://x.example/b"})
	equal(t, "another address", line(moved.URL, moved.Secret == rule.Action.Secret), "https://x.example/b true")
	equal(t, "no address", edit(automations.NewAutomation{Action: automation.AddNote, Text: "oi"}).Secret, "")
	anew := edit(automations.NewAutomation{Action: automation.HTTP, URL: "https://x.example/c"}).Secret
	equal(t, "an address again", anew != "" && anew != rule.Action.Secret, true)
}

// ended adds a run to the queue that has ended in a state.
func (s *setting) ended(rule automation.Automation, contactID string, state automation.JobState) automation.Job {
	s.t.Helper()
	job := automation.Job{
		ID: lookups.NewKeyID(), OrgID: s.orgID, Kind: automation.RunAutomation, ContactID: contactID, AutomationID: rule.ID,
		State: state, Attempts: 3, RunAt: s.now(), CreatedAt: s.now(), Result: "antes", EndedAt: s.now(),
	}
	if state == automation.Ready {
		job.RunAt = s.now().Add(time.Hour)
	}
	done(s.store.Repos().Jobs.Add(s.t.Context(), job))
	return job
}

func (s *setting) job(id string) automation.Job {
	s.t.Helper()
	return must(s.store.Repos().JobRuns.Find(s.t.Context(), ports.AnyOrg, id))
}

// TestRunsAreMadeAgain: a dead one under its own id, so that its receiver recognises it; a successful one as a new run.
func TestRunsAreMadeAgain(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	c := must(s.contacts.Create(t.Context(), owner, bia()))
	rule := s.rule(automations.NewAutomation{Action: automation.AddNote, Text: "oi"})
	again := func(job automation.Job) (string, error) { return s.automations.RunAgain(t.Context(), owner, job.ID) }

	dead := s.ended(rule, c.ID, automation.Dead)
	equal(t, "a dead one", must(again(dead)), dead.ID)
	revived := s.job(dead.ID)
	equal(t, "it begins anew", line(revived.State, revived.Attempts), "ready 0")
	_, err := again(dead)
	equal(t, "one in the queue", said(err), "requisicao_invalida run")
	waits := s.ended(rule, c.ID, automation.Ready)
	equal(t, "one that waits for its next attempt", must(again(waits)), waits.ID)
	equal(t, "it is due", s.job(waits.ID).Attempts, 0)
	well := s.ended(rule, c.ID, automation.Done)
	made := s.job(must(again(well)))
	equal(t, "of one that went well", line(made.ID != well.ID, made.State, made.AutomationID, made.ContactID),
		line(true, automation.Ready, rule.ID, c.ID))
	equal(t, "the one that went well", s.job(well.ID).State, automation.Done)

	for range 3 {
		s.ended(rule, c.ID, automation.Dead)
	}
	off := s.rule(automations.NewAutomation{Action: automation.AddNote, Text: "nada"})
	done(s.automations.SetEnabled(t.Context(), owner, off.ID, false))
	stays := s.ended(off, c.ID, automation.Dead)
	_, err = again(stays)
	equal(t, "of a disabled automation", said(err), "requisicao_invalida run")
	theirs := s.another()
	other := theirs.ended(theirs.rule(automations.NewAutomation{Action: automation.AddNote, Text: "oi"}), c.ID,
		automation.Dead)
	equal(t, "failed", must(s.automations.CountFailed(t.Context(), owner)), 3)
	revivedAll, left, err := s.automations.RunFailedAgain(t.Context(), owner)
	equal(t, "run again", line(revivedAll, left, err), line(3, 1, nil))
	equal(t, "failed then", must(s.automations.CountFailed(t.Context(), owner)), 0)
	equal(t, "of the disabled one", s.job(stays.ID).State, automation.Dead)
	equal(t, "those of others", s.job(other.ID).State, automation.Dead)
	_, err = s.automations.RunAgain(t.Context(), owner, other.ID)
	equal(t, "one of others", said(err), "nao_encontrado run")

	// However many belong to the disabled one, they hide no others.
	s.ended(rule, c.ID, automation.Dead)
	for range 500 {
		s.ended(off, c.ID, automation.Dead)
	}
	equal(t, "failed behind those of the disabled one", must(s.automations.CountFailed(t.Context(), owner)), 1)
	revivedAll, _, err = s.automations.RunFailedAgain(t.Context(), owner)
	equal(t, "run again behind those of the disabled one", line(revivedAll, err), line(1, nil))

	for range 2 {
		waits = s.ended(rule, c.ID, automation.Ready)
	}
	rests := s.ended(off, c.ID, automation.Ready)
	equal(t, "waiting", must(s.automations.CountWaiting(t.Context(), owner)), 2)
	equal(t, "tried now", must(s.automations.RunWaitingNow(t.Context(), owner)), 2)
	equal(t, "waiting then", line(must(s.automations.CountWaiting(t.Context(), owner)), s.job(waits.ID).Attempts), "0 0")
	equal(t, "the one that was given up", s.job(stays.ID).State, automation.Dead)
	equal(t, "the one that waits for the disabled one", s.job(rests.ID).Attempts, 3)
}

// TestRunsAreShown: those given up first, each once, with names.
func TestRunsAreShown(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	c := must(s.contacts.Create(t.Context(), owner, bia()))
	rule := s.rule(automations.NewAutomation{Name: "Saudar", Action: automation.AddNote, Text: "oi"})
	for _, state := range []automation.JobState{automation.Dead, automation.Done, automation.Dead, automation.Ready} {
		s.ended(rule, c.ID, state)
	}
	var got []string
	for _, v := range must(s.automations.RunViews(t.Context(), owner, automation.JobFilter{}, true, 10)) {
		got = append(got, line(v.State, v.Automation, v.Contact))
	}
	equal(t, "runs", strings.Join(got, ", "), "dead Saudar Bia, dead Saudar Bia, ready Saudar Bia, done Saudar Bia")
	equal(t, "the last one", must(s.automations.Views(t.Context(), owner, s.orgID))[0].Last.State, automation.Ready)
	for what, f := range map[string]automation.JobFilter{"automation": {AutomationID: "x"}, "contact": {ContactID: "x"}} {
		_, err := s.automations.RunViews(t.Context(), owner, f, false, 10)
		equal(t, what, said(err), "requisicao_invalida automation")
	}
}

// TestSamplesHaveEveryField that an event has, before there was any, and those of a webhook's own posts.
func TestSamplesHaveEveryField(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	for _, event := range automation.Events() {
		fields := must(s.automations.Samples(t.Context(), owner, event, ""))
		if equal(t, "samples of "+string(event), len(fields), 1); strings.Count(fields[0], ":") < 4 {
			t.Errorf("%s has %s", event, fields[0])
		}
	}
	hook, other := s.hook(webhook.Signature{}), s.hook(webhook.Signature{})
	s.arrive(hook, "bia")
	s.arrive(other, "rui")
	of := must(s.automations.Samples(t.Context(), owner, automation.ContactCreated, hook.ID))
	equal(t, "samples of a webhook", line(len(of), strings.Contains(of[0], "bia@x.example")), "2 true")
	equal(t, "samples of all", len(must(s.automations.Samples(t.Context(), owner, automation.ContactCreated, ""))), 3)
}

// TestATrialCountsPastEvents: for how many of the newest fifty an expression holds; one that fails is not tried on all.
func TestATrialCountsPastEvents(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	for i := range 55 {
		c := bia()
		c.Email, c.Amount = fmt.Sprintf("bia%d@x.example", i), strconv.Itoa(i)
		must(s.contacts.Create(t.Context(), owner, c))
	}
	for _, c := range []struct {
		automations.NewAutomation
		want string
	}{
		{automations.NewAutomation{When: ".valor >= 50"}, "5 50 true"},
		{automations.NewAutomation{When: ".valor < 0"}, "0 50 false"},
		{automations.NewAutomation{When: ".nome"}, "0 1 false"},
		{automations.NewAutomation{}, "50 50 true"},
		{automations.NewAutomation{MinAmount: 53 * catalog.Real}, "2 50 true"},
		{automations.NewAutomation{MinAmount: 100 * catalog.Real, When: ".valor >= 50"}, "0 50 false"},
		{automations.NewAutomation{WebhookID: app.NewID()}, "0 50 false"},
	} {
		c.Event = automation.ContactCreated
		got := must(s.automations.Try(t.Context(), owner, c.NewAutomation))
		equal(t, line(c.When, c.MinAmount, c.WebhookID), line(got.Held, got.Of, got.Holds), c.want)
	}
	_, err := s.automations.Try(t.Context(), owner, automations.NewAutomation{
		Event: automation.ContactCreated, Origin: "de ninguém",
	})
	equal(t, "an origin that is none", fault.CodeOf(err), fault.InvalidRequest)
}

// TestSkippedRunsAreShownWhenAsked: they are left out first, and looked past no further than among the newest.
func TestSkippedRunsAreShownWhenAsked(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	c := must(s.contacts.Create(t.Context(), owner, bia()))
	rule := s.rule(automations.NewAutomation{Name: "Saudar", Action: automation.AddNote, Text: "oi"})
	skip := func(n int) {
		for range n {
			done(s.store.Repos().Jobs.Add(t.Context(), automation.Job{
				ID: lookups.NewKeyID(), OrgID: s.orgID, Kind: automation.RunAutomation, ContactID: c.ID, AutomationID: rule.ID,
				State: automation.Done, Result: automation.NotHeld, Attempts: 1, RunAt: now(), CreatedAt: now(), EndedAt: now(),
			}))
		}
	}
	well := s.ended(rule, c.ID, automation.Done)
	skip(5)
	shown := func(skipped bool) (ids []string) {
		for _, v := range must(s.automations.RunViews(t.Context(), owner, automation.JobFilter{}, skipped, 2)) {
			if skipped || !v.Skipped() {
				ids = append(ids, v.ID)
			}
		}
		return ids
	}
	equal(t, "without them", slices.Contains(shown(false), well.ID), true)
	equal(t, "with them", len(shown(true)), 2)
	equal(t, "with them, the newest", slices.Contains(shown(true), well.ID), false)
	skip(20)
	equal(t, "behind too many", len(shown(false)), 0)
}

// TestARehearsal says what would be done, and does nothing.
func TestARehearsal(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	hook := s.hook(webhook.Signature{})
	c := s.arrive(hook, "bia")
	rule := s.rule(automations.NewAutomation{
		Action: automation.Email, To: "assignee", Subject: "Olá, {nome}", Text: "{email} {valor} {outra}",
		WebhookID: hook.ID, MinAmount: catalog.Real,
	})
	got := must(s.automations.Rehearse(t.Context(), owner, rule.ID, c.ID))
	equal(t, "runs", got.Runs, false)
	equal(t, "conditions", line(got.Conditions), "[{webhook true} {amount false}]")
	equal(t, "mail", strings.Join([]string{got.To, got.Subject, got.Text}, "|"),
		s.email("dona")+"|Olá, bia|bia@x.example R$\u00a00,00 {outra}")
	equal(t, "history", s.kinds(c.ID), "criado")
	equal(t, "newest", must(s.automations.Newest(t.Context(), owner, 5))[0].ID, c.ID)
}
