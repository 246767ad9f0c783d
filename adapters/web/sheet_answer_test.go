package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"fichario/tests/testkit/noon"
)

// TestASheetAnswersTheQuestion: a company at a glance, partners to look up, addresses on a map, mobiles on WhatsApp,
// and what changed since the last answer.
func TestASheetAnswersTheQuestion(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.bureau.says(aCompany, `{"razaoSocial":"Cipó Ltda","abertura":"2019-08-03","situacaoCadastral":"ATIVA","porte":"ME",
		"atividadePrincipal":{"codigo":"1081302","descricao":"Torrefação"},
		"telefones":[{"ddd":"31","numero":"987654321","whatsapp":true},{"ddd":"31","numero":"32165498","whatsapp":true}],
		"enderecos":[{"logradouro":"Rua A & B","numero":"1","cidade":"Sabará","uf":"MG"},{"uf":"MG"}],
		"socios":[{"nome":"Iracema","documento":"***444777**"},{"nome":"Tomé","documento":"52998224725"}]}`)
	first := v.ask("documento", aCompany, "produto", "cnpj")
	page := v.get(first)
	has(t, "a sheet", page, "<dt>Idade</dt>", "anos", "<dt>Sócios</dt>", "***.444.777-**", "***.982.247-**",
		`href="https://wa.me/5531987654321"`, "query="+url.QueryEscape("Rua A & B, 1, Sabará, MG, Brasil"), "1081-3/02")
	hasNot(t, "a first sheet", page[:strings.Index(page, "</article>")], "O que mudou", "wa.me/55313", "query=MG",
		"Atenção", aPerson)
	v.bureau.says(aPerson, `{"nome":"Tomé Souza"}`)
	from := regexp.MustCompile(`name="de" value="([^"]+)"\s*>\s*<input type="hidden" name="pessoa" value="(\d+)"`).
		FindStringSubmatch(page)
	if from == nil {
		t.Fatal("a partner cannot be asked about")
	}
	_, asked := v.send("/consultar", "de", from[1], "pessoa", from[2], "produto", "cpf")
	has(t, "a partner", asked, aPerson, "R$ 0,45")
	if response, _ := v.send("/consultar", "de", from[1], "pessoa", "9"); response.StatusCode != http.StatusNotFound {
		t.Errorf("somebody whom no answer names: %d", response.StatusCode)
	}
	v.bureau.says(aCompany, `{"razaoSocial":"Cipó Ltda","abertura":"2019-08-03","situacaoCadastral":"SUSPENSA","porte":"ME",
		"atividadePrincipal":{"codigo":"1081302","descricao":"Torrefação"},
		"enderecos":[{"uf":"MG"},{"logradouro":"Rua C","numero":"2","cidade":"Betim","uf":"MG"}]}`)
	seen := regexp.MustCompile(`name="novo" value="([^"]+)"`).FindStringSubmatch(v.get(first + "?perguntar=atualizar"))
	page = v.get(v.ask("documento", aCompany, "produto", "cnpj", "novo", seen[1]))
	has(t, "the second sheet", page, "O que mudou desde", "Situação: SUSPENSA", "Novo", "Rua C, 2, Betim, MG", "Saiu",
		"Rua A & B, 1, Sabará, MG",
		"2 informados")
	hasNot(t, "the first one, of which there is none before", v.get(first), "O que mudou")
}

// TestAnAgeIsThatOfToday in local time: a birthday does not begin and end with a day of UTC.
func TestAnAgeIsThatOfToday(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	now := time.Now().In(noon.Zone())
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	born := today.AddDate(-28, 0, 0) // which has each day that this year has
	v.bureau.says(aCompany, `{"razaoSocial":"Cipó Ltda","abertura":"`+born.Format(time.DateOnly)+`"}`)
	sheet := v.ask("documento", aCompany, "produto", "cnpj")
	for after, years := range map[time.Duration]string{-30 * time.Minute: "27", 30 * time.Minute: "28"} {
		site.ahead.Store(int64(time.Until(today.Add(after))))
		has(t, "after midnight "+after.String(), v.get(sheet), years+" anos")
	}
}

// TestACompanyHangsTogether: its partners with what they would cost, and the companies of those in the history, which
// opens without a charge; a masked partner says so. Looking at it asks nobody, and is in the audit.
func TestACompanyHangsTogether(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.bureau.says(aCompany, `{"razaoSocial":"Cipó Ltda","socios":[{"nome":"Iracema","documento":"***444777**",
		"qualificacao":"Sócia"},{"nome":"Tomé","documento":"52998224725"},{"nome":"Sem documento"}]}`)
	first := v.ask("documento", aCompany, "produto", "cnpj") // one click
	hop := func(page, product string) []string {
		t.Helper()
		at := regexp.MustCompile(`action="/consultas"><input type="hidden" name="de" value="([^"]+)"><input type="hidden" ` +
			`name="pessoa" value="(\d+)"><input type="hidden" name="produto" value="` + product + `">`).FindStringSubmatch(page)
		if at == nil {
			t.Fatalf("no way to %s", product)
		}
		return []string{"de", at[1], "pessoa", at[2], "produto", product}
	}
	page := v.get(first)
	has(t, "partners", page, "Ligações", "O bureau mascara este documento", "A resposta não traz o documento",
		`name="busca" value="Iracema"`, "Participação societária", "R$ 0,45")
	spent := v.spent()
	v.get(first)
	if v.spent() != spent {
		t.Error("looking costs something")
	}
	v.bureau.says(aPerson, `{"nome":"Tomé Souza","participacoes":[{"cnpj":"`+aCompany+`","razaoSocial":"Cipó Ltda"},
		{"cnpj":"12ABC34501DE35","razaoSocial":"Imbira SA","qualificacao":"Diretor"}]}`)
	partner := v.ask(hop(page, "cpf")...) // and another
	has(t, "the partner's record", v.get(partner), "Tomé Souza")
	v.ask(hop(page, "participacao_societaria")...)
	page = v.get(first)
	has(t, "from the history", page, `<a class="btn btn-s" href="`+partner+`">`, "do histórico, sem custo",
		"O que o histórico tem, de", "Imbira SA",
		"12.ABC.345/01DE-35", "Cadastro de empresa")
	if n := strings.Count(page, ">Cipó Ltda</bdi>"); n != 3 { // the title, the field and the root
		t.Errorf("the company is there %d times", n)
	}
	company := v.ask(hop(page, "cnpj")...)
	has(t, "a company of a partner", v.get(company), "12.ABC.345/01DE-35")
}
