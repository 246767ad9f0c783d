package browser

import (
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/browsertest"
	"fichario/tests/testkit/lookuptest"
)

// demonstration runs a walk through the demonstration, as its owner, on both databases.
func demonstration(t *testing.T, walk func(t *testing.T, p *place, b *browsertest.Browser)) {
	t.Helper()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		p := &place{env: env, org: "01980000-0000-7000-8000-000000000de0"}
		p.Program = testkit.StartProgram(t, testkit.Options{Env: env, Args: []string{"--demo"}})
		lookuptest.Eventually(t, "the demonstration is there", func() bool {
			return strings.Contains(p.Logs(), "The interface: ")
		})
		b := browsertest.StartBrowser(t, p.URL)
		b.SignIn("helena@demo.example", "fichario-demo")
		walk(t, p, b)
		walked.Add(1)
	})
}

// TestALeadBecomesADecision through the demonstration's chain, which the contact's history shows, and whose expressions
// are tried on past events.
func TestALeadBecomesADecision(t *testing.T) {
	t.Parallel()
	demonstration(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		for _, w := range testkit.JSON[[]struct{ ID, Name string }](t,
			testkit.Run(t, p.env, "webhook", "list", "--org", p.org, "--json")) {
			if w.Name == "Pedido de crédito" {
				shown := testkit.JSON[struct{ Token string }](t, testkit.Run(t, p.env, "webhook", "show", w.ID, "--json"))
				p.hook = p.URL + "/api/webhooks/receive/" + shown.Token
			}
		}
		if status := p.send(t, "nome", "Aurora Bittencourt", "email", "aurora@example.com", "cnpj", "90.027.005/0001-09"); status != 200 {
			t.Fatal(status)
		}
		b.Visit("/contatos?busca=aurora@example.com")
		b.Press("Aurora Bittencourt")
		b.Press("Abrir")
		contact := b.Path()
		decided := func() bool {
			page := browsertest.Eval[string](b, "fetch('"+contact+"/historico').then(r => r.text())")
			return strings.Contains(page, "atribuiu a")
		}
		lookuptest.Eventually(t, "the chain has ended", decided)
		b.Visit(contact + "/historico")
		told := browsertest.Eval[string](b, "document.querySelector('main').innerText.replace(/\\s+/g, ' ')")
		for _, step := range []string{ // newest first
			"Vendedor sênior atribuiu a Caio Nogueira", "Qualificar moveu para Qualificado",
			"consultou Score de 90.027.005/0001-09, R$ 1,50 → score 930", "consultou Cadastro de empresa de 90.027.005/0001-09, R$ 0,30",
			"Chegou pelo webhook Pedido de crédito",
		} {
			_, after, found := strings.Cut(told, step)
			if !found {
				t.Fatalf("the history does not say %q, in its order:\n%s", step, told)
			}
			told = after
		}
		var steps []string
		for _, h := range testkit.JSON[struct {
			Historico []struct{ Tipo, Texto string }
		}](t,
			testkit.Run(t, p.env, "contact", "show", strings.TrimPrefix(contact, "/contatos/"), "--json")).Historico {
			if h.Tipo == "consulta" {
				steps = append(steps, h.Texto)
			}
		}
		if got := strings.Join(steps, "; "); got != "cnpj consultado, R$\u00a00,30; score consultado, R$\u00a01,50: score 930" {
			t.Errorf("by command the history has %q", got)
		}
		b.Accessible()
		b.Size(360, true)
		b.Accessible()
		b.Visit("/automacoes")
		drawn(t, b, "section[aria-labelledby=cadeia-t]")
		b.Accessible()
		b.Visit("/notificacoes")
		b.See("Carteira de clientes", "O lote foi concluído", "Score antes da renovação", "O lote chegou ao teto")
		b.Accessible()
		b.Size(1280, false)
		b.Accessible()
		b.Press("Carteira de clientes")
		b.See("Concluído")
	})
}

// TestSlowAnExpressionIsTriedOnWhatHasHappened without losing what was typed.
func TestSlowAnExpressionIsTriedOnWhatHasHappened(t *testing.T) {
	t.Parallel()
	demonstration(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		b.Visit("/automacoes/nova")
		b.Fill("#nome", "Mandar ao Kommo")
		b.Choose("#evento", "lookup.completed")
		lookuptest.Eventually(t, "the rows of that event are there, and nothing moves under a click", func() bool {
			return browsertest.Eval[bool](b, "document.querySelector('.htmx-request') === null")
		})
		b.Click("#expressao summary")
		b.Fill("#se", `.produto | length > 0`)
		b.Click(`input[value="kommo"]`)
		b.Fill(`[name="campo.kommo.account"]`, "minha-conta")
		b.Fill(`[name="segredo.kommo.token"]`, "um-token-secreto")
		b.Press("Experimentar com o que já houve")
		b.See("Vale para o último evento")
		b.Accessible()
		b.Press("Ver os dados deste evento")
		b.See(`"consultaId"`, `"campos"`)
		b.Fill("#se", `.produto`)
		b.Press("Experimentar com o que já houve")
		b.See("Falha:", "não dá verdadeiro nem falso")
		b.Size(360, true)
		b.Accessible()
		b.Fill("#se", `.produto == "nenhum"`)
		b.Press("Experimentar com o que já houve")
		b.See("Não vale para o último evento")
		b.Choose("#evento", "batch.completed")
		b.Fill("#se", `.situacao == "concluido" and .progresso.gasto > 1`)
		b.Press("Experimentar com o que já houve")
		b.See("Vale para o último evento")
		b.Size(1280, false)
		for css, want := range map[string]string{
			"#nome": "Mandar ao Kommo", `[name="segredo.kommo.token"]`: "um-token-secreto",
		} {
			if got := browsertest.Eval[string](b, "document.querySelector('"+css+"').value"); got != want {
				t.Errorf("%s holds %q after the trials", css, got)
			}
		}
		b.Press("Guardar")
		b.See("Automação criada", "Envia a Kommo", "minha-conta")
		b.SeeNot("um-token-secreto")
		b.Press("Experimentar")
		b.See("Um lote termina", "sim", "Nada foi mudado nem enviado")
		b.Accessible()
		b.Visit("/automacoes/nova?acao=add_note")
		b.Choose("#evento", "contact.created")
		b.Fill("#nome", "Nunca")
		b.Fill("#texto", "Nunca")
		b.Click("#expressao summary")
		b.Fill("#se", `.nome == "Ninguém"`)
		b.Press("Guardar")
		b.See("Automação criada")
		b.Press("Experimentar")
		b.See(`Expressão .nome == "Ninguém" não`, "Não faria nada")
		b.Accessible()
	})
}

// TestSlowAScoreRuleTakesSevenClicks, without jq: in rows, which say what they would have done so far. Rows and
// expression are kept in step.
func TestSlowAScoreRuleTakesSevenClicks(t *testing.T) {
	t.Parallel()
	demonstration(t, func(t *testing.T, _ *place, b *browsertest.Browser) {
		h := &hands{Browser: b}
		h.job(t, "score rule", "/", func() {
			h.click(".nav a[href='/automacoes']")
			h.press("Nova automação")
			b.See("E se valer")
			h.fill("#nome", "Score bom")
			h.choose("#evento", "Uma consulta é respondida")
			browsertest.Eval[bool](b, "new Promise(r => { const f = () => document.querySelector("+
				"'#campos option[value=\"campos.score\"], #campos option[value=\"produto\"]') ? r(true) : setTimeout(f, 20); f() })")
			b.Accessible()
			h.tab("#c-0", "campos.score")
			h.tab("#v-0", "1")
			h.click(`input[value="add_note"]`)
			h.tab("#texto", "Ligar hoje para {nome}")
			h.press("Experimentar com o que já houve")
			b.See("Serviria em")
			if got := browsertest.Eval[string](b, "document.querySelector('#se').value"); got != ".campos.score >= 1" {
				t.Errorf("the expression is %q", got)
			}
			h.press("Guardar")
			b.See("Automação criada", "se Score é pelo menos 1")
		})
		b.Press("Editar")
		b.Click("#expressao summary")
		b.Fill("#se", `.campos.score >= 700 and .nome != null`)
		b.Click("#nome")
		browsertest.Eval[bool](b, "new Promise(r => { const f = () => document.querySelector('#c-1')?.value === 'nome' ? "+
			"r(true) : setTimeout(f, 20); f() })")
		b.Size(390, true)
		b.Accessible()
		b.Press("Guardar")
		b.See("se Score é pelo menos 700 e Nome tem valor")
	})
}

// TestSlowAConditionGrows by as many rows as it needs: in place, with the focus in the new one, a comparison that fits
// its field, and the fields of the chosen webhook; and without script.
func TestSlowAConditionGrows(t *testing.T) {
	t.Parallel()
	demonstration(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		b.Visit("/automacoes/nova")
		focused := func(want string) {
			t.Helper()
			lookuptest.Eventually(t, "the focus is in "+want, func() bool {
				return browsertest.Eval[string](b, "document.activeElement.id") == want
			})
		}
		focused("nome")
		b.Fill("#nome", "Três condições")
		b.Click(`input[value="add_note"]`)
		b.Fill("#texto", "Ligar hoje")
		comparison := func(n, field, want string) {
			t.Helper()
			b.Fill("#c-"+n, field)
			browsertest.Eval[bool](b, "document.activeElement.blur() || true")
			if got := browsertest.Eval[string](b, "document.getElementById('o-"+n+"').value"); got != want {
				t.Errorf("%s is asked with %q", field, got)
			}
		}
		comparison("0", "origem", "==")
		b.Fill("#v-0", "Site")
		comparison("1", "valor", ">=")
		b.Fill("#v-1", "10")
		b.Press("Mais uma condição")
		focused("c-2")
		b.Fill("#c-2", "etapa")
		b.Fill("#v-2", "Novo")
		b.Choose("#evento", "lookup.completed")
		lookuptest.Eventually(t, "the event's fields are offered", func() bool {
			return browsertest.Eval[bool](b, `!!document.querySelector('#campos [value="campos.score"]')`)
		})
		b.Choose("#evento", "contact.created")
		b.Choose("#webhook", browsertest.Eval[string](b, "document.querySelector('#webhook option:nth-child(2)').value"))
		lookuptest.Eventually(t, "the webhook's fields are offered", func() bool {
			return browsertest.Eval[bool](b, `!!document.querySelector('#campos [value="telefone"]')`)
		})
		b.Accessible()
		b.Size(360, true)
		b.Accessible()
		b.Press("Guardar")
		b.See("Automação criada", "Origem é igual a Site e Valor é pelo menos 10 e Etapa é igual a Novo")
		b.WithoutScript()
		b.Visit("/automacoes/nova")
		b.Fill("#c-1", "valor")
		b.Click(`[name="mais"]`)
		focused("c-2")
		if got := browsertest.Eval[string](b, "document.querySelector('#c-1').value"); got != "valor" {
			t.Errorf("the form came back with %q", got)
		}
	})
}
