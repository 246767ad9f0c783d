package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"fichario/adapters/gormstore/engine"
)

// page is one request: a page of the interface, or a call.
type page struct {
	name   string
	method string
	// path is evaluated for each request.
	path func() string
	body func() string
	key  string // for a call
	// whole files are requested once and measured per byte.
	whole bool
}

// figures are the cost of a page.
type figures struct {
	name     string
	p50, p99 time.Duration
	// program and database are milliseconds of CPU per request; the program's include SQLite's.
	program, database float64
	bytes             int64 // of a whole file
}

// pages are those that machines call, and those that people open.
func (f *filling) pages() []page {
	path := func(p string) func() string { return func() string { return p } }
	get := func(name, p string) page { return page{name: name, method: http.MethodGet, path: path(p)} }
	key, other := f.Keys[0], f.Keys[2]
	call := func(name string, p func() string) page {
		return page{name: name, method: http.MethodGet, path: p, key: key.Secret}
	}
	old := f.Start.AddDate(0, 3, 0)
	month := "de=" + old.Format(time.DateOnly) + "&ate=" + old.AddDate(0, 1, -1).Format(time.DateOnly)
	some := func() int { return rand.IntN(f.Lookups * 15 / 100 / 3 * 3) }
	search := func(name string, q func() string) page {
		return page{name: name, method: http.MethodGet, path: func() string { return "/contatos?q=" + url.QueryEscape(q()) }}
	}
	return []page{
		call("cached lookup", func() string { return "/api/v1/cpf/" + cpf((f.Lookups/4-1-rand.IntN(200))/7*7+1) }),
		call("charged lookup", func() string { return "/api/v1/cpf/" + nextCPF() }),
		{
			name: "post", method: http.MethodPost, path: path("/api/webhooks/receive/" + f.Hooks[0].Token),
			body: func() string { return `{"nome":"Pessoa Nova","email":"nova@example.com"}` },
		},
		call("statement of a key, first page", path("/api/v1/consultas")),
		call("statement of a key, an old month", path("/api/v1/consultas?"+month)),
		call("statement of a key, a product never asked", path("/api/v1/consultas?produto=veiculo")),
		call("statement of a key, from history, a product, an old month",
			path("/api/v1/consultas?produto=obito&cache=true&"+month)),
		{
			name: "statement of a key that asked nothing", method: http.MethodGet, path: path("/api/v1/consultas"),
			key: other.Secret,
		},
		get("Extrato", "/extrato"), get("Extrato, an old month", "/extrato?"+month),
		get("Extrato, a product never asked", "/extrato?produto=veiculo"), get("Extrato of members", "/extrato?quem=equipe"),
		get("Extrato by key and purpose", "/extrato?por=chave&e=finalidade"),
		get("Extrato by person and bureau", "/extrato?por=pessoa&e=bureau"),
		get("Início, hoje", "/?periodo=hoje"), get("Início, 30 days", "/?periodo=30"),
		get("Contatos", "/contatos"), get("Contatos by name", "/contatos?ordem=nome"),
		get("Contatos by amount", "/contatos?ordem=valor"),
		get("Contatos of a stage and a member", "/contatos?etapa="+f.Stages[0].ID+"&resp="+f.People[0].ID),
		get("Contatos of a stage and a member who has none there", "/contatos?etapa="+f.Stages[0].ID+"&resp="+f.People[1].ID),
		get("Contatos of a stage and a member who has none there, by amount",
			"/contatos?ordem=valor&etapa="+f.Stages[0].ID+"&resp="+f.People[1].ID),
		get("Contatos of a webhook, by amount", "/contatos?ordem=valor&webhook="+f.Hooks[1].ID),
		get("Contatos of today", "/contatos?quando=hoje"),
		search("Contatos found by a name", func() string { return surname(some()) }),
		search("Contatos found by part of a name", func() string { name := surname(some()); return name[1:min(7, len(name))] }),
		search("Contatos found by a phone", func() string { return phone(some())[3:] }),
		search("Contatos found by an e-mail address", func() string { return address(some()) }),
		search("Contatos found by one letter", func() string { return "j" }),
		search("Contatos found by what all have", func() string { return "example.com" }),
		search("Contatos found by what nobody has", func() string { return "xyzxyz" }),
		get("Contatos found by what all have, by amount", "/contatos?q=padaria&ordem=valor"),
		get("a contact", "/contatos/"+f.Contact),
		get("Funil", "/funil"), get("Funil of a member", "/funil?resp="+f.People[0].ID),
		get("Funil without an answer", "/funil?retorno=sem"), get("Retorno", "/retorno"),
		get("Buscar", "/buscar?q=padaria"), get("Consultas", "/consultas"), get("Lotes", "/lotes"),
		get("Auditoria", "/auditoria"), get("Webhooks", "/webhooks"), get("a webhook with its log", "/webhooks/"+f.Hooks[0].ID),
		get("a webhook's refusals", "/webhooks/"+f.Hooks[0].ID+"?resultado=refused"),
		get("Chaves", "/chaves"), get("a key", "/chaves/"+key.ID), get("Notificações", "/notificacoes"),
		get("Equipe", "/equipe"), get("Funis", "/equipe/funis"), get("Origens", "/equipe/origens"),
		get("Automações", "/automacoes"),
		{name: "statement as CSV, whole", method: http.MethodGet, path: path("/extrato.csv"), whole: true},
		{name: "contacts as CSV, whole", method: http.MethodGet, path: path("/contatos.csv"), whole: true},
	}
}

// asker requests pages, as a signed-in member and with keys.
type asker struct {
	base string
	http *http.Client
}

func measurePages(ctx context.Context, s settings, f *filling) ([]figures, error) {
	program, err := start(ctx, s.binary, f.environment(), "serve")
	if err != nil {
		return nil, err
	}
	defer program.end()
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	a := &asker{base: "http://" + program.addr, http: &http.Client{Jar: jar, Timeout: 10 * time.Minute}}
	a.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	signIn := page{
		method: http.MethodPost, path: func() string { return "/entrar" },
		body: func() string { return url.Values{"email": {email}, "senha": {password}}.Encode() },
	}
	if _, err := a.ask(ctx, signIn); err != nil {
		return nil, err
	}
	clock, err := newCPU(ctx, f.url, program.cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	var out []figures
	for _, p := range f.pages() {
		if !strings.Contains(p.name, s.only) {
			continue
		}
		got, err := a.measure(ctx, s, p, clock)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		out = append(out, got)
	}
	return out, nil
}

func (a *asker) measure(ctx context.Context, s settings, p page, clock *cpu) (out figures, err error) {
	out.name = p.name
	if !p.whole {
		for range 3 { // warms up what is prepared once
			if _, err := a.ask(ctx, p); err != nil {
				return out, err
			}
		}
	}
	program, database := clock.read()
	var times []time.Duration
	began := time.Now()
	for took := time.Duration(0); len(times) == 0 ||
		!p.whole && (took < s.each || len(times) < 20 && took < time.Minute); took = time.Since(began) {
		one := time.Now()
		n, err := a.ask(ctx, p)
		if err != nil {
			return out, err
		}
		times = append(times, time.Since(one))
		if p.whole {
			out.bytes = n
		}
	}
	programAfter, databaseAfter := clock.read()
	slices.Sort(times)
	n := float64(len(times))
	out.p50, out.p99 = times[len(times)/2], times[len(times)*99/100]
	out.program, out.database = (programAfter-program)/n, (databaseAfter-database)/n
	return out, nil
}

// ask returns the number of bytes received.
func (a *asker) ask(ctx context.Context, p page) (int64, error) {
	var body io.Reader
	if p.body != nil {
		body = strings.NewReader(p.body())
	}
	req, err := http.NewRequestWithContext(ctx, p.method, a.base+p.path(), body)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Accept-Encoding", "identity")
	switch {
	case p.key != "":
		req.Header.Set("Authorization", "Bearer "+p.key)
	case strings.HasPrefix(req.URL.Path, "/api/"):
		req.Header.Set("Content-Type", "application/json")
	case p.body != nil:
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := a.http.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	n, err := io.Copy(io.Discard, resp.Body)
	signedIn := resp.StatusCode == http.StatusSeeOther && p.method == http.MethodPost
	if err == nil && resp.StatusCode != http.StatusOK && !signedIn {
		err = fmt.Errorf("answered %d", resp.StatusCode)
	}
	return n, err
}

// cpu reads the CPU time of the program and of PostgreSQL, in milliseconds.
type cpu struct{ program, postmaster int }

func newCPU(ctx context.Context, databaseURL string, program int) (*cpu, error) {
	c := &cpu{program: program}
	if _, ok := engine.SQLitePath(databaseURL); ok {
		return c, nil
	}
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, _, c.postmaster = timeOf(int(conn.PgConn().PID()))
	return c, nil
}

func (c *cpu) read() (program, database float64) {
	own, _, _ := timeOf(c.program)
	program = ms(own)
	if c.postmaster != 0 {
		database = ms(timeOfAll(c.postmaster))
	}
	return program, database
}
