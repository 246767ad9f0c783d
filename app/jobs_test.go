package app_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	outbound "fichario/adapters/automation"
	"fichario/app"
	"fichario/app/automations"
	"fichario/app/lookups"
	"fichario/app/team"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
)

// worker returns the configuration of Jobs, with the fakes of the setting.
func (s *setting) worker() automations.JobsConfig {
	return automations.JobsConfig{
		Store: s.store, Clock: s.now, Dispatcher: s.dispatcher, Mailer: s.mailer, PublicURL: "https://f.example",
		Log: s.log.logger(), Conditions: outbound.NewConditions(), Asker: s.lookups.Asker, Terms: s.lookups.terms,
		Destinations: outbound.Destinations{},
	}
}

// work runs jobs for that long; in a bubble the time passes at once.
func (s *setting) work(c automations.JobsConfig, d time.Duration) {
	ctx, stop := context.WithTimeout(s.t.Context(), d)
	defer stop()
	automations.NewJobs(c).Run(ctx)
}

// ready adds a run to the queue that may run now.
func (s *setting) ready(rule automation.Automation, contactID string) automation.Job {
	s.t.Helper()
	job := automation.Job{
		ID: lookups.NewKeyID(), OrgID: s.orgID, Kind: automation.RunAutomation, ContactID: contactID, AutomationID: rule.ID,
		State: automation.Ready, RunAt: s.now(), CreatedAt: s.now(),
	}
	done(s.store.Repos().Jobs.Add(s.t.Context(), job))
	return job
}

// TestWhatANewContactSetsGoing: the enabled automations whose conditions hold, and an e-mail to each active member.
func TestWhatANewContactSetsGoing(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, gone := s.add("dona", crm.Owner), s.add("ido", crm.Common)
		s.add("ana", crm.Common)
		done(s.members.Update(t.Context(), owner, gone.MemberID(), team.MemberChange{Active: at(false)}))
		must(s.origins.Add(t.Context(), owner, s.orgID, "Rádio"))
		hook, other := s.hook(webhook.Signature{}), s.hook(webhook.Signature{})
		note := func(name string, n automations.NewAutomation) automation.Automation {
			n.Name, n.Action, n.Text = name, automation.AddNote, name
			return s.rule(n)
		}
		off := note("desligada", automations.NewAutomation{})
		done(s.automations.SetEnabled(t.Context(), owner, off.ID, false))
		note("todos", automations.NewAutomation{})
		note("este webhook", automations.NewAutomation{WebhookID: hook.ID})
		note("outro webhook", automations.NewAutomation{WebhookID: other.ID})
		note("rádio", automations.NewAutomation{Origin: "rádio"})
		note("valor", automations.NewAutomation{MinAmount: 100 * catalog.Real})
		for _, c := range []struct{ fields, want string }{
			{`"valor":99.99`, "este webhook, todos"},
			{`"valor":100`, "este webhook, todos, valor"},
			{`"origem":"RADIO"`, "este webhook, rádio, todos"},
		} {
			accepted := must(s.intake.Receive(t.Context(), hook, post(`{"email":"a@x.example",`+c.fields+`}`)))
			s.work(s.worker(), time.Second)
			filter := automation.JobFilter{ContactID: accepted.ContactID}
			runs := must(s.automations.Runs(t.Context(), owner, s.orgID, filter, "", 99))
			equal(t, c.fields+": runs and e-mails", len(runs), strings.Count(c.want, ",")+1+2)
			notes := strings.Split(s.contact(accepted.ContactID).Note, "\n")
			slices.Sort(notes)
			equal(t, c.fields, strings.TrimLeft(strings.Join(notes, ", "), ", "), c.want)
		}
		var told []string
		for _, m := range s.mailer.list()[4:] {
			told = append(told, m.To)
			for _, part := range []string{"Lead sem nome chegou pelo webhook Site.", "Origem: Rádio", "f.example/contatos/"} {
				if !strings.Contains(m.Text, part) {
					t.Errorf("the e-mail does not say %q: %s", part, m.Text)
				}
			}
		}
		slices.Sort(told)
		equal(t, "told by e-mail", line(told), line([]string{s.email("ana"), s.email("dona")}))

		c := s.worker()
		c.Mailer = nil
		s.arrive(other, "rui")
		s.work(c, time.Second)
		equal(t, "where e-mail is not configured", len(s.mailer.list()), 6)
	})
}

// TestAContactMadeByHandSetsAutomationsGoing, but sends no e-mail, because somebody made it knowingly.
func TestAContactMadeByHandSetsAutomationsGoing(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		s.rule(automations.NewAutomation{Name: "todos", Action: automation.AddNote, Text: "oi"})
		s.rule(automations.NewAutomation{
			Name: "um webhook", Action: automation.AddNote, Text: "oi", WebhookID: s.hook(webhook.Signature{}).ID,
		})
		c := must(s.contacts.Create(t.Context(), owner, bia()))
		s.work(s.worker(), 5*time.Second)
		equal(t, "history", s.kinds(c.ID), "incluido nota")
		equal(t, "e-mails", len(s.mailer.list()), 0)
	})
}

// TestWhatEachActionDoes: how its run ends, and what has changed then.
func TestWhatEachActionDoes(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, ana := s.add("dona", crm.Owner), s.add("ana", crm.Common)
		hook := s.hook(webhook.Signature{})
		funnel := s.funnel(owner)
		for _, c := range []struct {
			what   string
			n      automations.NewAutomation
			before func(rule automation.Automation)
			want   string // state and result
			then   string // history, stage, assignee, calls, e-mails
		}{
			{"note", automations.NewAutomation{Action: automation.AddNote, Text: "ligar para {nome}"}, nil,
				"done nota adicionada", "criado nota Novo dona 0 0"},
			{"stage", automations.NewAutomation{Action: automation.MoveStage, Stage: "Proposta"}, nil,
				"done movido", "criado etapa Proposta dona 0 0"},
			{"a stage that went away", automations.NewAutomation{Action: automation.MoveStage, Stage: "Ganho"},
				func(automation.Automation) {
					done(s.funnels.RemoveStage(t.Context(), owner, funnel.ID, funnel.Stages[4].ID))
				}, "dead a etapa não existe mais", "criado Novo dona 0 0"},
			{"assignee", automations.NewAutomation{Action: automation.Assign, Member: ana.MemberID()}, nil,
				"done atribuído", "criado responsavel Novo ana 0 0"},
			{"whose it is already", automations.NewAutomation{Action: automation.Assign, Member: owner.MemberID()}, nil,
				"done atribuído", "criado Novo dona 0 0"},
			{"call", automations.NewAutomation{Action: automation.HTTP, URL: "https://x.example/a"}, nil,
				"done status 204", "criado Novo dona 1 0"},
			{"to the contact", automations.NewAutomation{Action: automation.Email, To: "contact", Subject: "s", Text: "t"}, nil,
				"done enviado", "criado Novo dona 0 1"},
			{"to the assignee", automations.NewAutomation{Action: automation.Email, To: "assignee", Subject: "s", Text: "t"}, nil,
				"done enviado", "criado Novo dona 0 1"},
			{"one that was switched off", automations.NewAutomation{Action: automation.AddNote, Text: "x"},
				func(rule automation.Automation) { done(s.automations.SetEnabled(t.Context(), owner, rule.ID, false)) },
				"dead a automação foi desabilitada antes; habilite-a e repita a execução", "criado Novo dona 0 0"},
			{"a member who went away", automations.NewAutomation{Action: automation.Assign, Member: ana.MemberID()},
				func(automation.Automation) {
					done(s.members.Update(t.Context(), owner, ana.MemberID(), team.MemberChange{Active: at(false)}))
				}, "dead o membro não existe mais ou não está ativo", "criado Novo dona 0 0"},
		} {
			contact := s.arrive(hook, "bia")
			forgetNew(s)
			rule := s.rule(c.n)
			job := s.ready(rule, contact.ID)
			if c.before != nil {
				c.before(rule)
			}
			calls, mails := len(s.dispatcher.list()), len(s.mailer.list())
			s.work(s.worker(), time.Second)
			ended := s.job(job.ID)
			equal(t, c.what, line(ended.State, ended.Result), c.want)
			equal(t, c.what+": attempts, lease, end", line(ended.Attempts, ended.Lease, ended.EndedAt.IsZero()), "1  false")
			v := must(s.contacts.View(t.Context(), owner, contact.ID))
			equal(t, c.what+": then", line(s.kinds(contact.ID), v.Stage, v.Assignee.Name, len(s.dispatcher.list())-calls,
				len(s.mailer.list())-mails), c.then)
		}
		call := s.dispatcher.list()[0]
		equal(t, "a call", line(call.URL, strings.HasPrefix(call.Secret, "whsec_"), call.Event.Name, call.Event.Contact.Name),
			"https://x.example/a true contact.created bia")
		equal(t, "e-mails", line(s.mailer.list()[0].To, s.mailer.list()[1].To), line("bia@x.example", s.email("dona")))
	})
}

// TestNothingIsSentToWhoHasLeft: the contact's data do not go to the address of an assignee whose access has ended.
func TestNothingIsSentToWhoHasLeft(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, ana := s.add("dona", crm.Owner), s.add("ana", crm.Common)
		contact := must(s.contacts.Create(t.Context(), ana, bia()))
		rule := s.rule(automations.NewAutomation{Action: automation.Email, To: "assignee", Subject: "s", Text: "t"})
		forgetNew(s)
		job := s.ready(rule, contact.ID)
		done(s.members.Update(t.Context(), owner, ana.MemberID(), team.MemberChange{Active: at(false)}))
		s.work(s.worker(), time.Second)
		ended := s.job(job.ID)
		equal(t, "the run", line(ended.State, ended.Result), "done o responsável não tem mais acesso, e nada é enviado a ele")
		equal(t, "e-mails", len(s.mailer.list()), 0)
		equal(t, "tried", must(s.automations.Rehearse(t.Context(), owner, rule.ID, contact.ID)).To, "")
	})
}

// TestWhatAnAutomationOwesWhenItIsSwitchedOff is not lost: it can be run once it is enabled again. Nobody is alarmed.
func TestWhatAnAutomationOwesWhenItIsSwitchedOff(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		contact := must(s.contacts.Create(t.Context(), owner, bia()))
		rule := s.rule(automations.NewAutomation{Action: automation.AddNote, Text: "oi"})
		job := s.ready(rule, contact.ID)
		done(s.automations.SetEnabled(t.Context(), owner, rule.ID, false))
		worker, observed := s.worker(), 0
		worker.Observe = func(automation.JobKind, automation.JobState) { observed++ }
		forgetNew(s)
		s.work(worker, time.Second)
		notes := must(s.notifications.List(t.Context(), app.Operator(), s.orgID, "", 10))
		attention := must(s.dashboard.Look(t.Context(), owner, 7)).Attention
		equal(t, "while it is off", line(s.job(job.ID).State, len(notes), len(attention), observed), "dead 0 0 0")
		done(s.automations.SetEnabled(t.Context(), owner, rule.ID, true))
		again, left, err := s.automations.RunFailedAgain(t.Context(), owner)
		equal(t, "when it is on", line(again, left, err), line(1, 0, nil))
		s.work(worker, time.Second)
		equal(t, "then", line(s.job(job.ID).Result, s.kinds(contact.ID)), "nota adicionada incluido nota")
	})
}

// TestAnEMailThatAnInstanceCannotSend waits for one that has a server, and says what is missing.
func TestAnEMailThatAnInstanceCannotSend(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		contact := s.arrive(s.hook(webhook.Signature{}), "bia")
		n := automations.NewAutomation{
			OrgID: s.orgID, Name: "Saudar", Event: automation.ContactCreated, Action: automation.Email, To: "contact",
			Subject: "s", Text: "t",
		}
		_, err := automations.New(s.store, s.now, means(false)).Add(t.Context(), app.Operator(), n)
		equal(t, "made without a server", said(err), "requisicao_invalida action")
		job := s.ready(s.rule(n), contact.ID)
		w := s.worker()
		w.Mailer = nil
		s.work(w, time.Second)
		waits := s.job(job.ID)
		equal(t, "waits", line(waits.State, waits.Result),
			"ready o envio de e-mail não está configurado: peça a quem administra o servidor")
		s.work(s.worker(), 10*time.Minute)
		equal(t, "elsewhere", s.job(job.ID).State, automation.Done)
	})
}

// forgetNew removes the jobs of new contacts.
func forgetNew(s *setting) {
	done(s.store.InTx(s.t.Context(), func(_ context.Context, r ports.Repos) error {
		all, err := r.JobQueue.Lock(s.t.Context(), automation.FanOut, 1000)
		return errors.Join(err, r.JobQueue.Remove(s.t.Context(), all...))
	}))
}

// TestWhatAnAttemptWrites: state, result and the next try, the team's notification after the last one, and the metrics.
func TestWhatAnAttemptWrites(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		c := must(s.contacts.Create(t.Context(), owner, bia()))
		forgetNew(s)
		rule := s.rule(automations.NewAutomation{Name: "Chamar", Action: automation.HTTP, URL: "https://x.example/a"})
		for _, a := range []struct {
			what     string
			attempts int
			err      error
			want     string        // state, result, notified
			wait     time.Duration // until the next try, at least, and at most a fifth more
			logged   string
		}{
			{"an answer", 0, nil, "done status 204 0", 0, ""},
			{"a first failure", 0, &ports.SendError{Reason: "status 500"}, "ready status 500 0", time.Second, ""},
			{"a fourth", 3, &ports.SendError{Reason: "status 500"}, "ready status 500 0", 2 * time.Minute, ""},
			{"one that asks for time", 0, &ports.SendError{Reason: "status 503", RetryAfter: time.Hour}, "ready status 503 0",
				time.Hour, ""},
			{"less than we would wait", 3, &ports.SendError{Reason: "status 503", RetryAfter: time.Second},
				"ready status 503 0", 2 * time.Minute, ""},
			{"the last one", 11, &ports.SendError{Reason: "status 500"}, "dead status 500 1", 0, ""},
			{"a permanent one", 0, &ports.SendError{Reason: "endereço privado", Permanent: true}, "dead endereço privado 1", 0,
				""},
			{"a stranger", 0, errors.New("a driver's words"), "ready erro interno 0", time.Second, "a driver's words"},
		} {
			job := s.ready(rule, c.ID)
			job.Attempts = a.attempts
			done(errors.Join(s.store.Repos().JobQueue.Remove(t.Context(), job), s.store.Repos().Jobs.Add(t.Context(), job)))
			s.dispatcher.script = func(context.Context, ports.Call) (int, error) { return 204, a.err }
			notes := len(must(s.notifications.List(t.Context(), owner, s.orgID, "", 100)))
			logged := len(s.log.String())
			var observed seen[string]
			config := s.worker()
			config.Observe = func(k automation.JobKind, state automation.JobState) { observed.add(line(k, state)) }
			s.work(config, 100*time.Millisecond)
			ended := s.job(job.ID)
			now := must(s.notifications.List(t.Context(), owner, s.orgID, "", 100))
			equal(t, a.what, line(ended.State, ended.Result, len(now)-notes), a.want)
			if wait := ended.RunAt.Sub(ended.EndedAt); a.wait > 0 && (wait < a.wait || wait > a.wait*6/5+1) {
				t.Errorf("%s: it waits %s", a.what, wait)
			}
			if ended.State == automation.Dead {
				equal(t, a.what+": notification", line(now[0].Kind, now[0].Subject, now[0].ContactID == c.ID),
					"falha A automação Chamar true")
			}
			equal(t, a.what+": observed", line(observed.list()), line([]string{line(automation.RunAutomation, ended.State)}))
			equal(t, a.what+": logged",
				strings.Contains(s.log.String()[logged:], a.logged) && (a.logged != "") == (len(s.log.String()) > logged), true)
			done(s.store.Repos().JobQueue.Remove(t.Context(), job))
		}
	})
}

// TestAJobThatPanics fails alone: the next one is done, and the log has the stack but no value.
func TestAJobThatPanics(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		c := must(s.contacts.Create(t.Context(), owner, bia()))
		forgetNew(s)
		bad := s.ready(s.rule(automations.NewAutomation{Action: automation.HTTP, URL: "https://mau.example"}), c.ID)
		good := s.ready(s.rule(automations.NewAutomation{Action: automation.HTTP, URL: "https://bom.example"}), c.ID)
		s.dispatcher.script = func(_ context.Context, call ports.Call) (int, error) {
			if call.URL == "https://mau.example" {
				panic("segredo de " + call.Event.Contact.Email)
			}
			return 200, nil
		}
		s.work(s.worker(), 100*time.Millisecond)
		equal(t, "the one that panicked", line(s.job(bad.ID).State, s.job(bad.ID).Result), "ready erro interno")
		equal(t, "the other one", line(s.job(good.ID).State, s.job(good.ID).Result), "done status 200")
		log := s.log.String()
		for _, part := range []string{bad.ID, "type=string", "jobs_test.go", "job_actions.go"} {
			if !strings.Contains(log, part) {
				t.Errorf("the log lacks %s: %.500s", part, log)
			}
		}
		if strings.Contains(log, "segredo") || strings.Contains(log, "bia@x.example") {
			t.Error("the log contains the panic value")
		}
	})
}

// TestALeaseThatWasLost: what a worker did after another one took over its job is neither written nor done twice.
func TestALeaseThatWasLost(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		c := must(s.contacts.Create(t.Context(), owner, bia()))
		forgetNew(s)
		job := s.ready(s.rule(automations.NewAutomation{Action: automation.HTTP, URL: "https://x.example"}), c.ID)
		s.dispatcher.script = func(ctx context.Context, _ ports.Call) (int, error) {
			jobs, later := s.store.Repos().JobQueue, s.now().Add(31*time.Second) // past the lease
			taken := must(jobs.Claim(ctx, automation.RunAutomation, lookups.NewKeyID(), later, later.Add(time.Minute), nil, 5))
			equal(t, "the other one takes", len(taken), 1)
			return 200, nil
		}
		config := s.worker()
		config.Observe = func(automation.JobKind, automation.JobState) { t.Error("its end is counted") }
		s.work(config, 100*time.Millisecond)
		ended := s.job(job.ID)
		equal(t, "the job", line(ended.State, ended.Result, ended.Attempts), "ready  2")
		equal(t, "it is logged", strings.Contains(s.log.String(), "a lease was lost"), true)
	})
}

// TestAChangeThatCannotBeMade is a failed attempt like others: it is retried later, and after the last one the team is
// notified.
func TestAChangeThatCannotBeMade(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		c := must(s.contacts.Create(t.Context(), owner, bia()))
		forgetNew(s)
		gone := must(s.rotations.Add(t.Context(), owner, s.orgID, "Vendas", nil))
		rule := s.rule(automations.NewAutomation{
			Name: "Dividir", Action: automation.Assign, Member: automations.RotationPrefix + "Vendas",
		})
		done(s.store.Repos().Rotations.Remove(t.Context(), gone)) // as if by hand in the database
		for _, a := range []struct {
			attempts int
			want     string // state, result, notified, observed
		}{{0, "ready erro interno 0 [ready]"}, {11, "dead erro interno 1 [dead]"}} {
			job := s.ready(rule, c.ID)
			job.Attempts = a.attempts
			done(errors.Join(s.store.Repos().JobQueue.Remove(t.Context(), job), s.store.Repos().Jobs.Add(t.Context(), job)))
			var observed seen[automation.JobState]
			config := s.worker()
			config.Observe = func(_ automation.JobKind, state automation.JobState) { observed.add(state) }
			s.work(config, 100*time.Millisecond)
			told := 0
			for _, n := range must(s.notifications.List(t.Context(), owner, s.orgID, "", 100)) {
				if n.Kind == crm.JobDead {
					told++
				}
			}
			ended := s.job(job.ID)
			equal(t, fmt.Sprint("after ", a.attempts), line(ended.State, ended.Result, told, observed.list()), a.want)
			equal(t, "lease", ended.Lease, "")
			done(s.store.Repos().JobQueue.Remove(t.Context(), job))
		}
		equal(t, "history", s.kinds(c.ID), "incluido")
	})
}

// TestWorkersArePatient: thirty-two at once, eight of one automation, so that one that hangs does not hold up the
// others; attempts end in time, and so does the service.
func TestWorkersArePatient(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		var of []string // each contact waits for its own runs only
		for range 12 {
			of = append(of, must(s.contacts.Create(t.Context(), owner, bia())).ID)
		}
		forgetNew(s)
		hang := s.rule(automations.NewAutomation{Action: automation.HTTP, URL: "https://pendura.example"})
		quick := s.rule(automations.NewAutomation{Action: automation.HTTP, URL: "https://rapida.example"})
		var hanging []automation.Job
		for _, id := range of {
			hanging = append(hanging, s.ready(hang, id))
		}
		last := s.ready(quick, of[0])
		var now atomic.Int32
		s.dispatcher.script = func(ctx context.Context, call ports.Call) (int, error) {
			if call.URL == "https://rapida.example" {
				return 200, nil
			}
			now.Add(1)
			defer now.Add(-1)
			<-ctx.Done()
			return 0, &ports.SendError{Reason: "tempo esgotado"}
		}
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { automations.NewJobs(s.worker()).Run(ctx) })
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		equal(t, "of the rule that hangs", now.Load(), 8)
		equal(t, "the one behind them", s.job(last.ID).State, automation.Done)
		time.Sleep(25 * time.Second)
		synctest.Wait()
		equal(t, "after their time, those that waited", line(s.job(hanging[0].ID).Result, now.Load()), "tempo esgotado 4")
		stop()
		began := time.Now()
		running.Wait()
		if took := time.Since(began); took > 25*time.Second {
			t.Errorf("it ends after %s", took)
		}
	})
}

// TestABacklogIsWorkedOff: many contacts and automations make more jobs than one statement takes.
func TestABacklogIsWorkedOff(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		s.add("dona", crm.Owner)
		const rules, arrivals = 10, 500
		for i := range rules {
			s.rule(automations.NewAutomation{Name: fmt.Sprint("nota ", i), Action: automation.AddNote, Text: "oi"})
		}
		hook := s.hook(webhook.Signature{})
		var posts sync.WaitGroup
		for i := range arrivals {
			posts.Go(func() { s.arrive(hook, fmt.Sprint("a", i)) })
		}
		posts.Wait()
		ctx, stop := context.WithCancel(t.Context())
		config := s.worker()
		config.Mailer = nil
		config.Observe = func(automation.JobKind, automation.JobState) { stop() } // the first one that ended
		automations.NewJobs(config).Run(ctx)
		made := 0
		for after := ""; ; {
			page := must(s.automations.Runs(t.Context(), app.Operator(), s.orgID, automation.JobFilter{}, after, 500))
			if made += len(page); len(page) < 500 {
				break
			}
			after = page[len(page)-1].ID
		}
		if made == 0 || made%rules != 0 {
			t.Errorf("%d runs of %d contacts were made: %.300s", made, arrivals, s.log.String())
		}
		late := 0 // on a busy machine the end of a job may come too late, of at most as many as run at once
		for line := range strings.Lines(s.log.String()) {
			if late++; late > 32 || !strings.Contains(line, "it will run again") {
				t.Error(line)
			}
		}
	})
}
