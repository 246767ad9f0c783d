package app_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fichario/app"
	"fichario/app/intake"
	"fichario/app/lookups"
	"fichario/app/privacy"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/webhook"
	"fichario/ports"
)

// deliveries returns the lines of a webhook's log, newest first.
func (s *setting) deliveries(hook webhook.Hook) []webhook.Delivery {
	s.t.Helper()
	return must(s.intake.Deliveries(s.t.Context(), app.Operator(), hook.ID, "", "", app.All))
}

// traces counts what posts have left: contacts, notifications, jobs, posts counted, lines of the log.
func (s *setting) traces(hook webhook.Hook) string {
	s.t.Helper()
	ctx, r := s.t.Context(), s.store.Repos()
	var jobs int
	done(s.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		ready, err := r.JobQueue.Lock(ctx, "contact.created", 100)
		jobs = len(ready)
		return err
	}))
	shown, _, err := r.Webhooks.Find(ctx, ports.AnyOrg, hook.ID)
	done(err)
	return line(len(must(r.Contacts.Page(ctx, s.orgID, "", 100))), len(must(r.Notifications.List(ctx, s.orgID, "", 100))),
		jobs, shown.Received, len(s.deliveries(hook)))
}

// TestTheEffectsOfAPost: contact, assignee, origin, history, notification, counter, job and line; and the worker is
// woken.
func TestTheEffectsOfAPost(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	s.add("ana", crm.Common)
	owner := s.add("dona", crm.Owner)
	radio := must(s.origins.Add(t.Context(), owner, s.orgID, "Rádio"))
	hook := s.hook(webhook.Signature{})
	accepted := must(s.intake.Receive(t.Context(), hook,
		post(`{"nome":"Bia","email":"bia@x.example","telefone":"11987654321","origem":"radio","Cor":"azul"}`)))
	got := s.contact(accepted.ContactID)
	equal(t, "contact", strings.Join([]string{got.Name, got.PhoneE164, got.Note}, "|"), "Bia|+5511987654321|Cor: azul")
	equal(t, "stage", got.StageID, s.funnel(owner).Stages[0].ID)
	equal(t, "assignee, the owner before the oldest", got.AssigneeID, owner.MemberID())
	equal(t, "origin", got.OriginID, radio.ID)
	equal(t, "history", s.kinds(got.ID), "criado")
	equal(t, "traces", s.traces(hook), "1 1 1 1 1")
	equal(t, "woken", s.woken.Load(), 1)
	logged := s.deliveries(hook)[0]
	equal(t, "line", line(logged.Outcome, logged.ContactID == got.ID), "accepted true")
}

// TestTheOrderOfChecks: of several faults of a post the first one is returned; a refused post leaves a line in the log
// with the same fault, and nothing else. A simulation returns it too, and leaves nothing.
func TestTheOrderOfChecks(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	s.add("dona", crm.Owner)
	hook := s.hook(webhook.Signature{Scheme: webhook.TallyScheme, Secret: "segredo-do-tally"})
	// At first everything is wrong; each step fixes one thing.
	p := post(`{"nome":`, "idempotency-key", strings.Repeat("k", 256))
	p.Declared = fault.New(fault.BodyTooLarge, "declarado")
	p.Unread = fault.New(fault.IncompleteRequest, "cortado")
	closed := hook
	closed.Enabled = false
	lines := 0
	for _, c := range []struct {
		mend       func()
		want, sims string // the fault, and Simulate's where it differs
	}{
		{func() {}, "corpo_grande_demais", ""},
		{func() { p.Declared = nil }, "webhook_desabilitado", ""},
		{func() { closed = hook }, "requisicao_incompleta", ""},
		{func() { p.Unread = nil }, "nao_autenticado", ""},
		{func() { closed.Signature = webhook.Signature{} }, "requisicao_invalida", ""},
		{func() { p.Body = []byte(`{"nome":"Bia"}`) }, "requisicao_invalida Idempotency-Key", "email_invalido email"},
		{func() { p.Headers = p.Headers[:1] }, "email_invalido email", ""},
	} {
		c.mend()
		_, err := s.intake.Receive(t.Context(), closed, p)
		equal(t, "received", said(err), c.want)
		lines++
		equal(t, "traces after "+c.want, s.traces(hook), line("0 0 0 0", lines))
		logged := s.deliveries(hook)[0]
		equal(t, "the line", line(logged.Outcome, logged.Code, logged.Reason),
			line("refused", strings.Fields(c.want)[0], app.FaultOf(err).Message))
		_, err = s.intake.Simulate(t.Context(), closed, p)
		if c.sims == "" {
			c.sims = c.want
		}
		equal(t, "simulated", said(err), c.sims)
	}
	equal(t, "woken", s.woken.Load(), 0)
	p.Body = []byte(`{"nome":"Bia","email":"b@x.example"}`)
	simulated := must(s.intake.Simulate(t.Context(), closed, p))[0]
	equal(t, "simulated whole", simulated.Contact.Name+", "+simulated.Stage+", "+simulated.Assignee, "Bia, Novo, dona")
	equal(t, "traces of a simulation", s.traces(hook), line("0 0 0 0", lines))
	p.Headers = post("", "idempotency-key", strings.Repeat("é", 255)).Headers
	equal(t, "the longest key is in characters", said(second(s.intake.Receive(t.Context(), closed, p))), "")
}

// TestAPostThatTakesLong meets the webhook in the state in which it is after the post was read.
func TestAPostThatTakesLong(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		hook := s.hook(webhook.Signature{})
		token := must(s.webhooks.Show(t.Context(), app.Operator(), hook.ID)).Token.Reveal()
		admit := func(took time.Duration, enabled bool) bool {
			opened, _, err := s.intake.Admit(t.Context(), token, func(webhook.Hook) intake.Post {
				done(s.webhooks.Update(t.Context(), app.Operator(), hook.ID, intake.Change{Enabled: &enabled}))
				time.Sleep(took)
				return intake.Post{}
			})
			done(err)
			return opened.Enabled
		}
		equal(t, "in a second", admit(time.Second, false), true)
		equal(t, "longer", admit(time.Second+1, true), true)
		equal(t, "longer, and it was closed", admit(time.Minute, false), false)
	})
}

// repeated returns the line expected for a repeat.
func repeated(first intake.Accepted) string {
	first.Known, first.Repeated = 1+len(first.Others), true
	return line(first)
}

// TestARepetitionIsInTheLog: of posts with one key the first makes the contact, and each of the others leaves a line.
func TestARepetitionIsInTheLog(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook := s.hook(webhook.Signature{})
	send := func(body string) (intake.Accepted, error) {
		return s.intake.Receive(t.Context(), hook, post(body, "idempotency-key", "k"))
	}
	first := must(send(`{"nome":"Bia","email":"bia@example.com"}`))
	equal(t, "the first", first.Repeated, false)
	equal(t, "again", line(must(send(`{"nome":"Bia","email":"bia@example.com"}`))), repeated(first))
	for _, other := range []string{`{"nome":"Rui","email":"rui@example.com"}`, `{"nome":"sem e-mail"}`} {
		_, err := send(other)
		equal(t, "another body", said(err), "chave_reutilizada Idempotency-Key")
	}
	log := s.deliveries(hook)
	for i, want := range []webhook.Delivery{
		{Outcome: webhook.Refused, Code: string(fault.ReusedIdempotencyKey)},
		{Outcome: webhook.Refused, Code: string(fault.ReusedIdempotencyKey)},
		{Outcome: webhook.Repeated, ContactID: first.ContactID},
		{Outcome: webhook.Accepted, ContactID: first.ContactID},
	} {
		got := webhook.Delivery{Outcome: log[i].Outcome, Code: log[i].Code, ContactID: log[i].ContactID}
		equal(t, line("line", i), line(got), line(want))
	}
	equal(t, "traces", s.traces(hook), "1 1 1 1 4")
	equal(t, "woken", s.woken.Load(), 1)
}

// olderInbox writes receipts whose keys hold a product's id alone.
type olderInbox struct{ ports.Inbox }

func (i olderInbox) Take(ctx context.Context, a ports.Arrival) ([]ports.Receipt, error) {
	for j := range a.People {
		a.People[j].Key, _, _ = strings.Cut(a.People[j].Key, "\n")
	}
	return i.Inbox.Take(ctx, a)
}

type olderStore struct{ ports.Store }

func (s olderStore) Repos() ports.Repos {
	r := s.Store.Repos()
	r.Inbox = olderInbox{r.Inbox}
	return r
}

// TestPostsThatShareAnID: an id that says what a post is about makes no retry of another person's post, nor the counter
// of another site; the same post again is one, also where its receipt is older than that distinction.
func TestPostsThatShareAnID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ what, before, after, other string }{
		{"an event that people attend", `{"event_name":"Workshop","event_id":"77",`, `}`, ""},
		{"a form", `{"event":"generate_lead","id":"form-contato","data":{`, `}}`, ""},
		{"a form in the envelope", `{"event":"lead.created","data":{"id":"form-1",`, `}}`, ""},
		{"a plugin's counter", `{"form_id":1,"submission_id":42,`, `}`, ""},
		{"a product's counter", `{"entry":{"form_id":"1","id":"42",`, `}}`, ""},
	} {
		s := inMemory(t)
		older, hook := intake.New(olderStore{s.store}, s.now).Mailing(true), s.hook(webhook.Signature{})
		send := func(in *intake.Intake, person string) intake.Accepted {
			return must(in.Receive(t.Context(), hook, post(c.before+person+c.after)))
		}
		const ana, bia, rui = `"nome":"Ana","email":"ana@x.example"`, `"nome":"Bia","email":"bia@x.example"`,
			`"nome":"Rui","email":"rui@x.example"`
		first := send(older, ana)
		equal(t, c.what+": again, with an older receipt", line(send(s.intake, ana)), repeated(first))
		second := send(s.intake, bia)
		equal(t, c.what+": another person", line(second.Repeated, second.ContactID != first.ContactID), "false true")
		equal(t, c.what+": again", line(send(s.intake, bia)), repeated(second))
		equal(t, c.what+": a third", send(s.intake, rui).Repeated, false)
		equal(t, c.what+": traces", s.traces(hook), "3 3 3 3 5")
	}
}

// TestOnePersonAsksTwice: what one person asks under an id of a form are two contacts, and of one submission one.
func TestOnePersonAsksTwice(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook := s.hook(webhook.Signature{})
	send := func(body string) intake.Accepted { return must(s.intake.Receive(t.Context(), hook, post(body))) }
	form := func(says string) string {
		return `{"event":"lead","id":"form-1","data":{"email":"ana@x.example","mensagem":"` + says + `"}}`
	}
	send(form("quero um orçamento"))
	equal(t, "another message", send(form("e também uma visita")).Repeated, false)
	first := send(`{"submission_id":"7","attempt":1,"email":"ana@x.example"}`)
	equal(t, "another try", line(send(`{"submission_id":"7","attempt":2,"email":"Ana@X.example"}`)), repeated(first))
}

// TestAReplay reads a delivery as if it came now, after settings were fixed, and makes one contact however it is
// replayed.
func TestAReplay(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook := s.hook(webhook.Signature{Scheme: webhook.TallyScheme, Secret: "segredo-do-tally"})
	enable := func(on bool) {
		done(s.webhooks.Update(t.Context(), app.Operator(), hook.ID, intake.Change{Enabled: at(on)}))
	}
	replay := func(id string) (intake.Accepted, error) { return s.intake.Replay(t.Context(), app.Operator(), id) }
	_, err := s.intake.Receive(t.Context(), hook, post(`{"nome":"Bia","email":"bia@x.example"}`))
	equal(t, "unsigned", said(err), "nao_autenticado")
	refused := s.deliveries(hook)[0].ID
	enable(false)
	_, err = replay(refused)
	equal(t, "of a disabled webhook", said(err), "webhook_desabilitado")
	enable(true)
	// One that was refused again may be replayed as well.
	between := s.deliveries(hook)[0]
	between = must(s.intake.Delivery(t.Context(), app.Operator(), between.ID))
	between.ID, between.ReplayOf = lookups.NewKeyID(), refused
	must(s.store.Repos().Inbox.Take(t.Context(), ports.Arrival{Delivery: between}))
	lines := must(s.store.Repos().Audit.Last(t.Context(), s.orgID))
	made := must(replay(between.ID))
	equal(t, "a person vouches for it", made.Repeated, false)
	equal(t, "and is in the audit", actions(s.lines(lines)), "entrega.repetida")
	again := s.deliveries(hook)[0]
	equal(t, "its line", line(again.Outcome, again.ReplayOf == refused), "accepted true")
	for _, id := range []string{refused, between.ID, again.ID, s.deliveries(hook)[0].ID} {
		equal(t, "once more", line(must(replay(id))), repeated(made))
	}
	equal(t, "contacts, notifications, jobs, posts", s.traces(hook)[:7], "1 1 1 1")

	p := post(`{"nome":"sem e-mail"}`)
	hook.Signature = webhook.Signature{}
	_, _ = s.intake.Receive(t.Context(), hook, p)
	unfit := s.deliveries(hook)[0].ID
	for range 2 {
		_, err = replay(unfit)
		equal(t, "what is still unfit", said(err), "email_invalido email")
		unfit = s.deliveries(hook)[0].ID // the replay's own line may be replayed as well
	}
	p.Truncated, p.Unread = true, fault.New(fault.BodyTooLarge, "demais")
	_, _ = s.intake.Receive(t.Context(), hook, p)
	_, err = replay(s.deliveries(hook)[0].ID)
	equal(t, "what was not kept whole", said(err), "requisicao_invalida delivery")
	_, err = replay(lookups.NewKeyID())
	equal(t, "what there is not", said(err), "nao_encontrado delivery")
}

// TestARefusedPostIsCompleted with what somebody types: all else is as if the post had been sent so, and it makes one
// contact, however it is tried again.
func TestARefusedPostIsCompleted(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		t.Helper()
		hook := s.hook(webhook.Signature{})
		send := post(`{"submission_id":42,"nome":"Gael","telefone":"1198765","empresa":"Cruz SA","utm_campaign":"natal","cor":"azul"}`)
		_, err := s.intake.Receive(t.Context(), hook, send)
		equal(t, "without an address", said(err), "email_invalido email")
		refused := s.deliveries(hook)[0].ID
		complete := func(typed intake.Completion) (intake.Accepted, error) {
			return s.intake.Complete(t.Context(), app.Operator(), refused, typed)
		}
		open := func() int {
			open := s.store.Repos().Deliveries.Unsettled
			return must(open(t.Context(), hook.OrgID, []string{hook.ID}, now().Add(-time.Hour), 10))[hook.ID]
		}
		for field, typed := range map[string]intake.Completion{
			"email": {Email: "gael"}, "name": {Email: "g@x.example", Name: strings.Repeat("a", 201)},
			"phone": {Email: "g@x.example", Phone: "1\n2"}, "note": {Email: "g@x.example", Note: strings.Repeat("a", 20_001)},
		} {
			_, err := complete(typed)
			equal(t, "a bad "+field, said(err), "requisicao_invalida "+field)
		}
		_, err = s.intake.Replay(t.Context(), app.Operator(), refused)
		equal(t, "as it came", said(err), "email_invalido email")
		equal(t, "what is open", line(len(s.deliveries(hook)), open()), "2 1")
		lines := must(s.store.Repos().Audit.Last(t.Context(), s.orgID))
		made := must(complete(intake.Completion{Email: " gael@x.example ", Phone: "(11) 98765-4321", Note: "Ligou\r\nhoje"}))
		equal(t, "it is in the audit", actions(s.lines(lines)), "entrega.repetida")
		c := must(s.store.Repos().Contacts.Find(t.Context(), hook.OrgID, made.ContactID))
		equal(t, "the contact", line(c.Name, c.Email, c.PhoneE164, c.Company, c.Note, c.WebhookID == hook.ID, c.Attribution),
			line("Gael", "gael@x.example", "+5511987654321", "Cruz SA", "Ligou\nhoje", true,
				[]crm.Attribute{{Key: "utm_campaign", Value: "natal"}}))
		equal(t, "nothing is open", open(), 0)
		was := must(s.intake.Delivery(t.Context(), app.Operator(), refused))
		equal(t, "the refused post", line(was.Outcome, was.ContactID), line(webhook.Refused, made.ContactID))
		equal(t, "again", line(must(complete(intake.Completion{Email: "outro@x.example"}))), repeated(made))
		equal(t, "a retry", line(must(s.intake.Receive(t.Context(), hook, send))), repeated(made))
		_, err = s.intake.Receive(t.Context(), hook, post(`{"submission_id":42,"nome":"Outra"}`))
		equal(t, "another with that number", said(err), "email_invalido email")
		equal(t, "and by a replay", line(must(s.intake.Replay(t.Context(), app.Operator(), refused))), repeated(made))
	})
}

// atTheDoor is a store whose inbox calls do before it takes an arrival.
type atTheDoor struct {
	ports.Store
	do func() error
}

type inbox struct {
	ports.Inbox
	do func() error
}

func (a atTheDoor) Repos() ports.Repos {
	r := a.Store.Repos()
	r.Inbox = inbox{r.Inbox, a.do}
	return r
}

func (i inbox) Take(ctx context.Context, a ports.Arrival) ([]ports.Receipt, error) {
	if err := i.do(); err != nil {
		return nil, err
	}
	return i.Inbox.Take(ctx, a)
}

// TestLargeBodiesWait: four are read at one time, small ones never wait, and one that waits too long is refused.
func TestLargeBodiesWait(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		hook := s.hook(webhook.Signature{})
		gate := make(chan struct{})
		in := intake.New(atTheDoor{s.store, func() error { <-gate; return nil }}, s.now).Mailing(true)
		large := post(`{"email":"a@x.example","x":"` + strings.Repeat("x", 64<<10) + `"}`)
		var taken sync.WaitGroup
		for range 4 {
			taken.Go(func() { must(in.Receive(t.Context(), hook, large)) })
		}
		synctest.Wait() // until they block at the gate
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := in.Receive(ctx, hook, large)
		equal(t, "a fifth", line(said(err), app.FaultOf(err).RetryAfter), "servico_indisponivel 2s")
		_, err = in.Simulate(ctx, hook, large)
		equal(t, "one that is only simulated", said(err), "servico_indisponivel")
		small := must(s.intake.Receive(t.Context(), hook, post(`{"email":"a@x.example"}`)))
		equal(t, "a small one meanwhile", small.Repeated, false)

		taken.Go(func() { must(in.Receive(t.Context(), hook, large)) })
		synctest.Wait() // it waits for a slot
		close(gate)
		taken.Wait()
		equal(t, "contacts", len(must(s.contacts.List(t.Context(), app.Operator(), s.orgID, 10))), 6)
	})
}

// TestWhatIsOldIsForgotten: lines of the log and idempotency keys, after thirty days.
func TestWhatIsOldIsForgotten(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook := s.hook(webhook.Signature{})
	send := func() intake.Accepted {
		return must(s.intake.Receive(t.Context(), hook, post(`{"email":"a@x.example"}`, "idempotency-key", "k")))
	}
	first := send()
	later := func(d time.Duration) *privacy.Retention {
		keep := privacy.Keeping{Deliveries: 30 * 24 * time.Hour}
		return privacy.NewRetention(s.store, keep, func() time.Time { return now().Add(d) })
	}
	done(later(29 * 24 * time.Hour).ForgetDeliveries(t.Context()))
	equal(t, "after 29 days", line(send()), repeated(first))
	done(later(31 * 24 * time.Hour).ForgetDeliveries(t.Context()))
	equal(t, "lines after 31 days", len(s.deliveries(hook)), 0)
	equal(t, "a repetition then", send().Repeated, false)
}

// TestALogThatCannotBeWritten: a refusal that leaves no line counts as an outage, so that the sender tries again.
func TestALogThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook := s.hook(webhook.Signature{})
	away := func() error { return fault.New(fault.ServiceUnavailable, "fora") }
	in := intake.New(atTheDoor{s.store, away}, s.now).Mailing(true)
	for _, body := range []string{`{"nome":"sem e-mail"}`, `{"email":"a@x.example"}`} {
		_, err := in.Receive(t.Context(), hook, post(body))
		equal(t, body, said(err), "servico_indisponivel")
	}
	equal(t, "traces", s.traces(hook), "0 0 0 0 0")
}
