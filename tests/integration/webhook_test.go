package integration

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
)

type (
	request = intaketest.Request
	answer  = intaketest.Answer
	org     = intaketest.Org
	hook    = intaketest.Hook
)

var line = intaketest.Line

const (
	form  = "application/x-www-form-urlencoded"
	large = 2 << 20 // more than a body may have
)

// stored are the parts of TestWebhook that depend most on the database: its others run on PostgreSQL only through a
// pooler (`make test-slow`).
var stored = []string{"effects", "replays", "idempotency", "fifty at once", "changes at once", "many people", "refusals"}

// byCommand are the parts that mostly start commands: `make test-slow` runs them.
var byCommand = []string{
	"commands", "destinations", "disabling", "origins", "pages", "regenerating", "retries", "several people again",
	"several people replayed", "signatures",
}

// TestWebhook and TestSlowWebhook test the webhook against every clause of the specification. The parts share one
// program per database, with an organisation each.
func TestWebhook(t *testing.T) {
	testWebhook(t, func(part string, onPostgres bool) bool {
		return !slices.Contains(byCommand, part) &&
			(!onPostgres || os.Getenv(testkit.EnvPooled) != "" || slices.Contains(stored, part))
	})
}

func TestSlowWebhook(t *testing.T) {
	testWebhook(t, func(part string, _ bool) bool { return slices.Contains(byCommand, part) })
}

// testWebhook runs the parts that runs wants on a database.
func testWebhook(t *testing.T, runs func(part string, onPostgres bool) bool) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		box := intaketest.StartMailServer(t)
		s := intaketest.StartService(t, env, map[string]string{
			"FICHARIO_ALLOW_PRIVATE_TARGETS": "true", "FICHARIO_SMTP_URL": box.URL,
		})
		with := func(test func(t *testing.T, o *org)) func(t *testing.T) {
			return func(t *testing.T) {
				t.Parallel()
				test(t, s.Org(t))
			}
		}
		for name, test := range map[string]func(t *testing.T, o *org){
			"effects":                      testEffects,
			"verification":                 testVerification,
			"unknown tokens":               testUnknownTokens,
			"unknown methods":              testUnknownMethods,
			"an unknown token with doubt":  testUnknownTokenFirst,
			"methods":                      testMethods,
			"order of checks":              testOrderOfChecks,
			"preflight":                    testPreflight,
			"refusals":                     testRefusals,
			"content types":                testContentTypes,
			"files":                        testFiles,
			"a multipart without boundary": testNoBoundary,
			"odd bytes":                    testOddBytes,
			"thanks":                       testThanks,
			"visitors":                     testVisitors,
			"simulation":                   testSimulation,
			"assignment":                   testAssignment,
			"mass assignment":              testMassAssignment,
			"origins":                      testOrigins,
			"disabling":                    testDisabling,
			"replays":                      testReplays,
			"regenerating":                 testRegenerating,
			"settings":                     testSettings,
			"signatures":                   testSignatures,
			"signatures in a header":       testOwnHeader,
			"idempotency":                  testIdempotency,
			"fifty at once":                func(t *testing.T, o *org) { testFiftyAtOnce(t, o, s) },
			"organisations":                func(t *testing.T, o *org) { testOrganisations(t, o, s.Org(t)) },
			"automations":                  testAutomations,
			"conditions":                   testConditions,
			"destinations":                 testDestinations,
			"retries":                      testRetries,
			"e-mail":                       func(t *testing.T, o *org) { testEmail(t, o, box) },
			"commands":                     func(t *testing.T, o *org) { testCommands(t, o, s.Org(t)) },
			"changes at once":              testChangesAtOnce,
			"pages":                        testPagesOfCommands,
			"several people":               testPeople,
			"many people":                  testManyPeople,
			"several people again":         testPeopleAgain,
			"several people simulated":     testPeopleSimulated,
			"several people replayed":      testPeopleReplayed,
			"examples":                     testExamples,
		} {
			if runs(name, strings.HasPrefix(env["FICHARIO_DATABASE_URL"], "postgres")) {
				t.Run(name, with(test))
			}
		}
	})
}

func testEffects(t *testing.T, o *org) {
	o.Member("Helena", "owner")
	o.Origins("Instagram")
	h := o.NewHook("Formulário do site", "generic")
	a := o.Post(h, `{"nome":"Bia `+intaketest.Surname+`","email":"`+intaketest.Email("bia")+`","telefone":"`+
		intaketest.Phone+`","empresa":"Rocha Ltda",
		"valor":"R$ 1.234,56","mensagem":"`+intaketest.Message+`","origem":"instagram","utm_campaign":"natal"}`)
	expect(t, "answer", a.String(), "200")
	expect(t, "success", a.JSON["success"], true)
	if a.Text("message") == "" {
		t.Error("no message")
	}
	c := o.Contact(a.LeadID())
	for what, pair := range map[string][2]any{
		"id": {c.ID, a.LeadID()}, "nome": {c.Nome, "Bia " + intaketest.Surname}, "email": {c.Email, intaketest.Email("bia")},
		"telefone":     {intaketest.Or(c.Telefone), intaketest.Phone},
		"telefoneE164": {intaketest.Or(c.TelefoneE164), intaketest.PhoneE164},
		"empresa":      {intaketest.Or(c.Empresa), "Rocha Ltda"}, "valor": {c.Valor, "1234.56"},
		"nota":   {strings.Contains(c.Nota, intaketest.Message), true},
		"origem": {intaketest.Or(c.Origem), "Instagram"}, "funil": {c.Funil, "Vendas"}, "etapa": {c.Etapa, "Novo"},
		"responsavel":  {intaketest.Or(c.Responsavel), "Helena " + intaketest.Surname},
		"webhook":      {intaketest.Or(c.Webhook), "Formulário do site"},
		"utm_campaign": {c.Atribuicao["utm_campaign"], "natal"}, "history": {len(c.Historico), 1},
	} {
		if fmt.Sprint(pair[0]) != fmt.Sprint(pair[1]) {
			t.Errorf("%s is not as sent", what)
		}
	}
	expect(t, "first of the history", c.Historico[0].Tipo+" "+c.Historico[0].Autor, "criado Formulário do site")
	if !strings.Contains(c.Historico[0].Texto, "Formulário do site") {
		t.Error("the history does not name the webhook")
	}
	notes := o.Notifications()
	if len(notes) != 1 || notes[0].Contato != c.ID || notes[0].Lida ||
		!strings.Contains(notes[0].Texto, "Formulário do site") {
		t.Errorf("%d notifications, or one about something else", len(notes))
	}
	expect(t, "received", o.Show(h).Received, 1)
	log := o.Deliveries(h)
	if len(log) != 1 || log[0].Outcome != "accepted" || intaketest.Or(log[0].Contact) != c.ID || log[0].Reason != "" {
		t.Errorf("%d deliveries, or one of something else", len(log))
	}

	// The specification's defaults for absent fields.
	bare := o.Contact(o.Accept(h, `{"email":"`+intaketest.Email("bare")+`","valor":"a combinar"}`))
	expect(t, "nome", bare.Nome, "Lead sem nome")
	expect(t, "what was not sent",
		line(intaketest.Or(bare.Telefone), intaketest.Or(bare.TelefoneE164), intaketest.Or(bare.Empresa),
			intaketest.Or(bare.Origem), bare.Valor), "null null null null 0")
	expect(t, "the note keeps what is no number", strings.Contains(bare.Nota, "a combinar"), true)
	o.Accept(h, `{"email":"@"}`) // anything with an @ counts
	fs := o.NewHook("Formulários", "formservice")
	named := o.Contact(o.Accept(fs, `{"email":"`+intaketest.Email("joana")+`"}`))
	expect(t, "name of a form service's lead", named.Nome, "joana")
	expect(t, "received", o.Show(h).Received, 3)

	// Two posts without an id are two contacts.
	first, second := o.Accept(h, intaketest.Lead("gêmea")), o.Accept(h, intaketest.Lead("gêmea"))
	if first == second {
		t.Error("two posts without an id are one contact")
	}
}

func testVerification(t *testing.T, o *org) {
	for _, kind := range []string{"generic", "formservice"} {
		h := o.NewHook("Verificado "+kind, kind)
		for _, enabled := range []bool{true, false} {
			if !enabled {
				o.Command("webhook", "disable", h.ID)
			}
			get := o.Do(request{Method: "GET", Path: h.Path})
			expect(t, "GET", line(get.Status, get.JSON),
				fmt.Sprintf("200 map[enabled:%v name:Verificado %s status:ok type:%s]", enabled, kind, kind))
			head := o.Do(request{Method: "HEAD", Path: h.Path})
			expect(t, "HEAD", line(head.Status, len(head.Body), head.Header.Get("Content-Type")),
				"200 0 "+get.Header.Get("Content-Type"))
		}
		hub := func(challenge, token string) answer {
			q := url.Values{"hub.mode": {"subscribe"}, "hub.challenge": {challenge}, "hub.verify_token": {token}}
			return o.Do(request{Method: "GET", Path: h.Path + "?" + q.Encode()})
		}
		right := hub("11<b>58 201", h.Token)
		expect(t, "challenge", line(right.Status, string(right.Body)), "200 11<b>58 201")
		expect(t, "its type", right.Header.Get("Content-Type"), "text/plain; charset=UTF-8")
		for what, a := range map[string]answer{
			"wrong verify_token": hub("1158201444", strings.Repeat("a", 48)), "no verify_token": hub("1158201444", ""),
			"no challenge":                 hub("", h.Token),
			"a challenge that is too long": hub(strings.Repeat("1", 513), h.Token),
		} {
			expect(t, what, line(a.Status, a.JSON["status"], a.JSON["enabled"]), "200 ok false")
		}
		o.Nothing(t, h)
		expect(t, "deliveries", len(o.Deliveries(h)), 0)
	}
}

func testSimulation(t *testing.T, o *org) {
	o.Member("Helena", "owner")
	o.Origins("Instagram")
	h, off := o.NewHook("Ensaio", "generic"), o.NewHook("Ensaio desligado", "generic")
	o.Command("webhook", "disable", off.ID)
	body := `{"nome":"Bia ` + intaketest.Surname + `","email":"` + intaketest.Email("bia") + `","telefone":"` +
		intaketest.Phone + `","valor":"10k","origem":"INSTAGRAM"}`
	try := func(h hook, query, body string) answer {
		return o.Do(request{
			Path: h.Path + query, Header: map[string]string{"Content-Type": "application/json", "Idempotency-Key": "ensaio"},
			Body: body,
		})
	}
	for _, query := range []string{
		"?simular=true", "?simular=1", "?simular=true", "?simular=true;", "?utm_term=100%&simular=true",
	} {
		a := try(h, query, body)
		expect(t, query, line(a, a.JSON["success"], a.JSON["simulated"], a.LeadID() == ""), "200 true true true")
		c, _ := a.JSON["contact"].(map[string]any)
		for field, want := range map[string]any{
			"nome": "Bia " + intaketest.Surname, "telefoneE164": intaketest.PhoneE164, "valor": "10000", "origem": "Instagram",
			"funil": "Vendas", "etapa": "Novo",
			"responsavel": "Helena " + intaketest.Surname, "empresa": nil,
		} {
			if fmt.Sprint(c[field]) != fmt.Sprint(want) {
				t.Errorf("%s of the simulation is not as it would be", field)
			}
		}
	}
	unsure := map[string]string{
		"?simular=talvez": "400 requisicao_invalida", "?simular=TRUE": "400 requisicao_invalida",
		"?simular": "400 requisicao_invalida", "?simular=": "400 requisicao_invalida",
		"?simular=%00": "400 requisicao_invalida", "?simular=%zz": "400 requisicao_invalida",
		"?simular=true;simular=false": "400 requisicao_invalida",
		"?simular=true&simular=false": "400 requisicao_invalida",
	}
	for query, want := range unsure {
		expect(t, query, try(h, query, body).String(), want)
		expect(t, query+", disabled", try(off, query, body).String(), "423 webhook_desabilitado")
	}
	expect(t, "without an e-mail", try(h, "?simular=true", `{"nome":"x"}`).String(), "400 email_invalido")
	expect(t, "not JSON", try(h, "?simular=true", "{").String(), "400 requisicao_invalida")
	expect(t, "disabled", try(off, "?simular=true", body).String(), "423 webhook_desabilitado")
	o.Nothing(t, h)
	// A value that is neither yes nor no is a refused post, with a line in the log like any other.
	expect(t, "deliveries", []int{len(o.Deliveries(h)), len(o.Deliveries(off))}, []int{len(unsure), len(unsure)})
	expect(t, "in earnest", try(h, "?simular=false", body).String(), "200")
	expect(t, "contacts", len(o.Contacts()), 1)
}
