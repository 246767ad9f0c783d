package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/contacts"
	intakeapp "fichario/app/intake"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/intake/fields"
	"fichario/domain/webhook"
	"fichario/ports"
)

// comesBack posts a form with changes, pairs of name and value, and returns the page that shows it again.
func (v *visitor) comesBack(path string, form url.Values, changes ...string) string {
	v.t.Helper()
	sent := url.Values{}
	for name, values := range form {
		sent[name] = values
	}
	for i := 0; i+1 < len(changes); i += 2 {
		sent.Set(changes[i], changes[i+1])
	}
	status, page := v.post(path, sent)
	if status != http.StatusUnprocessableEntity {
		v.t.Errorf("%s with %q: %d", path, changes, status)
	}
	if strings.Contains(page, `class="err"`) && !strings.Contains(page, " autofocus") {
		v.t.Errorf("%s with %v: nothing leads to what is wrong", path, sent)
	}
	return page
}

// marked is the markup of a field at fault.
func marked(field string) string { return `aria-describedby="` + field + `-p"` }

// TestWrongFormsComeBack: with what was typed, and at the field at fault a sentence that says what to do.
func TestWrongFormsComeBack(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	mail := url.Values{
		"nome": {" Boas-vindas "}, "acao": {"email"}, "para": {""}, "endereco": {"ana@example.com"}, "assunto": {"Olá"},
		"texto": {"Recebemos."}, "valor": {"R$ 1.500,50"}, "url": {"sobra"},
	}
	call := url.Values{"nome": {"Avisar"}, "acao": {"http"}, "url": {"https://a.example/"}}
	asks := url.Values{"nome": {"Ver"}, "acao": {"lookup"}, "produto": {"cpf"}, "teto": {"50"}}
	hook := url.Values{
		"nome": {"Site"}, "tipo": {"formservice"}, "faixas": {"middle"}, "assinatura": {"hmac"},
		"segredo": {"segredo-de-teste"}, "obrigado": {"https://a.example/obrigado"},
	}
	person := url.Values{
		"nome": {"Caio"}, "email": {"caio@example.com"}, "papel": {"member"}, "senha": {"uma-senha-longa"},
	}
	key := keyFormOf(v.newKeyForm())
	const number, date = "Escreva um número, como 60 ou 2.000.", "Escreva uma data até 9998, como 31/12/2026, ou deixe vazio."
	const amount = "Escreva um valor só, como R$ 50.000,00."
	for _, c := range []struct {
		path           string
		form           url.Values
		field, wrong   string
		says, andShows string
	}{
		{"/chaves", key, "nome", "", "O nome da chave tem de 1 a 120 caracteres.", `value="2.000"`},
		{"/chaves", key, "pode", "rg", "Escopo desconhecido; os escopos são cpf, cnpj, placa e email.", `value="2099-12-31"`},
		{"/chaves", key, "minuto", "", number, `value="ERP & <b>"`},
		{"/chaves", key, "minuto", "sessenta", number, `name="minuto" type="text" value="sessenta"`},
		{"/chaves", key, "minuto", "0", "O limite por minuto deve ser de pelo menos 1.", `name="minuto" type="text" value="0"`},
		{"/chaves", key, "dia", "-1", number, `name="dia" type="text" value="-1"`},
		{"/chaves", key, "mes", "1.000.000.001", number, `name="mes" type="text" value="1.000.000.001"`},
		{"/chaves", key, "vence", "ontem", date, `value="ontem"`},
		{"/chaves", key, "vence", "2001-01-01", "A data de vencimento da chave já passou.", `value="placa" checked`},
		{"/automacoes", mail, "nome", " ", "O nome da automação tem de 1 a 120 caracteres.", `value="R$ 1.500,50"`},
		{"/automacoes", mail, "valor", "dez", amount, `name="nome" type="text" value=" Boas-vindas "`},
		{"/automacoes", mail, "valor", "-5", amount, `name="valor" type="text" value="-5"`},
		{"/automacoes", mail, "endereco", "ana@", "Escreva um endereço de e-mail, como ana@exemplo.com.br.", `value="ana@"`},
		{"/automacoes", mail, "endereco", "", "Escreva um endereço de e-mail, como ana@exemplo.com.br.", `value="sobra"`},
		{"/automacoes", mail, "assunto", "", "Escreva o assunto do e-mail.", `value="ana@example.com"`},
		{"/automacoes", mail, "texto", " ", "Escreva o texto.", `value="email" checked`},
		{"/automacoes", call, "url", "", "Escreva o endereço que recebe o contato, como https://", `value="http" checked`},
		{"/automacoes", call, "url", "nada", "O endereço deve ser um http:// ou https:// completo", `value="nada"`},
		{"/automacoes", asks, "teto", "", "Escreva um teto por mês maior que zero, como R$ 50,00.", `value="lookup" checked`},
		{"/automacoes", asks, "teto", "0", "Escreva um teto por mês maior que zero, como R$ 50,00.", `value="0"`},
		{"/webhooks", hook, "nome", "", "O nome do webhook tem de 1 a 120 caracteres.", `value="formservice" checked`},
		{"/webhooks", hook, "obrigado", "ontem", "deve ser um http:// ou https:// completo.", `value="ontem"`},
		{"/webhooks", hook, "segredo", "curto", "com um segredo de ao menos 8 caracteres", `value="middle" selected`},
		{"/equipe/membros", person, "nome", "", "O nome tem de 1 a 120 caracteres.", `value="caio@example.com"`},
		{"/equipe/membros", person, "email", "caio@", "", `value="caio@"`},
		{"/equipe/membros", person, "email", "ana@example.com", "Já há um membro com este e-mail.", `value="Caio"`},
	} {
		page := v.comesBack(c.path, c.form, c.field, c.wrong)
		has(t, c.path+", "+c.field+" "+c.wrong, page, marked(c.field), c.says, c.andShows)
		hasNot(t, c.path, page, "segredo-de-teste", "uma-senha-longa", `value="curto"`)
	}
}

// TestWrongChoicesAreSaid: where no field shows the fault, above the form or on a page of its own.
func TestWrongChoicesAreSaid(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	other := v.testSite.member(v.member.OrgID, "Outro", crm.Common).member
	person := url.Values{"nome": {"Caio"}, "email": {"caio@example.com"}, "papel": {"member"}, "senha": {"curta"}}
	id, _, _ := v.makeKey()
	funnel := v.funnel()
	for _, c := range []struct {
		path     string
		form     url.Values
		says     string
		andShows string
	}{
		{"/equipe/membros", person, "A senha tem de 8 a 72 caracteres.", `value="caio@example.com"`},
		{"/equipe/membros", url.Values{"nome": {"Bia"}, "email": {"c@example.com"}}, "O papel deve ser owner, admin ou", ""},
		{"/equipe/membros/" + v.member.ID, url.Values{"papel": {"rei"}}, "O papel deve ser owner, admin ou", ""},
		{"/equipe/membros/" + v.member.ID, url.Values{"ativo": {"não"}}, "Você não pode encerrar o próprio acesso", ""},
		{"/equipe/membros/" + other.ID + "/senha", url.Values{"senha": {"curta"}}, "A senha tem de 8 a 72", ""},
		{"/automacoes", url.Values{"nome": {"A"}}, "Escolha o que a automação faz.", `value="A"`},
		{"/automacoes", url.Values{"nome": {"A"}, "acao": {"move_stage"}}, "Escolha uma etapa.", `value="A"`},
		{"/automacoes", url.Values{"nome": {"A"}, "acao": {"assign"}}, "Escolha um responsável.", `value="A"`},
		{"/automacoes", url.Values{"nome": {"A"}, "acao": {"lookup"}}, "Escolha um produto.", `value="A"`},
		{"/webhooks", url.Values{
			"nome": {"Site"}, "tipo": {"generic"}, "faixas": {"zero"}, "origem": {"Renomeada"},
		}, "Não há origem com este nome.", `value="Site"`},
		{"/equipe/origens", url.Values{"nome": {" "}}, "O nome da origem tem de 1 a 120 caracteres.", ""},
		{"/equipe/funis", url.Values{"nome": {""}}, "O nome do funil tem de 1 a", ""},
		{"/equipe/funis/" + funnel.ID, url.Values{
			"fazer": {"guardar"}, "etapa": {funnel.Stages[0].ID}, "nome": {""}, "resultado": {"won"},
		}, "Cada etapa precisa de um nome próprio, de 1 a 120 caracteres.", `<option value="won" selected>`},
		{"/equipe/funis/" + funnel.ID, url.Values{
			"fazer": {"guardar"}, "etapa": {funnel.Stages[0].ID}, "nome": {"Primeira"}, "resultado": {"talvez"},
		}, "O resultado de uma etapa deve ser", `value="Primeira"`},
		{"/chaves/" + id + "/trocar", url.Values{"manter": {"sempre"}}, "Escolha até quando a chave atual vale.", ""},
		{"/chaves/" + id + "/trocar", url.Values{}, "Escolha até quando a chave atual vale.", ""},
		{"/conta/senha", url.Values{"atual": {"errada"}, "senha": {"outra-senha"}}, "A senha atual não confere.", `aria-describedby="atual-p" autofocus`},
		{"/conta/senha", url.Values{"atual": {"senha-de-teste"}, "senha": {"curta"}}, "A senha tem de 8 a 72", `aria-describedby="senha-p" autofocus`},
	} {
		page := v.comesBack(c.path, c.form)
		has(t, c.path, page, c.says, c.andShows)
		hasNot(t, c.path, page, "curta", "errada", "outra-senha")
	}
	status, page := v.post("/equipe/funis/"+funnel.ID, url.Values{"fazer": {"dançar"}})
	if status != http.StatusNotFound {
		t.Errorf("what no form of a funnel does: %d\n%.200s", status, page)
	}
	status, page = v.post("/entrar", url.Values{
		"email": {" Ana@example.com "}, "senha": {"errada"}, "depois": {"/contatos"},
	})
	if status != http.StatusUnauthorized {
		t.Errorf("sign in: %d", status)
	}
	has(t, "sign in", page, "E-mail ou senha não conferem.", `value="Ana@example.com"`, `name="depois" value="/contatos"`)
}

// TestFiltersComeBack: chosen values stay chosen, and are kept in the page's links.
func TestFiltersComeBack(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.key("ERP")
	for range 60 {
		v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	}
	at := "/contatos?n=x&ordem=nome&q=+bia+&quando=7&resp=" + v.member.ID
	page := v.get(at)
	chosen := "ordem=nome&q=bia&quando=7&resp=" + v.member.ID
	has(t, at, page, `name="q" type="search" value="bia"`, `<option value="7" selected>`, "com estes filtros",
		`value="`+v.member.ID+`" selected`, `href="/contatos.csv?`+chosen+`"`,
		`name="ordem" value="nome"`, `&n=50&`+chosen, `href="/contatos?`+strings.Replace(chosen, "nome", "nome-z", 1))
	has(t, "the board", v.get("/funil?resp="+v.member.ID), `value="`+v.member.ID+`" selected`,
		`href="/contatos?resp=`+v.member.ID+`"`, `href="/contatos?etapa=`+v.funnel().Stages[0].ID+"&resp="+v.member.ID)
	has(t, "the statement", v.refused(422, "/extrato?de=ontem&ate=2026-11-02&produto=cpf&resultado=bureau&quem=equipe"),
		"deve ser uma data entre 2000 e 9998, como 2026-11-01.", `value="ontem"`, `value="2026-11-02"`, `value="cpf" selected`,
		`value="bureau" selected`, `value="equipe" selected`,
		`href="/extrato.csv?ate=2026-11-02&de=ontem&produto=cpf&quem=equipe&resultado=bureau"`)
	has(t, "the end before the beginning", v.refused(422, "/extrato?de=2026-11-03&ate=2026-11-02"),
		"A data em Até vem antes da data em De.")
	if status := v.refused(422, "/extrato.csv?ate=31-12-2026"); !strings.Contains(unescaped(status), "deve ser uma data") {
		t.Error("the file of a wrong filter does not say what is wrong")
	}
	has(t, "deliveries", v.get("/webhooks/"+v.hook.ID+"?resultado=refused&como=curl"), "Nenhuma entrega assim",
		`resultado=refused#entregas" aria-current="true"`, "curl -H",
		`?como=html&resultado=refused"`, `?como=curl&resultado=accepted#entregas"`, `?como=curl#entregas">Todas`,
		`/testar?como=curl&resultado=refused#testar"`)
	hasNot(t, "no way to connect", v.get("/webhooks/"+v.hook.ID+"?resultado=refused&como=x"), "como=x")
	has(t, "a period", v.get("/?periodo=7"), `href="/?periodo=7" aria-current="true"`)
	has(t, "no period", v.get("/?periodo=ontem"), `href="/" aria-current="true"`)
	has(t, "a new one in a stage", v.get("/contatos/novo?etapa="+v.funnel().Stages[2].ID),
		`value="`+v.funnel().Stages[2].ID+`" selected`)
	has(t, "a new one that mails", v.get("/automacoes/nova?acao=email"), `value="email" checked`)
	has(t, "a bell without a number", v.get("/notificacoes/sino?visto=x"), `id="sino"`)
	hasNot(t, "a bell without a number", v.get("/notificacoes/sino?visto=x"), "novas")
}

// TestAWebhookKeepsTheHeaderOfItsSignature, which the form does not show, when its secret is changed.
func TestAWebhookKeepsTheHeaderOfItsSignature(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	webhooks := intakeapp.NewWebhooks(site.store, time.Now)
	w, _, err := webhooks.Create(t.Context(), v.by, intakeapp.NewWebhook{
		OrgID: v.by.OrgID(), Name: "Loja", Options: intake.Options{Kind: intake.Generic, Band: fields.BandLower},
		Signature: webhook.Signature{Scheme: webhook.HMACScheme, Secret: "segredo-de-teste", Header: "x-loja"},
	})
	if err != nil {
		t.Fatal(app.FaultOf(err).Message)
	}
	for _, scheme := range []string{"hmac", "typeform"} {
		status, page := v.post("/webhooks/"+w.ID, url.Values{
			"nome": {"Loja"}, "tipo": {"generic"}, "faixas": {"lower"}, "assinatura": {scheme}, "segredo": {"outro-segredo"},
		})
		if status != http.StatusSeeOther {
			t.Fatalf("%d %s", status, page)
		}
		got, err := webhooks.Show(t.Context(), v.by, w.ID)
		want := webhook.Signature{Scheme: webhook.Scheme(scheme), Secret: "outro-segredo"}
		if scheme == "hmac" {
			want.Header = "x-loja"
		}
		if err != nil || got.Signature != want {
			t.Errorf("%s: %+v, %v", scheme, got.Signature, err)
		}
	}
}

// TestAnotherSignatureTakesItsSecret: an empty field keeps the stored secret, which belongs to one scheme. A typed
// secret that is missing when the form is sent again is not mistaken for keeping the stored one.
func TestAnotherSignatureTakesItsSecret(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	path, form := "/webhooks/"+v.hook.ID, url.Values{"nome": {"Site"}, "tipo": {"generic"}, "faixas": {"zero"}}
	signature := func() webhook.Signature {
		t.Helper()
		w, _, err := v.store.Repos().Webhooks.Find(t.Context(), ports.AnyOrg, v.hook.ID)
		if err != nil {
			t.Fatal(err)
		}
		return w.Signature
	}
	refused := func(before webhook.Signature, changes ...string) string {
		t.Helper()
		page := v.comesBack(path, form, changes...)
		if got := signature(); got != before {
			t.Errorf("%q: %s", changes, got.Scheme)
		}
		return page
	}
	taken := func(want webhook.Signature, more ...string) {
		t.Helper()
		r, _ := v.send(path, append(more, "nome", "Site", "tipo", "generic", "faixas", "zero")...)
		if got := signature(); r.StatusCode != http.StatusSeeOther || got != want {
			t.Errorf("%q: %d, %s", more, r.StatusCode, got.Scheme)
		}
	}
	none := webhook.Signature{}
	first := webhook.Signature{Scheme: webhook.TypeformScheme, Secret: "segredo-de-teste"}
	has(t, "from none", refused(none, "assinatura", "typeform"), marked("segredo"), "Escreva o segredo desta assinatura",
		`value="typeform" selected`)
	taken(first, "assinatura", "typeform", "segredo", first.Secret)
	taken(first, "assinatura", "typeform")
	has(t, "from another", refused(first, "assinatura", "hmac"), marked("segredo"))
	page := refused(first, "assinatura", "typeform", "segredo", "outro-segredo", "obrigado", "aqui")
	has(t, "another field is wrong", page, marked("obrigado"), "O segredo não volta com a página", `name="reescrever" value="sim"`)
	hasNot(t, "another field is wrong", page, "outro-segredo")
	page = refused(first, "assinatura", "typeform", "reescrever", "sim")
	has(t, "it is left out then", page, marked("segredo"), `name="reescrever" value="sim"`)
	taken(none, "assinatura", "", "reescrever", "sim")
}

// TestARotationComesBackAsItWasSent, with every row; so do a new rotation's name and a new person's role.
func TestARotationComesBackAsItWasSent(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	caio := site.member(v.by.OrgID(), "Caio", crm.Common).by.MemberID()
	ana := v.by.MemberID()
	rotations := contacts.NewRotations(site.store, time.Now)
	made, err := rotations.Add(t.Context(), v.by, v.by.OrgID(), "Vendas", []crm.RotationMember{{MemberID: ana, Weight: 2}})
	if err != nil {
		t.Fatal(err)
	}
	path := "/rodizios/" + made.ID
	sent := url.Values{
		"nome": {"Plantão"}, "membro": {caio}, "peso-" + ana: {"3"}, "peso-" + caio: {"99"}, "fora-" + caio: {"2031-05-04"},
	}
	page := v.comesBack(path, sent)
	has(t, "a weight that is none", page, `id="nome-`+made.ID+`" name="nome" type="text" value="Plantão"`, `value="`+caio+`" checked`,
		`name="peso-`+ana+`" type="number" min="1" max="10" value="3"`,
		`name="peso-`+caio+`" type="number" min="1" max="10" value="99"`, `value="2031-05-04"`, "Vendas")
	hasNot(t, "a weight that is none", page, `value="`+ana+`" checked`)
	has(t, "a date that is none", v.comesBack(path, sent, "fora-"+caio, "4 de maio"), "Escreva a data como 31/12/2026.",
		`value="Plantão"`, `value="99"`, `value="4 de maio"`)
	long := strings.Repeat("Rodízio ", 50) + "."
	has(t, "a new one", v.comesBack("/rodizios", url.Values{"nome": {long}}), `value="`+long)
	page = v.comesBack("/equipe/membros", url.Values{"nome": {""}, "email": {"rui@example.com"}, "papel": {"admin"}})
	has(t, "a new person", page, `<option value="admin" selected>`)
}

// TestTheAddressOfAFormIsNoDeadEnd: a refused form's page is at the address it was posted to, which may be reloaded, or
// returned to from a form on that page.
func TestTheAddressOfAFormIsNoDeadEnd(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	contact := "/contatos/" + v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	hook := "/webhooks/" + v.hook.ID
	for form, page := range map[string]string{
		contact + "/nota": contact, "/equipe/membros": "/equipe", hook + "/testar": hook, "/lotes/x/retomar?a=b": "/lotes/x",
		"/entrar/chave/inicio": "/entrar", "/sair": "/",
	} {
		response, _ := v.do(http.MethodGet, form, nil)
		if got := response.Header.Get("Location"); response.StatusCode != http.StatusSeeOther || got != page {
			t.Errorf("GET %s: %d to %q, want %s", form, response.StatusCode, got, page)
		}
	}
	if response, _ := v.do(http.MethodPut, contact+"/nota", nil); response.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("PUT: %d", response.StatusCode)
	}
	r, _ := v.do(http.MethodPost, contact+"/etapa", url.Values{"etapa": {v.funnel().Stages[1].ID}},
		"Referer", v.server.URL+contact+"/nota")
	response, _ := v.do(http.MethodGet, r.Header.Get("Location"), nil)
	has(t, "what was done is told", v.get(response.Header.Get("Location")), "Movido para")
}
