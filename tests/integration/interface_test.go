package integration

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
)

// visitor is somebody at the interface.
type visitor struct {
	base string
	http *http.Client
}

func signIn(t *testing.T, base, email, password string) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	v := &visitor{base: base, http: &http.Client{Jar: jar, Timeout: 20 * time.Second, CheckRedirect: stay}}
	status, _ := v.do(t, "POST", "/entrar", url.Values{"email": {email}, "senha": {password}}, nil)
	if status != http.StatusSeeOther {
		t.Fatalf("signing in: %d", status)
	}
	return v
}

func (v *visitor) do(t *testing.T, method, path string, form url.Values, header map[string]string) (int, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, v.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if method == "POST" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := v.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode, resp.Header
}

// TestNobodySeesAnotherOrganisation tries every page and form of the interface with the ids of another organisation,
// and every one that sets something up as a member who may not.
func TestNobodySeesAnotherOrganisation(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		p := testkit.StartProgram(t, testkit.Options{Env: env, Args: []string{"--demo"}})
		demo := ""
		lookuptest.Eventually(t, "the demonstration is there", 40*time.Second, func() bool {
			demo = p.Logs()
			return strings.Contains(demo, "The interface: ")
		})
		const org, password = "01980000-0000-7000-8000-000000000de0", "uma-senha-longa"
		foreign := testkit.JSON[map[string]string](t, testkit.Run(t, env, "org", "create", "--name", "Outra", "--json"))["id"]
		testkit.RunInput(t, password+"\n", env, "member", "add", "--org", foreign, "--name", "Rui", "--email",
			"rui@example.com", "--role", "owner", "--password-stdin")
		stranger, owner, common := signIn(t, p.URL, "rui@example.com", password), signIn(t, p.URL, "helena@demo.example",
			"fichario-demo"), signIn(t, p.URL, "caio@demo.example", "fichario-demo")

		first := func(args ...string) string {
			return testkit.JSON[[]map[string]any](t,
				testkit.Run(t, env, append(args, "--json")...))[0]["id"].(string) //nolint:forcetypeassert // an id is a text
		}
		var run string
		lookuptest.Eventually(t, "an automation has run", 30*time.Second, func() bool {
			list := testkit.JSON[[]map[string]any](t, testkit.Run(t, env, "automation", "runs", "--org", org, "--json"))
			if len(list) > 0 {
				run, _ = list[0]["id"].(string)
			}
			return run != ""
		})
		hook := first("webhook", "list", "--org", org)
		ids := strings.NewReplacer(
			"{webhook}", hook, "{delivery}", first("webhook", "deliveries", hook), "{automation}",
			first("automation", "list", "--org", org), "{run}", run,
			"{contact}", first("contact", "list", "--org", org), "{key}", first("key", "list", "--org", org), "{member}",
			first("member", "list", "--org", org),
			"{origin}", first("origin", "list", "--org", org), "{lookup}",
			found(t, owner, "/consultar", `/consultas/([0-9a-f-]{36})`),
			"{funnel}", found(t, owner, "/equipe", `/equipe/funis/([0-9a-f-]{36})`),
			"{batch}", found(t, owner, "/lotes", `/lotes/([0-9a-f-]{36})`),
		)
		for _, line := range []string{
			"GET /webhooks/{webhook}", "GET /webhooks/{webhook}/editar", "POST /webhooks/{webhook}",
			"POST /webhooks/{webhook}/ligar", "POST /webhooks/{webhook}/regenerar", "POST /webhooks/{webhook}/testar",
			"GET /entregas/{delivery}", "POST /entregas/{delivery}/refazer", "GET /automacoes/{automation}",
			"GET /automacoes/{automation}/editar", "POST /automacoes/{automation}", "POST /automacoes/{automation}/ligar",
			"POST /execucoes/{run}/refazer", "POST /equipe/membros/{member}", "POST /equipe/membros/{member}/senha",
			"POST /equipe/origens/{origin}", "POST /equipe/origens/{origin}/tirar", "POST /equipe/funis/{funnel}",
			"GET /chaves/{key}", "GET /chaves/{key}/extrato.csv", "POST /chaves/{key}/revogar", "POST /chaves/{key}/trocar",
			"GET /consultas/{lookup}", "GET /consultas/{lookup}/bruto", "GET /contatos/{contact}",
			"GET /contatos/{contact}/editar", "POST /contatos/{contact}", "GET /contatos/{contact}/documentos",
			"GET /contatos/{contact}/historico", "POST /contatos/{contact}/nota", "POST /contatos/{contact}/responsavel",
			"POST /contatos/{contact}/etapa", "GET /consultas/{lookup}/contato", "POST /consultas/{lookup}/contato",
			"GET /lotes/{batch}", "GET /lotes/{batch}/andamento", "GET /lotes/{batch}/resultado.csv",
			"GET /lotes/{batch}/resultado.xlsx", "POST /lotes/{batch}/confirmar", "POST /lotes/{batch}/pausar",
			"POST /lotes/{batch}/retomar", "POST /lotes/{batch}/cancelar",
		} {
			method, path, _ := strings.Cut(ids.Replace(line), " ")
			form := url.Values{
				"nome": {"Invadido"}, "senha": {"senha-invadida"}, "ligado": {"não"}, "texto": {"x"}, "email": {"x@example.com"},
				"papel": {"admin"},
			}
			if status, _ := stranger.do(t, method, path, form, nil); status != http.StatusNotFound {
				t.Errorf("%s of another organisation: %d", line, status)
			}
			personal := strings.Contains(line, "{lookup}") || strings.Contains(line, "{contact}") ||
				strings.Contains(line, "{batch}")
			if status, _ := common.do(t, method, path, form, nil); !personal && status != http.StatusForbidden {
				t.Errorf("%s by a member who may not: %d", line, status)
			}
			status, header := owner.do(t, method, path, form, map[string]string{
				"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site",
			})
			if method == "POST" && status != http.StatusForbidden {
				t.Errorf("%s from another site: %d", line, status)
			}
			if !strings.Contains(header.Get("Content-Security-Policy"), "script-src 'self'") ||
				header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: headers %q, %q", line, header.Get("Content-Security-Policy"), header.Get("Cache-Control"))
			}
			if nobody := (&visitor{base: p.URL, http: &http.Client{CheckRedirect: owner.http.CheckRedirect}}); true {
				if status, h := nobody.do(t, method, path, form, nil); status != http.StatusSeeOther ||
					!strings.HasPrefix(h.Get("Location"), "/entrar") {
					t.Errorf("%s without a session: %d", line, status)
				}
			}
		}
		if status, _ := owner.do(t, "GET", ids.Replace("/contatos/{contact}"), nil, nil); status != http.StatusOK {
			t.Errorf("one's own contact: %d", status)
		}
	})
}

// found is the first match of a pattern in a page.
func found(t *testing.T, v *visitor, path, pattern string) string {
	t.Helper()
	resp, err := v.http.Get(v.base + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var page strings.Builder
	buf := make([]byte, 1<<20)
	for n, err := resp.Body.Read(buf); n > 0 || err == nil; n, err = resp.Body.Read(buf) {
		page.Write(buf[:n])
	}
	m := regexp.MustCompile(pattern).FindStringSubmatch(page.String())
	if m == nil {
		t.Fatalf("%s has no %s", path, pattern)
	}
	return m[1]
}
