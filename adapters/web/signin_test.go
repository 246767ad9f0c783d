package web_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/contacts"
	"fichario/app/lookups"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/ports"
)

// TestGuessersHearWhenToComeBack: whatever X-Forwarded-For they send, and whichever account they guess.
func TestGuessersHearWhenToComeBack(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.client.Jar = nil
	guess := func(i int) (answer, string) {
		return v.do(http.MethodPost, "/entrar", url.Values{"email": {fmt.Sprintf("p%d@x.example", i)}, "senha": {"palpite"}},
			"X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i))
	}
	for i := range 20 {
		if a, page := guess(i); a.StatusCode != http.StatusUnauthorized || strings.Contains(page, "Espere") {
			t.Fatalf("guess %d: %d", i, a.StatusCode)
		}
	}
	a, page := guess(20)
	if a.StatusCode != http.StatusUnauthorized || !strings.Contains(page, "Espere") || a.Header.Get("Retry-After") == "" {
		t.Errorf("after twenty: %d, Retry-After %q", a.StatusCode, a.Header.Get("Retry-After"))
	}
	has(t, "of a password that nobody looked at", page, "A senha não foi conferida.")
	hasNot(t, "of a password that nobody looked at", page, "não conferem")
	if strings.Contains(v.log.String(), "127.0.0.1") || strings.Contains(v.log.String(), "198.51.100") {
		t.Error("the log holds an address")
	}
}

// TestSigningInAgainEndsTheSessionBefore: only that of the same browser.
func TestSigningInAgainEndsTheSessionBefore(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v, other := site.visitor("Ana"), site.outside()
	signIn := url.Values{"email": {v.member.Email}, "senha": {"senha-de-teste"}}
	if status, _ := other.post("/entrar", signIn); status != http.StatusSeeOther {
		t.Fatalf("another browser: %d", status)
	}
	at, err := url.Parse(v.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	var before string
	for _, cookie := range v.client.Jar.Cookies(at) {
		if cookie.Name == "sessao" {
			before = cookie.String()
		}
	}
	if status, _ := v.post("/entrar", signIn); status != http.StatusSeeOther {
		t.Fatalf("again: %d", status)
	}
	v.get("/contatos")
	other.get("/contatos")
	old, _ := site.outside().do(http.MethodGet, "/contatos", nil, "Cookie", before)
	if to := old.Header.Get("Location"); old.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, "/entrar") {
		t.Errorf("the old cookie: %d to %s", old.StatusCode, to)
	}
	old, _ = site.outside().do(http.MethodGet, "/eventos", nil, "Cookie", before, "Accept", "text/event-stream")
	if old.StatusCode != http.StatusNoContent || old.Header.Get("Set-Cookie") != "" {
		t.Errorf("a stream of events after the session's end: %d, %q", old.StatusCode, old.Header.Get("Set-Cookie"))
	}
}

// TestWhatAPageAsksByItselfIsNoVisit: polling does not update when the session was last seen.
func TestWhatAPageAsksByItselfIsNoVisit(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	seen := func() time.Time {
		t.Helper()
		all, err := site.store.Repos().Sessions.List(t.Context(), v.member.ID, access.SessionToken{}, time.Time{})
		if err != nil || len(all) != 1 {
			t.Fatalf("%d sessions: %v", len(all), err)
		}
		return all[0].SeenAt
	}
	began := seen()
	site.ahead.Store(int64(time.Hour))
	for _, path := range []string{"/notificacoes/sino", "/chaves", "/contatos", "/nada"} {
		v.do(http.MethodGet, path, nil, "HX-Request", "true", "X-Unattended", "true")
		if !seen().Equal(began) {
			t.Errorf("%s by itself is a visit", path)
		}
	}
	v.do(http.MethodGet, "/notificacoes/sino", nil, "HX-Request", "true")
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, v.server.URL+"/eventos", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := v.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	leave()
	_ = stream.Body.Close()
	if stream.StatusCode != http.StatusOK || !seen().Equal(began) {
		t.Errorf("the bell, or the stream of events (%d), is a visit", stream.StatusCode)
	}
	v.do(http.MethodGet, "/contatos", nil, "HX-Request", "true")
	if !seen().After(began) {
		t.Error("what somebody asks for in a page is no visit")
	}
}

// TestAStreamEndsWithItsSession: whoever signs out or loses access elsewhere is not told of what comes after.
func TestAStreamEndsWithItsSession(t *testing.T) {
	t.Parallel()
	for what, end := range map[string]func(*testing.T, *visitor){
		"signed out": func(t *testing.T, v *visitor) {
			t.Helper()
			v.post("/sair", nil)
		},
		"without access": func(t *testing.T, v *visitor) {
			t.Helper()
			_, err := v.people().Add(t.Context(), app.Operator(), team.NewMember{
				OrgID: v.by.OrgID(), Name: "Bia", Email: "bia@example.com", Role: crm.Owner,
			})
			if err != nil {
				t.Fatal(err)
			}
			off := false
			if err := v.people().Update(t.Context(), app.Operator(), v.member.ID, team.MemberChange{Active: &off}); err != nil {
				t.Fatal(err)
			}
		},
		"without a second factor": func(t *testing.T, v *visitor) {
			t.Helper()
			err := v.store.InTx(t.Context(), func(ctx context.Context, r ports.Repos) error {
				return r.Orgs.SetSecondFactor(ctx, v.by.OrgID(), true)
			})
			if err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			v := openSite(t).visitor("Rui")
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.server.URL+"/eventos", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			stream, err := v.client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = stream.Body.Close() }()
			lines := bufio.NewScanner(stream.Body)
			if !lines.Scan() || !strings.HasPrefix(lines.Text(), "id: ") {
				t.Fatalf("the stream has not begun: %d, %q", stream.StatusCode, lines.Text())
			}
			end(t, v)
			form := contacts.ContactForm{Name: "Bia", Email: "b@x.example"}
			_, err = contacts.New(v.store, time.Now).Create(t.Context(), v.by, form)
			if err != nil {
				t.Fatal(err)
			}
			for lines.Scan() {
				if lines.Text() == "event: contatos" {
					t.Fatal("told of a contact")
				}
			}
		})
	}
}

// TestTheAccountOfWhoHasNoPassword has no password form, which could never be submitted.
func TestTheAccountOfWhoHasNoPassword(t *testing.T) {
	t.Parallel()
	for _, mails := range []bool{true, false} {
		site := newSite(t, mails)
		owner := site.visitor("Ana")
		has(t, "of who has one", owner.get("/conta"), `action="/conta/senha"`, "Trocar a senha")
		nova, err := site.people().Add(t.Context(), app.Operator(), team.NewMember{
			OrgID: owner.by.OrgID(), Name: "Nova", Email: "nova@example.com", Role: crm.Common,
		})
		if err != nil {
			t.Fatal(err)
		}
		token := access.NewSessionToken()
		if err := site.store.Repos().Sessions.Create(t.Context(), token, access.Session{
			ID: lookups.NewKeyID(), MemberID: nova.ID, CreatedAt: time.Now(), SeenAt: time.Now(),
		}); err != nil {
			t.Fatal(err)
		}
		v, cookie := site.outside(), []string{"Cookie", "sessao=" + token.Reveal()}
		_, page := v.do(http.MethodGet, "/conta", nil, cookie...)
		has(t, "the page", page, "Você não tem senha aqui")
		hasNot(t, "the page", page, `action="/conta/senha"`)
		if strings.Contains(page, `href="/entrar/esqueci"`) != mails {
			t.Errorf("the way to one, with mail %t", mails)
		}
		sent, page := v.do(http.MethodPost, "/conta/senha", url.Values{"atual": {"x"}, "senha": {"vento sul"}}, cookie...)
		has(t, "the form all the same", page, "Você não tem senha aqui")
		if sent.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("the form all the same: %d", sent.StatusCode)
		}
	}
}
