package intake

import (
	"errors"
	"testing"
	"time"

	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// leadSources: a page is connected once, has one worker at a time, and is due when a lead waits or its time has come.
func leadSources(t *testing.T, s ports.Store) {
	ctx, sources, now := t.Context(), s.Repos().LeadSources, kit.At
	o := kit.Org(t, s)
	hook, _ := kit.Hook(t, s, o.ID)
	page := webhook.Source{
		ID: kit.ID(), OrgID: o.ID, WebhookID: hook.ID, Page: "106", Name: "Aurora", Token: "segredo",
		State:  webhook.SourceOpen,
		Forms:  []webhook.Form{{ID: "206", Name: "Visita", Questions: []webhook.Question{{Key: "email", Label: "E-mail"}}}},
		ReadTo: now, RunAt: now.Add(time.Hour), PausedUntil: now, CreatedAt: now,
	}
	first, err := sources.Connect(ctx, page)
	kit.Must(t, err)
	kit.Same(t, "a page that is connected", first, page)
	again := page
	again.ID, again.Token, again.ReadTo = kit.ID(), "outro", now.Add(time.Minute)
	second, err := sources.Connect(ctx, again)
	kit.Must(t, err)
	page.Token = "outro"
	kit.Same(t, "connected anew it keeps its id, and up to when it was read", second, page)
	list, err := sources.List(ctx, o.ID, hook.ID)
	kit.Must(t, err)
	kit.Same(t, "the pages", list, []webhook.Source{page})

	mine := func(at time.Time) (webhook.Source, bool) {
		t.Helper()
		got, err := sources.Claim(ctx, kit.ID(), at, at.Add(time.Minute))
		if errors.Is(err, ports.ErrNotFound) {
			return got, false
		}
		kit.Must(t, err)
		return got, got.ID == page.ID
	}
	if _, ok := mine(now); ok {
		t.Error("a page was due before its time")
	}
	_, err = s.Repos().Leads.Note(ctx, noted(hook, "1", now))
	kit.Must(t, err)
	got, ok := mine(now)
	if !ok {
		t.Fatal("a page was not due although a lead waits")
	}
	if _, ok := mine(now); ok {
		t.Error("a page that is leased was claimed")
	}
	got.State, got.Reason, got.RunAt = webhook.SourceDead, "acabou", now.Add(time.Hour)
	kit.Must(t, sources.Keep(ctx, got, time.Time{}))
	kit.WantErr(t, "a lease that ended", sources.Keep(ctx, got, time.Time{}), ports.ErrNotFound)
	if _, ok := mine(now); ok {
		t.Error("a page with a dead token was due for a lead")
	}
	kit.Must(t, sources.Remove(ctx, hook.ID, page.Page))
	kit.WantErr(t, "a page that is gone", sources.Remove(ctx, hook.ID, page.Page), ports.ErrNotFound)
}

func noted(hook webhook.Webhook, lead string, at time.Time) ports.NotedLead {
	return ports.NotedLead{
		Notice: webhook.Notice{Lead: lead, Page: "106"},
		Delivery: webhook.Delivery{
			ID: kit.ID(), OrgID: hook.OrgID, WebhookID: hook.ID, At: at, Outcome: webhook.Waiting, Body: []byte("{}"),
		},
	}
}

// leads: a lead is noted and taken once for ever, and its line in the log tells what became of it.
func leads(t *testing.T, s ports.Store) {
	ctx, repos, now := t.Context(), s.Repos(), kit.At
	o := kit.Org(t, s)
	hook, _ := kit.Hook(t, s, o.ID)
	stage := kit.FunnelOf(t, s, o.ID, true, "Novo").Stages[0].ID
	one, two := noted(hook, "1", now), noted(hook, "2", now)
	n, err := repos.Leads.Note(ctx, one, two)
	kit.Must(t, err)
	kit.Same(t, "leads that are new", n, 2)
	n, err = repos.Leads.Note(ctx, noted(hook, "1", now))
	kit.Must(t, err)
	kit.Same(t, "leads that were noted before", n, 0)
	waiting, err := repos.Leads.Waiting(ctx, hook.ID, "106", now, 10)
	kit.Must(t, err)
	kit.Same(t, "leads that wait", len(waiting), 2)
	kit.Must(t, repos.Leads.Delay(ctx, two.Delivery.ID, now.Add(time.Minute)))
	waiting, err = repos.Leads.Waiting(ctx, hook.ID, "106", now, 10)
	kit.Must(t, err)
	kit.Same(t, "leads that are not put off", waiting, []webhook.WaitingLead{{ID: one.Delivery.ID, Notice: one.Notice}})

	take := func(lead string, line webhook.Delivery, outcome webhook.Outcome) bool {
		t.Helper()
		line.Outcome, line.Body = outcome, []byte(`{"id":1}`)
		a := ports.Arrival{Delivery: line, Lead: lead, Page: "106"}
		if outcome == webhook.Accepted {
			of := kit.Arrival(hook, stage)
			of.People[0].Key = ""
			a.People, a.Delivery.ContactID = of.People, of.People[0].Contact.ID
		}
		met, err := repos.Inbox.Take(ctx, a)
		kit.Must(t, err)
		return len(met) > 0 && !met[0].Repeated
	}
	kit.Same(t, "the first takes a lead", take("1", one.Delivery, webhook.Accepted), true)
	kit.Same(t, "a second takes it", take("1", one.Delivery, webhook.Accepted), false)
	fresh := noted(hook, "3", now)
	kit.Same(t, "a lead that nobody announced is taken", take("3", fresh.Delivery, webhook.Accepted), true)
	five := noted(hook, "5", now)
	_, err = repos.Leads.Note(ctx, noted(hook, "5", now)) // after who reads it back has looked whether it was
	kit.Must(t, err)
	kit.Same(t, "a lead that was announced meanwhile", take("5", five.Delivery, webhook.Accepted), true)
	take("2", two.Delivery, webhook.Lost)
	page, err := repos.Deliveries.Page(ctx, hook.OrgID, hook.ID, "", "", 10)
	kit.Must(t, err)
	outcomes := map[string]webhook.Outcome{}
	for _, d := range page {
		outcomes[d.ID] = d.Outcome
	}
	kit.Same(t, "the log", outcomes, map[string]webhook.Outcome{
		one.Delivery.ID: webhook.Accepted, two.Delivery.ID: webhook.Lost, fresh.Delivery.ID: webhook.Accepted,
		five.Delivery.ID: webhook.Accepted,
	})
	untaken, err := repos.Leads.Untaken(ctx, hook.ID, "1", "2", "3", "4")
	kit.Must(t, err)
	kit.Same(t, "leads that were never read", untaken, map[string]bool{"2": true, "4": true})
	n, err = repos.Leads.Count(ctx, hook.ID)
	kit.Must(t, err)
	kit.Same(t, "leads that still wait", n, 0)
}
