package integration

import (
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/oidctest"
	"fichario/tests/testkit/patience"
)

const domain = "aroeira.example"

// guests is the program with a provider, an organisation and its owner, who has a password.
type guests struct {
	*testkit.Program

	t        *testing.T
	env      map[string]string
	org      string
	provider *oidctest.Provider
}

func startWithProvider(t *testing.T, env map[string]string, settings map[string]string) guests {
	t.Helper()
	g := guests{t: t, env: env, provider: oidctest.Start(t)}
	g.org = testkit.JSON[map[string]string](t, testkit.Run(t, env, "org", "create", "--name", "Aroeira", "--json"))["id"]
	testkit.RunInput(t, "uma-senha-longa\n", env, "member", "add", "--org", g.org, "--name", "Helena Dias", "--email",
		"helena@"+domain, "--role", "owner", "--password-stdin")
	maps.Copy(env, g.provider.Env(domain))
	env["FICHARIO_OIDC_ORG"] = g.org
	maps.Copy(env, settings)
	g.Program = testkit.StartProgram(t, testkit.Options{Env: env})
	return g
}

// known are the provider's claims about a person.
func known(sub, email string, more ...any) map[string]any {
	claims := map[string]any{"sub": sub, "email": email, "email_verified": true, "name": "Ana Lima"}
	for i := 0; i < len(more); i += 2 {
		claims[more[i].(string)] = more[i+1] //nolint:forcetypeassert // names are texts
	}
	return claims
}

// browser is a visitor with cookies who follows no redirects.
func (g guests) browser() *visitor {
	g.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		g.t.Fatal(err)
	}
	return &visitor{base: g.URL, http: &http.Client{Jar: jar, Timeout: patience.Limit(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// away goes to the provider, types a name there, and returns the address that leads back.
func (g guests) away(v *visitor, login, after string) string {
	g.t.Helper()
	status, header := v.do(g.t, "GET", "/entrar/oidc?"+url.Values{"depois": {after}}.Encode(), nil, nil)
	if status != http.StatusSeeOther || !strings.HasPrefix(header.Get("Location"), g.provider.Issuer+"/authorize?") {
		g.t.Fatalf("to the provider: %d, %s", status, header.Get("Location"))
	}
	there := &visitor{http: v.http}
	status, header = there.do(g.t, "POST", header.Get("Location"), url.Values{"login": {login}}, nil)
	back := header.Get("Location")
	if status != http.StatusFound || !strings.HasPrefix(back, g.URL+"/entrar/oidc/retorno?") {
		g.t.Fatalf("back: %d, %s", status, back)
	}
	return strings.TrimPrefix(back, g.URL)
}

// page gets a page, and the address it redirects to.
func (g guests) page(v *visitor, path string) (status int, leads, text string) {
	g.t.Helper()
	req, err := http.NewRequestWithContext(g.t.Context(), http.MethodGet, v.base+path, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	resp, err := v.http.Do(req)
	if err != nil {
		g.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header.Get("Location"), string(body)
}

// comes goes there and back, and returns where that leads; empty where it is refused.
func (g guests) comes(login string) (v *visitor, leads string) {
	g.t.Helper()
	v = g.browser()
	_, leads, _ = g.page(v, g.away(v, login, "/contatos"))
	return v, leads
}

// role is a member's role; empty for nobody.
func (g guests) role(email string) string {
	g.t.Helper()
	all := testkit.Run(g.t, g.env, "member", "list", "--org", g.org, "--json")
	for _, m := range testkit.JSON[[]map[string]any](g.t, all) {
		if m["email"] == email {
			return m["role"].(string) //nolint:forcetypeassert // a role is a text
		}
	}
	return ""
}

// TestComingInByAProvider: known and unknown people, their roles, and the audit of it.
func TestComingInByAProvider(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		g := startWithProvider(t, env, map[string]string{"FICHARIO_OIDC_ROLES": "groups:chefia=owner,gestão=admin,*=member"})
		g.provider.Know("helena", known("1", "Helena@"+strings.ToUpper(domain)))
		g.provider.Know("ana", known("2", "ana@"+domain, "groups", []string{"gestão", "outro"}))
		v, leads := g.comes("helena")
		if status, _, _ := g.page(v, "/equipe"); leads != "/contatos" || status != http.StatusOK {
			t.Errorf("the owner: %s, %d", leads, status)
		}
		if got := g.role("helena@" + domain); got != "owner" {
			t.Errorf("the last owner is %s", got)
		}
		if _, leads = g.comes("ana"); leads != "/contatos" || g.role("ana@"+domain) != "admin" {
			t.Errorf("somebody new: %s, %s", leads, g.role("ana@"+domain))
		}
		g.provider.Know("ana", known("2", "helena@"+domain))
		if _, leads = g.comes("ana"); leads != "/contatos" || g.role("ana@"+domain) != "member" {
			t.Errorf("with the owner's address: %s, %s", leads, g.role("ana@"+domain))
		}
		for login, claims := range map[string]map[string]any{
			"other":      known("3", "helena@"+domain), // her account has another identity
			"foreign":    known("4", "rui@mau.example"),
			"unverified": known("5", "rui@"+domain, "email_verified", false),
			"nameless":   known("6", ""),
		} {
			g.provider.Know(login, claims)
			if v, leads := g.comes(login); leads != "" {
				t.Errorf("%s is led to %s", login, leads)
			} else if status, leads, _ := g.page(v, "/contatos"); status != http.StatusSeeOther || !strings.HasPrefix(leads, "/entrar") {
				t.Errorf("%s is in: %d %s", login, status, leads)
			}
		}
		if got := g.role("rui@" + domain); got != "" {
			t.Errorf("a refused person became a member: %s", got)
		}
		audit := testkit.Run(t, env, "audit", "list", "--org", g.org, "--json")
		for _, want := range []string{
			"entrada.aceita", "entrada.recusada", "vinculo.criado", "membro.criado", "membro.alterado", `"por":"oidc"`,
		} {
			if !strings.Contains(strings.ReplaceAll(audit, `": "`, `":"`), want) {
				t.Errorf("the audit has no %s", want)
			}
		}
	})
}

// TestForgedReturnsFromAProvider: whatever is wrong, the page is the same and nobody gets in; no redirect leaves this
// site, and nothing of it is in the log.
func TestForgedReturnsFromAProvider(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		g := startWithProvider(t, env, nil)
		g.provider.Know("helena", known("1", "helena@"+domain))
		v := g.browser()
		used := g.away(v, "helena", "//mau.example/x")
		if _, leads, _ := g.page(v, used); leads != "/" {
			t.Errorf("it leads to %s", leads)
		}
		with := func(back, name, value string) string {
			u, _ := url.Parse(back)
			q := u.Query()
			q.Set(name, value)
			u.RawQuery = q.Encode()
			return u.String()
		}
		said := map[string]string{}
		for name, forge := range map[string]func(*visitor) string{
			"again":            func(*visitor) string { return used },
			"another browser":  func(*visitor) string { return g.away(g.browser(), "helena", "/") },
			"another state":    func(v *visitor) string { return with(g.away(v, "helena", "/"), "state", "x") },
			"another code":     func(v *visitor) string { return with(g.away(v, "helena", "/"), "code", "x") },
			"another provider": func(v *visitor) string { return with(g.away(v, "helena", "/"), "iss", "https://mau.example") },
			"nobody":           func(v *visitor) string { return g.away(v, "ninguem", "/") },
			"a code of another sign-in": func(v *visitor) string {
				other, _ := url.Parse(g.away(g.browser(), "helena", "/"))
				return with(g.away(v, "helena", "/"), "code", other.Query().Get("code"))
			},
		} {
			v := g.browser()
			status, leads, text := g.page(v, forge(v))
			_, after, _ := strings.Cut(text, `role="alert"`)
			after, _, _ = strings.Cut(after, "<form")
			after, _, _ = strings.Cut(after, "</p>")
			said[after] = name
			if status != http.StatusUnauthorized || leads != "" ||
				!strings.Contains(after, "Não deu para entrar com Aroeira ID") {
				t.Errorf("%s: %d %s %s", name, status, leads, after)
			}
			if status, _, _ := g.page(v, "/contatos"); status != http.StatusSeeOther {
				t.Errorf("%s is in", name)
			}
		}
		if len(said) != 1 {
			t.Errorf("they are told %d things: %v", len(said), said)
		}
		lookuptest.Eventually(t, "the log says why of all", func() bool {
			return strings.Count(g.Logs(), "a sign-in through the provider was refused") == 7
		})
		if strings.Contains(g.Logs(), "eyJ") {
			t.Error("the log has a token")
		}
		parsed, _ := url.Parse(used)
		for name, values := range parsed.Query() {
			if name != "iss" && strings.Contains(g.Logs(), values[0]) {
				t.Errorf("the log has the %s", name)
			}
		}
	})
}

// TestSlowAProviderThatIsAwayKeepsNobodyOut: the service starts, the button reports the problem, passwords work, and
// the provider works again once it is back.
func TestSlowAProviderThatIsAwayKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		g := startWithProvider(t, env, nil)
		g.provider.Know("helena", known("1", "helena@"+domain))
		v := g.browser()
		back := g.away(v, "helena", "/contatos")
		g.provider.Away(true)
		status, _, text := g.page(v, back)
		if status != http.StatusServiceUnavailable || !strings.Contains(text, "Aroeira ID não está respondendo agora") {
			t.Errorf("on the way back: %d %s", status, text)
		}
		g.Restart()
		status, _, text = g.page(v, "/entrar/oidc?depois=/contatos")
		if status != http.StatusServiceUnavailable || !strings.Contains(text, "Aroeira ID não está respondendo agora") ||
			!strings.Contains(text, `value="/contatos"`) {
			t.Errorf("on the way there: %d %s", status, text)
		}
		signIn(t, g.URL, "helena@"+domain, "uma-senha-longa")
		g.provider.Away(false)
		lookuptest.Eventually(t, "the provider is asked again", func() bool {
			status, _, _ = g.page(v, "/entrar/oidc")
			return status == http.StatusSeeOther
		})
		if _, leads := g.comes("helena"); leads != "/contatos" {
			t.Errorf("back again: %s", leads)
		}
	})
}
