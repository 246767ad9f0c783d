package linkedin_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fichario/adapters/linkedin"
	"fichario/adapters/sandbox"
	"fichario/domain/intake"
	"fichario/domain/webhook"
	"fichario/ports"
)

// ours is an address that answers LinkedIn's challenge as a webhook of ours does, and hears its notifications.
func ours(t *testing.T, secret string) (address string, heard chan []byte) {
	t.Helper()
	hook := webhook.Webhook{Signature: webhook.OfPlatform(intake.LinkedIn, secret)}
	hook.Kind = intake.LinkedIn
	heard = make(chan []byte, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if code := r.URL.Query().Get("challengeCode"); code != "" {
			_, _ = io.WriteString(w, `{"challengeCode":"`+code+`","challengeResponse":"`+hook.Response(code)+`"}`)
			return
		}
		body, err := io.ReadAll(r.Body)
		d := webhook.Delivery{Headers: []intake.Pair{{Key: webhook.LinkedInHeader, Value: r.Header.Get("X-LI-Signature")}}}
		if err != nil || hook.Signature.Check(d, body, time.Now()) != nil {
			t.Errorf("a notification is not signed: %v", err)
		}
		heard <- body
	}))
	t.Cleanup(server.Close)
	return server.URL + "/api/webhooks/receive/x", heard
}

// started is a client of a stand-in for LinkedIn, which checks that the token is in a header alone.
func started(t *testing.T) (ports.LeadSource, *sandbox.LinkedIn, ports.SourceAccess, chan []byte) {
	t.Helper()
	l := sandbox.NewLinkedIn()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/rest/") || strings.Contains(r.URL.String(), sandbox.LinkedInToken) ||
			r.Header.Get("LinkedIn-Version") != linkedin.Version {
			t.Errorf("the call %s has another version, or the token in its address", r.URL.Path)
		}
		l.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	c := linkedin.New(server.URL)
	a := ports.SourceAccess{Token: sandbox.LinkedInToken, AppSecret: sandbox.LinkedInSecret}
	address, heard := ours(t, sandbox.LinkedInSecret)
	a.Callback = address
	for range 2 { // the second time nothing is subscribed again
		pages, err := c.Pages(t.Context(), a)
		if err != nil || len(pages) != 1 || pages[0].Page != sandbox.LinkedInAccount || len(pages[0].Forms) != 1 ||
			len(l.Subscriptions()) != 1 {
			t.Fatalf("pages %+v, %v, subscriptions %v", pages, err, l.Subscriptions())
		}
	}
	a.Page = sandbox.LinkedInAccount
	return c, l, a, heard
}

// TestALead: announced, fetched, and read in the words of its form.
func TestALead(t *testing.T) {
	t.Parallel()
	c, l, a, heard := started(t)
	id := l.AddLeads(t.Context(), sandbox.LinkedInLead{Consent: true, Fields: map[string]string{
		"FIRST_NAME": "Rita", "LAST_NAME": "Maia", "EMAIL": "rita@exemplo.com.br", "PHONE_NUMBER": "+55 11 98877-0044",
		"COMPANY_NAME": "Maia ME", "tamanho": "2",
	}})[0]
	notices, err := c.Notices(<-heard)
	if err != nil || len(notices) != 1 || notices[0] != (webhook.Notice{Lead: id, Page: a.Page}) {
		t.Errorf("notices %+v, %v", notices, err)
	}
	lead, err := c.Lead(t.Context(), a, id)
	if err != nil || time.Since(lead.CreatedAt).Abs() > time.Minute {
		t.Fatalf("%s, %v", lead.CreatedAt, err)
	}
	d, err := intake.Read(intake.Options{Kind: intake.LinkedIn}, "application/json", c.Worded(lead, webhook.Form{}))
	if err != nil || d.Email != "rita@exemplo.com.br" || d.Name != "Rita Maia" || d.Company != "Maia ME" ||
		d.PhoneE164 != "+5511988770044" || d.DeliveryID != "linkedin:"+id {
		t.Errorf("%+v, %v", d, err)
	}
	said := d.Note()
	for _, p := range d.Attribution {
		said += "\n" + p.Key + "=" + p.Value + ";"
	}
	for _, want := range []string{
		"Quantas pessoas trabalham com você?: Mais de dez", "Aceito receber ofertas por e-mail: sim",
		"campaign_name=Lançamento Aurora;", "form_name=Receba a planta;", "platform=linkedin;", "utm_campaign=planta;",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the contact has no %q: %s", want, said)
		}
	}
	for _, no := range []string{"lead_id", "SPONSORED", "submittedAt", id} {
		if strings.Contains(said, no) {
			t.Errorf("the contact has %q: %s", no, said)
		}
	}
	if len(d.Consents) != 1 || !d.Consents[0].Given {
		t.Errorf("consents %+v", d.Consents)
	}
}

// TestOneAccount: another name tells which accounts there are.
func TestOneAccount(t *testing.T) {
	t.Parallel()
	c, _, a, _ := started(t)
	a.Page = "outra"
	if _, err := c.Pages(t.Context(), a); err == nil || !strings.Contains(err.Error(), "("+sandbox.LinkedInAccount+")") {
		t.Errorf("an account that there is not: %v", err)
	}
	for _, a.Page = range []string{sandbox.LinkedInAccount, "imobiliária aurora anúncios"} {
		if pages, err := c.Pages(t.Context(), a); err != nil || len(pages) != 1 {
			t.Errorf("%s: %+v, %v", a.Page, pages, err)
		}
	}
}

// TestNotices: only a lead that was made is one.
func TestNotices(t *testing.T) {
	t.Parallel()
	c, l := linkedin.New(linkedin.Address), sandbox.NewLinkedIn()
	for what, body := range map[string]string{
		"a lead that was withdrawn": string(l.Notification("1a2b3c-4", "DELETED")),
		"another kind":              `{"type":"ORGANIZATION_SOCIAL_ACTION_NOTIFICATIONS","notifications":[]}`,
		"an id with a path": strings.Replace(string(l.Notification("x", "CREATED")), "leadGenFormResponse:x",
			"leadGenFormResponse:x/../y", 1),
		"no object": `[]`,
	} {
		if got, _ := c.Notices([]byte(body)); len(got) != 0 {
			t.Errorf("%s: %+v", what, got)
		}
	}
	if _, err := c.Notices([]byte("nada")); err == nil {
		t.Error("what is no JSON is a notification")
	}
}

func TestLeadsOfATime(t *testing.T) {
	t.Parallel()
	c, l, a, _ := started(t)
	if err := c.Unsubscribe(t.Context(), a); err != nil || len(l.Subscriptions()) != 0 {
		t.Fatalf("unsubscribed: %v, %v", err, l.Subscriptions())
	}
	now := time.Now()
	for i := range 250 {
		l.AddLeads(t.Context(), sandbox.LinkedInLead{Created: now.Add(time.Duration(i-250) * time.Minute)})
	}
	known := map[string]bool{}
	for cursor, more := "", true; more; {
		found, next, err := c.Leads(t.Context(), a, nil, now.Add(-210*time.Minute), cursor)
		if err != nil {
			t.Fatal(err)
		}
		l.AddLeads(t.Context(), sandbox.LinkedInLead{Created: now.Add(time.Hour)})
		for _, lead := range found {
			known[lead.ID] = true
		}
		cursor, more = next, next != ""
	}
	if len(known) != 210 {
		t.Errorf("%d leads of the last 210 minutes", len(known))
	}
}

// TestFailures: what LinkedIn says by the status.
func TestFailures(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		make func(*sandbox.LinkedIn)
		want ports.SourceFailure
	}{
		"a dead token":         {func(l *sandbox.LinkedIn) { l.RenewToken("outro") }, ports.TokenDead},
		"a missing permission": {func(l *sandbox.LinkedIn) { l.Forbid(true) }, ports.PermissionMissing},
		"too many calls":       {func(l *sandbox.LinkedIn) { l.Limit(1) }, ports.SourceLimited},
		"no such lead":         {func(*sandbox.LinkedIn) {}, ports.LeadGone},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			client, l, a, _ := started(t)
			c.make(l)
			_, err := client.Lead(t.Context(), a, "f1-4")
			var failed *ports.SourceError
			if !errors.As(err, &failed) || failed.Failure != c.want || strings.Contains(err.Error(), a.Token) {
				t.Errorf("%v", err)
			}
			if (failed.RetryAfter > 0) != (c.want == ports.SourceLimited) {
				t.Errorf("again in %s", failed.RetryAfter)
			}
		})
	}
	client, l, a, _ := started(t)
	if _, err := client.Expiry(t.Context(), a); err != nil {
		t.Error(err)
	}
	l.Forbid(true)
	if _, err := client.Pages(t.Context(), a); err == nil {
		t.Error("a token that may read no account's leads opens some")
	}
	if _, err := linkedin.New("http://127.0.0.1:1").Forms(t.Context(), a); err == nil || strings.Contains(err.Error(), a.Token) {
		t.Errorf("nobody is there: %v", err)
	}
}

// TestAnAddressThatIsNotOurs is not subscribed: it does not know the app's secret.
func TestAnAddressThatIsNotOurs(t *testing.T) {
	t.Parallel()
	c, l, a, _ := started(t)
	a.Callback, _ = ours(t, "outro-segredo")
	_, err := c.Pages(t.Context(), a)
	if err == nil || !strings.Contains(err.Error(), "Client secret") || len(l.Subscriptions()) != 1 {
		t.Errorf("%v, subscriptions %v", err, l.Subscriptions())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Forms(ctx, a); err == nil {
		t.Error("a call that was given up has an answer")
	}
}
