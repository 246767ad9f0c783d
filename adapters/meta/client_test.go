package meta_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"fichario/adapters/meta"
	"fichario/adapters/sandbox"
	"fichario/domain/intake"
	"fichario/domain/webhook"
	"fichario/ports"
)

// started is a client of a stand-in for Meta, which checks what every call must hold: one version, the token in a
// header alone.
func started(t *testing.T) (ports.LeadSource, *sandbox.Meta, ports.SourceAccess) {
	t.Helper()
	m := sandbox.NewMeta()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		query.Del("input_token") // as Meta demands
		if !strings.HasPrefix(r.URL.Path, "/"+meta.Version+"/") ||
			strings.Contains(query.Encode(), url.QueryEscape(sandbox.MetaToken)) {
			t.Errorf("the call %s has another version, or the token in its address", r.URL.Path)
		}
		m.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	c := meta.New(server.URL)
	pages, err := c.Pages(t.Context(), ports.SourceAccess{AppSecret: sandbox.MetaSecret, Token: sandbox.MetaToken})
	if err != nil || len(pages) != 1 || len(pages[0].Forms) != 1 || !m.Subscribed() {
		t.Fatalf("pages %+v, %v", pages, err)
	}
	return c, m, ports.SourceAccess{Page: pages[0].Page, Token: pages[0].Token, AppSecret: sandbox.MetaSecret}
}

func TestALead(t *testing.T) {
	t.Parallel()
	c, m, a := started(t)
	id := m.AddLeads(sandbox.MetaLead{
		Fields: map[string]string{"full_name": "Rita Maia", "email": "rita@exemplo.com.br", "qual_bairro_você_procura?": "Centro"},
		Ticked: []string{"aceite_ofertas"},
	})[0]
	notices, err := c.Notices(m.Notification(id, id, "7"))
	if err != nil || len(notices) != 2 || notices[0] != (webhook.Notice{Lead: id, Page: a.Page}) {
		t.Errorf("notices %+v, %v", notices, err)
	}
	l, err := c.Lead(t.Context(), a, id)
	if err != nil {
		t.Fatal(err)
	}
	forms, err := c.Forms(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	d, err := intake.Read(intake.Options{Kind: intake.Meta}, "application/json", c.Worded(l, forms[0]))
	if err != nil || d.Email != "rita@exemplo.com.br" || d.DeliveryID != "meta:"+id {
		t.Errorf("%+v, %v", d, err)
	}
	note, said := d.Note(), ""
	for _, p := range d.Attribution {
		said += p.Key + "=" + p.Value + ";"
	}
	for _, want := range []string{"Qual bairro você procura?: Centro", "Aceito receber ofertas por e-mail: sim"} {
		if !strings.Contains(note, want) {
			t.Errorf("the note has no %q: %s", want, note)
		}
	}
	for _, want := range []string{
		"campaign_name=Lançamento Aurora", "adset_name=Zona Sul", "ad_name=Vídeo da varanda", "form_name=Agende uma visita",
		"platform=ig", "lead_id=" + id,
	} {
		if !strings.Contains(said, want+";") {
			t.Errorf("the attribution has no %q: %s", want, said)
		}
	}
}

func TestLeadsOfATime(t *testing.T) {
	t.Parallel()
	c, m, a := started(t)
	now := time.Now()
	for i := range 250 {
		m.AddLeads(sandbox.MetaLead{Created: now.Add(time.Duration(i-250) * time.Minute)})
	}
	forms, err := c.Forms(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for cursor, more := "", true; more; {
		var found []webhook.Lead
		if found, cursor, err = c.Leads(t.Context(), a, forms, now.Add(-210*time.Minute), cursor); err != nil {
			t.Fatal(err)
		}
		m.AddLeads(sandbox.MetaLead{}) // a list that grows meanwhile loses none
		for _, l := range found {
			known[l.ID] = true
		}
		more = cursor != ""
	}
	if len(known) < 209 || len(known) > 212 {
		t.Errorf("%d leads of the last 210 minutes", len(known))
	}
}

// TestFailures: what Meta says by its codes.
func TestFailures(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		make func(*sandbox.Meta)
		want ports.SourceFailure
	}{
		"a dead token":         {func(m *sandbox.Meta) { m.KillToken() }, ports.TokenDead},
		"a token that ended":   {func(m *sandbox.Meta) { m.RenewToken(sandbox.MetaToken, 1) }, ports.TokenDead},
		"a missing permission": {func(m *sandbox.Meta) { m.Forbid("leads_retrieval") }, ports.PermissionMissing},
		"too many calls, 4":    {func(m *sandbox.Meta) { m.Limit(1, 4, 3) }, ports.SourceLimited},
		"too many calls, 17":   {func(m *sandbox.Meta) { m.Limit(1, 17, 3) }, ports.SourceLimited},
		"too many, 32":         {func(m *sandbox.Meta) { m.Limit(1, 32, 3) }, ports.SourceLimited},
		"too many, 80005":      {func(m *sandbox.Meta) { m.Limit(1, 80005, 3) }, ports.SourceLimited},
		"a passing failure":    {func(m *sandbox.Meta) { m.Limit(1, 2, 0) }, ports.SourceAway},
		"no such lead":         {func(*sandbox.Meta) {}, ports.LeadGone},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			client, m, a := started(t)
			c.make(m)
			_, err := client.Lead(t.Context(), a, "1")
			var failed *ports.SourceError
			if !errors.As(err, &failed) || failed.Failure != c.want || strings.Contains(err.Error(), a.Token) {
				t.Errorf("%v", err)
			}
		})
	}
	client, m, a := started(t)
	m.Forbid("ads_management")
	if l, err := client.Lead(t.Context(), a, m.AddLeads(sandbox.MetaLead{})[0]); err != nil || l.ID == "" {
		t.Errorf("a lead without the names of advertisements: %v", err)
	}
	if err := client.Unsubscribe(t.Context(), a); err != nil || m.Subscribed() {
		t.Errorf("unsubscribed: %v", err)
	}
	m.RenewToken(a.Token, time.Now().Add(time.Hour).Unix())
	if at, err := client.Expiry(t.Context(), a); err != nil || time.Until(at).Round(time.Hour) != time.Hour {
		t.Errorf("the token ends %s, %v", at, err)
	}
	most := 0
	m.Use(97)
	a.Used = func(percent int) { most = max(most, percent) }
	if _, err := client.Forms(t.Context(), a); err != nil || most != 97 {
		t.Errorf("%d %% used, %v", most, err)
	}
	if _, err := meta.New("http://127.0.0.1:1").Forms(t.Context(), a); err == nil || strings.Contains(err.Error(), a.Token) {
		t.Errorf("nobody is there: %v", err)
	}
}

// TestTheCallbackURL: an address that does not answer the challenge is not announced to; one that does hears of each
// new lead, signed.
func TestTheCallbackURL(t *testing.T) {
	t.Parallel()
	c, m, a := started(t)
	heard := make(chan []webhook.Notice, 1)
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			if query := r.URL.Query(); query.Get("hub.verify_token") == "combinado" {
				_, _ = io.WriteString(w, query.Get("hub.challenge"))
			}
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("X-Hub-Signature-256") != m.Sign(body) {
			t.Errorf("a notification is not signed: %v", err)
		}
		notices, err := c.Notices(body)
		if err != nil {
			t.Error(err)
		}
		heard <- notices
	}))
	t.Cleanup(app.Close)
	if err := m.Callback(t.Context(), app.URL, "outro texto"); err == nil {
		t.Error("the challenge did not come back, and the address was taken")
	}
	m.AddLeads(sandbox.MetaLead{}) // announced nowhere
	if err := m.Callback(t.Context(), app.URL, "combinado"); err != nil {
		t.Fatal(err)
	}
	id := m.AddLeads(sandbox.MetaLead{})[0]
	if notices := <-heard; len(notices) != 1 || notices[0] != (webhook.Notice{Lead: id, Page: a.Page}) {
		t.Errorf("announced %+v", notices)
	}
}

// TestOnePageOfAPersons: of a person's token, only the page that is named is subscribed; another name tells which there
// are.
func TestOnePageOfAPersons(t *testing.T) {
	t.Parallel()
	c, m, a := started(t)
	m.AddPage(sandbox.MetaPage{ID: "106000000000002", Name: "Aurora Litoral", Token: "token-do-litoral", Forms: []sandbox.MetaForm{
		{ID: "206000000000002", Name: "Orçamento"},
	}})
	person := ports.SourceAccess{Token: sandbox.MetaPersonToken, AppSecret: a.AppSecret}
	person.Page = "outra"
	_, err := c.Pages(t.Context(), person)
	if err == nil || !strings.Contains(err.Error(), "Aurora Litoral (106000000000002)") || m.Subscribed() {
		t.Errorf("a page that there is not: %v, subscribed %t", err, m.Subscribed())
	}
	person.Page = "aurora litoral"
	pages, err := c.Pages(t.Context(), person)
	if err != nil || len(pages) != 1 || pages[0].Token != "token-do-litoral" || !m.Subscribed() {
		t.Errorf("one page: %+v, %v, subscribed %t", pages, err, m.Subscribed())
	}
	person.Page = ""
	if pages, err = c.Pages(t.Context(), person); err != nil || len(pages) != 2 {
		t.Errorf("all pages: %+v, %v", pages, err)
	}
}
