package integration

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"fichario/tests/testkit/intaketest"
)

func testUnknownTokens(t *testing.T, o *org) {
	known := o.NewHook("Conhecido", "generic")
	tokens := map[string]string{
		"unknown": strings.Repeat("a", 48), "one character off": known.Token[:47] + flip(known.Token[47]),
		"short": known.Token[:47],
		"long":  known.Token + "a", "not base62": strings.Repeat("-", 48), "not ASCII": strings.Repeat("%C3%A9", 24),
		"NUL":       strings.Repeat("%00", 48),
		"not UTF-8": strings.Repeat("%ff", 48), "quote": strings.Repeat("%27", 48), "the id": known.ID,
		"the other case": swapCase(known.Token),
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
		put := request{Method: "PUT", Path: intaketest.PathOf(token), Header: intaketest.JSON, Body: "{}"}
		expect(t, name+": PUT", o.Do(put).String(), "404 webhook_desconhecido")
	}
	for _, path := range []string{
		"/api/webhooks/receive/", "/api/webhooks/receive", "/api/webhooks/", known.Path + "/", known.Path + "/x",
	} {
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

// testUnknownMethods: the token is checked before the method, whatever the method.
func testUnknownMethods(t *testing.T, o *org) {
	h := o.NewHook("Métodos raros", "generic")
	for _, method := range []string{"PROPFIND", "REPORT", "LINK", "BREW"} {
		expect(t, method+" of an unknown token",
			o.Do(request{Method: method, Path: intaketest.PathOf(strings.Repeat("a", 48))}).String(), "404 webhook_desconhecido")
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

// testUnknownTokenFirst: without a valid token nothing else about the request is judged.
func testUnknownTokenFirst(t *testing.T, o *org) {
	unknown := intaketest.PathOf(strings.Repeat("a", 48))
	for _, query := range []string{"?simular=talvez", "?simular=true", "?simular=true&simular=false", "?simular=%zz"} {
		a := o.Do(request{Path: unknown + query, Header: intaketest.JSON, Body: intaketest.Lead("ninguém")})
		expect(t, "POST "+query, a.String(), "404 webhook_desconhecido")
	}
}

// testOrderOfChecks: of two faults, the one checked first is answered: token, method, declared size, enabled, body,
// signature, delivered before, e-mail.
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
		"token before method": {request{Method: "PUT", Path: unknown}, "404 webhook_desconhecido"},
		"token before size": {request{Path: unknown, Header: declared, Stream: some},
			"404 webhook_desconhecido"},
		"token before e-mail": {request{Path: unknown, Header: intaketest.JSON, Body: "{}"},
			"404 webhook_desconhecido"},
		"method before size": {request{Method: "DELETE", Path: on.Path, Header: declared, Stream: some},
			"405 metodo_nao_permitido"},
		"method before enabled": {request{Method: "DELETE", Path: off.Path}, "405 metodo_nao_permitido"},
		"size before enabled": {request{Path: off.Path, Header: declared, Stream: some},
			"413 corpo_grande_demais"},
		"size before signature": {request{Path: signed.Path, Header: declared, Stream: some},
			"413 corpo_grande_demais"},
		"enabled before the size that is met": {request{Path: off.Path, Header: chunked, Stream: endless},
			"423 webhook_desabilitado"},
		"enabled before signature": {request{Path: signedOff.Path, Header: intaketest.JSON, Body: "{}"},
			"423 webhook_desabilitado"},
		"enabled before body": {request{Path: off.Path, Header: intaketest.JSON, Body: "{"},
			"423 webhook_desabilitado"},
		"enabled before e-mail": {
			request{Path: off.Path, Header: intaketest.JSON, Body: `{"nome":"x"}`}, "423 webhook_desabilitado",
		},
		"the size that is met": {request{Path: on.Path, Header: chunked, Stream: endless},
			"413 corpo_grande_demais"},
		"the size before signature": {request{Path: signed.Path, Header: chunked, Stream: endless},
			"413 corpo_grande_demais"},
		"signature before e-mail": {
			request{Path: signed.Path, Header: intaketest.JSON, Body: `{"nome":"x"}`}, "401 nao_autenticado",
		},
		"signature before what is said": {
			request{Path: signed.Path, Header: intaketest.JSON, Body: `{"nome":`}, "401 nao_autenticado",
		},
		"body before known": {request{Path: on.Path, Header: keyed, Body: `{"nome":`}, "400 requisicao_invalida"},
		"known with another body": {request{Path: on.Path, Header: keyed, Body: intaketest.Lead("outra")},
			"422 chave_reutilizada"},
		"another body before e-mail": {request{Path: on.Path, Header: keyed, Body: `{"nome":"x"}`}, "422 chave_reutilizada"},
		"known":                      {request{Path: on.Path, Header: keyed, Body: intaketest.Lead("chave")}, "200"},
		"known before e-mail": {request{Path: on.Path, Header: intaketest.JSON, Body: tally("sem arroba")},
			"200"},
		"e-mail": {request{Path: on.Path, Header: intaketest.JSON, Body: `{"nome":"x"}`}, "400 email_invalido"},
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
		{
			off,
			"refused corpo_grande_demais refused webhook_desabilitado refused webhook_desabilitado refused webhook_desabilitado",
		},
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
			"Origin": "https://site.example", "Access-Control-Request-Method": "POST",
			"Access-Control-Request-Headers": "content-type,idempotency-key",
		}})
		expect(t, "status", a.Status, 204)
		allowed := strings.ToLower(a.Header.Get("Access-Control-Allow-Headers"))
		if !strings.Contains(allowed, "content-type") || !strings.Contains(allowed, "idempotency-key") ||
			!strings.Contains(a.Header.Get("Access-Control-Allow-Methods"), "POST") {
			t.Errorf("headers %v", a.Header)
		}
	}
	a := o.Do(request{
		Path: h.Path,
		Header: map[string]string{"Content-Type": "application/json", "Origin": "https://site.example",
			"Cookie": "sessão=biscoito-7731", "Authorization": "Bearer biscoito-7731"}, Body: intaketest.Lead("navegador"),
	})
	expect(t, "a post of a page", a.String(), "200")
	d := o.Delivery(o.Deliveries(h)[0].ID)
	if d.Headers["origin"] != "https://site.example" || strings.Contains(fmt.Sprint(d), "biscoito") {
		t.Error("the log has not the origin, or has the cookie")
	}
}
