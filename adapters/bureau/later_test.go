package bureau_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/adapters/bureau"
	"fichario/domain/document"
	"fichario/ports"
)

// slowly is a bureau file whose answers come later; %s stands for the base URL and more keys.
const slowly = `name: teste
base_url: %s
answered: [200]
%s
later:
  status: [202]
  id: .body.protocolo
  poll: { path: "/pedidos/{id}", query: { q: "{id}" }, headers: { X-Pedido: "{id}" }, every: 2s, for: 10m }
  ready: .body.situacao == "pronto"
  result: .body.resultado
products:
  cpf:
    price: "0.45"
    request: { method: POST, path: "/pessoas/{documento}" }
    found: . != null
    fields: { nome: .nome, sexo: .sexo }
`

// parcel is a bureau that answers later: with a 202, and then as it is told, one answer after the other.
type parcel struct {
	mu       sync.Mutex
	taken    int
	taking   http.HandlerFunc
	fetching []http.HandlerFunc
	fetched  []string
}

func (p *parcel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Method == http.MethodPost {
		p.taken++
		p.taking(w, r)
		return
	}
	p.fetched = append(p.fetched, r.URL.RequestURI()+" "+r.Header.Get("X-Pedido"))
	next := p.fetching[0]
	if len(p.fetching) > 1 {
		p.fetching = p.fetching[1:]
	}
	next(w, r)
}

// TestAnAnswerComesLater: the question is asked once, and its answer fetched by the id until it is ready.
func TestAnAnswerComesLater(t *testing.T) {
	t.Parallel()
	p := &parcel{taking: body(202, `{"protocolo":"a/1 é"}`), fetching: []http.HandlerFunc{
		body(202, `{"situacao":"fila"}`), body(200, `{"situacao":"fila"}`), body(500, `x`), body(200, "<html>"),
		func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "30"); w.WriteHeader(429) },
		func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) },
		body(200, `{"situacao":"pronto","resultado":{"nome":"Ana"}}`),
	}}
	url, _ := serve(t, p.ServeHTTP)
	c := client(t, fmt.Sprintf(slowly, url, ""))
	q := question(t, c, "cpf", cpf)
	answer, err := c.Ask(t.Context(), q)
	promise := ports.Later{Ticket: "a/1 é", Every: 2 * time.Second, For: 10 * time.Minute}
	if err != nil || answer.Later == nil || *answer.Later != promise {
		t.Fatalf("taken as %+v, %v", answer.Later, err)
	}
	q.Ticket = answer.Later.Ticket
	for i := range 6 {
		answer, err = c.Ask(t.Context(), q)
		every := 2 * time.Second
		if i == 4 {
			every = 30 * time.Second
		}
		if err != nil || answer.Later == nil || answer.Later.Every != every || answer.Later.Ticket != q.Ticket {
			t.Fatalf("fetch %d gives %+v, %v", i, answer.Later, err)
		}
	}
	answer, err = c.Ask(t.Context(), q)
	if err != nil || answer.Later != nil || !answer.Found {
		t.Fatalf("%+v, %v", answer, err)
	}
	var fields map[string]any
	if err := json.Unmarshal(answer.Fields, &fields); err != nil || fields["nome"] != "Ana" {
		t.Errorf("%s, %v", answer.Fields, err)
	}
	if want := `{"situacao":"pronto","resultado":{"nome":"Ana"}}`; string(answer.Raw) != want {
		t.Errorf("bruto is %s, want all of it", answer.Raw)
	}
	if p.taken != 1 {
		t.Errorf("asked %d times", p.taken)
	}
	if want := "/pedidos/a%2F1%20%C3%A9?q=a%2F1+%C3%A9 a/1 é"; p.fetched[0] != want {
		t.Errorf("fetched %q, want %q", p.fetched[0], want)
	}
}

// TestHowAnAnswerThatComesLaterEnds: what it costs is read from the reply that ends it.
func TestHowAnAnswerThatComesLaterEnds(t *testing.T) {
	t.Parallel()
	const ready = `{"situacao":"pronto","resultado":%s,"custo":"0.10","cobrado":%t}`
	const bill = `charged: .body.cobrado
not_charged: [{status: 422, when: .body.gratis}]
failed: .erro`
	for _, c := range []struct {
		file, name string
		end        http.HandlerFunc
		want       string
	}{
		{"", "an answer", body(200, fmt.Sprintf(ready, `{"nome":"Ana"}`, true)), "found"},
		{"", "no record by found", body(200, fmt.Sprintf(ready, `null`, true)), "no record"},
		{"", "404", body(404, `{}`), "failed"},
		{"", "400", body(400, `{}`), "failed"},
		{"", "a redirect", body(302, ``), "failed"},
		{bill, "free", body(200, fmt.Sprintf(ready, `{"nome":"Ana"}`, false)), "found for 0"},
		{bill, "free by status", body(422, `{"gratis":true}`), "not_charged"},
		{bill, "not free by status", body(422, `{}`), "failed"},
		{bill, "a failure that is free", body(400, `{"cobrado":false}`), "not_charged"},
		{bill, "failed", body(200, fmt.Sprintf(ready, `{"erro":"x"}`, true)), "failed"},
		{bill, "failed and free", body(200, fmt.Sprintf(ready, `{"erro":"x"}`, false)), "not_charged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := &parcel{taking: body(202, `{"protocolo":7}`), fetching: []http.HandlerFunc{c.end}}
			url, _ := serve(t, p.ServeHTTP)
			cl := client(t, fmt.Sprintf(slowly, url, c.file))
			q := question(t, cl, "cpf", cpf)
			q.Ticket = "7"
			answer, err := cl.Ask(t.Context(), q)
			got := "found"
			var failure *ports.BureauError
			if f, is := err.(*ports.BureauError); is { //nolint:errorlint // it is one, never wrapped
				failure = f
			}
			switch {
			case failure != nil:
				got = string(failure.Outcome)
			case answer.Later != nil:
				got = "later"
			case !answer.Found:
				got = "no record"
			case answer.Amount != nil:
				got = "found for " + answer.Amount.String()
			}
			if got != c.want {
				t.Errorf("%s, want %s (%v)", got, c.want, err)
			}
		})
	}
}

// TestAFirstReplyThatIsNoPromise is read as without later: also one whose status promises, but that has no id.
func TestAFirstReplyThatIsNoPromise(t *testing.T) {
	t.Parallel()
	for text, status := range map[string]int{
		`{}`: 202, `{"protocolo":""}`: 202, `{"protocolo":"a\nb"}`: 202, `{"protocolo":[1]}`: 202, `nada`: 202,
		`{"protocolo":"a"}`: 201,
	} {
		url, _ := serve(t, body(status, text))
		c := client(t, fmt.Sprintf(slowly, url, ""))
		_, err := c.Ask(t.Context(), question(t, c, "cpf", cpf))
		wantError(t, err, ports.Failed, "status 20")
	}
	url, _ := serve(t, body(200, `{"nome":"Ana"}`))
	c := client(t, fmt.Sprintf(slowly, url, ""))
	answer, err := c.Ask(t.Context(), question(t, c, "cpf", cpf))
	if err != nil || answer.Later != nil || !strings.Contains(string(answer.Fields), "Ana") {
		t.Errorf("%s, %v", answer.Fields, err)
	}
}

// TestAFileThatNoLongerSaysHow leaves the answer to an instance whose file does, and asks nothing.
func TestAFileThatNoLongerSaysHow(t *testing.T) {
	t.Parallel()
	url, calls := serve(t, body(200, `{"nome":"Ana"}`))
	for what, c := range map[string]struct {
		file   string
		doc    document.Document
		reply  *ports.Reply
		unread bool
	}{
		"no later":                    {file: fmt.Sprintf(basic, url, ""), unread: true},
		"no callback":                 {file: fmt.Sprintf(slowly, url, ""), reply: &ports.Reply{Body: []byte("{}")}, unread: true},
		"another kind of document":    {file: fmt.Sprintf(slowly, url, ""), doc: document.Restore(document.CNPJ, cpf), unread: true},
		"a post that is not about it": {file: fmt.Sprintf(slowlyPosting, url, ""), reply: &ports.Reply{Body: []byte("{}")}},
	} {
		client := client(t, c.file)
		q := question(t, client, "cpf", cpf)
		if !c.doc.IsZero() {
			q.Document = c.doc
		}
		q.Ticket, q.Reply = "7", c.reply
		answer, err := client.Ask(t.Context(), q)
		if err != nil || answer.Later == nil || answer.Later.Unread != c.unread || calls.Load() != 0 {
			t.Errorf("%s: %+v, %v, %d calls", what, answer.Later, err, calls.Load())
		}
	}
}

// TestFaultsOfLater are each named with its place.
func TestFaultsOfLater(t *testing.T) {
	t.Parallel()
	good := "{ status: [202], id: .body.id, ready: true, poll: { path: \"/p/{id}\", every: 3s, for: 10m } }"
	for later, want := range map[string]string{
		"{}": "later.status: is missing", strings.Replace(good, "[202]", "[]", 1): "at least one",
		strings.Replace(good, "[202]", "[404]", 1):        "must be a status from 200 to 299",
		strings.Replace(good, "{id}", "x", 1):             "does not use the id",
		strings.Replace(good, "every: 3s", "every: 1", 1): "must be a duration", strings.Replace(good, "3s", "3h", 1): "must be from 1s to 1h",
		strings.Replace(good, "10m", "24h", 1): "must be from 1s to 12h", strings.Replace(good, "10m", "2s", 1): "is less than every",
		strings.Replace(good, "/p/{id}", "/p/{id}/{entradas.uf}", 1): "is no input",
		strings.Replace(good, "ready", "quando", 1):                  "quando",
	} {
		_, err := bureau.Parse("f", fmt.Appendf(nil, basic, "https://x.example", "later: "+later), noEnv)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", later, err, want)
		}
	}
	_, err := bureau.Parse("f", fmt.Appendf(nil, basic, "https://x.example", `headers: { X: "{id}" }`), noEnv)
	if err == nil || !strings.Contains(err.Error(), "for the poll of later only") {
		t.Error(err)
	}
}

// TestTryWaitsForALaterAnswer, and says so.
func TestTryWaitsForALaterAnswer(t *testing.T) {
	t.Parallel()
	p := &parcel{taking: body(202, `{"protocolo":7}`), fetching: []http.HandlerFunc{
		body(200, `{"situacao":"fila"}`), body(200, `{"situacao":"pronto","resultado":{"nome":"Ana","mais":1}}`),
	}}
	url, _ := serve(t, p.ServeHTTP)
	c := client(t, strings.Replace(fmt.Sprintf(slowly, url, ""), "every: 2s", "every: 1s", 1))
	told := 0
	trial, err := c.Try(t.Context(), question(t, c, "cpf", cpf), func(ports.Later) { told++ })
	if err != nil || !trial.Found || told != 1 || len(trial.Unread) != 1 || trial.Unread[0] != ".mais" {
		t.Errorf("%+v, %v, told %d times", trial, err, told)
	}
	reply := []byte(`{"situacao":"pronto","resultado":{"nome":"Ana"}}`)
	saved, err := c.Examine(t.Context(), question(t, c, "cpf", cpf), reply)
	if err != nil || !strings.Contains(string(saved.Fields), "Ana") {
		t.Errorf("%s, %v", saved.Fields, err)
	}
}

// TestAPollWithABody: the id, and what the question was about, may be in it.
func TestAPollWithABody(t *testing.T) {
	t.Parallel()
	for with, want := range map[string]string{
		`body: '{protocolo: .id, doc: .documento}'`:                `{"doc":"52998224725","protocolo":"a/1"}`,
		`form: { p: "{id}", d: "{documento}" }`:                    "d=52998224725&p=a%2F1",
		`headers: { Content-Type: text/xml }, body: "<p>{id}</p>"`: "<p>a/1</p>",
	} {
		got := make(chan string, 1)
		url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			got <- string(b)
			_, _ = io.WriteString(w, `{"situacao":"pronto","resultado":{"nome":"Ana"}}`)
		})
		c := client(t, strings.Replace(fmt.Sprintf(slowly, url, ""),
			`path: "/pedidos/{id}", query: { q: "{id}" }, headers: { X-Pedido: "{id}" }`, "method: POST, path: /pedidos, "+with, 1))
		q := question(t, c, "cpf", cpf)
		q.Ticket = "a/1"
		if answer, err := c.Ask(t.Context(), q); err != nil || answer.Later != nil || <-got != want {
			t.Errorf("%s: %+v, %v", with, answer.Later, err)
		}
	}
}

// slowlyPosting is slowly for a bureau that posts its answers.
var slowlyPosting = strings.NewReplacer(`"/pessoas/{documento}"`, `"/pessoas/{documento}", headers: { X-Retorno: "{retorno}" }`,
	"  poll:", "  callback: { id: .body.protocolo }\n  poll:").Replace(slowly)

// TestAnAnswerIsPosted: it is read where it has the question's id and is ready, without a call.
func TestAnAnswerIsPosted(t *testing.T) {
	t.Parallel()
	addresses := make(chan string, 2)
	url, calls := serve(t, func(w http.ResponseWriter, r *http.Request) {
		addresses <- strings.Join(r.Header.Values("X-Retorno"), "|") + fmt.Sprint(len(r.Header.Values("X-Retorno")))
		body(202, `{"protocolo":7}`)(w, r)
	})
	c := client(t, fmt.Sprintf(slowlyPosting, url, "charged: .body.cobrado\n"))
	q := question(t, c, "cpf", cpf)
	for want, address := range map[string]string{"https://x.example/t1": "https://x.example/t", "0": ""} {
		q.Callback = address
		if answer, err := c.Ask(t.Context(), q); err != nil || answer.Later == nil {
			t.Fatalf("%+v, %v", answer, err)
		}
		if got := <-addresses; got != want {
			t.Errorf("the bureau gets the address %q, want %q", got, want)
		}
	}
	q.Ticket = "7"
	for post, want := range map[string]string{
		`{"protocolo":7,"situacao":"pronto","resultado":{"nome":"Ana"}}`:                   "found",
		`{"protocolo":"7","situacao":"pronto","resultado":{"nome":"Ana"},"cobrado":false}`: "found",
		`{"protocolo":8,"situacao":"pronto","resultado":{"nome":"Ana"}}`:                   "later",
		`{"situacao":"pronto","resultado":{"nome":"Ana"}}`:                                 "later",
		`{"protocolo":7,"situacao":"fila"}`:                                                "later",
		`nada`:                                                                             "later",
		`{"protocolo":7,"situacao":"pronto"}`:                                              "no record",
	} {
		q.Reply = &ports.Reply{Body: []byte(post)}
		answer, err := c.Ask(t.Context(), q)
		got := map[bool]string{true: "found", false: "no record"}[answer.Found]
		if answer.Later != nil {
			got = "later"
		}
		if err != nil || got != want {
			t.Errorf("%s is %s, want %s (%v)", post, got, want, err)
		}
	}
	if calls.Load() != 2 {
		t.Errorf("%d calls", calls.Load())
	}
}

// TestABureauThatOnlyPosts is not asked where it could not post.
func TestABureauThatOnlyPosts(t *testing.T) {
	t.Parallel()
	url, calls := serve(t, body(202, `{"protocolo":7}`))
	c := client(t, strings.NewReplacer("{ id: .body.protocolo }", "{ id: .body.protocolo, for: 90m }",
		`  poll: { path: "/pedidos/{id}", query: { q: "{id}" }, headers: { X-Pedido: "{id}" }, every: 2s, for: 10m }`, "").
		Replace(fmt.Sprintf(slowlyPosting, url, "")))
	q := question(t, c, "cpf", cpf)
	_, err := c.Ask(t.Context(), q)
	wantError(t, err, ports.NotSent, "no address")
	q.Callback = "https://x.example/t"
	answer, err := c.Ask(t.Context(), q)
	promise := ports.Later{Ticket: "7", Every: time.Hour, For: 90 * time.Minute}
	if err != nil || answer.Later == nil || *answer.Later != promise {
		t.Fatalf("taken as %+v, %v", answer.Later, err)
	}
	q.Ticket = "7"
	if answer, err = c.Ask(t.Context(), q); err != nil || answer.Later == nil || calls.Load() != 1 {
		t.Errorf("%+v, %v, %d calls", answer, err, calls.Load())
	}
}

// TestFaultsOfCallbacks are each named with its place.
func TestFaultsOfCallbacks(t *testing.T) {
	t.Parallel()
	poll := `poll: { path: "/p/{id}", every: 3s, for: 10m }`
	for _, c := range []struct{ later, request, want string }{
		{"", "", "needs a poll, a callback, or both"},
		{"callback: {}, " + poll, "", "later.callback.id: is missing"},
		{"callback: { id: .body.id }", `, headers: { X: "{retorno}" }`, "needs for"},
		{"callback: { id: .body.id, for: 24h }", `, headers: { X: "{retorno}" }`, "must be from 1s to 12h"},
		{"callback: { id: .body.id, for: 1h }, " + poll, "", "stands in poll already"},
		{"callback: { id: .body.id, for: 1h }", "", "put {retorno} in path"},
		{poll, `, headers: { X: "{retorno}" }`, "describe them under later, callback"},
		{poll, `, body: '{a: .retorno, d: .documento}'`, "describe them under later, callback"},
		{strings.Replace(poll, "{id}", "{id}/{retorno}", 1), "", "for the request of a product only"},
		{strings.Replace(poll, `"/p/{id}"`, "/p, method: POST, body: '{d: .documento}'", 1), "", "does not use the id"},
		{"callback: { id: .body.id, for: 1h }", `, query: { a: "{retorno}" }`, ""},
		{"callback: { id: .body.id }, " + poll, "", ""},
	} {
		file := fmt.Sprintf(basic, "https://x.example", "later: { status: [202], id: .body.id, ready: .body.ok, "+c.later+" }")
		file = strings.Replace(file, "/pessoas/{documento}\"", "/pessoas/{documento}\""+c.request, 1)
		if strings.Contains(c.request, "body") {
			file = strings.Replace(file, "GET", "POST", 1)
		}
		_, err := bureau.Parse("f", []byte(file), noEnv)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s%s: %v, want %q", c.later, c.request, err, c.want)
		}
	}
}
