package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/adapters/gormstore"
	"fichario/adapters/web"
	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/intake"
	"fichario/domain/webhook"
	"fichario/ports"
)

// contactsSite is the interface on a store of its own, with a bureau that does as told.
type contactsSite struct {
	t        *testing.T
	store    *gormstore.Store
	server   *httptest.Server
	contacts *app.Contacts
	lookups  *app.Lookups
	keys     *app.Keys
	bureau   *lookupsBureau
	log      *bytes.Buffer
	// ahead is added to the clock.
	ahead atomic.Int64
}

func contactsOpen(t *testing.T) *contactsSite { t.Helper(); return openSite(t, true) }

// openSite opens one with or without lookups.
func openSite(t *testing.T, lookups bool) *contactsSite {
	t.Helper()
	store, err := gormstore.Open("sqlite://"+filepath.Join(t.TempDir(), "test.db"), [][]byte{bytes.Repeat([]byte{7}, gormstore.DataKeySize)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	site := &contactsSite{
		t: t, store: store, log: &bytes.Buffer{},
		bureau: &lookupsBureau{answers: map[string]func(context.Context, catalog.Product) (ports.Answer, error){}},
	}
	now := func() time.Time { return time.Now().Add(time.Duration(site.ahead.Load())) }
	calendar := access.Calendar{Location: time.FixedZone("BRT", -3*3600)}
	log := slog.New(slog.NewTextHandler(site.log, nil))
	site.contacts, site.keys = app.NewContacts(store, now), app.NewKeys(store, now)
	site.lookups = app.NewLookups(app.LookupsConfig{
		Store: store, Bureau: site.bureau, Catalog: lookupsCatalog(), Timeout: 3 * time.Second, Fresh: lookupsFresh,
		Calendar: calendar, Clock: now, Log: log, Observe: func(app.LookupEvent) {},
	})
	t.Cleanup(site.lookups.Close)
	handler, err := web.New(web.Config{
		Sessions:      app.NewSessions(store, now, func(hash, password string) bool { return hash == password }, "x"),
		Organisations: app.NewOrganisations(store, now), Members: site.people(), Funnels: app.NewFunnels(store, now),
		Origins: app.NewOrigins(store), Notifications: app.NewNotifications(store), Lookups: site.lookups, Statement: app.NewStatement(store, calendar, now), Keys: site.keys,
		Intake: app.NewIntake(store, now, func() {}), Webhooks: app.NewWebhooks(store, now), Contacts: site.contacts,
		Automations: app.NewAutomations(store, now), Calendar: calendar, Clock: now, PublicURL: "https://fichario.example", LookupEnabled: lookups, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	site.server = httptest.NewServer(handler)
	t.Cleanup(site.server.Close)
	return site
}

// people makes members whose passwords are their own hashes.
func (s *contactsSite) people() *app.Members {
	return app.NewMembers(s.store, time.Now, func(p string) (string, error) { return p, nil })
}

// lookupsPrice is that of every product, and lookupsFresh how long history answers.
const (
	lookupsPrice = 4500
	lookupsFresh = 720 * time.Hour
)

func lookupsCatalog() catalog.Catalog {
	c := append(catalog.Standard(), catalog.Product{
		ID: "renda_presumida", Name: "Renda presumida", Description: "Quanto a pessoa deve ganhar.", Documents: []document.Type{document.CPF},
		Fields: []catalog.Field{
			{Name: "renda", Kind: catalog.Number, Description: "Renda mensal presumida."}, {Name: "faixaDeRenda", Kind: catalog.String},
			{Name: "fontes", Kind: catalog.List}, {Name: "extra", Kind: catalog.Object},
		},
	})
	for i := range c {
		c[i].Price = lookupsPrice
	}
	return c
}

// lookupsBureau answers what it is told to, by document.
type lookupsBureau struct {
	mu      sync.Mutex
	answers map[string]func(context.Context, catalog.Product) (ports.Answer, error)
	calls   atomic.Int64
}

func (b *lookupsBureau) Ask(ctx context.Context, p catalog.Product, d document.Document) (ports.Answer, error) {
	b.calls.Add(1)
	b.mu.Lock()
	answer := b.answers[d.Value()]
	b.mu.Unlock()
	if answer == nil {
		return lookupsAnswer(p, `{"nome":"Ana Souza"}`), nil
	}
	return answer(ctx, p)
}

func (b *lookupsBureau) on(doc string, answer func(context.Context, catalog.Product) (ports.Answer, error)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answers[doc] = answer
}

// says makes a document's answer of a JSON text whose keys are the named fields.
func (b *lookupsBureau) says(doc, raw string) {
	b.on(doc, func(_ context.Context, p catalog.Product) (ports.Answer, error) { return lookupsAnswer(p, raw), nil })
}

func (b *lookupsBureau) fails(doc string, o ports.BureauOutcome) {
	b.on(doc, func(context.Context, catalog.Product) (ports.Answer, error) {
		return ports.Answer{}, &ports.BureauError{Outcome: o, Reason: "test"}
	})
}

func lookupsAnswer(p catalog.Product, raw string) ports.Answer {
	dec := json.NewDecoder(strings.NewReader(raw))
	dec.UseNumber()
	values := map[string]any{}
	_ = dec.Decode(&values)
	fields, dropped := p.Project(values)
	return ports.Answer{Found: true, Raw: []byte(raw), Fields: fields, Dropped: dropped}
}

// contactsVisitor is a member who has signed in.
type contactsVisitor struct {
	*contactsSite
	client *http.Client
	member crm.Member
	by     app.Caller
	token  webhook.Token
	hook   webhook.Webhook
}

// visitor makes an organisation with a webhook, and signs its owner in.
func (s *contactsSite) visitor(name string) *contactsVisitor {
	s.t.Helper()
	org, err := app.NewOrganisations(s.store, time.Now).Create(s.t.Context(), "Org "+name)
	if err != nil {
		s.t.Fatal(err)
	}
	v := s.member(org.ID, name, crm.Owner)
	hook, token, err := app.NewWebhooks(s.store, time.Now).Create(s.t.Context(), app.Operator(), app.NewWebhook{OrgID: org.ID, Name: "Site de " + name, Options: intake.Options{Kind: intake.Generic}})
	if err != nil {
		s.t.Fatal(err)
	}
	v.hook, v.token = hook, token
	return v
}

func (s *contactsSite) member(orgID, name string, role crm.Role) *contactsVisitor {
	s.t.Helper()
	m, err := s.people().Add(s.t.Context(), app.Operator(), app.NewMember{
		OrgID: orgID, Name: name, Email: strings.ToLower(name) + "@example.com", Role: role, Password: "senha-de-teste",
	})
	if err != nil {
		s.t.Fatal(err)
	}
	jar, _ := cookiejar.New(nil)
	v := &contactsVisitor{contactsSite: s, member: m, by: app.ByMember(m), client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	if status, _ := v.post("/entrar", url.Values{"email": {m.Email}, "senha": {"senha-de-teste"}}); status != http.StatusSeeOther {
		s.t.Fatalf("sign in: %d", status)
	}
	return v
}

// lead posts a contact to the webhook and returns its id.
func (v *contactsVisitor) lead(fields url.Values) string {
	v.t.Helper()
	in := app.NewIntake(v.store, func() time.Time { return time.Now().Add(time.Duration(v.ahead.Load())) }, func() {})
	hook, err := in.Open(v.t.Context(), v.token.Reveal())
	if err != nil {
		v.t.Fatal(err)
	}
	body := []byte(fields.Encode())
	got, err := in.Receive(v.t.Context(), hook, app.Post{Headers: []intake.Pair{{Key: "content-type", Value: "application/x-www-form-urlencoded"}}, Body: body, Signed: body})
	if err != nil {
		v.t.Fatal(err)
	}
	return got.ContactID
}

// contactsAnswer is an answer without its body.
type contactsAnswer struct {
	StatusCode int
	Header     http.Header
}

func (v *contactsVisitor) do(method, path string, form url.Values, headers ...string) (contactsAnswer, string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.server.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return contactsAnswer{response.StatusCode, response.Header}, string(body)
}

// get returns a page, which must be there.
func (v *contactsVisitor) get(path string) string {
	v.t.Helper()
	response, body := v.do(http.MethodGet, path, nil)
	if response.StatusCode != http.StatusOK {
		v.t.Fatalf("GET %s: %d", path, response.StatusCode)
	}
	return body
}

func (v *contactsVisitor) post(path string, form url.Values) (int, string) {
	v.t.Helper()
	response, body := v.do(http.MethodPost, path, form)
	return response.StatusCode, body
}

func (v *contactsVisitor) events(id string) []string {
	v.t.Helper()
	events, err := v.store.Repos().Contacts.Events(v.t.Context(), id)
	if err != nil {
		v.t.Fatal(err)
	}
	var out []string
	for _, e := range events {
		out = append(out, e.Text())
	}
	return out
}

func (v *contactsVisitor) find(id string) crm.Contact {
	v.t.Helper()
	c, err := v.store.Repos().Contacts.Find(v.t.Context(), id)
	if err != nil {
		v.t.Fatal(err)
	}
	return c
}

func (v *contactsVisitor) funnel() crm.Funnel {
	v.t.Helper()
	all, err := ports.Store(v.store).Repos().Funnels.List(v.t.Context(), v.by.OrgID())
	if err != nil {
		v.t.Fatal(err)
	}
	return all[0]
}

// contactsUnescaped is a page's text with its entities read.
func contactsUnescaped(page string) string { return html.UnescapeString(page) }

// lookupsVisitor is a visitor who looks up.
type lookupsVisitor struct{ *contactsVisitor }

// owner makes an organisation and signs its owner in.
func (s *contactsSite) owner(name string) *lookupsVisitor {
	s.t.Helper()
	return &lookupsVisitor{s.visitor(name)}
}

// colleague signs another member in.
func (s *contactsSite) colleague(orgID, name string, role crm.Role) *lookupsVisitor {
	s.t.Helper()
	return &lookupsVisitor{s.member(orgID, name, role)}
}

// key makes a key of the visitor's organisation and returns the caller that it is.
func (v *lookupsVisitor) key(name string) app.Caller {
	v.t.Helper()
	key, _, err := v.keys.Create(v.t.Context(), v.by, app.NewKey{
		OrgID: v.by.OrgID(), Name: name, Scopes: document.Types(), Limits: access.Limits{PerMinute: 60, PerDay: 10, PerMonth: 100},
	})
	if err != nil {
		v.t.Fatal(err)
	}
	return app.ByKey(&key)
}

// get returns a page, which must have that status.
func (v *lookupsVisitor) get(status int, path string) string {
	v.t.Helper()
	response, body := v.do(http.MethodGet, path, nil)
	if response.StatusCode != status {
		v.t.Fatalf("GET %s: %d, want %d", path, response.StatusCode, status)
	}
	return body
}

func (v *lookupsVisitor) post(path string, pairs ...string) (contactsAnswer, string) {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return v.do(http.MethodPost, path, form)
}

// ask makes a lookup and returns the path of its page.
func (v *lookupsVisitor) ask(pairs ...string) string {
	v.t.Helper()
	response, body := v.post("/consultas", pairs...)
	if response.StatusCode != http.StatusSeeOther {
		v.t.Fatalf("POST /consultas: %d\n%.300s", response.StatusCode, body)
	}
	return response.Header.Get("Location")
}

// again asks anew about a person of whom the newest answer is known.
func (v *lookupsVisitor) again(person string) string {
	v.t.Helper()
	doc, err := document.Parse(document.CPF, person)
	if err != nil {
		v.t.Fatal(err)
	}
	rec, err := v.store.Repos().History.Latest(v.t.Context(), v.by.OrgID(), "cpf", doc)
	if err != nil && !errors.Is(err, ports.ErrNotFound) {
		v.t.Fatal(err)
	}
	return v.ask("documento", person, "produto", "cpf", "novo", rec.ID)
}

// spent is what the visitor's organisation was charged today.
func (v *lookupsVisitor) spent() catalog.Money {
	v.t.Helper()
	sum, err := v.lookups.SpentToday(v.t.Context(), v.by)
	if err != nil {
		v.t.Fatal(err)
	}
	return sum.Amount
}
