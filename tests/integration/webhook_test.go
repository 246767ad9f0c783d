package integration

import (
	"fmt"
	"io"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
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
	onBoth(t, func(t *testing.T, env map[string]string) {
		box := intaketest.NewMailbox(t)
		s := intaketest.Start(t, env, map[string]string{"FICHARIO_ALLOW_PRIVATE_TARGETS": "true", "FICHARIO_SMTP_URL": box.URL})
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
			"regenerating at once":         testRegeneratingAtOnce,
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
		expect(t, "Allow", a.Header.Get("Allow"), "GET, HEAD, POST, OPTIONS")
	}
}

func testMethods(t *testing.T, o *org) {
	h := o.NewHook("Métodos", "generic")
	for _, method := range []string{"PUT", "PATCH", "DELETE", "TRACE"} {
		a := o.Do(request{Method: method, Path: h.Path, Header: intaketest.JSON})
		expect(t, method, a.String(), "405 metodo_nao_permitido")
		expect(t, "Allow", a.Header.Get("Allow"), "GET, HEAD, POST, OPTIONS")
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

// testRefusals: they create nothing, count nothing, are in the log with what was sent and why, and tell in Portuguese what is
// wrong and which keys arrived.
func testRefusals(t *testing.T, o *org) {
	h := o.NewHook("Recusas", "generic")
	automation, _ := o.Automate("Nunca", "add_note", "--text", "Não deveria")
	type refusal struct {
		header map[string]string
		body   string
		want   string
		says   []string
	}
	formed := map[string]string{"Content-Type": form}
	long := strings.Repeat("k", 256)
	cases := map[string]refusal{
		"no e-mail":                {intaketest.JSON, `{"nome":"x","fone":"y","idade":1}`, "400 email_invalido", []string{"e-mail", "nome", "fone", "idade"}},
		"e-mail without @":         {intaketest.JSON, `{"email":"sem-arroba-7731","nome":"x"}`, "400 email_invalido", []string{"@", `"email"`}},
		"e-mail null":              {intaketest.JSON, `{"email":null,"apelido":"x"}`, "400 email_invalido", []string{"e-mail", "email"}},
		"e-mail number":            {intaketest.JSON, `{"email":12,"apelido":"x"}`, "400 email_invalido", []string{"e-mail"}},
		"e-mail blank":             {intaketest.JSON, `{"email":"  ","apelido":"x"}`, "400 email_invalido", []string{"e-mail"}},
		"form without e-mail":      {formed, "nome=x&Telefone+celular=y", "400 email_invalido", []string{"nome", "Telefone celular"}},
		"nested without e-mail":    {intaketest.JSON, `{"data":{"fields":[{"label":"Qual é a cor?","value":"azul"}]}}`, "400 email_invalido", []string{"Qual é a cor?"}},
		"empty":                    {intaketest.JSON, "", "400 requisicao_invalida", []string{"vazio"}},
		"blank":                    {intaketest.JSON, " \n", "400 requisicao_invalida", []string{"vazio"}},
		"not JSON":                 {intaketest.JSON, `{"email":"` + intaketest.Email("quebrado"), "400 requisicao_invalida", []string{"JSON", "posição"}},
		"empty object":             {intaketest.JSON, "{}", "400 ", []string{"corpo"}},
		"empty array":              {intaketest.JSON, "[]", "400 ", []string{"corpo"}},
		"number":                   {intaketest.JSON, "42", "400 requisicao_invalida", []string{"corpo"}},
		"null":                     {intaketest.JSON, "null", "400 requisicao_invalida", []string{"corpo"}},
		"two objects":              {intaketest.JSON, `{"a":1}{"b":2}`, "400 requisicao_invalida", []string{"JSON"}},
		"multipart without parts":  {map[string]string{"Content-Type": "multipart/form-data; boundary=b"}, "--b--\r\n", "400 requisicao_invalida", []string{"multipart"}},
		"a key that is too long":   {map[string]string{"Content-Type": "application/json", "Idempotency-Key": long}, intaketest.Lead("chave"), "400 requisicao_invalida", []string{"Idempotency-Key"}},
		"a key that is far longer": {map[string]string{"Content-Type": "application/json", "Idempotency-Key": strings.Repeat(long, 8)}, intaketest.Lead("chave"), "400 requisicao_invalida", []string{"Idempotency-Key"}},
	}
	told := map[string]string{} // by body
	for name, c := range cases {
		a := o.Do(request{Path: h.Path, Header: c.header, Body: c.body})
		if !strings.HasPrefix(a.String(), c.want) {
			t.Errorf("%s: got %s, want %s", name, a, c.want)
		}
		for _, word := range c.says {
			if !strings.Contains(a.Text("detail"), word) {
				t.Errorf("%s: %q does not say %q", name, a.Text("detail"), word)
			}
		}
		if strings.Contains(string(a.Body), "sem-arroba-7731") {
			t.Errorf("%s: it repeats what was answered", name)
		}
		told[c.body] = a.Text("code") + " " + a.Text("detail")
	}
	// What stands in the address is no part of the contact, and in no log.
	a := o.Do(request{Path: h.Path + "?email=" + intaketest.Email("endereço"), Header: intaketest.JSON, Body: `{"apelido":"x"}`})
	expect(t, "an e-mail in the address", a.String(), "400 email_invalido")
	many := `{"x0":1`
	for i := range 500 {
		many += fmt.Sprintf(`,"campo%d":"v"`, i)
	}
	if a := o.Post(h, many+"}"); len(a.Text("detail")) > 4000 || !strings.Contains(a.Text("detail"), "campo5") {
		t.Errorf("the refusal of 501 keys has %d characters", len(a.Text("detail")))
	}
	o.Nothing(t, h)
	log := o.Deliveries(h)
	expect(t, "deliveries", len(log), len(cases)+2)
	for i, d := range log {
		if d.Outcome != "refused" || d.Contact != nil || d.Reason == "" || d.Code == "" {
			t.Errorf("a refusal is logged as %s %s", d.Outcome, d.Code)
		}
		if i%4 != 0 {
			continue // one in four is enough to see that bodies are kept
		}
		if full := o.Delivery(d.ID); full.Body != many+"}" && full.Body != `{"apelido":"x"}` && told[full.Body] != d.Code+" "+d.Reason {
			t.Errorf("the log has %s for a body of %d bytes that was told otherwise", d.Code, len(full.Body))
		}
	}
	expect(t, "runs", len(o.Runs("--automation", automation)), 0)

	// A key that came with a refused post is still free.
	keyed := map[string]string{"Content-Type": "application/json", "Idempotency-Key": "corrigida"}
	expect(t, "refused", o.Do(request{Path: h.Path, Header: keyed, Body: `{"nome":"x"}`}).String(), "400 email_invalido")
	expect(t, "mended", o.Do(request{Path: h.Path, Header: keyed, Body: intaketest.Lead("corrigida")}).String(), "200")
}

func testContentTypes(t *testing.T, o *org) {
	h := o.NewHook("Tipos", "generic")
	const name = "José Conceição"
	latin := func(s string) string {
		var out []byte
		for _, r := range s {
			out = append(out, byte(r))
		}
		return string(out)
	}
	utf16 := func(s string) string {
		out := []byte{0xff, 0xfe}
		for _, r := range s {
			out = append(out, byte(r), byte(r>>8))
		}
		return string(out)
	}
	js := func(id string) string { return `{"nome":"` + name + `","email":"` + intaketest.Email(id) + `"}` }
	fm := func(id string) string { return url.Values{"nome": {name}, "email": {intaketest.Email(id)}}.Encode() }
	mp := func(id string) string {
		return "--Bb\r\nContent-Disposition: form-data; name=\"nome\"\r\n\r\n" + name + "\r\n--Bb\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\n" +
			intaketest.Email(id) + "\r\n--Bb--\r\n"
	}
	for id, c := range map[string]struct{ contentType, body string }{
		"json":          {"application/json", js("json")},
		"json-upper":    {"APPLICATION/JSON; CHARSET=UTF-8", js("json-upper")},
		"json-vendor":   {"application/vnd.api+json", js("json-vendor")},
		"json-missing":  {"", js("json-missing")},
		"json-plain":    {"text/plain;charset=UTF-8", js("json-plain")},
		"json-html":     {"text/html", js("json-html")},
		"json-octets":   {"application/octet-stream", js("json-octets")},
		"json-garbage":  {"/;;;=", js("json-garbage")},
		"json-as-form":  {form, js("json-as-form")},
		"json-bom":      {"application/json", "\xef\xbb\xbf" + js("json-bom")},
		"json-latin1":   {"application/json; charset=ISO-8859-1", latin(js("json-latin1"))},
		"json-undecl":   {"application/json", latin(js("json-undecl"))},
		"json-utf16":    {"application/json; charset=utf-16", utf16(js("json-utf16"))},
		"json-array":    {"application/json", "[" + js("json-array") + "]"},
		"json-twice":    {"application/json", `"` + strings.ReplaceAll(js("json-twice"), `"`, `\"`) + `"`},
		"form":          {form, fm("form")},
		"form-upper":    {"APPLICATION/X-WWW-FORM-URLENCODED; CHARSET=UTF-8", fm("form-upper")},
		"form-latin1":   {form + "; charset=ISO-8859-1", "nome=Jos%E9+Concei%E7%E3o&email=" + intaketest.Email("form-latin1")},
		"form-windows":  {form + "; charset=windows-1252", "nome=Jos%E9+Concei%E7%E3o&email=" + intaketest.Email("form-windows")},
		"form-raw":      {form + "; charset=ISO-8859-1", latin("nome=" + strings.ReplaceAll(name, " ", "+") + "&email=" + intaketest.Email("form-raw"))},
		"form-bom":      {form, "\xef\xbb\xbf" + fm("form-bom")},
		"form-missing":  {"", fm("form-missing")},
		"multi":         {"multipart/form-data; boundary=Bb", mp("multi")},
		"multi-upper":   {"MULTIPART/FORM-DATA; BOUNDARY=Bb", mp("multi-upper")},
		"multi-quoted":  {`multipart/form-data; charset=utf-8; boundary="Bb"`, mp("multi-quoted")},
		"multi-chunked": {"multipart/form-data; boundary=Bb", mp("multi-chunked")},
	} {
		header := map[string]string{}
		if c.contentType != "" {
			header["Content-Type"] = c.contentType
		}
		a := o.Do(request{Path: h.Path, Header: header, Body: c.body, Chunked: strings.HasSuffix(id, "-chunked")})
		expect(t, id, strings.TrimSpace(a.String()+" "+a.Text("detail")), "200")
	}
	all := o.Contacts()
	for _, c := range all {
		if c.Nome != name {
			t.Errorf("%s: the name is read as %q", strings.TrimSuffix(c.Email, "@"+intaketest.Domain), c.Nome)
		}
	}
	expect(t, "contacts", len(all), 26)
}

// testFiles: files in a multipart body are ignored, whatever their size up to a bound; text after them is read.
func testFiles(t *testing.T, o *org) {
	h := o.NewHook("Currículos", "generic")
	const mark = "CONTEUDO-DO-ARQUIVO"
	body := func(email string, fileSize, textSize int) (contentType, text string) {
		var b strings.Builder
		w := multipart.NewWriter(&b)
		must := func(to io.Writer, err error) io.Writer {
			if err != nil {
				t.Fatal(err)
			}
			return to
		}
		_, _ = io.WriteString(must(w.CreateFormField("nome")), "Antes "+intaketest.Surname)
		_, _ = io.WriteString(must(w.CreateFormFile("curriculo", "ana.pdf")), strings.Repeat(mark+"\r\n--", fileSize/len(mark)))
		_ = must(w.CreateFormFile("foto", "")) // as browsers send an input that was left alone
		_, _ = io.WriteString(must(w.CreateFormField("email")), email)
		_, _ = io.WriteString(must(w.CreateFormField("mensagem")), "Depois "+intaketest.Message+strings.Repeat("m", textSize))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return w.FormDataContentType(), b.String()
	}
	for _, chunked := range []bool{false, true} {
		contentType, text := body(intaketest.Email(fmt.Sprint("arquivo ", chunked)), 3<<20, 0)
		a := o.Do(request{Path: h.Path, Header: map[string]string{"Content-Type": contentType}, Body: text, Chunked: chunked})
		expect(t, "a file of 3 MB", a.String()+a.Text("detail"), "200")
		c := o.Contact(a.LeadID())
		expect(t, "text before and after it", strings.HasPrefix(c.Nome, "Antes") && strings.Contains(c.Nota, "Depois "+intaketest.Message), true)
		d := o.Delivery(o.Deliveries(h)[0].ID)
		if d.Bytes > 2000 || strings.Contains(d.Body, mark) || strings.Contains(c.Nota, mark) || d.Truncated || !strings.Contains(d.Body, intaketest.Message) {
			t.Errorf("the log keeps %d bytes, of the file among them: %v", d.Bytes, strings.Contains(d.Body, mark))
		}
	}
	contentType, text := body(intaketest.Email("grande"), 0, 1<<20)
	expect(t, "text of more than 1 MiB", o.Do(request{Path: h.Path, Header: map[string]string{"Content-Type": contentType}, Body: text}).String(), "413 corpo_grande_demais")
	expect(t, "a declared body of 33 MiB", o.Do(request{
		Path: h.Path, Header: map[string]string{"Content-Type": contentType, "Content-Length": fmt.Sprint(33 << 20)},
		Stream: func(w io.Writer) { _, _ = io.WriteString(w, text[:100<<10]) },
	}).String(), "413 corpo_grande_demais")
	signed := o.NewHook("Currículos assinados", "generic", "--signature", "hmac", "--secret", "um-segredo-7731")
	contentType, text = body(intaketest.Email("assinado"), 100<<10, 0)
	a := o.Do(request{Path: signed.Path, Header: map[string]string{"Content-Type": contentType, "X-Signature": hexMAC("um-segredo-7731", text)}, Body: text})
	expect(t, "a signed body with a file", a.String()+a.Text("detail"), "200")
	if d := o.Deliveries(signed)[0]; d.Bytes > 2000 {
		t.Errorf("the log keeps %d bytes of a signed body with a file", d.Bytes)
	}
	expect(t, "received", o.Show(h).Received, 2)
}

// testNoBoundary: a script that sets the type of a multipart body by hand forgets its boundary. Whoever looks for the reason
// finds the body in the log.
func testNoBoundary(t *testing.T, o *org) {
	h := o.NewHook("Sem fronteira", "generic")
	body := "--B\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\n" + intaketest.Email("fronteira") + "\r\n--B--\r\n"
	a := o.Do(request{Path: h.Path, Header: map[string]string{"Content-Type": "multipart/form-data"}, Body: body})
	expect(t, "answer", a.String(), "400 requisicao_invalida")
	if !strings.Contains(a.Text("detail"), "multipart") {
		t.Errorf("it says %q", a.Text("detail"))
	}
	o.Nothing(t, h)
	d := o.Delivery(o.Deliveries(h)[0].ID)
	expect(t, "the log keeps the body", line(d.Code, d.Body == body, d.Truncated), "requisicao_invalida true false")
}

// testOddBytes: what no database can store as text is no reason to lose a lead, nor to fail.
func testOddBytes(t *testing.T, o *org) {
	h := o.NewHook("Bytes estranhos", "generic")
	at := func(id string) string { return intaketest.Email(id) }
	part := func(name, value string) string {
		return "--B\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	}
	multi := map[string]string{"Content-Type": "multipart/form-data; boundary=B"}
	formed := map[string]string{"Content-Type": form}
	for name, r := range map[string]struct {
		header map[string]string
		body   string
		want   []string
	}{
		"NUL in values":            {intaketest.JSON, `{"email":"` + at("nul") + `","nome":"A\u0000B","mensagem":"\u0000","x\u0000y":"z\u0000"}`, []string{"200"}},
		"NUL in the e-mail":        {intaketest.JSON, `{"email":"nul\u0000` + at("email") + `"}`, []string{"200", "400 email_invalido"}},
		"bare NUL":                 {intaketest.JSON, "{\"email\":\"" + at("bare") + "\",\"nome\":\"A\x00B\"}", []string{"200", "400 requisicao_invalida"}},
		"NUL in a form":            {formed, "email=" + at("form") + "&nome=A%00B&x%00y=z%00", []string{"200"}},
		"NUL in a multipart":       {multi, part("email", at("multi")) + part("nome", "A\x00B") + "--B--", []string{"200"}},
		"not UTF-8":                {intaketest.JSON, "{\"email\":\"" + at("utf8") + "\",\"nome\":\"A\xff\xfeB\"}", []string{"200", "400 requisicao_invalida"}},
		"lone surrogate":           {intaketest.JSON, `{"email":"` + at("surrogate") + `","nome":"A\ud800B","\udc00":"x"}`, []string{"200"}},
		"not UTF-8 in a form":      {formed, "email=" + at("utf8form") + "&nome=A%ff%feB&%ff=x", []string{"200"}},
		"NUL in a refusal's key":   {intaketest.JSON, `{"a\u0000b":"x","\ud800":"y"}`, []string{"400 email_invalido"}},
		"bad bytes in its key":     {formed, "a%00b=x&%ff%fe=y&%ed%a0%80=z", []string{"400 email_invalido"}},
		"NUL in the e-mail's key":  {formed, "e-mail%00=x", []string{"400 email_invalido"}},
		"bad bytes in a part's":    {multi, part("a\x00b\xff", "x") + "--B--", []string{"400 email_invalido", "400 requisicao_invalida"}},
		"bad bytes in the headers": {map[string]string{"Content-Type": "application/json", "User-Agent": "A\xff\xfeB", "Idempotency-Key": "k\xff\xfe"}, `{"email":"` + at("header") + `"}`, []string{"200"}},
		"controls":                 {intaketest.JSON, "{\"email\":\"" + at("controls") + "\",\"nome\":\"A\tB\x1bC\",\"mensagem\":\"um\ndois\"}", []string{"200", "400 requisicao_invalida"}},
		"bidirectional marks":      {intaketest.JSON, `{"email":"` + at("bidi") + `","nome":"A\u202eB"}`, []string{"200"}},
	} {
		a := o.Do(request{Path: h.Path, Header: r.header, Body: r.body})
		if !slices.Contains(r.want, a.String()) {
			t.Errorf("%s: got %s, want one of %q", name, a, r.want)
		}
	}
	for _, c := range o.Contacts() {
		if strings.ContainsAny(c.Nome+c.Nota+c.Email, "\x00\x1b") {
			t.Error("a contact has control characters")
		}
	}
	o.Deliveries(h) // can be read
}

func testThanks(t *testing.T, o *org) {
	h := o.NewHook("HTML puro", "generic", "--thanks-url", "https://site.example/obrigado?de=formulário")
	plain := o.NewHook("Sem página", "generic")
	browser := "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	post := func(h hook, accept, email string) answer {
		return o.Do(request{Path: h.Path, Header: map[string]string{"Content-Type": form, "Accept": accept, "Idempotency-Key": email}, Body: "email=" + email})
	}
	for range 2 { // the second one is a repetition
		a := post(h, browser, intaketest.Email("obrigado"))
		expect(t, "a browser is sent on", line(a.Status, a.Header.Get("Location")), "303 https://site.example/obrigado?de=formulário")
	}
	expect(t, "a script gets JSON", post(h, "application/json", intaketest.Email("script")).String(), "200")
	expect(t, "so does who takes all", post(h, "*/*", intaketest.Email("tudo")).String(), "200")
	refused := post(h, browser, "sem-arroba")
	expect(t, "a refusal is no thanks", refused.String()+refused.Header.Get("Location"), "400 email_invalido")
	expect(t, "nor is there one where none is set", post(plain, browser, intaketest.Email("nenhuma")).String(), "200")
	o.Command("webhook", "set", h.ID, "--thanks-url", "")
	expect(t, "none any more", post(h, browser, intaketest.Email("fim")).String(), "200")
	for _, bad := range []string{"javascript:alert(1)", "/obrigado", "https://", "https://a:b@site.example"} {
		o.Refused("webhook", "set", h.ID, "--thanks-url", bad)
	}
	expect(t, "received", o.Show(h).Received, 4)
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
		"?simular=talvez": "400 requisicao_invalida", "?simular=TRUE": "400 requisicao_invalida", "?simular=%00": "400 requisicao_invalida",
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

func testAssignment(t *testing.T, o *org) {
	h := o.NewHook("Distribuição", "generic")
	wanted := map[string]string{o.Accept(h, intaketest.Lead("antes de todos")): "null"}
	for _, step := range []struct{ name, role, want string }{
		{"Comum", "member", "Comum"}, {"Outro", "member", "Comum"}, {"Administrador", "admin", "Administrador"}, {"Segundo", "admin", "Administrador"},
		{"Dona", "owner", "Dona"}, {"Socia", "owner", "Dona"},
	} {
		o.Member(step.name, step.role)
		wanted[o.Accept(h, intaketest.Lead("depois de "+step.name))] = step.want
	}
	all := o.ByID()
	for id, want := range wanted {
		expect(t, "assignee", strings.TrimSuffix(intaketest.Or(all[id].Responsavel), " "+intaketest.Surname), want)
	}
}

func testOrigins(t *testing.T, o *org) {
	o.Origins("Instagram", "Indicação de Amigo", "Straße", "Google")
	h := o.NewHook("Origens", "generic")
	fixed := o.NewHook("Origem fixa", "generic", "--origin", "gOOgle")
	expect(t, "the fixed origin is shown by its name", intaketest.Or(o.Show(fixed).Origin), "Google")
	cases := []struct {
		h          hook
		sent       string
		want, note string
	}{
		{h, `"origem":"INSTAGRAM"`, "Instagram", ""},
		{h, `"origem":" instagram "`, "Instagram", ""},
		{h, `"origem":"indicacao DE amigo"`, "Indicação de Amigo", ""},
		{h, `"Origem do Lead":"INDICAC\u0327A\u0303O DE AMIGO"`, "Indicação de Amigo", ""},
		{h, `"source":"STRASSE"`, "Straße", ""},
		{h, `"origem":"Rádio Clube"`, "null", "Rádio Clube"},
		{h, `"origem":"Insta"`, "null", "Insta"},
		{h, `"utm_source":"instagram"`, "Instagram", ""},
		{h, `"origem":"Rádio Clube","utm_source":"instagram"`, "null", "Rádio Clube"},
		{h, `"origem":"google","utm_source":"instagram"`, "Google", ""},
		{h, `"nome":"x"`, "null", ""},
		{fixed, `"origem":"Instagram"`, "Google", "Instagram"},
		{fixed, `"origem":"Rádio Clube"`, "Google", "Rádio Clube"},
		{fixed, `"utm_source":"instagram"`, "Google", ""},
		{fixed, `"nome":"x"`, "Google", ""},
	}
	made := make([]string, len(cases))
	for i, c := range cases {
		made[i] = o.Accept(c.h, `{"email":"`+intaketest.Email("origem")+`",`+c.sent+`}`)
	}
	all := o.ByID()
	for i, c := range cases {
		got := all[made[i]]
		expect(t, c.sent, intaketest.Or(got.Origem), c.want)
		if !strings.Contains(got.Nota, c.note) {
			t.Errorf("%s: the note has no %q", c.sent, c.note)
		}
	}
	// One that is registered later is found from then on.
	o.Origins("Rádio Clube")
	got := o.Contact(o.Accept(h, `{"email":"`+intaketest.Email("rádio")+`","origem":"radio clube"}`))
	expect(t, "registered later", intaketest.Or(got.Origem), "Rádio Clube")
	o.Command("webhook", "set", fixed.ID, "--origin", "")
	got = o.Contact(o.Accept(fixed, `{"email":"`+intaketest.Email("livre")+`","origem":"Instagram"}`))
	expect(t, "no fixed origin any more", intaketest.Or(got.Origem), "Instagram")
	for _, same := range []string{"instagram", "INSTAGRAM", "Ínstagräm", "indicação de amigo", "Indicacao de amigo", "STRASSE", " Google "} {
		o.Refused("origin", "add", "--org", o.ID, "--name", same)
	}
	expect(t, "origins", len(intaketest.Read[[]map[string]string](o, "origin", "list", "--org", o.ID)), 5)
}

// stream posts from several clients without a pause until it is stopped, and tells which answers came to posts that began
// after an instant.
type stream struct {
	stop  chan struct{}
	work  sync.WaitGroup
	mu    sync.Mutex
	posts []posted
}

type posted struct {
	began time.Time
	what  string
}

func newStream(o *org, h hook, clients int) *stream {
	s := &stream{stop: make(chan struct{})}
	var n atomic.Int64
	for range clients {
		s.work.Go(func() {
			for {
				select {
				case <-s.stop:
					return
				default:
				}
				p := posted{began: time.Now()}
				a := o.Post(h, intaketest.Lead(fmt.Sprint("fluxo ", n.Add(1))))
				p.what = a.String()
				s.mu.Lock()
				s.posts = append(s.posts, p)
				s.mu.Unlock()
			}
		})
	}
	return s
}

// after counts the answers to posts that began after an instant, once there are some.
func (s *stream) after(t *testing.T, instant time.Time) map[string]int {
	t.Helper()
	out := map[string]int{}
	lookuptest.Eventually(t, "posts go on", 10*time.Second, func() bool {
		clear(out)
		s.mu.Lock()
		defer s.mu.Unlock()
		n := 0
		for _, p := range s.posts {
			if p.began.After(instant) {
				out[p.what]++
				n++
			}
		}
		return n >= 20
	})
	return out
}

func (s *stream) end() {
	close(s.stop)
	s.work.Wait()
}

// testDisabling: it counts from the very next post, and the senders that try again lose no contact.
func testDisabling(t *testing.T, o *org) {
	h := o.NewHook("Interruptor", "generic")
	posts := newStream(o, h, 2)
	defer posts.end()
	expect(t, "enabled", posts.after(t, time.Time{})["200"] > 0, true)
	for range 2 {
		view := intaketest.Read[intaketest.HookView](o, "webhook", "disable", h.ID)
		got := posts.after(t, time.Now())
		if got["423 webhook_desabilitado"] == 0 || len(got) != 1 || view.Enabled {
			t.Errorf("after it was disabled: %v", got)
		}
		o.Command("webhook", "enable", h.ID)
		if got := posts.after(t, time.Now()); got["200"] == 0 || len(got) != 1 {
			t.Errorf("after it was enabled: %v", got)
		}
	}
}

func testReplays(t *testing.T, o *org) {
	h := o.NewHook("Repetição", "generic")
	only := func(outcome string) intaketest.Delivery {
		t.Helper()
		for _, d := range o.Deliveries(h) {
			if d.Outcome == outcome {
				return d
			}
		}
		t.Fatalf("no delivery was %s", outcome)
		return intaketest.Delivery{}
	}
	o.Command("webhook", "disable", h.ID)
	expect(t, "disabled", o.Post(h, intaketest.Lead("perdida")).String(), "423 webhook_desabilitado")
	lost := only("refused")
	if said := o.Refused("webhook", "replay", lost.ID); !strings.Contains(said, "desabilitado") {
		t.Errorf("a replay to a disabled webhook says %q", said)
	}
	o.Nothing(t, h)
	o.Command("webhook", "enable", h.ID)
	// Two people press the button at once, and again.
	made := make([]intaketest.Replayed, 6)
	var wg sync.WaitGroup
	for i := range made {
		wg.Go(func() { made[i] = o.Replay(lost.ID) })
	}
	wg.Wait()
	made = append(made, o.Replay(lost.ID))
	first := 0
	for _, m := range made {
		expect(t, "contact of a replay", m.Contact, made[0].Contact)
		if !m.Repeated {
			first++
		}
	}
	expect(t, "replays that made a contact", first, 1)
	expect(t, "contacts", len(o.Contacts()), 1)
	expect(t, "received", o.Show(h).Received, 1)
	expect(t, "notifications", len(o.Notifications()), 1)
	c := o.Contact(made[0].Contact)
	expect(t, "history", line(len(c.Historico), c.Historico[0].Tipo, c.Historico[0].Autor), "1 criado Repetição")
	log := only("accepted")
	expect(t, "the log says of what it is a replay", intaketest.Or(log.ReplayOf), lost.ID)
	if again := o.Replay(log.ID); again.Contact != c.ID || !again.Repeated {
		t.Error("the replay of a replay makes another contact")
	}

	// What a delivery is known by is kept: the sender's own retry and the replay are one contact.
	keyed := request{Path: h.Path, Header: map[string]string{"Content-Type": "application/json", "Idempotency-Key": "tentativa"}, Body: intaketest.Lead("teimosa")}
	o.Command("webhook", "disable", h.ID)
	expect(t, "disabled", o.Do(keyed).Status, 423)
	o.Command("webhook", "enable", h.ID)
	replay := o.Replay(o.Deliveries(h)[0].ID)
	expect(t, "the sender tries again", o.Do(keyed).LeadID(), replay.Contact)
	expect(t, "contacts", len(o.Contacts()), 2)

	// What was refused for what it says is refused again, and the log says so.
	expect(t, "no e-mail", o.Post(h, `{"nome":"x"}`).Status, 400)
	bad := o.Deliveries(h)[0]
	if said := o.Refused("webhook", "replay", bad.ID); !strings.Contains(said, "e-mail") {
		t.Errorf("the replay of one without an e-mail says %q", said)
	}
	expect(t, "log of that", intaketest.Or(o.Deliveries(h)[0].ReplayOf)+o.Deliveries(h)[0].Code, bad.ID+"email_invalido")
	// What was not kept whole cannot be read again.
	o.Do(request{Path: h.Path, Header: map[string]string{"Content-Type": "application/json", "Content-Length": fmt.Sprint(large)}, Stream: func(w io.Writer) {
		_, _ = io.WriteString(w, strings.Repeat(" ", 70<<10))
	}})
	o.Refused("webhook", "replay", o.Deliveries(h)[0].ID)
	expect(t, "contacts", len(o.Contacts()), 2)
}

func testRegenerating(t *testing.T, o *org) {
	h := o.NewHook("Vazado", "generic")
	posts := newStream(o, h, 2)
	expect(t, "before", posts.after(t, time.Time{})["200"] > 0, true)
	next := intaketest.Read[intaketest.HookView](o, "webhook", "regenerate", h.ID)
	ended := time.Now()
	o.Hide(next.Token)
	got := posts.after(t, ended)
	posts.end()
	if got["404 webhook_desconhecido"] == 0 || len(got) != 1 || next.Token == h.Token || len(next.Token) != 48 || !strings.HasSuffix(next.URL, next.Token) {
		t.Errorf("the old token after the change: %v", got)
	}
	renewed := hook{ID: h.ID, Token: next.Token, Path: intaketest.PathOf(next.Token)}
	before := o.Show(h).Received
	o.Accept(renewed, intaketest.Lead("nova"))
	expect(t, "the counter goes on", o.Show(h).Received, before+1)

	last := intaketest.Read[intaketest.HookView](o, "webhook", "regenerate", h.ID, "--grace", "1h")
	o.Hide(last.Token)
	o.Accept(renewed, intaketest.Lead("graça"))
	o.Accept(hook{Path: intaketest.PathOf(last.Token)}, intaketest.Lead("última"))
	expect(t, "the oldest stays ended", o.Post(h, intaketest.Lead("velha")).Status, 404)
	final := intaketest.Read[intaketest.HookView](o, "webhook", "regenerate", h.ID)
	o.Hide(final.Token)
	for what, token := range map[string]string{"the one in its grace": next.Token, "the last one": last.Token} {
		expect(t, what+" ends too", o.Post(hook{Path: intaketest.PathOf(token)}, intaketest.Lead("fim")).Status, 404)
	}
	brief := intaketest.Read[intaketest.HookView](o, "webhook", "regenerate", h.ID, "--grace", "2s")
	o.Hide(brief.Token)
	old := hook{Path: intaketest.PathOf(final.Token)}
	expect(t, "within the grace", o.Do(request{Method: "GET", Path: old.Path}).Status, 200)
	lookuptest.Eventually(t, "the grace ends", 5*time.Second, func() bool { return o.Do(request{Method: "GET", Path: old.Path}).Status == 404 })
	o.Refused("webhook", "regenerate", h.ID, "--grace=-1h")
	expect(t, "after a refused change", o.Show(h).Token, brief.Token)
}

func testSettings(t *testing.T, o *org) {
	o.Origins("Google")
	h := o.NewHook("Antigo nome", "generic")
	before := o.Accept(h, `{"email":"`+intaketest.Email("antes")+`","valor":"De R$ 4 mil a R$ 7 mil"}`)
	v := intaketest.Read[intaketest.HookView](o, "webhook", "set", h.ID, "--name", "Novo nome", "--type", "formservice", "--bands", "upper", "--origin", "google")
	expect(t, "shown", line(v.Name, v.Type, v.Bands, intaketest.Or(v.Origin), v.Enabled, v.Received), "Novo nome formservice upper Google true 1")
	expect(t, "verification", o.Do(request{Method: "GET", Path: h.Path}).Text("name"), "Novo nome")
	after := o.Contact(o.Accept(h, `{"email":"`+intaketest.Email("depois")+`","valor":"De R$ 4 mil a R$ 7 mil"}`))
	expect(t, "what the next post meets", line(after.Nome, after.Valor, intaketest.Or(after.Origem), after.Historico[0].Autor), "depois 7000 Google Novo nome")
	old := o.Contact(before)
	expect(t, "the history keeps the name of then", line(old.Nome, old.Valor, old.Historico[0].Autor), "Lead sem nome 0 Antigo nome")
	for _, bad := range [][]string{
		{"--name", " "}, {"--name", strings.Repeat("n", 121)}, {"--type", "outro"}, {"--bands", "meio"}, {"--origin", "Bing"}, {"--signature", "rot13", "--secret", "12345678"},
		{"--signature", "hmac"}, {"--signature", "hmac", "--secret", "curto"}, {"--signature", "standard", "--secret", "não é base64"}, {"--secret", "12345678"},
		{"--signature", "none", "--secret", "12345678"}, {"--name", "a\x01b"},
	} {
		o.Refused(append([]string{"webhook", "set", h.ID}, bad...)...)
	}
	expect(t, "after refused changes", o.Show(h).Name, "Novo nome")
	list := intaketest.Read[[]intaketest.HookView](o, "webhook", "list", "--org", o.ID)
	expect(t, "list", line(len(list), list[0].Name, list[0].Received, list[0].Token == ""), "1 Novo nome 2 true")
}

// testOrganisations: nothing of one is to be seen or set off from another.
func testOrganisations(t *testing.T, a, b *org) {
	a.Origins("Instagram")
	b.Origins("Google")
	ha, hb := a.NewHook("Da A", "generic"), b.NewHook("Da B", "generic")
	ra, _ := a.Automate("Da A", "add_note", "--text", "nota da A")
	rb, _ := b.Automate("Da B", "add_note", "--text", "nota da B")
	owner := a.Member("Dona", "owner")
	keyed := func(o *org, h hook) string {
		return o.Do(request{Path: h.Path, Header: map[string]string{"Content-Type": "application/json", "Idempotency-Key": "a mesma"}, Body: `{"email":"` + intaketest.Email("mesma") + `","origem":"instagram"}`}).LeadID()
	}
	la, lb := keyed(a, ha), keyed(b, hb)
	if la == lb || la == "" || lb == "" {
		t.Fatal("the same key at two organisations is one contact")
	}
	for _, o := range []*org{a, b} {
		o.Settled(1, 10*time.Second, "--automation", map[string]string{a.ID: ra, b.ID: rb}[o.ID])
	}
	ca, cb := a.Contact(la), b.Contact(lb)
	expect(t, "origins", intaketest.Or(ca.Origem)+" "+intaketest.Or(cb.Origem), "Instagram null")
	expect(t, "assignees", line(ca.Responsavel != nil, cb.Responsavel != nil), "true false")
	expect(t, "notes", line(strings.Contains(ca.Nota, "nota da A"), strings.Contains(ca.Nota, "nota da B"), strings.Contains(cb.Nota, "nota da A"), strings.Contains(cb.Nota, "nota da B")), "true false false true")
	for _, o := range []*org{a, b} {
		expect(t, "contacts", len(o.Contacts()), 1)
		expect(t, "notifications", len(o.Notifications()), 1)
	}
	for _, foreign := range []string{ra, rb} {
		n := 0
		for _, o := range []*org{a, b} {
			for _, r := range o.Runs("--automation", foreign) {
				expect(t, "contact of a run", r.Contact, map[string]string{ra: la, rb: lb}[foreign])
				n++
			}
		}
		expect(t, "runs", n, 1)
	}
	for _, mixed := range [][]string{
		{"webhook", "create", "--org", b.ID, "--name", "x", "--type", "generic", "--origin", "Instagram"},
		{"webhook", "set", hb.ID, "--origin", "Instagram"},
		{"automation", "add", "--org", b.ID, "--name", "x", "--action", "assign", "--member", owner},
		{"automation", "add", "--org", b.ID, "--name", "x", "--action", "assign", "--member", a.MemberEmail("Dona")},
		{"automation", "add", "--org", b.ID, "--name", "x", "--action", "add_note", "--text", "x", "--origin", "Instagram"},
		{"automation", "add", "--org", b.ID, "--name", "x", "--action", "add_note", "--text", "x", "--webhook", ha.ID},
		{"notification", "list", "--org", b.ID, "--member", owner},
		{"notification", "read", "--org", b.ID, "--member", owner},
	} {
		b.Refused(mixed...)
	}
}
