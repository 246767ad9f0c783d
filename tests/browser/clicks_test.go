package browser

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"fichario/tests/testkit"
	"fichario/tests/testkit/browsertest"
	"fichario/tests/testkit/lookuptest"
)

// jobs are the twelve that people do all day with the most that each may take, and other ways to do some of them.
var jobs = map[string]int{
	"contact by phone":           0,
	"CNPJ and partner":           3,
	"refused post to contact":    3,
	"webhook with form code":     3,
	"key with caps":              4,
	"batch with ceiling to file": 7,
	"merge two":                  2,
	"move fifty and undo":        4,
	"score rule":                 7,
	"erasure":                    4,
	"spend by key and purpose":   1,
	"invitation":                 4,

	"refused post to contact, by hand":        3,
	"refused post to contact, by another key": 4,
	"merge two, marked":                       4,
}

// begins are the pages that every one of them begins at: the first after signing in, and those that a team has open all
// day.
var begins = []string{"/", "/contatos", "/funil"}

// taken is what each of them took.
var taken sync.Map

// hands counts a person's actions: a click, also into a field that does not have the focus, a shortcut, or Enter after
// typing is one each, a choice from a list is two; typing is none, and so is Tab to a field near by.
type hands struct {
	*browsertest.Browser
	n int
}

// job counts one of jobs, from the beginning of a page of begins.
func (h *hands) job(t *testing.T, name, from string, do func()) {
	t.Helper()
	most, known := jobs[name]
	if !known || !slices.Contains(begins, from) {
		t.Fatalf("%s from %s is no job", name, from)
	}
	h.Visit(from)
	h.n = 0
	do()
	taken.Store(name, h.n)
	if h.n > most {
		t.Errorf("%s takes %d, not %d", name, h.n, most)
	}
}

// TestEveryJobIsCounted by a journey.
func TestEveryJobIsCounted(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	for name := range jobs {
		if !strings.Contains(all.String(), `h.job(t, "`+name+`", `) {
			t.Errorf("no journey counts %s", name)
		}
	}
}

func (h *hands) press(words string) { h.n++; h.Press(words) }
func (h *hands) click(css string)   { h.n++; h.Click(css) }
func (h *hands) enter()             { h.n++; h.Key(kb.Enter) }

// fill types into a field, and clicks into it before where it does not have the focus.
func (h *hands) fill(css, text string) {
	if !h.in(css) {
		h.click(css)
	}
	h.Fill(css, text)
}

// tabs is how many fields on a person goes with Tab; further away it is a click.
const tabs = 4

// tab types into a field after that one which has the focus.
func (h *hands) tab(css, text string) {
	for range tabs {
		if h.in(css) {
			break
		}
		h.Key(kb.Tab)
	}
	h.fill(css, text)
}

// in reports whether a field has the focus, once the page has settled.
func (h *hands) in(css string) bool {
	return browsertest.Eval[bool](h.Browser, "new Promise(r => { const f = () => document.readyState === 'complete' && "+
		"document.querySelector('"+css+"')?.checkVisibility() ? requestAnimationFrame(() => requestAnimationFrame(() => "+
		"r(document.activeElement.matches('"+css+"')))) : setTimeout(f, 20); f() })")
}

// shortcut presses a key with Control.
func (h *hands) shortcut(key string) {
	h.n++
	browsertest.Eval[bool](h.Browser, "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: '"+key+
		"', ctrlKey: true, bubbles: true, cancelable: true}))")
}

// choose opens a list and picks an entry: two clicks.
func (h *hands) choose(css, words string) {
	h.n += 2
	browsertest.Eval[bool](h.Browser, "(s => { s.focus(); s.value = [...s.options].find(o => o.text.trim() === '"+words+
		"').value; s.dispatchEvent(new Event('change', {bubbles: true})); return true })(document.querySelector('"+css+"'))")
}

// TestSlowTheCommonestJobsTakeFewClicks counts ten jobs through the interface. Together they took 29, and may take 18.
func TestSlowTheCommonestJobsTakeFewClicks(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Gael Bittencourt", "email", "gael@example.com", "telefone", "(11) 98765-4321",
			"cpf", "111.444.777-35")
		testkit.RunInput(t, password+"\n", p.env, "member", "add", "--org", p.org, "--name", "Joana Brandolim",
			"--email", "joana@example.com", "--role", "member", "--password-stdin")
		h, total := &hands{Browser: b}, 0
		job := func(name, from string, goal int, do func()) {
			if from != "" {
				b.Visit(from)
			}
			h.n = 0
			do()
			if total += h.n; h.n > goal {
				t.Errorf("%s takes %d, not %d", name, h.n, goal)
			}
		}
		job("look up a CPF", "/contatos", 2, func() {
			h.shortcut("k")
			h.fill("dialog.finder input", "529.982.247-25")
			b.See("CPF 529.982.247-25", "R$ 0,45")
			h.enter()
			b.See("Resposta original do bureau")
		})
		job("next product of the same person", "", 1, func() {
			h.click(".prods button")
			b.See("Cobrado: R$ 0,15", "Resposta original do bureau")
		})
		job("open from history", "/contatos", 2, func() {
			h.click(".nav a[href='/consultar']")
			h.click("main td.asked a")
			b.See("Resposta original do bureau")
		})
		job("WhatsApp the newest lead", "/", 1, func() {
			b.See("Gael Bittencourt")
			h.n++ // clicking it would leave for another site
			if got := browsertest.Eval[string](b, "document.querySelector('main a[href^=\"https://wa.me/\"]').href"); got !=
				"https://wa.me/5511987654321" {
				t.Errorf("the conversation is with %s", got)
			}
		})
		job("find and open a contact", "/", 2, func() {
			h.shortcut("k")
			h.fill("dialog.finder input", "gael")
			b.See("gael@example.com")
			h.enter()
			b.See("Últimos acontecimentos")
		})
		job("move on its page", "", 2, func() {
			h.choose("#para", "Proposta")
			b.See("Movido para Proposta")
		})
		job("add a note", "", 2, func() {
			h.fill("#texto", "Ligar às 14 h")
			h.shortcut("Enter")
			b.See("Nota acrescentada")
		})
		job("assign", "", 2, func() {
			h.choose("#resp", "Joana Brandolim")
			b.See("Responsável guardado")
		})
		job("look up in the documents tab and come back", "", 2, func() {
			h.click("nav.tabs a[href$='/documentos']")
			b.See("Consultas deste contato") // or the previous page's button would be pressed
			h.press("Cadastro de pessoa")
			b.See("Cobrado: R$ 0,45", "em 1 consulta")
		})
		b.Visit("/webhooks")
		b.Press("Formulário do site")
		b.Press("Desligar")
		b.Click("dialog:modal button.btn-x")
		b.See("Este webhook está desligado")
		p.send(t, "nome", "Bianca Lustosa", "email", "bianca@example.com")
		b.Press("Ligar")
		b.See("Webhook ligado", "Recusada")
		job("replay a post from the log", "", 1, func() {
			h.press("Refazer")
			b.See("Contato criado a partir do envio guardado")
		})
		if total > 18 {
			t.Errorf("the ten jobs take %d, not 18", total)
		}
	})
}

// TestSlowRarerJobsTakeFewClicks counts those of the phone, of a batch with its file, of an erasure and of an
// invitation.
func TestSlowRarerJobsTakeFewClicks(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "Carteira.csv")
	if err := os.WriteFile(file, []byte("nome;CPF\nAna;900.000.001-75\nBia;52998224725\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Gael Bittencourt", "email", "gael@example.com", "telefone", "(11) 98765-4321",
			"cpf", "111.444.777-35")
		h := &hands{Browser: b}
		b.Size(390, false)
		h.job(t, "contact by phone", "/contatos", func() {
			b.See("Gael Bittencourt")
			const inSight = `(r => r.width > 0 && r.bottom <= innerHeight)(document.querySelector('td a[href="tel:+5511987654321"]')` +
				`.getBoundingClientRect())`
			if !browsertest.Eval[bool](b, inSight) {
				t.Error("the number is not in sight")
			}
		})
		b.Size(1280, false)
		h.job(t, "batch with ceiling to file", "/", func() {
			h.click(".nav a[href='/lotes']")
			b.See("Nenhum lote ainda")
			h.n++
			b.Attach("#arquivo", file)
			h.press("Fazer orçamento")
			b.See("Custo máximo", "R$ 0,90")
			h.fill("#teto", "0,90")
			h.press("Consultar 2")
			b.See("Concluído")
			h.n++ // clicking it would leave for a file
			if !browsertest.Eval[bool](b, `document.querySelector('a[href$="/resultado.csv"]').checkVisibility()`) {
				t.Error("the file is not offered")
			}
		})
		h.job(t, "invitation", "/", func() {
			h.click(".nav a[href='/configuracoes']")
			h.press("Acrescentar uma pessoa")
			h.fill("#nome", "Joana Brandolim")
			h.tab("#email", "joana@example.com")
			h.tab("#senha-nova", "outra-senha-longa")
			h.enter()
			b.See("Pessoa acrescentada", "joana@example.com")
		})
		h.job(t, "erasure", "/", func() {
			h.click(".nav a[href='/privacidade']")
			b.See("Procurar um titular")
			h.fill("#valor", "111.444.777-35")
			h.enter()
			h.press("Apagar tudo")
			h.press("Apagar para sempre")
			b.See("O que fica, e por quê")
		})
	})
}

// TestSlowACompanyAndItsPartnerTakeThreeClicks: the search over everything takes a CNPJ with its price, and the sheet's
// graph leads on to a partner's record with its own.
func TestSlowACompanyAndItsPartnerTakeThreeClicks(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, func(w http.ResponseWriter, _ *http.Request, document string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"nome":"Registro de %s","socios":[{"nome":"Tomé Souza","documento":"52998224725"}]}`, document)
	})
	file := lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	named := strings.Replace(string(text), "{ razaoSocial: .nome }", "{ razaoSocial: .nome, socios: .socios }", 1)
	if err := os.WriteFile(file, []byte(named), 0o600); err != nil {
		t.Fatal(err)
	}
	env := testkit.SQLite(t)
	env["FICHARIO_BUREAU"], env["TESTE_TOKEN"] = file, lookuptest.Secret
	walkIn(t, env, func(t *testing.T, _ *place, b *browsertest.Browser) {
		h := &hands{Browser: b}
		h.job(t, "CNPJ and partner", "/", func() {
			h.shortcut("k")
			h.fill("dialog.finder input", "11.222.333/0001-81")
			b.See("CNPJ 11.222.333/0001-81", "R$ 0,30")
			h.enter()
			b.See("Registro de 11222333000181", "Ligações", "Tomé Souza")
			b.Accessible()
			h.click("#ligacoes form button")
			b.See("Registro de 52998224725", "R$ 0,45")
		})
		if bureau.Calls() != 2 {
			t.Errorf("the bureau was called %d times", bureau.Calls())
		}
		b.Back()
		b.Visit(b.Path())
		b.See("do histórico, sem custo")
		drawn(t, b, "#ligacoes")
	})
}
