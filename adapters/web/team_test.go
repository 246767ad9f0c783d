package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func TestAFunnelIsRenamed(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	funnel := v.funnel()
	page := v.get("/equipe/funis?editar=" + funnel.ID)
	form := regexp.MustCompile(`(?s)<form id="editar"[^>]*action="/equipe/funis/` + funnel.ID +
		`" data-about="nome"><input type="hidden" name="fazer" value="renomear-funil">.*?</form>`).FindString(page)
	if !strings.Contains(form, `value="`+funnel.Name+`"`) {
		t.Fatalf("the page has no form that renames %s", funnel.Name)
	}
	rename := url.Values{"fazer": {"renomear-funil"}, "nome": {"Crédito rural"}}
	if status, _ := v.post("/equipe/funis/"+funnel.ID, rename); status != http.StatusSeeOther {
		t.Errorf("rename: %d", status)
	}
	if got := v.funnel(); got.Name != "Crédito rural" || len(got.Stages) != len(funnel.Stages) {
		t.Errorf("the funnel is %+v", got)
	}
}

// TestANewFunnelIsOpen: whoever made it goes on with its stages.
func TestANewFunnelIsOpen(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	r, _ := v.send("/equipe/funis", "nome", "Locação")
	at := r.Header.Get("Location")
	id := regexp.MustCompile(`^/equipe/funis\?funil=([0-9a-f-]{36})#f-([0-9a-f-]{36})$`).FindStringSubmatch(at)
	if r.StatusCode != http.StatusSeeOther || len(id) == 0 || id[1] != id[2] || id[1] == v.funnel().ID {
		t.Fatalf("made: %d, to %q", r.StatusCode, at)
	}
	page, _, _ := strings.Cut(at, "#")
	has(t, "the page", v.get(page), "Funil criado.", `<caption class="vh">Etapas de Locação`)
}

// TestAFunnelStaysOpen: where no stage is removed after all, and where the address of a refused form is opened again.
func TestAFunnelStaysOpen(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v, rui := site.visitor("Ana"), site.visitor("Rui")
	r, _ := v.send("/equipe/funis", "nome", "Locação")
	at := r.Header.Get("Location")
	_, id, _ := strings.Cut(at, "#f-")
	page := v.get("/equipe/funis?funil=" + id)
	ask := regexp.MustCompile(`/equipe/funis\?perguntar=tirar-[0-9a-f-]{36}`).FindString(page)
	has(t, "the question", v.get(ask), "Tirar a etapa", `href="`+at+`" data-close`)
	status, _ := v.post("/equipe/funis/"+id, url.Values{"fazer": {"renomear-funil"}})
	if status != http.StatusUnprocessableEntity {
		t.Errorf("without a name: %d", status)
	}
	if r, _ := v.do(http.MethodGet, "/equipe/funis/"+id, nil); r.Header.Get("Location") != at {
		t.Errorf("the address of the form: %d to %q", r.StatusCode, r.Header.Get("Location"))
	}
	rui.refused(http.StatusNotFound, "/equipe/funis/"+id)
}

// TestARenamedOriginIsInSight, as a new one is, and one whose change is given up.
func TestARenamedOriginIsInSight(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	made, _ := v.send("/equipe/origens", "nome", "Radio")
	id := regexp.MustCompile(`id="o-([0-9a-f-]{36})"`).FindStringSubmatch(v.get("/equipe/origens"))[1]
	if at := made.Header.Get("Location"); made.StatusCode != http.StatusSeeOther || at != "/equipe/origens#o-"+id {
		t.Errorf("made: %d, to %q", made.StatusCode, at)
	}
	has(t, "the form", v.get("/equipe/origens?editar="+id), `href="/equipe/origens#o-`+id+`" data-leave`)
	r, _ := v.send("/equipe/origens/"+id, "nome", "Rádio")
	if at := r.Header.Get("Location"); r.StatusCode != http.StatusSeeOther || at != "/equipe/origens#o-"+id {
		t.Errorf("renamed: %d, to %q", r.StatusCode, at)
	}
}

// TestAWrongNameMarksItsOwnForm: the name of an origin or a funnel is not shown as a person's.
func TestAWrongNameMarksItsOwnForm(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	wrong := strings.Repeat("x", 121)
	for _, path := range []string{"/equipe/origens", "/equipe/funis"} {
		status, page := v.post(path, url.Values{"nome": {wrong}})
		if status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", path, status)
		}
		has(t, path, page, "tem de 1 a 120 caracteres.", `value="`+wrong+`" aria-invalid="true"`)
		if n := strings.Count(page, `aria-invalid="true"`); n != 1 {
			t.Errorf("%s: %d fields are at fault", path, n)
		}
		if n := strings.Count(page, `value="`+wrong+`"`); n != 1 {
			t.Errorf("%s: what was typed is there %d times", path, n)
		}
	}
	_, page := v.post("/equipe/funis", url.Values{"nome": {strings.ToUpper(v.funnel().Name)}})
	has(t, "a twin", page, "Já há um funil com este nome, sem contar maiúsculas e acentos.")
}

// TestAnInvitationThatCannotBeSent: the person is added, and can be invited again.
func TestAnInvitationThatCannotBeSent(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	site.mailAway.Store(true)
	status, page := v.post("/equipe/membros", url.Values{
		"nome": {"Bia"}, "email": {"bia@example.com"}, "papel": {"member"},
	})
	has(t, "the page", page, "Pessoa acrescentada, mas o convite não pôde ser enviado. Use Convidar de novo.",
		`data-sent="/equipe/membros"`)
	again := regexp.MustCompile(`/equipe/membros/[0-9a-f-]{36}/convite`).FindString(page)
	if status != http.StatusOK || again == "" {
		t.Fatalf("the page: %d", status)
	}
	status, page = v.post(again, url.Values{})
	has(t, "while there still is no mail", page, "O convite não pôde ser enviado (o servidor de e-mail não respondeu).")
	if status != http.StatusUnprocessableEntity {
		t.Errorf("while there still is no mail: %d", status)
	}
	site.mailAway.Store(false)
	if status, _ := v.post(again, url.Values{}); status != http.StatusSeeOther || (<-site.mailed).To != "bia@example.com" {
		t.Errorf("once there is: %d", status)
	}
}
