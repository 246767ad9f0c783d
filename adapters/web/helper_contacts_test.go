package web_test

import (
	"bytes"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fichario/adapters/gormstore"
	"fichario/adapters/web"
	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/ports"
)

// contactsSite is the interface on a store of its own.
type contactsSite struct {
	t        *testing.T
	store    *gormstore.Store
	server   *httptest.Server
	contacts *app.Contacts
	log      *bytes.Buffer
	// ahead is added to the clock.
	ahead atomic.Int64
}

func contactsOpen(t *testing.T) *contactsSite {
	t.Helper()
	store, err := gormstore.Open("sqlite://"+filepath.Join(t.TempDir(), "test.db"), [][]byte{bytes.Repeat([]byte{7}, gormstore.DataKeySize)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	site := &contactsSite{t: t, store: store, log: &bytes.Buffer{}}
	now := func() time.Time { return time.Now().Add(time.Duration(site.ahead.Load())) }
	calendar := access.Calendar{Location: time.FixedZone("BRT", -3*3600)}
	same := func(hash, password string) bool { return hash == password }
	people := app.NewOrganisations(store, now, func(p string) (string, error) { return p, nil })
	log := slog.New(slog.NewTextHandler(site.log, nil))
	site.contacts = app.NewContacts(store, now)
	lookups := app.NewLookups(app.LookupsConfig{Store: store, Catalog: catalog.Standard(), Fresh: 720 * time.Hour, Calendar: calendar, Clock: now, Log: log, Observe: func(app.LookupEvent) {}})
	handler, err := web.New(web.Config{
		Sessions: app.NewSessions(store, now, same, "x"), Organisations: people, Lookups: lookups, Statement: app.NewStatement(store, calendar, now),
		Keys: app.NewKeys(store, now), Intake: app.NewIntake(store, now, func() {}), Webhooks: app.NewWebhooks(store, now), Contacts: site.contacts,
		Automations: app.NewAutomations(store, now), Calendar: calendar, Clock: now, PublicURL: "http://fichario.example", LookupEnabled: true, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	site.server = httptest.NewServer(handler)
	t.Cleanup(site.server.Close)
	return site
}

// contactsVisitor is a member who has signed in.
type contactsVisitor struct {
	*contactsSite
	client *http.Client
	member crm.Member
	by     app.Caller
	token  intake.Token
	hook   intake.Webhook
}

// visitor makes an organisation with a webhook, and signs its owner in.
func (s *contactsSite) visitor(name string) *contactsVisitor {
	s.t.Helper()
	people := app.NewOrganisations(s.store, time.Now, func(p string) (string, error) { return p, nil })
	org, err := people.Create(s.t.Context(), "Org "+name)
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
	people := app.NewOrganisations(s.store, time.Now, func(p string) (string, error) { return p, nil })
	m, err := people.AddMember(s.t.Context(), app.Operator(), app.NewMember{OrgID: orgID, Name: name, Email: strings.ToLower(name) + "@example.com", Role: role, Password: "senha-de-teste"})
	if err != nil {
		s.t.Fatal(err)
	}
	jar, _ := cookiejar.New(nil)
	v := &contactsVisitor{contactsSite: s, member: m, by: app.Caller{OrgID: orgID, MemberID: m.ID, Role: role}, client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
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
	all, err := ports.Store(v.store).Repos().Funnels.List(v.t.Context(), v.by.OrgID)
	if err != nil {
		v.t.Fatal(err)
	}
	return all[0]
}

// contactsUnescaped is a page's text with its entities read.
func contactsUnescaped(page string) string { return html.UnescapeString(page) }
