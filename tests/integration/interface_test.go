package integration

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/patience"
)

// visitor is somebody using the interface.
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
	v := &visitor{base: base, http: &http.Client{Jar: jar, Timeout: patience.Limit(), CheckRedirect: stay}}
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

// TestNobodySeesAnotherOrganisation walks every route of the interface, by its row in pages: without a session, from
// another site, as the owner of another organisation, as a member without the right, and as one with it.
func TestNobodySeesAnotherOrganisation(t *testing.T) {
	t.Parallel()
	nobodySees(t, testkit.SQLite(t))
}

// TestSlowNobodySeesAnotherOrganisation is the same on PostgreSQL.
func TestSlowNobodySeesAnotherOrganisation(t *testing.T) {
	t.Parallel()
	nobodySees(t, testkit.PostgreSQL(t))
}

func nobodySees(t *testing.T, env map[string]string) {
	t.Helper()
	p := testkit.StartProgram(t, testkit.Options{Env: env, Args: []string{"--demo"}})
	lookuptest.Eventually(t, "the demonstration is there", func() bool {
		return strings.Contains(p.Logs(), "The interface: ")
	})
	const password = "uma-senha-longa"
	add := func(org, name, role string) *visitor {
		testkit.RunInput(t, password+"\n", env, "member", "add", "--org", org, "--name", name, "--email",
			name+"@outra.example", "--role", role, "--password-stdin")
		return signIn(t, p.URL, name+"@outra.example", password)
	}
	foreign := testkit.JSON[map[string]string](t, testkit.Run(t, env, "org", "create", "--name", "Outra", "--json"))["id"]
	owner := signIn(t, p.URL, "helena@demo.example", "fichario-demo")
	signIn(t, p.URL, "helena@demo.example", "fichario-demo") // another session of hers, to be ended
	nobody := &visitor{base: p.URL, http: &http.Client{CheckRedirect: owner.http.CheckRedirect}}
	w := walk{ids: idsOfDemo(t, env, owner)}

	w.all(t, nobody, "without a session", func(r pageRow, status int, h http.Header) bool {
		return r.who == "door" || status == http.StatusSeeOther && strings.HasPrefix(h.Get("Location"), "/entrar")
	})
	w.header = map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
	w.all(t, owner, "from another site", func(r pageRow, status int, _ http.Header) bool {
		return r.method == "GET" || status == http.StatusForbidden
	})
	w.header = nil
	w.all(t, add(foreign, "rui", "owner"), "of another organisation", func(r pageRow, status int, _ http.Header) bool {
		return len(r.ids) == 0 || status == http.StatusNotFound || r.ids[0] == "passkey" && status == proofAsked
	})
	// Whatever the stranger was answered, also where only a form has an id: nothing changed here.
	members := testkit.JSON[[]map[string]any](t, testkit.Run(t, env, "member", "list", "--org", foreign, "--json"))
	stranger, _ := members[0]["id"].(string)
	db := intaketest.OpenDatabase(t, env)
	left := func(texts ...string) (tables []string) {
		for _, row := range rowsOf(t, db, env) {
			row = strings.ToLower(row)
			holds := func(text string) bool { return strings.Contains(row, text) }
			if holds(demoOrganisation) && slices.ContainsFunc(texts, holds) {
				tables = append(tables, strings.Split(row, ":")[0])
			}
		}
		return tables
	}
	if there := left(stranger, "invadido"); len(there) > 0 {
		t.Errorf("a stranger left something in another organisation: %v", there)
	}
	w.all(t, signIn(t, p.URL, "caio@demo.example", "fichario-demo"), "as a member", may("all"))
	w.all(t, add(demoOrganisation, "admin", "admin"), "as an administrator", may("all", "admin"))
	oddValues(t, owner)
	w.all(t, owner, "as an owner", may("all", "self", "owner"), "admin")
	if len(left("invadido")) == 0 {
		t.Error("nothing is seen of what an owner did, and so this shows nothing of a stranger")
	}
}

// oddValues posts forms with what PostgreSQL has no text or id for.
func oddValues(t *testing.T, owner *visitor) {
	t.Helper()
	for _, odd := range []string{"zz", "a\x00b", "a\xff"} {
		for _, c := range []struct {
			path string
			form url.Values
			want int
		}{
			{"/automacoes", url.Values{"evento": {"contact.created"}, "webhook": {odd}}, http.StatusUnprocessableEntity},
			{"/contatos/vistas", url.Values{"nome": {odd}, "ordem": {"nome"}}, http.StatusSeeOther},
		} {
			if status, _ := owner.do(t, "POST", c.path, c.form, nil); status != c.want {
				t.Errorf("%s with %q: %d, want %d", c.path, odd, status, c.want)
			}
		}
	}
}

// may checks the answer for somebody with these rows: others are forbidden, or not found.
func may(who ...string) func(pageRow, int, http.Header) bool {
	return func(r pageRow, status int, _ http.Header) bool {
		if slices.Contains(who, r.who) {
			return status < 400 || status == http.StatusUnprocessableEntity
		}
		return status == http.StatusForbidden || status == http.StatusNotFound ||
			slices.Equal(r.ids, []string{"passkey"}) && status == proofAsked
	}
}

// proofAsked is the answer to removing any passkey, whoever owns it: a code is required first.
const proofAsked = http.StatusUnprocessableEntity

// walk goes through the rows of pages.
type walk struct {
	ids    map[string]string
	header map[string]string
}

// all requests all pages except those of some rows, and reports wrong answers.
func (w walk) all(
	t *testing.T, v *visitor, how string, right func(pageRow, int, http.Header) bool, but ...string,
) {
	t.Helper()
	form := url.Values{
		"nome": {"Invadido"}, "senha": {"senha-invadida"}, "ligado": {"não"}, "texto": {"x"}, "email": {"x@example.com"},
		"papel": {"member"}, "base": {"legitimo_interesse"}, "papeis": {"member"}, "produtos": {"cpf", "score"},
		"minuto": {"1"}, "dia": {"1"}, "mes": {"1"}, "pode": {"cpf"}, "manter": {"agora"},
		"acao": {"importar"}, "fazer": {"renomear-funil"}, "etapa": {w.ids["stage"]}, "resp": {w.ids["member"]},
		"outro": {w.ids["other"]}, "contato": {w.ids["contact"]}, "ate": {w.ids["contact"]},
		"bureau": {"sandbox"}, "produto": {"cpf"},
	}
	param := regexp.MustCompile(`\{\w+\}`)
	for _, r := range pageRows() {
		fromAfar, inside := w.header != nil, v.http.Jar != nil
		if slices.Contains(but, r.who) || fromAfar && r.method == "GET" || r.who == "door" && inside && !fromAfar {
			continue // a signed-in member may sign in again, and out
		}
		n := 0
		path := strings.TrimSuffix(param.ReplaceAllStringFunc(r.path, func(string) string {
			n++
			return w.ids[r.ids[n-1]]
		}), "{$}")
		status, header := v.do(t, r.method, path, form, w.header)
		if !right(r, status, header) {
			t.Errorf("%s %s %s: %d", r.method, r.path, how, status)
		}
		if header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Content-Security-Policy") != pagePolicy ||
			r.path != "/static/" && header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s %s: headers %v", r.method, r.path, how, header)
		}
	}
}

// pagePolicy is exactly what every page may load and do, so that it is not loosened by accident.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const demoOrganisation = "01980000-0000-7000-8000-000000000de0"

// idsOfDemo are ids in the demonstration's organisation, one or more of each kind, some made for this test.
func idsOfDemo(t *testing.T, env map[string]string, owner *visitor) map[string]string {
	t.Helper()
	list := func(args ...string) []map[string]any {
		return testkit.JSON[[]map[string]any](t, testkit.Run(t, env, append(args, "--json")...))
	}
	id := func(of map[string]any) string { text, _ := of["id"].(string); return text }
	first := func(args ...string) string { return id(list(append(args, "--org", demoOrganisation)...)[0]) }
	contacts, hook := list("contact", "list", "--org", demoOrganisation), first("webhook", "list")
	var runs []map[string]any
	lookuptest.Eventually(t, "an automation has run", func() bool {
		runs = list("automation", "runs", "--org", demoOrganisation)
		return len(runs) > 0
	})
	made := func(args ...string) string {
		return id(testkit.JSON[map[string]any](t, testkit.Run(t, env, append(args, "--org", demoOrganisation, "--json")...)))
	}
	posted := func(path string, form url.Values) string {
		_, header := owner.do(t, "POST", path, form, nil)
		return strings.TrimPrefix(header.Get("Location"), path+"/")
	}
	people := list("member", "list", "--org", demoOrganisation)
	member := id(people[slices.IndexFunc(people, func(m map[string]any) bool { return m["role"] == "member" })])
	stages, _ := list("funnel", "list", "--org", demoOrganisation)[0]["stages"].([]any)
	stage, _ := stages[0].(map[string]any)
	imported := posted("/importacoes", url.Values{"linhas": {"Nome\tE-mail\nIva\tiva@outra.example"}})
	posted("/importacoes/"+imported, url.Values{"acao": {"importar"}, "duplicados": {"pular"}, "coluna": {"nome", "email"}})
	testkit.Run(t, env, "purpose", "add", "--org", demoOrganisation, "--code", "invasao", "--name", "Invasão", "--basis",
		"legitimo_interesse")
	posted("/acoes", url.Values{"acao": {"atribuir " + member}, "c": {id(contacts[2])}})
	action := found(t, owner, "/contatos", `/acoes/([0-9a-f-]{36})/desfazer`) // the next page no longer has it
	return map[string]string{
		"contact": id(contacts[0]), "other": id(contacts[1]), "webhook": hook,
		"delivery": id(list("webhook", "deliveries", hook)[0]), "automation": first("automation", "list"),
		"run": id(runs[0]), "key": first("key", "list"), "member": member, "stage": id(stage), "origin": first("origin", "list"),
		"lookup":   found(t, owner, "/consultar", `/consultas/([0-9a-f-]{36})`),
		"funnel":   found(t, owner, "/equipe/funis", `/equipe/funis/([0-9a-f-]{36})`),
		"batch":    found(t, owner, "/lotes", `/lotes/([0-9a-f-]{36})`),
		"bundle":   found(t, owner, "/pacotes", `/pacotes\?editar=([0-9a-f-]{36})`),
		"session":  found(t, owner, "/conta/acessos", `/conta/acessos/([0-9a-f-]{36})/encerrar`),
		"rotation": made("rotation", "add", "--name", "Todos"),
		"erasure":  made("subject", "erase", "--email", "ninguem@outra.example", "--block"),
		"action":   action,
		"import":   imported,
		"purpose":  "invasao", "passkey": demoOrganisation, "link": strings.Repeat("a", 43),
	}
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
