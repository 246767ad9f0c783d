package integration

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"

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

// TestWebhook holds the webhook to every clause of the specification. Its parts share one program for each database, and each
// has an organisation of its own there.
func TestWebhook(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		box := intaketest.StartMailServer(t)
		s := intaketest.StartService(t, env, map[string]string{"FICHARIO_ALLOW_PRIVATE_TARGETS": "true", "FICHARIO_SMTP_URL": box.URL})
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
			"simulation":                   testSimulation,
			"assignment":                   testAssignment,
			"origins":                      testOrigins,
			"disabling":                    testDisabling,
			"replays":                      testReplays,
			"regenerating":                 testRegenerating,
			"settings":                     testSettings,
			"signatures":                   testSignatures,
			"idempotency":                  testIdempotency,
			"fifty at once":                func(t *testing.T, o *org) { testFiftyAtOnce(t, o, s) },
			"organisations":                func(t *testing.T, o *org) { testOrganisations(t, o, s.Org(t)) },
			"automations":                  testAutomations,
			"conditions":                   testConditions,
			"retries":                      testRetries,
			"e-mail":                       func(t *testing.T, o *org) { testEmail(t, o, box) },
			"commands":                     func(t *testing.T, o *org) { testCommands(t, o, s.Org(t)) },
			"changes at once":              testChangesAtOnce,
			"pages":                        testPagesOfCommands,
			"examples":                     testExamples,
		} {
			t.Run(name, with(test))
		}
	})
}

func testEffects(t *testing.T, o *org) {
	o.Member("Helena", "owner")
	o.Origins("Instagram")
	h := o.NewHook("Formulário do site", "generic")
	a := o.Post(h, `{"nome":"Bia `+intaketest.Surname+`","email":"`+intaketest.Email("bia")+`","telefone":"`+intaketest.Phone+`","empresa":"Rocha Ltda",
		"valor":"R$ 1.234,56","mensagem":"`+intaketest.Message+`","origem":"instagram","utm_campaign":"natal"}`)
	expect(t, "answer", a.String(), "200")
	expect(t, "success", a.JSON["success"], true)
	if a.Text("message") == "" {
		t.Error("no message")
	}
	c := o.Contact(a.LeadID())
	for what, pair := range map[string][2]any{
		"id": {c.ID, a.LeadID()}, "nome": {c.Nome, "Bia " + intaketest.Surname}, "email": {c.Email, intaketest.Email("bia")},
		"telefone": {intaketest.Or(c.Telefone), intaketest.Phone}, "telefoneE164": {intaketest.Or(c.TelefoneE164), intaketest.PhoneE164},
		"empresa": {intaketest.Or(c.Empresa), "Rocha Ltda"}, "valor": {c.Valor, "1234.56"}, "nota": {strings.Contains(c.Nota, intaketest.Message), true},
		"origem": {intaketest.Or(c.Origem), "Instagram"}, "funil": {c.Funil, "Vendas"}, "etapa": {c.Etapa, "Novo"},
		"responsavel": {intaketest.Or(c.Responsavel), "Helena " + intaketest.Surname}, "webhook": {intaketest.Or(c.Webhook), "Formulário do site"},
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
	if len(notes) != 1 || notes[0].Contato != c.ID || notes[0].Lida || !strings.Contains(notes[0].Texto, "Formulário do site") {
		t.Errorf("%d notifications, or one about something else", len(notes))
	}
	expect(t, "received", o.Show(h).Received, 1)
	log := o.Deliveries(h)
	if len(log) != 1 || log[0].Outcome != "accepted" || intaketest.Or(log[0].Contact) != c.ID || log[0].Reason != "" {
		t.Errorf("%d deliveries, or one of something else", len(log))
	}

	// The fields by what the specification says of their absence.
	bare := o.Contact(o.Accept(h, `{"email":"`+intaketest.Email("bare")+`","valor":"a combinar"}`))
	expect(t, "nome", bare.Nome, "Lead sem nome")
	expect(t, "what was not sent", line(intaketest.Or(bare.Telefone), intaketest.Or(bare.TelefoneE164), intaketest.Or(bare.Empresa), intaketest.Or(bare.Origem), bare.Valor), "null null null null 0")
	expect(t, "the note keeps what is no number", strings.Contains(bare.Nota, "a combinar"), true)
	o.Accept(h, `{"email":"@"}`) // whatever has an @ counts
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
			expect(t, "GET", line(get.Status, get.JSON), fmt.Sprintf("200 map[enabled:%v name:Verificado %s status:ok type:%s]", enabled, kind, kind))
			head := o.Do(request{Method: "HEAD", Path: h.Path})
			expect(t, "HEAD", line(head.Status, len(head.Body), head.Header.Get("Content-Type")), "200 0 "+get.Header.Get("Content-Type"))
		}
		hub := func(challenge, token string) answer {
			q := url.Values{"hub.mode": {"subscribe"}, "hub.challenge": {challenge}, "hub.verify_token": {token}}
			return o.Do(request{Method: "GET", Path: h.Path + "?" + q.Encode()})
		}
		right := hub("11<b>58 201", h.Token)
		expect(t, "challenge", line(right.Status, string(right.Body)), "200 11<b>58 201")
		expect(t, "its type", right.Header.Get("Content-Type"), "text/plain; charset=UTF-8")
		for what, a := range map[string]answer{
			"wrong verify_token": hub("1158201444", strings.Repeat("a", 48)), "no verify_token": hub("1158201444", ""), "no challenge": hub("", h.Token),
			"a challenge that is too long": hub(strings.Repeat("1", 513), h.Token),
		} {
			expect(t, what, line(a.Status, a.JSON["status"], a.JSON["enabled"]), "200 ok false")
		}
		o.Nothing(t, h)
		expect(t, "deliveries", len(o.Deliveries(h)), 0)
	}
}

func testUnknownTokens(t *testing.T, o *org) {
	known := o.NewHook("Conhecido", "generic")
	tokens := map[string]string{
		"unknown": strings.Repeat("a", 48), "one character off": known.Token[:47] + flip(known.Token[47]), "short": known.Token[:47],
		"long": known.Token + "a", "not base62": strings.Repeat("-", 48), "not ASCII": strings.Repeat("%C3%A9", 24), "NUL": strings.Repeat("%00", 48),
		"not UTF-8": strings.Repeat("%ff", 48), "quote": strings.Repeat("%27", 48), "the id": known.ID, "the other case": swapCase(known.Token),
	}
	for name, token := range tokens {
		body := func(a answer) string {
			return fmt.Sprint(a, a.Text("title"), a.Text("detail"), a.Text("type"), a.JSON["errors"])
		}
		get := o.Do(request{Method: "GET", Path: intaketest.PathOf(token)})
		expect(t, name, get.String(), "404 webhook_desconhecido")
		post := o.Post(hook{Path: intaketest.PathOf(token)}, intaketest.Lead("ninguém"))
		expect(t, name+": POST answers as GET", body(post), body(get))
		expect(t, name+": HEAD", o.Do(request{Method: "HEAD", Path: intaketest.PathOf(token)}).Status, 404)
		expect(t, name+": PUT", o.Do(request{Method: "PUT", Path: intaketest.PathOf(token), Header: intaketest.JSON, Body: "{}"}).String(), "404 webhook_desconhecido")
	}
	for _, path := range []string{"/api/webhooks/receive/", "/api/webhooks/receive", "/api/webhooks/", known.Path + "/", known.Path + "/x"} {
		expect(t, "a path beside it", o.Do(request{Path: path, Header: intaketest.JSON, Body: "{}"}).Status, 404)
	}
	o.Nothing(t, known)
	expect(t, "deliveries", len(o.Deliveries(known)), 0)
}

func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 32
		case r >= 'A' && r <= 'Z':
			return r + 32
		}
		return r
	}, s)
}

// testUnknownMethods: the token is looked at before the method, whatever the method.
func testUnknownMethods(t *testing.T, o *org) {
	h := o.NewHook("Métodos raros", "generic")
	for _, method := range []string{"PROPFIND", "REPORT", "LINK", "BREW"} {
		expect(t, method+" of an unknown token", o.Do(request{Method: method, Path: intaketest.PathOf(strings.Repeat("a", 48))}).String(), "404 webhook_desconhecido")
		a := o.Do(request{Method: method, Path: h.Path})
		expect(t, method, a.String(), "405 metodo_nao_permitido")
		allows(t, a)
	}
}

func allows(t *testing.T, a answer) {
	t.Helper()
	methods := strings.Split(a.Header.Get("Allow"), ", ")
	slices.Sort(methods)
	expect(t, "Allow", strings.Join(methods, " "), "GET HEAD OPTIONS POST")
}

func testMethods(t *testing.T, o *org) {
	h := o.NewHook("Métodos", "generic")
	for _, method := range []string{"PUT", "PATCH", "DELETE", "TRACE"} {
		a := o.Do(request{Method: method, Path: h.Path, Header: intaketest.JSON})
		expect(t, method, a.String(), "405 metodo_nao_permitido")
		allows(t, a)
	}
	o.Nothing(t, h)
	expect(t, "deliveries", len(o.Deliveries(h)), 0)
}

// testUnknownTokenFirst: whoever has not the token learns nothing about what else is wrong.
func testUnknownTokenFirst(t *testing.T, o *org) {
	unknown := intaketest.PathOf(strings.Repeat("a", 48))
	for _, query := range []string{"?simular=talvez", "?simular=true", "?simular=true&simular=false", "?simular=%zz"} {
		a := o.Do(request{Path: unknown + query, Header: intaketest.JSON, Body: intaketest.Lead("ninguém")})
		expect(t, "POST "+query, a.String(), "404 webhook_desconhecido")
	}
}

// testOrderOfChecks: of two things that are wrong, the earlier one of the order is answered: token, method, declared size,
// enabled, body, signature, delivered before, e-mail.
func testOrderOfChecks(t *testing.T, o *org) {
	const secret = "um-segredo-7731"
	o.Hide(secret)
	on, off := o.NewHook("Ligado", "formservice"), o.NewHook("Desligado", "generic")
	signed := o.NewHook("Assinado", "generic", "--signature", "hmac", "--secret", secret)
	signedOff := o.NewHook("Assinado e desligado", "generic", "--signature", "hmac", "--secret", secret)
	o.Command("webhook", "disable", off.ID)
	o.Command("webhook", "disable", signedOff.ID)
	tally := func(email string) string {
		return `{"eventType":"FORM_RESPONSE","data":{"submissionId":"conhecida","fields":[{"key":"a","label":"E-mail","type":"INPUT_EMAIL","value":"` + email + `"}]}}`
	}
	keyed := map[string]string{"Content-Type": "application/json", "Idempotency-Key": "conhecida"}
	byKey := o.Do(request{Path: on.Path, Header: keyed, Body: intaketest.Lead("chave")})
	byID := o.Post(on, tally(intaketest.Email("tally")))
	expect(t, "posts to be known", line(byKey, byID), "200 200")

	declared := map[string]string{"Content-Type": "application/json", "Content-Length": fmt.Sprint(large)}
	some := func(w io.Writer) { _, _ = io.WriteString(w, `{"a":"`+strings.Repeat("x", 70<<10)) }
	chunked := map[string]string{"Content-Type": "application/json", "Transfer-Encoding": "chunked"}
	endless := intaketest.Chunks(`{"a":"`, strings.Repeat("x", 64<<10))
	unknown := intaketest.PathOf(strings.Repeat("a", 48))
	for name, c := range map[string]struct {
		r    request
		want string
	}{
		"token before method":                 {request{Method: "PUT", Path: unknown}, "404 webhook_desconhecido"},
		"token before size":                   {request{Path: unknown, Header: declared, Stream: some}, "404 webhook_desconhecido"},
		"token before e-mail":                 {request{Path: unknown, Header: intaketest.JSON, Body: "{}"}, "404 webhook_desconhecido"},
		"method before size":                  {request{Method: "DELETE", Path: on.Path, Header: declared, Stream: some}, "405 metodo_nao_permitido"},
		"method before enabled":               {request{Method: "DELETE", Path: off.Path}, "405 metodo_nao_permitido"},
		"size before enabled":                 {request{Path: off.Path, Header: declared, Stream: some}, "413 corpo_grande_demais"},
		"size before signature":               {request{Path: signed.Path, Header: declared, Stream: some}, "413 corpo_grande_demais"},
		"enabled before the size that is met": {request{Path: off.Path, Header: chunked, Stream: endless}, "423 webhook_desabilitado"},
		"enabled before signature":            {request{Path: signedOff.Path, Header: intaketest.JSON, Body: "{}"}, "423 webhook_desabilitado"},
		"enabled before body":                 {request{Path: off.Path, Header: intaketest.JSON, Body: "{"}, "423 webhook_desabilitado"},
		"enabled before e-mail":               {request{Path: off.Path, Header: intaketest.JSON, Body: `{"nome":"x"}`}, "423 webhook_desabilitado"},
		"the size that is met":                {request{Path: on.Path, Header: chunked, Stream: endless}, "413 corpo_grande_demais"},
		"the size before signature":           {request{Path: signed.Path, Header: chunked, Stream: endless}, "413 corpo_grande_demais"},
		"signature before e-mail":             {request{Path: signed.Path, Header: intaketest.JSON, Body: `{"nome":"x"}`}, "401 nao_autenticado"},
		"signature before what is said":       {request{Path: signed.Path, Header: intaketest.JSON, Body: `{"nome":`}, "401 nao_autenticado"},
		"body before known":                   {request{Path: on.Path, Header: keyed, Body: `{"nome":`}, "400 requisicao_invalida"},
		"known with another body":             {request{Path: on.Path, Header: keyed, Body: intaketest.Lead("outra")}, "422 chave_reutilizada"},
		"another body before e-mail":          {request{Path: on.Path, Header: keyed, Body: `{"nome":"x"}`}, "422 chave_reutilizada"},
		"known":                               {request{Path: on.Path, Header: keyed, Body: intaketest.Lead("chave")}, "200"},
		"known before e-mail":                 {request{Path: on.Path, Header: intaketest.JSON, Body: tally("sem arroba")}, "200"},
		"e-mail":                              {request{Path: on.Path, Header: intaketest.JSON, Body: `{"nome":"x"}`}, "400 email_invalido"},
	} {
		a := o.Do(c.r)
		expect(t, name, a.String(), c.want)
		switch name {
		case "known":
			expect(t, name, a.LeadID(), byKey.LeadID())
		case "known before e-mail":
			expect(t, name, a.LeadID(), byID.LeadID())
		}
	}
	expect(t, "contacts", len(o.Contacts()), 2)
	expect(t, "received", o.Show(on).Received, 2)
	for _, c := range []struct {
		h    hook
		want string
	}{
		{on, "accepted accepted refused chave_reutilizada refused chave_reutilizada refused corpo_grande_demais refused email_invalido refused requisicao_invalida repeated repeated"},
		{off, "refused corpo_grande_demais refused webhook_desabilitado refused webhook_desabilitado refused webhook_desabilitado"},
		{signed, "refused corpo_grande_demais refused corpo_grande_demais refused nao_autenticado refused nao_autenticado"},
		{signedOff, "refused webhook_desabilitado"},
	} {
		var got []string
		for _, d := range o.Deliveries(c.h) {
			got = append(got, strings.TrimSpace(d.Outcome+" "+d.Code))
			if d.Code == "corpo_grande_demais" && (!d.Truncated || d.Bytes != 64<<10) {
				t.Errorf("of a body that is too large %d bytes are kept, truncated %v", d.Bytes, d.Truncated)
			}
		}
		slices.Sort(got)
		expect(t, "delivery log", strings.Join(got, " "), c.want)
	}
}

func testPreflight(t *testing.T, o *org) {
	h := o.NewHook("Navegador", "generic")
	for _, path := range []string{h.Path, intaketest.PathOf(strings.Repeat("a", 48))} {
		a := o.Do(request{Method: "OPTIONS", Path: path, Header: map[string]string{
			"Origin": "https://site.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type,idempotency-key",
		}})
		expect(t, "status", a.Status, 204)
		allowed := strings.ToLower(a.Header.Get("Access-Control-Allow-Headers"))
		if !strings.Contains(allowed, "content-type") || !strings.Contains(allowed, "idempotency-key") || !strings.Contains(a.Header.Get("Access-Control-Allow-Methods"), "POST") {
			t.Errorf("headers %v", a.Header)
		}
	}
	a := o.Do(request{Path: h.Path, Header: map[string]string{"Content-Type": "application/json", "Origin": "https://site.example", "Cookie": "sessão=biscoito-7731", "Authorization": "Bearer biscoito-7731"}, Body: intaketest.Lead("navegador")})
	expect(t, "a post of a page", a.String(), "200")
	d := o.Delivery(o.Deliveries(h)[0].ID)
	if d.Headers["origin"] != "https://site.example" || strings.Contains(fmt.Sprint(d), "biscoito") {
		t.Error("the log has not the origin, or has the cookie")
	}
}

func testSimulation(t *testing.T, o *org) {
	o.Member("Helena", "owner")
	o.Origins("Instagram")
	h, off := o.NewHook("Ensaio", "generic"), o.NewHook("Ensaio desligado", "generic")
	o.Command("webhook", "disable", off.ID)
	body := `{"nome":"Bia ` + intaketest.Surname + `","email":"` + intaketest.Email("bia") + `","telefone":"` + intaketest.Phone + `","valor":"10k","origem":"INSTAGRAM"}`
	try := func(h hook, query, body string) answer {
		return o.Do(request{Path: h.Path + query, Header: map[string]string{"Content-Type": "application/json", "Idempotency-Key": "ensaio"}, Body: body})
	}
	for _, query := range []string{"?simular=true", "?simular=1", "?simular=true"} {
		a := try(h, query, body)
		expect(t, query, line(a, a.JSON["success"], a.JSON["simulated"], a.LeadID() == ""), "200 true true true")
		c, _ := a.JSON["contact"].(map[string]any)
		for field, want := range map[string]any{
			"nome": "Bia " + intaketest.Surname, "telefoneE164": intaketest.PhoneE164, "valor": "10000", "origem": "Instagram", "funil": "Vendas", "etapa": "Novo",
			"responsavel": "Helena " + intaketest.Surname, "empresa": nil,
		} {
			if fmt.Sprint(c[field]) != fmt.Sprint(want) {
				t.Errorf("%s of the simulation is not as it would be", field)
			}
		}
	}
	for query, want := range map[string]string{
		"?simular=talvez": "400 requisicao_invalida", "?simular=TRUE": "400 requisicao_invalida", "?simular": "400 requisicao_invalida", "?simular=": "400 requisicao_invalida", "?simular=%00": "400 requisicao_invalida",
		"?simular=true&simular=false": "400 requisicao_invalida",
	} {
		expect(t, query, try(h, query, body).String(), want)
	}
	expect(t, "without an e-mail", try(h, "?simular=true", `{"nome":"x"}`).String(), "400 email_invalido")
	expect(t, "not JSON", try(h, "?simular=true", "{").String(), "400 requisicao_invalida")
	expect(t, "disabled", try(off, "?simular=true", body).String(), "423 webhook_desabilitado")
	o.Nothing(t, h)
	expect(t, "deliveries", len(o.Deliveries(h))+len(o.Deliveries(off)), 0)
	expect(t, "in earnest", try(h, "?simular=false", body).String(), "200")
	expect(t, "contacts", len(o.Contacts()), 1)
}
