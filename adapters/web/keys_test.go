package web_test

import (
	"encoding/csv"
	"html"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/tests/testkit/noon"
)

var secretInPage = regexp.MustCompile(`fic_[0-9A-Za-z]{46}`)

// keyFormOf is a filled-in form for a new key.
func keyFormOf(id string) url.Values {
	return url.Values{
		"id": {id}, "nome": {"ERP & <b>"}, "pode": {"cpf", "placa"}, "minuto": {"60"}, "dia": {"2"}, "mes": {"2.000"},
		"vence": {"2099-12-31"},
	}
}

// newKeyForm opens the form for a new key and returns the id in it.
func (v *visitor) newKeyForm() string {
	v.t.Helper()
	return regexp.MustCompile(`name="id" value="([^"]+)"`).FindStringSubmatch(v.get("/chaves/nova"))[1]
}

// makeKey makes a key with its form and returns its id, its secret and the page that shows it.
func (v *visitor) makeKey() (id, secret, page string) {
	v.t.Helper()
	id = v.newKeyForm()
	response, page := v.do(http.MethodPost, "/chaves", keyFormOf(id))
	secret = secretInPage.FindString(page)
	if response.StatusCode != http.StatusOK || secret == "" || response.Header.Get("Cache-Control") != "no-store" {
		v.t.Fatalf("created: %d", response.StatusCode)
	}
	return id, secret, page
}

// usedKey makes a key with two charged lookups, and one answered from history.
func (v *visitor) usedKey() (id, secret string) {
	v.t.Helper()
	id, secret, _ = v.makeKey()
	caller, err := v.keys.Authenticate(v.t.Context(), secret, netip.Addr{})
	if err != nil {
		v.t.Fatal(err)
	}
	for _, doc := range []string{aPerson, anotherPerson, aPerson} {
		if _, err := v.asker.Do(v.t.Context(), caller, lookups.Request{Product: "cpf", Document: doc}); err != nil {
			v.t.Fatal(err)
		}
	}
	return id, secret
}

func TestAWrongKeyFormComesBack(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	has(t, "no keys", v.get("/chaves"), "Nenhuma chave ainda")
	id := v.newKeyForm()
	for _, c := range [][2]string{
		{"nome", " "}, {"pode", "rg"}, {"minuto", "0"}, {"dia", "-1"}, {"mes", "muito"},
		{"vence", "2001-01-01"}, {"vence", "9999-12-31"},
	} {
		field, wrong := c[0], c[1]
		form := url.Values{
			"id": {id}, "nome": {"ERP & <b>"}, "pode": {"cpf"}, "minuto": {"60"}, "dia": {"2"}, "mes": {"2.000"}, "vence": {""},
		}
		form.Set(field, wrong)
		response, page := v.do(http.MethodPost, "/chaves", form)
		if response.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", field, response.StatusCode)
		}
		has(t, field, page, `class="err"`)
	}
}

// TestAKeyIsMadeOnce: when its form is sent again, no other key is made and no secret shown.
func TestAKeyIsMadeOnce(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	id, secret, page := v.makeKey()
	has(t, "shown once", page, "curl https://fichario.example/api/v1/cpf/52998224725", "Bearer "+secret, "ERP &",
		"Custa R$ 0,45")
	hasNot(t, "a name is text", page, "ERP & <b>", "ERP &amp; <b>")
	has(t, "the list is renewed under the focus, which stays by its id", v.get("/chaves"), `id="chave-`+id+`"`)
	response, page := v.do(http.MethodPost, "/chaves", keyFormOf(id))
	if response.StatusCode != http.StatusSeeOther || secretInPage.MatchString(page) {
		t.Errorf("sent again: %d", response.StatusCode)
	}
	has(t, "sent again", v.get("/chaves/"+id), "Esta chave já foi criada.", `class="toast t-bad" role="alert"`)
	if all, _ := v.keys.List(t.Context(), v.by, v.by.OrgID()); len(all) != 1 {
		t.Errorf("%d keys", len(all))
	}
}

func TestAKeyShowsItsUse(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	id, secret := v.usedKey()
	key, err := v.keys.Show(t.Context(), app.Operator(), id)
	if err != nil {
		t.Fatal(err)
	}
	_ = v.keys.Refused(&key, fault.New(fault.MissingScope, "x"))
	if err := v.keys.SaveRefusals(t.Context(), access.Calendar{Location: time.UTC}); err != nil {
		t.Fatal(err)
	}
	list := v.get("/chaves")
	has(t, "refusals", list, "1 pedido recusado em 30 dias: escopo (1)")
	has(t, "refusals", v.get("/chaves/"+id), "1 pedido recusado em 30 dias: escopo (1)")
	has(t, "what it was charged today", list, time.Now().In(noon.Zone()).Format("02/01")+": 2")
	has(t, "list", list, "Parada até 00:00", "2 de 2", "2 de 2.000", "CPF, placa", "R$ 0,90")
	hasNot(t, "the secret is gone", list, secret)
	show := v.get("/chaves/" + id)
	has(t, "key", show, "Gasto por dia e produto", `class="s-a"`, "2 cobradas", "Histórico", "529.982.247-25", "vence em",
		"Ver os números", "Cadastro de pessoa")
	hasNot(t, "filtered", v.get("/chaves/"+id+"?resultado=bureau"), `b-hist"`)
	has(t, "nothing so", v.get("/chaves/"+id+"?produto=veiculo&de=2026-01-01"), "Tirar o filtro")
	has(t, "a wrong filter", v.refused(422, "/chaves/"+id+"?de=ontem"), "deve ser uma data")
	rows, err := csv.NewReader(strings.NewReader(v.get("/chaves/" + id + "/extrato.csv"))).ReadAll()
	if err != nil || len(rows) != 4 ||
		strings.Join(rows[0], ",") != "id,produto,documento,em,cache,cobrada,valor,situacao,finalidade,bureau,seguida" {
		t.Errorf("%v, %v", rows, err)
	}
}

// TestTheStatementIsEverybodys: the organisation's statement has the lookups of keys and of the team.
func TestTheStatementIsEverybodys(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	id, _ := v.usedKey()
	v.ask("documento", aPerson, "produto", "cpf", "gratis", "sim")
	whole := v.get("/extrato")
	has(t, "everybody's", whole, "2 cobradas", "R$ 0,90", `href="/chaves/`+id+`"`, ">Ana<", "Chave ERP")
	has(t, "the team's", v.get("/extrato?quem=equipe"), ">Ana<", "Nada cobrado neste período")
	hasNot(t, "the team's", v.get("/extrato?quem=equipe"), `b-cobrada"`)
	hasNot(t, "the key's", v.get("/extrato?quem="+id), `break">Ana`)
	has(t, "of no key", v.get("/extrato?quem="+lookups.NewKeyID()), "Tirar o filtro")
	has(t, "a wrong filter", v.refused(422, "/extrato?quem=ontem"), "Não há chave com este id")
	rows, err := csv.NewReader(strings.NewReader(v.get("/extrato.csv"))).ReadAll()
	if err != nil || len(rows) != 5 || rows[0][8] != "quem" || rows[1][8] != "Ana" || rows[2][8] != "ERP & <b>" {
		t.Errorf("%v, %v", rows, err)
	}
}

func TestAStatementForASpreadsheet(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	id, _ := v.usedKey()
	for _, path := range []string{"/extrato", "/chaves/" + id} {
		address := regexp.MustCompile(`href="([^"]*formato=excel[^"]*)"`).FindStringSubmatch(v.get(path + "?resultado=bureau"))
		if address == nil {
			t.Fatalf("%s offers none", path)
		}
		file := v.get(html.UnescapeString(address[1]))
		has(t, path, file, "\ufeffid;produto;", ";cpf;529.982.247-25;", ";não;sim;0,45;concluida")
		if strings.Count(file, "\n") != 3 {
			t.Errorf("%s: not the lines that the page shows: %s", path, file)
		}
	}
	v.refused(422, "/extrato.csv?formato=xls")
}

// TestFractionsOfACent: a total is shown in cents, and exactly on demand; a line has all four decimals.
func TestFractionsOfACent(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	caller := v.key("ERP")
	doc, _ := document.Parse(document.CPF, aPerson)
	err := v.store.Repos().Statement.Add(t.Context(), lookup.Entry{
		ID: lookups.NewKeyID(), OrgID: v.by.OrgID(), KeyID: caller.Key().ID, Product: "cpf", Document: doc, At: time.Now(),
		Charged: true, Amount: 30_7150, Status: lookup.Done,
	})
	if err != nil {
		t.Fatal(err)
	}
	has(t, "the sum", v.get("/"), "R$ 30,72", "<small class=\"soft\">R$ 30,715</small>")
	has(t, "the line", v.get("/extrato"), `data-l="Valor"><div>R$ 30,715</div>`)
	for _, path := range []string{"/", "/extrato"} {
		hasNot(t, path, v.get(path), "R$ 30,715<")
	}
}

// TestPricesAndCeilingsAreExact: where people decide by them, all four possible decimals are shown.
func TestPricesAndCeilingsAreExact(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.bureau.says(aPerson, `{"renda":1}`)
	has(t, "a sheet", v.get(v.ask("documento", aPerson, "produto", "renda_presumida")),
		`<span class="strong">R$ 2,075</span>`)
	response, _ := v.send("/lotes", "produto", "renda_presumida", "documentos", anotherPerson)
	place := response.Header.Get("Location")
	v.send(place + "/confirmar")
	has(t, "a batch", v.get(place), "do teto de R$ 2,075")
	has(t, "all batches", v.get("/lotes"), `data-l="Teto">R$ 2,075</td>`)
}

// TestAKeyIsRotatedOnce, whatever is sent again.
func TestAKeyIsRotatedOnce(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	id, secret, _ := v.makeKey()
	rotate := url.Values{"prefixo": {secret[:12]}, "manter": {"agora"}}
	_, page := v.do(http.MethodPost, "/chaves/"+id+"/trocar", rotate)
	second := secretInPage.FindString(page)
	if second == "" || second == secret {
		t.Fatal("no new secret")
	}
	has(t, "rotated", page, "A anterior já não vale")
	response, page := v.do(http.MethodPost, "/chaves/"+id+"/trocar", rotate)
	if response.StatusCode != http.StatusSeeOther || secretInPage.MatchString(page) {
		t.Errorf("rotated again: %d", response.StatusCode)
	}
	has(t, "rotated again", v.get("/chaves/"+id), "Esta chave já foi trocada.", `class="toast t-bad" role="alert"`)
	if response, _ = v.send("/chaves/" + id + "/revogar"); response.StatusCode != http.StatusSeeOther {
		t.Errorf("revoked: %d", response.StatusCode)
	}
	has(t, "revoked", v.get("/chaves"), "Revogada")
	hasNot(t, "its page", v.get("/chaves/"+id), "Restam no dia")
}

func TestKeysAreForWhoManages(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	id, _ := v.usedKey()
	member := site.member(v.by.OrgID(), "Caio", crm.Common)
	for _, p := range []string{
		"/chaves", "/chaves/nova", "/chaves/" + id, "/chaves/" + id + "/extrato.csv",
	} {
		member.refused(403, p)
	}
	for _, p := range []string{"/chaves", "/chaves/" + id + "/revogar", "/chaves/" + id + "/trocar"} {
		r, _ := member.do(http.MethodPost, p, keyFormOf(id))
		if r.StatusCode != http.StatusForbidden && p != "/chaves/"+id+"/trocar" {
			t.Errorf("POST %s as a member: %d", p, r.StatusCode)
		}
	}
	free := member.ask("documento", aPerson, "produto", "cpf", "gratis", "sim")
	has(t, "a member may look up", member.get(free), "Histórico, grátis")
}

// TestANewKeySearchesNoContacts unless that was chosen: it can be neither revoked nor granted later.
func TestANewKeySearchesNoContacts(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	box := regexp.MustCompile(`<input type="checkbox" name="contatos"[^>]*>`).FindString(v.get("/chaves/nova"))
	if box == "" || strings.Contains(box, "checked") {
		t.Errorf("the box is %q", box)
	}
	id, _, _ := v.makeKey()
	keys, err := v.store.Repos().Keys.List(t.Context(), v.by.OrgID())
	if err != nil || len(keys) != 1 || keys[0].ID != id || keys[0].Contacts {
		t.Errorf("%v, %v", keys, err)
	}
	form := keyFormOf(v.newKeyForm())
	form.Set("nome", "Histórico")
	form.Set("dia", "0")
	v.do(http.MethodPost, "/chaves", form)
	list := v.get("/chaves")
	has(t, "a cap of zero", list, "Só o histórico")
	hasNot(t, "a cap of zero", list, "Parada até")
}
