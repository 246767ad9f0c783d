package integration

import (
	"strings"
	"testing"

	"fichario/tests/testkit/intaketest"
)

// testVisitors: whose refusal is a page, what it says, and that programs still get a problem document.
func testVisitors(t *testing.T, o *org) {
	const (
		page    = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
		contact = "https://site.example/contato?de=rodape"
	)
	open := o.NewHook("Formulário", "generic")
	signed := o.NewHook("Com assinatura", "generic", "--signature", "hmac", "--secret", "um-segredo-7731")
	off := o.NewHook("Desligado", "generic")
	o.Command("webhook", "disable", off.ID)
	unknown := hook{Path: intaketest.PathOf(strings.Repeat("a", 48))}

	again, help := "envie de novo", "Enviar de novo não adianta"
	for name, refused := range map[string]struct {
		hook hook
		body string
		want int
		says string
	}{
		"no e-mail": {open, "nome=Bia", 400, again}, "unreadable": {open, "", 400, again},
		"no signature": {signed, "email=" + intaketest.Email("sem assinatura"), 401, help},
		"unknown":      {unknown, "email=" + intaketest.Email("ninguém"), 404, help},
		"too large":    {open, "mensagem=" + strings.Repeat("a", 2<<20), 413, again},
		"disabled":     {off, "email=" + intaketest.Email("desligado"), 423, help},
	} {
		post := func(more ...string) answer {
			header := map[string]string{"Content-Type": form, "Referer": contact}
			for i := 0; i+1 < len(more); i += 2 {
				header[more[i]] = more[i+1]
			}
			return o.Do(request{Path: refused.hook.Path, Header: header, Body: refused.body})
		}
		for _, browser := range [][]string{
			{"Accept", page}, {"Accept", page, "Sec-Fetch-Mode", "navigate"},
			{"Accept", page, "Sec-Fetch-Mode", "navigate", "Content-Type", "multipart/form-data"},
		} {
			a := post(browser...)
			expect(t, name+": status", a.Status, refused.want)
			body := string(a.Body)
			for _, want := range []string{"<html lang=\"pt-BR\">", "O formulário não foi enviado", refused.says, contact} {
				if !strings.Contains(body, want) {
					t.Errorf("%s: the page does not have %q", name, want)
				}
			}
			if strings.Contains(body, "<script") {
				t.Errorf("%s: the page has a script", name)
			}
		}
		for _, program := range [][]string{
			{}, {"Accept", "*/*"}, {"Accept", "application/json"}, {"Accept", page, "Sec-Fetch-Mode", "cors"},
			{"Accept", page, "Content-Type", "application/json"},
		} {
			a := post(program...)
			expect(t, name+" for a program", line(a.Status, a.Header.Get("Content-Type")),
				line(refused.want, "application/problem+json"))
		}
	}
	o.Nothing(t, open)
}
