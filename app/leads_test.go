package app_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	intakeapp "fichario/app/intake"
	privacyapp "fichario/app/privacy"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/tests/testkit/patience"
)

// moodyPlatform announces one lead and lists two others; so many of the calls for the second part of the list fail.
type moodyPlatform struct {
	fails  int32
	listed atomic.Int32
	asked  func() // when it is asked for pages; nil for nothing
}

const moodySecret = "segredo-do-aplicativo"

func moodyLead(id string) webhook.Lead {
	return webhook.Lead{ID: id, Form: "1", Body: []byte(`{"email":"lead` + id + `@example.com"}`), CreatedAt: time.Now()}
}

func (*moodyPlatform) Notices([]byte) ([]webhook.Notice, error) {
	return []webhook.Notice{{Lead: "1", Page: "1"}}, nil
}

func (p *moodyPlatform) Pages(context.Context, ports.SourceAccess) ([]webhook.Source, error) {
	if p.asked != nil {
		p.asked()
	}
	forms, err := p.Forms(context.Background(), ports.SourceAccess{})
	return []webhook.Source{{Page: "1", Name: "Página", Token: "token", Forms: forms}}, err
}

func (*moodyPlatform) Forms(context.Context, ports.SourceAccess) ([]webhook.Form, error) {
	return []webhook.Form{{ID: "1", Name: "Formulário"}}, nil
}

func (*moodyPlatform) Lead(_ context.Context, _ ports.SourceAccess, id string) (webhook.Lead, error) {
	return moodyLead(id), nil
}

func (p *moodyPlatform) Leads(
	_ context.Context, _ ports.SourceAccess, _ []webhook.Form, _ time.Time, cursor string,
) ([]webhook.Lead, string, error) {
	if n := p.listed.Add(1); cursor != "" && n <= 1+p.fails {
		return nil, "", &ports.SourceError{Reason: "status 503"}
	}
	if cursor == "" {
		return []webhook.Lead{moodyLead("2")}, "2", nil
	}
	return []webhook.Lead{moodyLead("3")}, "", nil
}

func (*moodyPlatform) Worded(l webhook.Lead, _ webhook.Form) []byte { return l.Body }

func (*moodyPlatform) Expiry(context.Context, ports.SourceAccess) (time.Time, error) {
	return time.Time{}, nil
}

func (*moodyPlatform) Unsubscribe(context.Context, ports.SourceAccess) error { return nil }

// connectedTo is the use case of a platform, a webhook of its, and an owner who has connected them.
func (s *setting) connectedTo(
	p ports.LeadSource, readBack time.Duration,
) (*intakeapp.Leads, webhook.Webhook, webhook.Token, app.Caller) {
	s.t.Helper()
	leads := intakeapp.NewLeads(intakeapp.LeadsConfig{
		Store: s.store, Platforms: map[intake.Kind]ports.LeadSource{intake.Meta: p}, Clock: s.now, ReadBack: readBack,
		AddressOf: func(webhook.Token) string { return "" }, Log: slog.New(slog.DiscardHandler),
	}, s.intake)
	owner := s.add("dona", crm.Owner)
	hook, token, err := s.webhooks.Create(s.t.Context(), owner, intakeapp.NewWebhook{
		OrgID: s.orgID, Name: "Anúncios", Options: intake.Options{Kind: intake.Meta}, VerifyToken: "combinado",
		Signature: webhook.OfPlatform(intake.Meta, moodySecret),
	})
	if err == nil {
		_, err = leads.Connect(s.t.Context(), owner, hook.ID, "token", "")
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return leads, hook, token, owner
}

// untilFetched lets the workers run until something holds.
func untilFetched(t *testing.T, leads *intakeapp.Leads, what string, holds func() bool) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { leads.Run(ctx) })
	defer running.Wait()
	defer stop()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for end := time.After(patience.Limit()); !holds(); {
		select {
		case <-look.C:
		case <-end:
			t.Fatal("waited in vain: ", what)
		}
	}
}

// TestAPlatformThatFailsNowAndThen: a list goes on where it has failed in passing, and is not read from its beginning;
// one that fails keeps no announced lead waiting.
func TestAPlatformThatFailsNowAndThen(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		fails int32
		lists int32 // calls that list leads, until the contacts are there
		made  int64
	}{
		"twice":  {2, 4, 3},
		"always": {1 << 30, 5, 2},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s, p := inMemory(t), &moodyPlatform{fails: c.fails}
			leads, hook, token, _ := s.connectedTo(p, time.Hour)
			body := []byte("{}")
			mac := hmac.New(sha256.New, []byte(moodySecret))
			mac.Write(body)
			_, err := s.intake.Receive(t.Context(), must(s.intake.Open(t.Context(), token.Reveal())), intakeapp.Post{
				Body: body, Signed: body,
				Headers: []intake.Pair{{Key: webhook.MetaHeader, Value: hex.EncodeToString(mac.Sum(nil))}},
			})
			if err != nil {
				t.Fatal(err)
			}
			made := func() int64 { return must(s.webhooks.Show(t.Context(), app.Operator(), hook.ID)).Received }
			untilFetched(t, leads, "contacts", func() bool { return p.listed.Load() >= c.lists && made() >= c.made })
			equal(t, "contacts", made(), c.made)
		})
	}
}

// becomeGeneric is a change to another type.
func becomeGeneric() intakeapp.Change {
	return intakeapp.Change{Kind: new(intake.Generic), VerifyToken: new(""), Signature: &webhook.Signature{}}
}

// TestAWebhookOfAnotherTypeHasNoPages: what was connected for the type before is forgotten with it, a worker that has
// such a page leaves it.
func TestAWebhookOfAnotherTypeHasNoPages(t *testing.T) {
	t.Parallel()
	s, p := inMemory(t), &moodyPlatform{}
	leads, hook, _, owner := s.connectedTo(p, time.Millisecond)
	pages := func() []webhook.Source {
		return must(s.store.Repos().LeadSources.List(t.Context(), s.orgID, hook.ID))
	}
	equal(t, "the change", said(s.webhooks.Update(t.Context(), owner, hook.ID, becomeGeneric())), "")
	equal(t, "pages", len(pages()), 0)
	must(s.store.Repos().LeadSources.Connect(t.Context(), webhook.Source{ // as one of a version before
		ID: app.NewID(), OrgID: s.orgID, WebhookID: hook.ID, Page: "1", Name: "Página", Token: "token",
		State: webhook.SourceOpen, CreatedAt: s.now(),
	}))
	untilFetched(t, leads, "a worker has the page", func() bool { return pages()[0].Lease != "" })
	equal(t, "calls", p.listed.Load(), int32(0))
}

func TestATypeThatChangesWhileAPageIsConnected(t *testing.T) {
	t.Parallel()
	s, p := inMemory(t), &moodyPlatform{}
	leads, hook, _, owner := s.connectedTo(p, time.Hour)
	p.asked = func() {
		equal(t, "the change", said(s.webhooks.Update(t.Context(), owner, hook.ID, becomeGeneric())), "")
	}
	_, err := leads.Connect(t.Context(), owner, hook.ID, "outro", "")
	equal(t, "connected", said(err), "requisicao_invalida webhook")
	equal(t, "pages", len(must(s.store.Repos().LeadSources.List(t.Context(), s.orgID, hook.ID))), 0)
}

// silentPlatform has one lead, without an e-mail that anybody finds.
type silentPlatform struct {
	moodyPlatform
	lead webhook.Lead
}

func (p *silentPlatform) Leads(
	context.Context, ports.SourceAccess, []webhook.Form, time.Time, string,
) ([]webhook.Lead, string, error) {
	p.listed.Add(1)
	return []webhook.Lead{p.lead}, "", nil
}

// TestARefusedLeadSaysWhatWasSaidThen: what it consents to is as old as the lead, also when it is read again.
func TestARefusedLeadSaysWhatWasSaidThen(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	p := &silentPlatform{lead: webhook.Lead{
		ID: "1", Form: "1", Body: []byte(`{"nome":"Ana","receipt_to":"ana@x.example","aceite":"sim"}`),
		CreatedAt: s.now().Add(-48 * time.Hour),
	}}
	leads, hook, _, owner := s.connectedTo(p, time.Hour)
	log := func() []webhook.Delivery {
		return must(s.intake.Deliveries(t.Context(), owner, hook.ID, webhook.Refused, "", 9))
	}
	untilFetched(t, leads, "a refusal", func() bool { return len(log()) > 0 })
	done(s.webhooks.Update(t.Context(), owner, hook.ID, intakeapp.Change{EmailKey: new("receipt_to")}))
	made := must(s.intake.Replay(t.Context(), owner, log()[0].ID))
	equal(t, "when it was said", s.contact(made.ContactID).Consents[0].At, p.lead.CreatedAt)
}

// latePlatform has one lead, which it lists, gives by its id, or does not have any more.
type latePlatform struct {
	silentPlatform
	lists, gone bool
}

func (p *latePlatform) Leads(
	ctx context.Context, a ports.SourceAccess, f []webhook.Form, since time.Time, cursor string,
) ([]webhook.Lead, string, error) {
	if !p.lists {
		return nil, "", nil
	}
	return p.silentPlatform.Leads(ctx, a, f, since, cursor)
}

func (p *latePlatform) Lead(context.Context, ports.SourceAccess, string) (webhook.Lead, error) {
	if p.lists || p.gone {
		return webhook.Lead{}, &ports.SourceError{Failure: ports.LeadGone, Reason: "não existe"}
	}
	return p.lead, nil
}

// TestALeadThatWaitedLongIsInTheLog for as long as a post, from when it was fetched: the line on which it waited may be
// removed before or after.
func TestALeadThatWaitedLongIsInTheLog(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		lists, gone, forgotten bool
		want                   webhook.Outcome
	}{
		"fetched":                               {want: webhook.Refused},
		"fetched, when its line was forgotten":  {want: webhook.Refused, forgotten: true},
		"read back":                             {want: webhook.Refused, lists: true},
		"read back, when its line is forgotten": {want: webhook.Refused, lists: true, forgotten: true},
		"lost":                                  {want: webhook.Lost, gone: true},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				p := &latePlatform{lists: c.lists, gone: c.gone}
				p.lead = webhook.Lead{ID: "1", Form: "1", Body: []byte(`{"nome":"Ana"}`), CreatedAt: s.now()}
				leads, hook, _, owner := s.connectedTo(p, time.Minute)
				must(s.store.Repos().Leads.Note(t.Context(), ports.NotedLead{
					Notice: webhook.Notice{Lead: "1", Page: "1"}, Delivery: webhook.Delivery{
						ID: IDAt(s.now().Add(-40 * day)), OrgID: s.orgID, WebhookID: hook.ID, At: s.now().Add(-40 * day),
						Outcome: webhook.Waiting, Body: []byte("{}"),
					},
				}))
				forget := func() {
					keep := privacyapp.Keeping{Deliveries: 30 * day}
					done(privacyapp.NewRetention(s.store, keep, s.now).ForgetDeliveries(t.Context()))
				}
				if c.forgotten {
					forget()
				}
				log := func() []webhook.Delivery {
					return must(s.intake.Deliveries(t.Context(), owner, hook.ID, "", "", 9))
				}
				untilFetched(t, leads, "a line", func() bool {
					all := log()
					return len(all) > 0 && all[0].Outcome != webhook.Waiting
				})
				forget()
				var became []webhook.Outcome
				for _, d := range log() {
					became = append(became, d.Outcome)
				}
				equal(t, "what became of it", line(became), line([]webhook.Outcome{c.want}))
				for _, f := range must(s.store.(*gormstore.Store).Check(t.Context(), s.now())) {
					equal(t, f.Name, f.Violations, 0)
				}
			})
		})
	}
}

// tiredPlatform takes its token for dead while dead says so, of calls about the token or of others.
type tiredPlatform struct {
	moodyPlatform
	dead func(aboutToken bool) bool
	ends time.Time
}

var errTokenDead = &ports.SourceError{Failure: ports.TokenDead, Reason: "código 190"}

func (p *tiredPlatform) Forms(ctx context.Context, a ports.SourceAccess) ([]webhook.Form, error) {
	if p.dead != nil && p.dead(false) {
		return nil, errTokenDead
	}
	return p.moodyPlatform.Forms(ctx, a)
}

func (p *tiredPlatform) Expiry(context.Context, ports.SourceAccess) (time.Time, error) {
	if p.dead != nil && p.dead(true) {
		return time.Time{}, errTokenDead
	}
	return p.ends, nil
}

// TestATokenThatDiesAgain is told of again, and one that is to end again; one that only says of itself that it lives is
// not.
func TestATokenThatDiesAgain(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		dead func(since time.Duration, aboutToken bool) bool
		// ends is after how long the token is to end, at each turn; it ends never then.
		ends []time.Duration
		want int
	}{
		"it recovers and dies": {dead: func(since time.Duration, _ bool) bool {
			return since < 2*time.Hour || since > 5*time.Hour
		}, want: 2},
		"it stays dead":          {dead: func(time.Duration, bool) bool { return true }, want: 1},
		"it says that it is not": {dead: func(_ time.Duration, aboutToken bool) bool { return !aboutToken }, want: 1},
		"it is prolonged":        {ends: []time.Duration{day, day, 9 * day, day, day}, want: 2},
		"it is to end, for long": {ends: []time.Duration{day, day, day}, want: 1},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				p := &tiredPlatform{}
				leads, _, _, owner := s.connectedTo(p, 10*time.Minute)
				began := time.Now()
				p.dead = func(aboutToken bool) bool { return c.dead != nil && c.dead(time.Since(began), aboutToken) }
				for n := range 8 { // the workers look every second
					p.ends = time.Time{}
					if n < len(c.ends) {
						p.ends = s.now().Add(c.ends[n])
					}
					ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
					leads.Run(ctx)
					stop()
					time.Sleep(time.Hour)
				}
				told := 0
				for _, n := range must(s.notifications.List(t.Context(), owner, s.orgID, owner.MemberID(), 99)) {
					if n.Kind == crm.SourceToken {
						told++
					}
				}
				equal(t, "told", told, c.want)
			})
		})
	}
}
