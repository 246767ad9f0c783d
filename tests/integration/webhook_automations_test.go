package integration

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// testAutomations: each of the five actions takes effect, once, and is in the history and the list of runs.
func testAutomations(t *testing.T, o *org) {
	o.Member("Dona", "owner")
	second := o.Member("Vendas", "member")
	receiver := intaketest.StartReceiver(t, nil)
	h := o.NewHook("Ações", "generic")
	called, secret := o.Automate("Avisar o CRM", "http", "--url", receiver.URL+"/gancho")
	o.Automate("Mover", "move_stage", "--stage", "em CONTATO")
	o.Automate("Passar", "assign", "--member", second)
	o.Automate("Anotar", "add_note", "--text", "Olá {nome}, vale {valor} {outra}")
	mailed, mailSecret := o.Automate("Escrever", "email", "--to", "equipe@"+intaketest.Domain, "--subject",
		"Chegou {nome}", "--text", "{email} {telefone}")
	off, _ := o.Automate("Desligada", "add_note", "--text", "não deveria")
	o.Command("automation", "disable", off)
	if mailSecret != "" {
		t.Error("an e-mail has a secret")
	}
	list := intaketest.Read[[]struct {
		ID, Name, Event, Action string
		Enabled                 bool
	}](o, "automation", "list", "--org", o.ID)
	expect(t, "list", line(len(list), list[0].Event, list[0].Action, list[0].Enabled, list[5].Enabled),
		"6 contact.created http true false")

	id := o.Accept(h, `{"nome":"Bia `+intaketest.Surname+`","email":"`+intaketest.Email("bia")+
		`","valor":1500.5,"mensagem":"<b>`+intaketest.Message+`</b>"}`)
	runs := o.Settled(5+2, "--contact", id) // and an e-mail to each member
	kinds := map[string]int{}
	for _, r := range runs {
		expect(t, "run", line(r.State, r.Attempts, r.EndedAt != nil, r.Result != ""), "done 1 true true")
		kinds[r.Kind]++
	}
	expect(t, "kinds of runs", kinds, map[string]int{"automation": 5, "notification.email": 2})
	expect(t, "runs of one automation", len(o.Runs("--automation", mailed, "--state", "done")), 1)

	c := o.Contact(id)
	expect(t, "stage and assignee", c.Etapa+" "+strings.TrimSuffix(intaketest.Or(c.Responsavel), " "+intaketest.Surname),
		"Em contato Vendas")
	if !strings.Contains(c.Nota, "Olá Bia "+intaketest.Surname+", vale R$\u00a01.500,50 {outra}") ||
		!strings.HasPrefix(c.Nota, "<b>"+intaketest.Message+"</b>") {
		t.Error("the note is not the message and what was added")
	}
	var history []string
	for _, e := range c.Historico {
		history = append(history, e.Tipo+" "+e.Autor)
	}
	expect(t, "first", history[0], "criado Ações")
	slices.Sort(history)
	expect(t, "history", strings.Join(history, "; "), "criado Ações; etapa Mover; nota Anotar; responsavel Passar")

	calls := receiver.About(id)
	if len(calls) != 1 {
		t.Fatalf("%d calls", len(calls))
	}
	if err := calls[0].Verify(secret); err != nil {
		t.Error(err)
	}
	run := o.Runs("--automation", called)[0]
	expect(t, "webhook-id", calls[0].ID, run.ID)
	var event struct {
		Type      string
		Timestamp time.Time
		Data      intaketest.Contact
	}
	if err := json.Unmarshal(calls[0].Body, &event); err != nil {
		t.Fatal(err)
	}
	at, d := event.Timestamp, event.Data
	expect(t, "event", line(event.Type, at.Equal(d.CriadoEm), d.ID, d.Valor, d.Funil),
		line("contact.created", true, id, "1500.5 Vendas"))
	if event.Data.Email != intaketest.Email("bia") || !strings.Contains(string(calls[0].Body), "<b>") {
		t.Error("the call does not hold the contact as it is")
	}

	o.Command("automation", "enable", off)
	next := o.Accept(h, intaketest.Lead("seguinte"))
	expect(t, "runs with the one that was enabled", len(o.Settled(6+2, "--contact", next)), 8)
	expect(t, "it does not run for those of before", len(o.Runs("--automation", off)), 1)
}

// testConditions: by origin, by webhook and by minimum value, alone and together.
func testConditions(t *testing.T, o *org) {
	o.Origins("Instagram", "Google")
	a, b := o.NewHook("A", "generic"), o.NewHook("B", "generic")
	names := map[string]string{}
	add := func(name string, flags ...string) {
		id, _ := o.Automate(name, "add_note", append([]string{"--text", name}, flags...)...)
		names[id] = name
	}
	add("sempre")
	add("instagram", "--origin", "INSTAGRAM")
	add("webhook", "--webhook", a.ID)
	add("valor", "--min-value", "1000.50")
	add("tudo", "--origin", "Instagram", "--webhook", a.ID, "--min-value", "1000")
	cases := []struct {
		h          hook
		sent, want string
	}{
		{b, `"valor":1000.49`, "sempre"},
		{b, `"valor":1000.50`, "sempre valor"},
		{a, `"valor":"a combinar"`, "sempre webhook"},
		{b, `"origem":"instagram"`, "instagram sempre"},
		{b, `"origem":"google","valor":2000`, "sempre valor"},
		{a, `"origem":"Instagram","valor":"R$ 1.000,00"`, "instagram sempre tudo webhook"},
		{a, `"origem":"Instagram","valor":"2 mil"`, "instagram sempre tudo valor webhook"},
	}
	made, wanted := make([]string, len(cases)), 0
	for i, c := range cases {
		made[i] = o.Accept(c.h, `{"email":"`+intaketest.Email("condição")+`",`+c.sent+`}`)
		wanted += len(strings.Fields(c.want))
	}
	ran := map[string][]string{}
	// All runs of a contact are made in one transaction, so none is missing once each contact has its own.
	for _, r := range o.Settled(wanted) {
		ran[r.Contact] = append(ran[r.Contact], names[intaketest.Or(r.Automation)])
	}
	for i, c := range cases {
		slices.Sort(ran[made[i]])
		expect(t, c.sent, strings.Join(ran[made[i]], " "), c.want)
	}
}

// testRetries: a failed call is retried under the same id until it succeeds or is given up, and a person may have it
// retried again.
func testRetries(t *testing.T, o *org) {
	h := o.NewHook("Insistência", "generic")
	elsewhere := intaketest.StartReceiver(t, nil)
	receiver := intaketest.StartReceiver(t, func(w http.ResponseWriter, r *http.Request, c intaketest.Call, try int) {
		switch {
		case c.Path == "/500" && try == 1:
			w.WriteHeader(http.StatusInternalServerError)
		case c.Path == "/410" && try == 1:
			w.WriteHeader(http.StatusGone)
		case c.Path == "/503" && try == 1:
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
		case c.Path == "/302":
			http.Redirect(w, r, elsewhere.URL, http.StatusFound)
		default:
			w.WriteHeader(http.StatusOK)
		}
	})
	failing, secret := o.Automate("Falha uma vez", "http", "--url", receiver.URL+"/500")
	gone, _ := o.Automate("Não quer", "http", "--url", receiver.URL+"/410")
	redirect, _ := o.Automate("Manda embora", "http", "--url", receiver.URL+"/302")
	away, _ := o.Automate("Fora do ar", "http", "--url", receiver.URL+"/503")
	id := o.Accept(h, intaketest.Lead("insistente"))
	o.Eventually("the runs are made", func() bool { return len(o.Runs()) == 4 })
	calls := func(path string) (out []intaketest.Call) {
		for _, c := range receiver.About(id) {
			if c.Path == path {
				out = append(out, c)
			}
		}
		return out
	}
	only := func(automation string) intaketest.Run {
		runs := o.Runs("--automation", automation)
		if len(runs) != 1 {
			t.Errorf("%d runs", len(runs))
			return intaketest.Run{}
		}
		return runs[0]
	}
	o.Eventually("the run that failed once succeeds", func() bool { return only(failing).State == "done" })
	r := only(failing)
	tries := calls("/500")
	expect(t, "attempts", line(r.Attempts, len(tries)), "2 2")
	for _, c := range tries {
		expect(t, "webhook-id", c.ID, r.ID)
		if err := c.Verify(secret); err != nil {
			t.Error(err)
		}
	}
	if wait := tries[1].At.Sub(tries[0].At); wait < 900*time.Millisecond {
		t.Errorf("tried again after %s", wait)
	}

	r = only(gone)
	expect(t, "410", line(r.State, r.Attempts, strings.Contains(r.Result, "410")), "dead 1 true")
	said := 0
	for _, n := range o.Notifications() {
		if n.Titulo == "Automação sem sucesso" && n.Contato == id && strings.Contains(n.Texto, "Não quer") {
			said++
		}
	}
	expect(t, "notifications of it", said, 1)
	again := intaketest.Read[struct{ ID string }](o, "automation", "rerun", r.ID)
	expect(t, "a dead run goes on", again.ID, r.ID)
	o.Eventually("it succeeds", func() bool { return only(gone).State == "done" })
	ids := calls("/410")
	expect(t, "webhook-ids", line(len(ids), ids[0].ID == r.ID, ids[1].ID == r.ID), "2 true true")
	fresh := intaketest.Read[struct{ ID string }](o, "automation", "rerun", r.ID)
	lookuptest.Eventually(t, "a run that had succeeded is made anew", func() bool {
		return len(calls("/410")) == 3
	})
	if fresh.ID == r.ID || calls("/410")[2].ID != fresh.ID {
		t.Error("it has not an id of its own")
	}

	r = only(redirect)
	expect(t, "redirect", line(r.State, strings.Contains(r.Result, "redirecionamento")), "ready true")
	expect(t, "it was not followed", len(elsewhere.Calls()), 0)
	if r.NextAt == nil || r.Attempts < 1 {
		t.Error("it is not said when it is tried again")
	}

	o.Eventually("one waits for an hour", func() bool { return only(away).Result == "status 503" })
	r = only(away)
	again = intaketest.Read[struct{ ID string }](o, "automation", "rerun", r.ID)
	expect(t, "a run that waits goes on", again.ID, r.ID)
	o.Eventually("it is tried now", func() bool { return only(away).State == "done" })
	expect(t, "its webhook-id", calls("/503")[1].ID, r.ID)
}

// TestWebhookTargets: without FICHARIO_ALLOW_PRIVATE_TARGETS no automation reaches an address outside the public
// internet, however it is written.
func TestWebhookTargets(t *testing.T) {
	t.Parallel()
	s := intaketest.StartService(t, testkit.SQLite(t))
	o := s.Org(t)
	o.Member("Dona", "owner")
	receiver := intaketest.StartReceiver(t, nil)
	port := receiver.URL[strings.LastIndexByte(receiver.URL, ':'):]
	h := o.NewHook("Alvos", "generic")
	names := map[string]string{}
	for _, target := range []string{
		receiver.URL, "http://localhost" + port, "http://[::1]" + port, "http://[::ffff:127.0.0.1]" + port,
		"http://0.0.0.0" + port, "http://127.1" + port,
		"http://2130706433" + port, "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data", "http://[fd00::1]/",
		"http://192.168.0.1:80", "https://172.16.0.1", "http://100.64.0.1/",
	} {
		id, _ := o.Automate(target, "http", "--url", target)
		names[id] = target
	}
	o.Accept(h, intaketest.Lead("alvo"))
	var runs []intaketest.Run
	o.Eventually("each was tried", func() bool {
		runs = o.Runs()
		return len(runs) == len(names) && !slices.ContainsFunc(runs, func(r intaketest.Run) bool { return r.Result == "" })
	})
	dead := 0
	for _, r := range runs {
		if r.State == "dead" {
			dead++
		}
		if r.State != "dead" || r.Attempts != 1 || !strings.Contains(r.Result, "endereço não permitido") {
			t.Errorf("%s: %s after %d attempts, %s", names[intaketest.Or(r.Automation)], r.State, r.Attempts, r.Result)
		}
	}
	expect(t, "calls", len(receiver.Calls()), 0)
	notes := 0
	for _, n := range o.Notifications() {
		if n.Titulo == "Automação sem sucesso" {
			notes++
		}
	}
	expect(t, "notifications", notes, dead)
	for _, bad := range []string{
		"ftp://site.example", "http://", "site.example", "http://a:b@site.example", "javascript:alert(1)",
	} {
		o.Refused("automation", "add", "--org", o.ID, "--name", "x", "--action", "http", "--url", bad)
	}
}

// testEmail: every active member gets one message about a contact, and the e-mail action writes to the right recipient.
func testEmail(t *testing.T, o *org, box *intaketest.Mailbox) {
	names := []string{"Dona", "Gerente", "Vendas"}
	for i, name := range names {
		o.Member(name, []string{"owner", "admin", "member"}[i])
	}
	fixed := o.MemberEmail("caixa-fixa") // nobody's, and unique
	o.Automate("Ao contato", "email", "--to", "contact", "--subject",
		"Recebemos, {nome}\r\nBcc: intruso@"+intaketest.Domain, "--text", "Olá {nome},\n.\nvalor {valor}")
	o.Automate("Ao responsável", "email", "--to", "assignee", "--subject", "É seu", "--text", "{telefone} {empresa}")
	o.Automate("À caixa", "email", "--to", fixed, "--subject", "Entrou", "--text", "{email}")
	h := o.NewHook("Correio", "generic")
	contact := o.MemberEmail("a-contato")
	id := o.Accept(h, `{"nome":"Bia `+intaketest.Surname+`","email":"`+contact+`","telefone":"`+intaketest.Phone+
		`","valor":12.5,"mensagem":"`+intaketest.Message+`"}`)
	for _, r := range o.Settled(6) {
		expect(t, "run", line(r.State, r.Attempts, r.Result), "done 1 enviado")
	}
	subjects := map[string]int{}
	for _, name := range names {
		for _, m := range box.To(o.MemberEmail(name)) {
			if !strings.HasPrefix(m.Subject, "Novo contato: ") {
				subjects[m.Subject+" "+name]++
				continue
			}
			subjects["Novo contato "+name]++
			if !strings.Contains(m.Subject, "Bia "+intaketest.Surname) {
				t.Error("the subject does not name the contact")
			}
			for _, want := range []string{
				contact, intaketest.Phone, intaketest.Message, "Valor: R$\u00a012,50", "Correio", "/contatos/" + id, "Dona",
			} {
				if !strings.Contains(m.Text, want) {
					t.Errorf("the message has no %.10s…", want)
				}
			}
			expect(t, "sender", m.From, "avisos@servico.example")
		}
	}
	expect(t, "messages to members", subjects, map[string]int{
		"Novo contato Dona": 1, "Novo contato Gerente": 1, "Novo contato Vendas": 1, "É seu Dona": 1,
	})
	to := box.To(contact)
	if len(to) != 1 || to[0].Text != "Olá Bia "+intaketest.Surname+",\n.\nvalor R$\u00a012,50" &&
		to[0].Text != "Olá Bia "+intaketest.Surname+",\n.\nvalor R$\u00a012,50\n" || strings.ContainsAny(to[0].Subject, "\r\n") {
		t.Errorf("%d messages to the contact, or another text", len(to))
	}
	expect(t, "nobody else", len(box.To("intruso@"+intaketest.Domain)), 0)
	got := box.To(fixed)
	if len(got) != 1 || got[0].Subject != "Entrou" || strings.TrimSpace(got[0].Text) != contact {
		t.Errorf("%d messages to the fixed address, or another text", len(got))
	}
	// An unusable address is given up and reported, and the contact exists all the same.
	odd := o.Accept(h, `{"email":"isto não é@ um endereço"}`)
	o.Eventually("it is given up", func() bool {
		return len(o.Runs("--contact", odd, "--state", "dead")) == 1 && len(o.Runs("--contact", odd, "--state", "ready")) == 0
	})
}
