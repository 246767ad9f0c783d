package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
	"fichario/ports"
)

// lookupsBureau answers what it is told to, by document.
type lookupsBureau struct {
	mu      sync.Mutex
	answers map[string]func(context.Context, catalog.Product) (ports.Answer, error)
	calls   atomic.Int64
}

// Ask implements ports.Bureau.
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

// lookupsSite is the interface on a store of its own, with a bureau that does as told.
type lookupsSite struct {
	t       *testing.T
	store   *gormstore.Store
	server  *httptest.Server
	lookups *app.Lookups
	keys    *app.Keys
	bureau  *lookupsBureau
	log     *bytes.Buffer
	ahead   atomic.Int64
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

func lookupsOpen(t *testing.T, enabled bool) *lookupsSite {
	t.Helper()
	store, err := gormstore.Open("sqlite://"+filepath.Join(t.TempDir(), "test.db"), [][]byte{bytes.Repeat([]byte{7}, gormstore.DataKeySize)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	site := &lookupsSite{
		t: t, store: store, log: &bytes.Buffer{},
		bureau: &lookupsBureau{answers: map[string]func(context.Context, catalog.Product) (ports.Answer, error){}},
	}
	now := func() time.Time { return time.Now().Add(time.Duration(site.ahead.Load())) }
	calendar := access.Calendar{Location: time.FixedZone("BRT", -3*3600)}
	log := slog.New(slog.NewTextHandler(site.log, nil))
	site.keys = app.NewKeys(store, now)
	site.lookups = app.NewLookups(app.LookupsConfig{
		Store: store, Bureau: site.bureau, Catalog: lookupsCatalog(), Timeout: 3 * time.Second, Fresh: lookupsFresh,
		Calendar: calendar, Clock: now, Log: log, Observe: func(app.LookupEvent) {},
	})
	t.Cleanup(site.lookups.Close)
	handler, err := web.New(web.Config{
		Sessions:      app.NewSessions(store, now, func(hash, password string) bool { return hash == password }, "x"),
		Organisations: lookupsPeople(store), Lookups: site.lookups, Statement: app.NewStatement(store, calendar, now), Keys: site.keys,
		Intake: app.NewIntake(store, now, func() {}), Webhooks: app.NewWebhooks(store, now), Contacts: app.NewContacts(store, now),
		Automations: app.NewAutomations(store, now), Calendar: calendar, Clock: now, PublicURL: "https://fichario.example", LookupEnabled: enabled, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	site.server = httptest.NewServer(handler)
	t.Cleanup(site.server.Close)
	return site
}

func lookupsPeople(store ports.Store) *app.Organisations {
	return app.NewOrganisations(store, time.Now, func(p string) (string, error) { return p, nil })
}

// lookupsVisitor is a member who has signed in.
type lookupsVisitor struct {
	*lookupsSite
	client *http.Client
	by     app.Caller
}

// owner makes an organisation and signs its owner in.
func (s *lookupsSite) owner(name string) *lookupsVisitor {
	s.t.Helper()
	org, err := lookupsPeople(s.store).Create(s.t.Context(), "Org "+name)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.member(org.ID, name, crm.Owner)
}

func (s *lookupsSite) member(orgID, name string, role crm.Role) *lookupsVisitor {
	s.t.Helper()
	m, err := lookupsPeople(s.store).AddMember(s.t.Context(), app.Operator(), app.NewMember{
		OrgID: orgID, Name: name, Email: strings.ToLower(name) + "@example.com", Role: role, Password: "senha-de-teste",
	})
	if err != nil {
		s.t.Fatal(err)
	}
	jar, _ := cookiejar.New(nil)
	v := &lookupsVisitor{lookupsSite: s, by: app.Caller{OrgID: orgID, MemberID: m.ID, Role: role}, client: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if r, _ := v.post("/entrar", "email", m.Email, "senha", "senha-de-teste"); r.StatusCode != http.StatusSeeOther {
		s.t.Fatalf("sign in: %d", r.StatusCode)
	}
	return v
}

// lookupsReply is an answer without its body.
type lookupsReply struct {
	StatusCode int
	Header     http.Header
}

// key makes a key of the visitor's organisation and returns the caller that it is.
func (v *lookupsVisitor) key(name string) app.Caller {
	v.t.Helper()
	key, _, err := v.keys.Create(v.t.Context(), v.by, app.NewKey{
		OrgID: v.by.OrgID, Name: name, Scopes: document.Types(), Limits: access.Limits{PerMinute: 60, PerDay: 10, PerMonth: 100},
	})
	if err != nil {
		v.t.Fatal(err)
	}
	return app.Caller{OrgID: key.OrgID, Key: &key}
}

func (v *lookupsVisitor) do(method, path string, form url.Values, headers ...string) (lookupsReply, string) {
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
	return lookupsReply{response.StatusCode, response.Header}, string(body)
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

func (v *lookupsVisitor) post(path string, pairs ...string) (lookupsReply, string) {
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
	rec, err := v.store.Repos().History.Latest(v.t.Context(), v.by.OrgID, "cpf", doc)
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
