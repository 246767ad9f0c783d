package integration

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fichario/tests/testkit/intaketest"
)

const ownDestination = `name: meu-crm
title: Meu CRM
repeat: Procura antes.
fields:
  token: { title: Token, secret: true }
  account: { title: Conta }
exists:
  search:
    address: %[1]s/${account}/search
    query: '{email: $contact.email}'
    found: 'if .status == 200 then (.body | length) > 0 else null end'
address: %[1]s/${account}/leads
headers: { Authorization: "Bearer ${token}" }
body: '{nome: $contact.nome, email: $contact.email, valor: $contact.valor}'
done: .status == 201
`

// testDestinations: a busy destination is retried, a record whose answer was lost is not created again, and a permanent
// refusal is given up at once.
func testDestinations(t *testing.T, o *org) {
	const token = "t0k3n-que-ninguém-vê"
	o.Hide(token)
	var posts, records atomic.Int32
	var early atomic.Bool
	receiver := intaketest.StartReceiver(t, func(w http.ResponseWriter, r *http.Request, _ intaketest.Call, _ int) {
		switch {
		case r.Header.Get("Authorization") != "Bearer "+token || r.URL.EscapedPath() == "/errada/search":
			w.WriteHeader(http.StatusUnauthorized)
		case r.Method == http.MethodGet:
			list := map[bool]string{true: `[{"id":1}]`, false: `[]`}[records.Load() > 0]
			_, _ = fmt.Fprint(w, list)
		case posts.Add(1) == 1:
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(http.StatusTooManyRequests)
			time.AfterFunc(1500*time.Millisecond, func() { early.Store(posts.Load() > 1) })
		default:
			records.Add(1)
			panic(http.ErrAbortHandler) // the answer is lost
		}
	})
	file := filepath.Join(t.TempDir(), "crm.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, ownDestination, receiver.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	h := o.NewHook("Destinos", "generic")
	rule, secret := o.Automate("CRM", "http", "--destination", file, "--set", "token="+token, "--set", "account=loja 1")
	wrong, _ := o.Automate("Conta errada", "http", "--destination", file, "--set", "token="+token,
		"--set", "account=errada")
	expect(t, "secret of a destination", secret, "")
	id := o.Accept(h, `{"nome":"Bia `+intaketest.Surname+`","email":"`+intaketest.Email("bia")+`","valor":1500.5}`)

	shown := intaketest.Read[struct {
		Runs    bool
		Request struct {
			Method, URL, Body string
			Headers           map[string]string
			Search            struct{ Method, URL string }
		}
	}](o, "automation", "try", rule, "--contact", id)
	expect(t, "the request", line(shown.Runs, shown.Request.Method, strings.TrimPrefix(shown.Request.URL, receiver.URL),
		shown.Request.Headers["Authorization"], shown.Request.Search.Method), "true POST /loja%201/leads Bearer •••• GET")
	expect(t, "its body", strings.HasPrefix(shown.Request.Body, `{"email":"`+intaketest.Email("bia")+`"`), true)
	if text := o.Command("automation", "try", rule, "--contact", id) + o.Command("automation", "list", "--org", o.ID,
		"--json"); strings.Contains(text, token) {
		t.Error("the token is shown")
	}

	runs := o.Settled(2, "--contact", id)
	for _, r := range runs {
		want := map[string]string{
			rule: "done 3 já existe no destino", wrong: "dead 1 o destino recusou (status 401)",
		}[intaketest.Or(r.Automation)]
		expect(t, "run", line(r.State, r.Attempts, r.Result), want)
	}
	expect(t, "records", records.Load(), int32(1))
	expect(t, "asked again before it was time", early.Load(), false)

	o.Refused("automation", "add", "--org", o.ID, "--name", "x", "--action", "http", "--destination", "nenhum")
	o.Refused("automation", "add", "--org", o.ID, "--name", "x", "--action", "http", "--destination", "slack")
	o.Refused("automation", "add", "--org", o.ID, "--name", "x", "--action", "http", "--url", receiver.URL, "--body", "{")
}
