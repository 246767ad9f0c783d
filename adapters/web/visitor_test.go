package web_test

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"fichario/app"
	intakeapp "fichario/app/intake"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/intake"
	"fichario/domain/webhook"
	"fichario/ports"
)

// visitor is a member who has signed in.
type visitor struct {
	*testSite
	client *http.Client
	member crm.Member
	by     app.Caller
	token  webhook.Token
	hook   webhook.Webhook
}

// answer is a response without its body.
type answer struct {
	StatusCode int
	Header     http.Header
}

func (v *visitor) do(method, path string, form url.Values, headers ...string) (answer, string) {
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
	return answer{response.StatusCode, response.Header}, string(body)
}

// get returns a page, which must exist.
func (v *visitor) get(path string) string {
	v.t.Helper()
	response, body := v.do(http.MethodGet, path, nil)
	if response.StatusCode != http.StatusOK {
		v.t.Fatalf("GET %s: %d", path, response.StatusCode)
	}
	return body
}

// refused returns a page that must have that status.
func (v *visitor) refused(status int, path string) string {
	v.t.Helper()
	response, body := v.do(http.MethodGet, path, nil)
	if response.StatusCode != status {
		v.t.Fatalf("GET %s: %d, want %d", path, response.StatusCode, status)
	}
	return body
}

func (v *visitor) post(path string, form url.Values) (int, string) {
	v.t.Helper()
	response, body := v.do(http.MethodPost, path, form)
	return response.StatusCode, body
}

// send posts fields, as pairs of name and value.
func (v *visitor) send(path string, pairs ...string) (answer, string) {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return v.do(http.MethodPost, path, form)
}

// lead posts a contact to the webhook and returns its id.
func (v *visitor) lead(fields url.Values) string {
	v.t.Helper()
	return v.receive("application/x-www-form-urlencoded", fields.Encode()).ContactID
}

// receive posts a body to the webhook.
func (v *visitor) receive(contentType, body string) intakeapp.Accepted {
	v.t.Helper()
	got, err := v.arrive(contentType, body)
	if err != nil {
		v.t.Fatal(err)
	}
	return got
}

// arrive is receive for a post that may be refused.
func (v *visitor) arrive(contentType, body string) (intakeapp.Accepted, error) {
	v.t.Helper()
	in := intakeapp.New(v.store, func() time.Time { return time.Now().Add(time.Duration(v.ahead.Load())) })
	hook, err := in.Open(v.t.Context(), v.token.Reveal())
	if err != nil {
		v.t.Fatal(err)
	}
	return in.Receive(v.t.Context(), hook, intakeapp.Post{
		Headers: []intake.Pair{{Key: "content-type", Value: contentType}}, Body: []byte(body), Signed: []byte(body),
	})
}

// key makes a key in the visitor's organisation and returns it as a caller.
func (v *visitor) key(name string) app.Caller {
	v.t.Helper()
	key, _, err := v.keys.Create(v.t.Context(), v.by, lookups.NewKey{
		OrgID: v.by.OrgID(), Name: name, Scopes: document.Types(),
		Limits: access.Limits{PerMinute: 60, PerDay: 10, PerMonth: 100},
	})
	if err != nil {
		v.t.Fatal(err)
	}
	return app.ByKey(&key)
}

// ask makes a lookup and returns the path of its page.
func (v *visitor) ask(pairs ...string) string {
	v.t.Helper()
	response, body := v.send("/consultas", pairs...)
	if response.StatusCode != http.StatusSeeOther {
		v.t.Fatalf("POST /consultas: %d\n%.300s", response.StatusCode, body)
	}
	return response.Header.Get("Location")
}

// again repeats a lookup about a person, naming the newest known answer.
func (v *visitor) again(person string) string {
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

func (v *visitor) events(id string) []string {
	v.t.Helper()
	events, err := v.store.Repos().ContactHistory.Events(v.t.Context(), ports.AnyOrg, id)
	if err != nil {
		v.t.Fatal(err)
	}
	var out []string
	for _, e := range events {
		out = append(out, e.Text())
	}
	return out
}

func (v *visitor) find(id string) crm.Contact {
	v.t.Helper()
	c, err := v.store.Repos().Contacts.Find(v.t.Context(), ports.AnyOrg, id)
	if err != nil {
		v.t.Fatal(err)
	}
	return c
}

func (v *visitor) funnel() crm.Funnel {
	v.t.Helper()
	all, err := ports.Store(v.store).Repos().Funnels.List(v.t.Context(), v.by.OrgID())
	if err != nil {
		v.t.Fatal(err)
	}
	return all[0]
}

// spent is what the visitor's organisation was charged today.
func (v *visitor) spent() catalog.Money {
	v.t.Helper()
	sum, err := v.statement.SpentToday(v.t.Context(), v.by)
	if err != nil {
		v.t.Fatal(err)
	}
	return sum.Amount
}
