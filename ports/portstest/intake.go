package portstest

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/intake"
	"fichario/domain/webhook"
	"fichario/ports"
)

func funnelOf(t *testing.T, s ports.Store, orgID string, byDefault bool, stages ...string) crm.Funnel {
	t.Helper()
	f := crm.Funnel{ID: id(), OrgID: orgID, Name: "Vendas", Default: byDefault, CreatedAt: at}
	for _, name := range stages {
		f.Stages = append(f.Stages, crm.Stage{ID: id(), Name: name})
	}
	must(t, s.Repos().Funnels.Create(t.Context(), f))
	return f
}

func member(t *testing.T, s ports.Store, orgID string, role crm.Role, active bool) crm.Member {
	t.Helper()
	m := crm.Member{ID: id(), OrgID: orgID, Name: "Ana", Email: id() + "@example.com", Role: role, Active: active, PasswordHash: "x", CreatedAt: at}
	must(t, s.Repos().Members.Create(t.Context(), m))
	return m
}

func funnels(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), org(t, s), org(t, s)
	second := funnelOf(t, s, o.ID, false, "Um")
	first := funnelOf(t, s, o.ID, true, "Novo", "Ganho", "Perdido")
	funnelOf(t, s, other.ID, true, "De outros")
	got, err := repos.Funnels.List(ctx, o.ID)
	must(t, err)
	same(t, "funnels, the default one first", got, []crm.Funnel{first, second})
	wantErr(t, "a second default funnel", repos.Funnels.Create(ctx, crm.Funnel{ID: id(), OrgID: o.ID, Name: "x", Default: true, Stages: []crm.Stage{{ID: id(), Name: "y"}}, CreatedAt: at}), ports.ErrExists)

	indication, google := crm.Origin{ID: id(), OrgID: o.ID, Name: "Indicação"}, crm.Origin{ID: id(), OrgID: o.ID, Name: "Google Ads"}
	must(t, repos.Origins.Create(ctx, indication))
	must(t, repos.Origins.Create(ctx, google))
	must(t, repos.Origins.Create(ctx, crm.Origin{ID: id(), OrgID: other.ID, Name: "INDICACAO"}))
	wantErr(t, "an origin that differs by case and accents", repos.Origins.Create(ctx, crm.Origin{ID: id(), OrgID: o.ID, Name: "INDICACAO"}), ports.ErrExists)
	origins, err := repos.Origins.List(ctx, o.ID)
	must(t, err)
	same(t, "origins by name", origins, []crm.Origin{google, indication})

	m := member(t, s, o.ID, crm.Owner, true)
	found, err := repos.Members.Find(ctx, m.ID)
	must(t, err)
	same(t, "member", found, m)
	_, err = repos.Members.Find(ctx, id())
	wantErr(t, "unknown member", err, ports.ErrNotFound)
	idle := member(t, s, o.ID, crm.Common, false)
	list, err := repos.Members.List(ctx, o.ID)
	must(t, err)
	same(t, "members, oldest first", list, []crm.Member{m, idle})
}

func hook(t *testing.T, s ports.Store, orgID string) (webhook.Webhook, webhook.Token) {
	t.Helper()
	w := webhook.Webhook{
		ID: id(), OrgID: orgID, Name: "Site", Options: intake.Options{Kind: intake.Generic, Band: intake.BandZero}, Enabled: true, CreatedAt: at,
	}
	token := webhook.NewToken()
	must(t, s.Repos().Webhooks.Create(t.Context(), w, token))
	return w, token
}

func webhooks(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	origin := crm.Origin{ID: id(), OrgID: o.ID, Name: "Google"}
	must(t, repos.Origins.Create(ctx, origin))
	w, token := hook(t, s, o.ID)
	later, _ := hook(t, s, o.ID)
	got, gotToken, err := repos.Webhooks.Find(ctx, w.ID)
	must(t, err)
	same(t, "webhook", got, w)
	same(t, "its token", gotToken.Reveal(), token.Reveal())
	list, err := repos.Webhooks.List(ctx, o.ID)
	must(t, err)
	same(t, "webhooks, oldest first", list, []webhook.Webhook{w, later})
	_, _, err = repos.Webhooks.Find(ctx, id())
	wantErr(t, "unknown webhook", err, ports.ErrNotFound)

	w.Name, w.Enabled, w.OriginID, w.Kind, w.Band = "Formulário", false, origin.ID, intake.FormService, intake.BandUpper
	w.Signature, w.ThanksURL = webhook.Signature{Scheme: webhook.HMACScheme, Secret: "segredo-de-teste"}, "https://example.com/obrigado"
	must(t, repos.Webhooks.Update(ctx, w))
	got, _, err = repos.Webhooks.Find(ctx, w.ID)
	must(t, err)
	same(t, "changed webhook", got, w)
	w.OriginID, w.Enabled, w.ThanksURL = "", true, ""
	must(t, repos.Webhooks.Update(ctx, w))
	got, _, err = repos.Webhooks.Find(ctx, w.ID)
	must(t, err)
	same(t, "webhook changed back", got, w)
	wantErr(t, "change of an unknown webhook", repos.Webhooks.Update(ctx, webhook.Webhook{ID: id(), OrgID: o.ID, Options: w.Options}), ports.ErrNotFound)

	second := webhook.NewToken()
	must(t, s.InTx(ctx, func(r ports.Repos) error { return r.Webhooks.SetToken(ctx, w.ID, second, at.Add(time.Hour)) }))
	_, gotToken, err = repos.Webhooks.Find(ctx, w.ID)
	must(t, err)
	same(t, "its new token", gotToken.Reveal(), second.Reveal())
}

func opening(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	funnel := funnelOf(t, s, o.ID, true, "Novo", "Ganho")
	w, token := hook(t, s, o.ID)
	open := func(token webhook.Token, now time.Time) ports.Hook {
		t.Helper()
		h, err := repos.Webhooks.Open(ctx, token, now)
		must(t, err)
		return h
	}
	_, err := repos.Webhooks.Open(ctx, webhook.NewToken(), at)
	wantErr(t, "unknown token", err, ports.ErrNotFound)
	want := ports.Hook{Webhook: w, Funnel: funnel.Name, Entry: funnel.Stages[0]}
	same(t, "hook", open(token, at), want)

	// Each change is seen by the next post, not some time later.
	m := member(t, s, o.ID, crm.Owner, true)
	member(t, s, o.ID, crm.Owner, false)
	got := open(token, at)
	same(t, "active members", len(got.Members), 1)
	same(t, "member", [2]string{got.Members[0].ID, string(got.Members[0].Role)}, [2]string{m.ID, string(m.Role)})
	same(t, "since when", got.Members[0].CreatedAt, m.CreatedAt)
	origin := crm.Origin{ID: id(), OrgID: o.ID, Name: "Google"}
	must(t, repos.Origins.Create(ctx, origin))
	same(t, "origins", open(token, at).Origins, []crm.Origin{origin})
	w.Enabled, w.Name, w.OriginID = false, "Outro", origin.ID
	must(t, repos.Webhooks.Update(ctx, w))
	same(t, "changed webhook", open(token, at).Webhook, w)

	second := webhook.NewToken()
	must(t, s.InTx(ctx, func(r ports.Repos) error { return r.Webhooks.SetToken(ctx, w.ID, second, at.Add(time.Hour)) }))
	same(t, "old token in its grace", open(token, at.Add(59*time.Minute)).ID, w.ID)
	same(t, "new token", open(second, at.Add(2*time.Hour)).ID, w.ID)
	_, err = repos.Webhooks.Open(ctx, token, at.Add(time.Hour))
	wantErr(t, "old token after its end", err, ports.ErrNotFound)
	third := webhook.NewToken()
	must(t, s.InTx(ctx, func(r ports.Repos) error { return r.Webhooks.SetToken(ctx, w.ID, third, at.Add(2*time.Hour)) }))
	_, err = repos.Webhooks.Open(ctx, token, at.Add(90*time.Minute))
	wantErr(t, "an ended token does not come back", err, ports.ErrNotFound)

	// Of other organisations nothing is seen.
	foreign := org(t, s)
	funnelOf(t, s, foreign.ID, true, "De outros")
	_, theirs := hook(t, s, foreign.ID)
	same(t, "another organisation's origins and members", len(open(theirs, at).Origins)+len(open(theirs, at).Members), 0)
}

// arrival is a post that makes a contact.
func arrival(w webhook.Webhook, stageID string) ports.Arrival {
	c := crm.Contact{
		ID: id(), OrgID: w.OrgID, WebhookID: w.ID, Name: "Bia Rocha", Email: "bia@example.com", Phone: "(11) 98765-4321", PhoneE164: "+5511987654321",
		Company: "Rocha & Filhos", Amount: 12345600, Note: "Olá\nmundo", Attribution: []crm.Attribute{{Key: "utm_source", Value: "google"}},
		StageID: stageID, AssigneeID: id(), OriginID: id(), CreatedAt: at,
	}
	return ports.Arrival{
		Delivery: webhook.Delivery{
			ID: id(), OrgID: w.OrgID, WebhookID: w.ID, At: at, Outcome: webhook.Accepted, ContactID: c.ID,
			Headers: []intake.Pair{{Key: "content-type", Value: "application/json"}}, Body: []byte(`{"a":"ç"}`),
		},
		Contact: &c, Webhook: w.Name, EventID: id(), NotificationID: id(), JobID: id(),
	}
}

func received(t *testing.T, s ports.Store, webhookID string) int64 {
	t.Helper()
	w, _, err := s.Repos().Webhooks.Find(t.Context(), webhookID)
	must(t, err)
	return w.Received
}

func taking(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	funnel := funnelOf(t, s, o.ID, true, "Novo")
	w, _ := hook(t, s, o.ID)
	a := arrival(w, funnel.Stages[0].ID)
	receipt, err := repos.Inbox.Take(ctx, a)
	must(t, err)
	same(t, "receipt", receipt, ports.Receipt{ContactID: a.Contact.ID})

	got, err := repos.Contacts.Find(ctx, a.Contact.ID)
	must(t, err)
	same(t, "contact", got, *a.Contact)
	events, err := repos.Contacts.Events(ctx, a.Contact.ID)
	must(t, err)
	same(t, "history", events, []crm.Event{{ID: a.EventID, OrgID: o.ID, ContactID: a.Contact.ID, Kind: crm.ContactCreated, Actor: w.Name, At: at}})
	told, err := repos.Notifications.List(ctx, o.ID, "", 10)
	must(t, err)
	same(t, "notifications", told, []crm.Notification{{
		ID: a.NotificationID, OrgID: o.ID, Kind: crm.NewContact, ContactID: a.Contact.ID, ContactName: a.Contact.Name, Subject: w.Name, At: at,
	}})
	delivery, err := repos.Deliveries.Find(ctx, a.Delivery.ID)
	must(t, err)
	same(t, "delivery", delivery, a.Delivery)
	job, err := repos.Jobs.Find(ctx, a.JobID)
	must(t, err)
	same(t, "job", job, automation.Job{
		ID: a.JobID, OrgID: o.ID, Kind: automation.FanOut, ContactID: a.Contact.ID, State: automation.Ready, RunAt: at, CreatedAt: at,
	})
	same(t, "counter", received(t, s, w.ID), 1)

	bare := arrival(w, funnel.Stages[0].ID)
	c := bare.Contact
	c.AssigneeID, c.OriginID, c.Attribution, c.Phone, c.PhoneE164, c.Company, c.Note, c.Amount = "", "", nil, "", "", "", "", -50_0000
	_, err = repos.Inbox.Take(ctx, bare)
	must(t, err)
	got, err = repos.Contacts.Find(ctx, c.ID)
	must(t, err)
	same(t, "bare contact", got, *c)

	refused := webhook.Delivery{
		ID: id(), OrgID: o.ID, WebhookID: w.ID, At: at, Outcome: webhook.Refused, Code: "email_invalido", Reason: "Falta o e-mail.", Body: []byte{0, 255},
		Truncated: true, ReplayOf: a.Delivery.ID,
	}
	receipt, err = repos.Inbox.Take(ctx, ports.Arrival{Delivery: refused})
	must(t, err)
	same(t, "receipt of a refusal", receipt, ports.Receipt{})
	delivery, err = repos.Deliveries.Find(ctx, refused.ID)
	must(t, err)
	same(t, "refused delivery", delivery, refused)
	log, err := repos.Deliveries.Page(ctx, w.ID, "", "", 2)
	must(t, err)
	same(t, "log, newest first", []string{log[0].ID, log[1].ID}, []string{refused.ID, bare.Delivery.ID})
	log, err = repos.Deliveries.Page(ctx, w.ID, "", bare.Delivery.ID, 2)
	must(t, err)
	same(t, "the rest of the log", len(log), 1)
	same(t, "counter after a refusal", received(t, s, w.ID), 2)
	_, err = repos.Deliveries.Find(ctx, id())
	wantErr(t, "unknown delivery", err, ports.ErrNotFound)
	log, err = repos.Deliveries.Page(ctx, w.ID, webhook.Refused, "", 5)
	must(t, err)
	same(t, "refused ones only", len(log), 1)
	sums, err := repos.Deliveries.Summaries(ctx, o.ID, time.Now().Add(-time.Minute))
	must(t, err)
	sum := sums[w.ID]
	same(t, "summary", [3]int{sum.Accepted, sum.Repeated, sum.Refused}, [3]int{2, 0, 1})
	same(t, "the last one is of now", time.Since(sum.Last) < time.Minute, true)
	sums, err = repos.Deliveries.Summaries(ctx, o.ID, time.Now().Add(time.Minute))
	must(t, err)
	same(t, "summary of the future", len(sums), 0)

	page, err := repos.Contacts.Page(ctx, o.ID, "", 10)
	must(t, err)
	same(t, "contacts, newest first", page, []crm.Contact{*bare.Contact, *a.Contact})
	page, err = repos.Contacts.Page(ctx, o.ID, bare.Contact.ID, 10)
	must(t, err)
	same(t, "next page", page, []crm.Contact{*a.Contact})
}

func takingOnce(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	w, _ := hook(t, s, o.ID)
	other, _ := hook(t, s, o.ID)
	stage := id()
	mismatch := fault.New(fault.ReusedIdempotencyKey, "Já foi usada.")
	take := func(w webhook.Webhook, body string, m *fault.Error) (ports.Arrival, ports.Receipt, error) {
		a := arrival(w, stage)
		a.Key, a.Fingerprint, a.Mismatch = "k", []byte(body), m
		r, err := repos.Inbox.Take(ctx, a)
		return a, r, err
	}
	first, r, err := take(w, "body", mismatch)
	must(t, err)
	same(t, "first", r, ports.Receipt{ContactID: first.Contact.ID})
	again, r, err := take(w, "body", mismatch)
	must(t, err)
	same(t, "again", r, ports.Receipt{ContactID: first.Contact.ID, Repeated: true, Same: true})
	d, err := repos.Deliveries.Find(ctx, again.Delivery.ID)
	must(t, err)
	same(t, "log of a repetition", [2]string{string(d.Outcome), d.ContactID}, [2]string{string(webhook.Repeated), first.Contact.ID})
	different, _, err := take(w, "other body", mismatch)
	wantErr(t, "another body", err, mismatch)
	d, err = repos.Deliveries.Find(ctx, different.Delivery.ID)
	must(t, err)
	same(t, "log of another body", [4]string{string(d.Outcome), d.ContactID, d.Code, d.Reason}, [4]string{string(webhook.Refused), "", string(mismatch.Code), mismatch.Message})
	_, r, err = take(w, "other body", nil)
	must(t, err)
	same(t, "another body where that does not matter", r, ports.Receipt{ContactID: first.Contact.ID, Repeated: true})
	elsewhere, r, err := take(other, "body", mismatch)
	must(t, err)
	same(t, "the key on another webhook", r, ports.Receipt{ContactID: elsewhere.Contact.ID})
	same(t, "counters", [2]int64{received(t, s, w.ID), received(t, s, other.ID)}, [2]int64{1, 1})

	known, err := repos.Inbox.Known(ctx, w.ID, "k", []byte("body"))
	must(t, err)
	same(t, "known", known, ports.Receipt{ContactID: first.Contact.ID, Repeated: true, Same: true})
	_, err = repos.Inbox.Known(ctx, w.ID, "other", nil)
	wantErr(t, "not known", err, ports.ErrNotFound)
}

func takingTogether(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	hooks := make([]webhook.Webhook, 3)
	for i := range hooks {
		hooks[i], _ = hook(t, s, o.ID)
	}
	const posts = 90
	var mu sync.Mutex
	ids, failed := map[string]int{}, 0
	var wg sync.WaitGroup
	for i := range posts {
		wg.Go(func() {
			a := arrival(hooks[i%3], id())
			switch i % 6 {
			case 0, 1:
				a.Key = "one key" // on the first and on the second webhook
			case 2:
				a.Contact.StageID = "no id at all" // spoils nobody but itself
			}
			r, err := repos.Inbox.Take(ctx, a)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed++
				return
			}
			ids[r.ContactID]++
		})
	}
	wg.Wait()
	all, err := repos.Contacts.Page(ctx, o.ID, "", posts)
	must(t, err)
	same(t, "contacts", len(all), len(ids))
	var counted int64
	for _, w := range hooks {
		counted += received(t, s, w.ID)
	}
	same(t, "counters", counted, int64(len(all)))
	// On PostgreSQL a wrong id is refused; SQLite takes any text.
	if failed != 0 && failed != posts/6 {
		t.Errorf("%d posts failed", failed)
	}
	most := 0
	for _, n := range ids {
		most = max(most, n)
	}
	same(t, "posts with one key that got one contact", most, posts/6)
	same(t, "posts answered", len(ids)+2*(posts/6-1)+failed, posts)
	told, err := repos.Notifications.List(ctx, o.ID, "", posts)
	must(t, err)
	same(t, "notifications", len(told), len(all))
}

func forgetting(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	w, _ := hook(t, s, o.ID)
	a := arrival(w, id())
	a.Key = "k"
	// Ids say when they were made: now.
	a.Delivery.At = time.Now().UTC().Truncate(time.Microsecond)
	a.Contact.CreatedAt = a.Delivery.At
	_, err := repos.Inbox.Take(ctx, a)
	must(t, err)
	n, err := repos.Inbox.Forget(ctx, time.Now().Add(-time.Minute))
	must(t, err)
	same(t, "forgotten before its time", n, 0)
	n, err = repos.Inbox.Forget(ctx, time.Now().Add(time.Minute))
	must(t, err)
	same(t, "forgotten: a delivery and a key", n, 2)
	_, err = repos.Deliveries.Find(ctx, a.Delivery.ID)
	wantErr(t, "forgotten delivery", err, ports.ErrNotFound)
	_, err = repos.Inbox.Known(ctx, w.ID, "k", nil)
	wantErr(t, "forgotten key", err, ports.ErrNotFound)
	_, err = repos.Contacts.Find(ctx, a.Contact.ID)
	must(t, err)
	same(t, "counter", received(t, s, w.ID), 1)
}

func contacts(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	w, _ := hook(t, s, o.ID)
	a := arrival(w, id())
	_, err := repos.Inbox.Take(ctx, a)
	must(t, err)
	event := func(kind crm.EventKind, subject string) crm.Event {
		return crm.Event{ID: id(), OrgID: o.ID, ContactID: a.Contact.ID, Kind: kind, Actor: "Automação", Subject: subject, At: at}
	}
	stage, person := funnelOf(t, s, o.ID, false, "Ganho").Stages[0].ID, id()
	wantErr(t, "a stage that does not exist", s.InTx(ctx, func(r ports.Repos) error {
		return r.Contacts.SetStage(ctx, id(), event(crm.StageMoved, "Nenhuma"))
	}), ports.ErrNotFound)
	moved, given, noted := event(crm.StageMoved, "Ganho"), event(crm.Assigned, "Rui"), event(crm.NoteAdded, "Ligar amanhã")
	must(t, s.InTx(ctx, func(r ports.Repos) error {
		return errors.Join(r.Contacts.SetStage(ctx, stage, moved), r.Contacts.SetAssignee(ctx, person, given), r.Contacts.AddNote(ctx, noted))
	}))
	want := *a.Contact
	want.StageID, want.AssigneeID, want.Note = stage, person, a.Contact.Note+"\n\nLigar amanhã"
	got, err := repos.Contacts.Find(ctx, want.ID)
	must(t, err)
	same(t, "changed contact", got, want)
	events, err := repos.Contacts.Events(ctx, want.ID)
	must(t, err)
	same(t, "history, oldest first", events[1:], []crm.Event{moved, given, noted})

	stranger := event(crm.NoteAdded, "x")
	stranger.ContactID = id()
	for what, change := range map[string]func(ports.Repos) error{
		"stage":    func(r ports.Repos) error { return r.Contacts.SetStage(ctx, stage, stranger) },
		"assignee": func(r ports.Repos) error { return r.Contacts.SetAssignee(ctx, person, stranger) },
		"note":     func(r ports.Repos) error { return r.Contacts.AddNote(ctx, stranger) },
	} {
		wantErr(t, what+" of an unknown contact", s.InTx(ctx, change), ports.ErrNotFound)
	}
	_, err = repos.Contacts.Find(ctx, id())
	wantErr(t, "unknown contact", err, ports.ErrNotFound)

	// Notes that are added at once are all there.
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := s.InTx(ctx, func(r ports.Repos) error { return r.Contacts.AddNote(ctx, event(crm.NoteAdded, "+")) }); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got, err = repos.Contacts.Find(ctx, want.ID)
	must(t, err)
	same(t, "note", got.Note, want.Note+"\n\n+\n\n+\n\n+\n\n+\n\n+\n\n+\n\n+\n\n+")
}

func notifications(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	w, _ := hook(t, s, o.ID)
	ana, rui := member(t, s, o.ID, crm.Owner, true), member(t, s, o.ID, crm.Common, true)
	a := arrival(w, id())
	_, err := repos.Inbox.Take(ctx, a)
	must(t, err)
	dead := crm.Notification{ID: id(), OrgID: o.ID, Kind: crm.JobDead, ContactID: a.Contact.ID, ContactName: a.Contact.Name, Subject: "A automação X", At: at}
	must(t, repos.Notifications.Create(ctx, dead))
	read := func(m crm.Member) (out []bool) {
		t.Helper()
		list, err := repos.Notifications.List(ctx, o.ID, m.ID, 10)
		must(t, err)
		for _, n := range list {
			out = append(out, n.Read)
		}
		return out
	}
	list, err := repos.Notifications.List(ctx, o.ID, "", 1)
	must(t, err)
	same(t, "newest", list, []crm.Notification{dead})
	same(t, "unread", read(ana), []bool{false, false})
	must(t, repos.Notifications.ReadAll(ctx, o.ID, ana.ID, a.NotificationID))
	same(t, "read up to the first", read(ana), []bool{false, true})
	must(t, repos.Notifications.ReadAll(ctx, o.ID, ana.ID, dead.ID))
	must(t, repos.Notifications.ReadAll(ctx, o.ID, ana.ID, a.NotificationID))
	same(t, "reading never goes back", read(ana), []bool{true, true})
	same(t, "each for himself", read(rui), []bool{false, false})
	stranger := org(t, s)
	must(t, repos.Notifications.ReadAll(ctx, stranger.ID, rui.ID, dead.ID))
	same(t, "of another organisation nothing is read", read(rui), []bool{false, false})
}

func automations(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	w, _ := hook(t, s, o.ID)
	origin := crm.Origin{ID: id(), OrgID: o.ID, Name: "Google"}
	must(t, repos.Origins.Create(ctx, origin))
	rule := automation.Automation{
		ID: id(), OrgID: o.ID, Name: "Avisar", Event: automation.ContactCreated, Enabled: true,
		Conditions: automation.Conditions{OriginID: origin.ID, WebhookID: w.ID, MinAmount: 10_0000},
		Action:     automation.Action{Kind: automation.HTTP, URL: "https://example.com/x", Secret: "whsec_dGVzdGU="}, CreatedAt: at,
	}
	simple := automation.Automation{
		ID: id(), OrgID: o.ID, Name: "Nota", Event: automation.ContactCreated, Action: automation.Action{Kind: automation.AddNote, Text: "Oi"}, CreatedAt: at,
	}
	must(t, repos.Automations.Create(ctx, rule))
	must(t, repos.Automations.Create(ctx, simple))
	got, err := repos.Automations.Find(ctx, rule.ID)
	must(t, err)
	same(t, "automation", got, rule)
	list, err := repos.Automations.List(ctx, o.ID)
	must(t, err)
	same(t, "automations, oldest first", list, []automation.Automation{rule, simple})
	edited := rule
	edited.Name, edited.Conditions, edited.Action = "Outro nome", automation.Conditions{MinAmount: 7}, automation.Action{Kind: automation.AddNote, Text: "texto"}
	must(t, repos.Automations.Update(ctx, edited))
	found, err := repos.Automations.Find(ctx, rule.ID)
	must(t, err)
	same(t, "edited", found, edited)
	must(t, repos.Automations.Update(ctx, rule))
	unknown := rule
	unknown.ID = id()
	wantErr(t, "an unknown one edited", repos.Automations.Update(ctx, unknown), ports.ErrNotFound)
	must(t, repos.Automations.SetEnabled(ctx, rule.ID, false))
	got, err = repos.Automations.Find(ctx, rule.ID)
	must(t, err)
	same(t, "enabled", got.Enabled, false)
	wantErr(t, "unknown automation", repos.Automations.SetEnabled(ctx, id(), true), ports.ErrNotFound)
	_, err = repos.Automations.Find(ctx, id())
	wantErr(t, "unknown automation", err, ports.ErrNotFound)
}

func ready(orgID, automationID string, runAt time.Time) automation.Job {
	return automation.Job{
		ID: id(), OrgID: orgID, Kind: automation.RunAutomation, ContactID: id(), AutomationID: automationID, State: automation.Ready, RunAt: runAt, CreatedAt: at,
	}
}

func jobs(t *testing.T, s ports.Store) {
	ctx, queue, o := t.Context(), s.Repos().Jobs, org(t, s)
	rule, other := id(), id()
	first, second, later := ready(o.ID, rule, at), ready(o.ID, other, at.Add(time.Second)), ready(o.ID, rule, at.Add(time.Hour))
	must(t, queue.Add(ctx, second, later, first))
	must(t, queue.Add(ctx))
	claim := func(lease string, now time.Time, without []string) (ids []string) {
		t.Helper()
		claimed, err := queue.Claim(ctx, automation.RunAutomation, lease, now, now.Add(time.Minute), without, 10)
		must(t, err)
		for _, j := range claimed {
			ids = append(ids, j.ID)
		}
		slices.Sort(ids)
		return ids
	}
	now := at.Add(time.Minute)
	same(t, "without one automation", claim("a", now, []string{rule}), []string{second.ID})
	same(t, "what may run", claim("b", now, nil), []string{first.ID})
	same(t, "nothing is leased twice", claim("a", now, nil), nil)
	same(t, "after a lease has ended", claim("c", now.Add(2*time.Minute), []string{other}), []string{first.ID})

	// b's lease is over: what it says does not count.
	done := first
	done.State, done.Result, done.EndedAt, done.Lease = automation.Done, "status 200", now, "b"
	n, err := queue.Finish(ctx, done)
	must(t, err)
	same(t, "finished without a lease", n, 0)
	done.Lease = "c"
	failed := second
	failed.State, failed.Result, failed.EndedAt, failed.Lease, failed.RunAt = automation.Ready, "status 500", now, "a", now.Add(5*time.Second)
	n, err = queue.Finish(ctx, done, failed)
	must(t, err)
	same(t, "finished", n, 2)
	got, err := queue.Find(ctx, first.ID)
	must(t, err)
	done.Attempts, done.Lease = 2, ""
	same(t, "done", got, done)
	got, err = queue.Find(ctx, second.ID)
	must(t, err)
	failed.Attempts, failed.Lease = 1, ""
	same(t, "failed", got, failed)
	same(t, "before its time", claim("d", now.Add(4*time.Second), nil), nil)
	same(t, "again", claim("d", now.Add(5*time.Second), nil), []string{second.ID})

	dead := failed
	dead.State, dead.Result, dead.Lease, dead.EndedAt = automation.Dead, "status 410", "d", now
	_, err = queue.Finish(ctx, dead)
	must(t, err)
	page := func(f ports.JobFilter) (ids []string) {
		t.Helper()
		list, err := queue.Page(ctx, o.ID, f, "", 10)
		must(t, err)
		for _, j := range list {
			ids = append(ids, j.ID)
		}
		return ids
	}
	same(t, "all, newest first", page(ports.JobFilter{}), []string{later.ID, second.ID, first.ID})
	same(t, "dead", page(ports.JobFilter{State: automation.Dead}), []string{second.ID})
	same(t, "of one automation", page(ports.JobFilter{AutomationID: rule}), []string{later.ID, first.ID})
	same(t, "of one contact", page(ports.JobFilter{ContactID: later.ContactID}), []string{later.ID})
	same(t, "a dead job rests", claim("e", now.Add(30*time.Minute), nil), nil)
	revived, err := queue.Revive(ctx, second.ID, now)
	must(t, err)
	same(t, "revived", revived, true)
	revived, err = queue.Revive(ctx, second.ID, now)
	must(t, err)
	same(t, "revived twice", revived, false)
	same(t, "it runs again", claim("e", now, nil), []string{second.ID})
	got, err = queue.Find(ctx, second.ID)
	must(t, err)
	same(t, "its attempts begin anew", got.Attempts, 1)

	removed, err := queue.Forget(ctx, time.Now().Add(time.Minute))
	must(t, err)
	same(t, "forgotten: what is done", removed, 1)
	_, err = queue.Find(ctx, first.ID)
	wantErr(t, "forgotten job", err, ports.ErrNotFound)
}

func workers(t *testing.T, s ports.Store) {
	ctx, o := t.Context(), org(t, s)
	const many = 60
	made := make([]automation.Job, many)
	for i := range made {
		made[i] = ready(o.ID, "", at)
		made[i].Kind = automation.FanOut
		if i%2 == 0 {
			made[i].Kind = automation.MailMember
		}
	}
	must(t, s.Repos().Jobs.Add(ctx, made...))
	var mu sync.Mutex
	runs := map[string]int{}
	note := func(batch []automation.Job) {
		mu.Lock()
		defer mu.Unlock()
		for _, j := range batch {
			runs[j.ID]++
		}
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for {
				batch, err := s.Repos().Jobs.Claim(ctx, automation.MailMember, string(rune('a'+worker)), at, at.Add(time.Hour), nil, 3)
				if err != nil {
					t.Error(err)
				}
				if len(batch) == 0 {
					return
				}
				note(batch)
			}
		})
		wg.Go(func() {
			for range many {
				err := s.InTx(ctx, func(r ports.Repos) error {
					batch, err := r.Jobs.Lock(ctx, automation.FanOut, at, 3)
					if err != nil || len(batch) == 0 {
						return err
					}
					note(batch)
					return r.Jobs.Remove(ctx, batch...)
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, j := range made {
		if runs[j.ID] != 1 {
			t.Errorf("a job was taken %d times", runs[j.ID])
		}
	}
	left, err := s.Repos().Jobs.Page(ctx, o.ID, ports.JobFilter{}, "", many+1)
	must(t, err)
	same(t, "jobs that are left: the claimed ones; fan-outs are not shown", len(left), many/2)
}
