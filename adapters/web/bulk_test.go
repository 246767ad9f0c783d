package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fichario/domain/crm"
	"fichario/ports"
)

// TestAllAndSomeAreNotMeantAtOnce: a contradictory choice is not guessed at, and nothing is done.
func TestAllAndSomeAreNotMeantAtOnce(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	id := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	to := v.funnel().Stages[2].ID
	for _, do := range []string{"mover " + to, "atribuir " + v.by.MemberID(), "unir", "baixar", "excluir"} {
		r, page := v.send("/acoes", "acao", do, "todos", "sim", "c", id)
		if r.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s of all, with one marked: %d", do, r.StatusCode)
		}
		has(t, do, page, "Há contatos marcados, e a escolha é de todos com estes filtros.", "Nada mudou.")
	}
	if v.find(id).StageID == to {
		t.Error("it was moved")
	}
	if r, _ := v.send("/acoes", "acao", "mover "+to, "c", id); r.StatusCode != http.StatusSeeOther {
		t.Errorf("the marked one: %d", r.StatusCode)
	}
}

// TestNoneIsNotSome: without a marked contact no question is asked and no file begun.
func TestNoneIsNotSome(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	to := v.funnel().Stages[2].ID
	for _, do := range []string{"mover " + to, "atribuir " + v.by.MemberID(), "unir", "baixar", "excluir"} {
		r, page := v.send("/acoes", "acao", do)
		if has(t, do, page, "Marque ao menos um contato."); r.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s of none: %d", do, r.StatusCode)
		}
	}
}

// TestWhatGoesOnShowsItself: a page of an action in progress polls until it has ended.
func TestWhatGoesOnShowsItself(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	for kind, room := range map[crm.BulkKind]string{crm.BulkMove: "/acoes/", crm.BulkImport: "/importacoes/"} {
		b := crm.Bulk{
			ID: uuid.Must(uuid.NewV7()).String(), OrgID: v.by.OrgID(), MemberID: v.by.MemberID(), Kind: kind,
			Status: crm.BulkRunning, Total: 20_000, Done: 800, At: time.Now(), Settings: []byte("{}"),
		}
		if kind == crm.BulkMove {
			b.TargetID = v.funnel().Stages[1].ID
		}
		err := v.store.InTx(t.Context(), func(_ context.Context, r ports.Repos) error {
			return r.Bulks.Create(t.Context(), b, nil)
		})
		if err != nil {
			t.Fatal(err)
		}
		asks := `hx-get="` + room + b.ID + `" hx-trigger="every 2s"`
		has(t, "under way", v.get(room+b.ID), "800 de 20.000", asks)
		b.Status, b.Done, b.EndedAt = crm.BulkDone, b.Total, time.Now()
		err = v.store.InTx(t.Context(), func(_ context.Context, r ports.Repos) error { return r.Bulks.Save(t.Context(), b) })
		if err != nil {
			t.Fatal(err)
		}
		hasNot(t, "at its end", v.get(room+b.ID), asks)
	}
}

// TestTheListSaysWhatWasDoneToSeveral, and what was left for which reason, with an undo where something was changed.
func TestTheListSaysWhatWasDoneToSeveral(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	bia := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	caio := v.lead(url.Values{"nome": {"Caio"}, "email": {"caio@example.com"}})
	davi := v.lead(url.Values{"nome": {"Davi"}, "email": {"davi@example.com"}})
	stages := v.funnel().Stages
	const list = "/contatos?ordem=nome"
	move := func(to int, ids ...string) string {
		t.Helper()
		form := []string{"acao", "mover " + stages[to].ID}
		for _, id := range ids {
			form = append(form, "c", id)
		}
		return v.from(list, "/acoes", form...)
	}
	page := move(1, bia)
	has(t, "one", page, "1 contato movido para "+stages[1].Name+".", "<h1>Contatos</h1>", `href="/contatos?ordem=nome-z"`)
	page = move(1, bia, caio, davi)
	has(t, "two of three", page, "2 contatos movidos para "+stages[1].Name+". 1 já estava nessa etapa.", `action="/acoes/`)
	undo := pathIn(page, `/acoes/[^/"]+/desfazer`)
	v.post("/contatos/"+davi+"/etapa", url.Values{"etapa": {stages[2].ID}})
	takeBack := func() string {
		t.Helper()
		response, _ := v.do(http.MethodPost, undo, nil, "Referer", v.server.URL+list)
		if at := response.Header.Get("Location"); at != list {
			t.Errorf("an undo leads to %q", at)
		}
		return v.get(list)
	}
	page = takeBack()
	has(t, "undone", page, "Desfeito: 1 contato voltou ao que era. 1 mudou depois e ficou como estava.")
	hasNot(t, "undone", page, "já estava", `action="/acoes/`)
	has(t, "undone twice", takeBack(), `class="toast t-bad" role="alert"`)
	page = move(1, bia)
	has(t, "nothing", page, "Nada mudou. 1 já estava nessa etapa.")
	hasNot(t, "nothing", page, `action="/acoes/`)
	has(t, "assigned already", v.from(list, "/acoes", "acao", "atribuir "+v.find(bia).AssigneeID, "c", bia),
		"Nada mudou. 1 já estava com essa pessoa.")
	response, _ := v.send("/acoes", "acao", "excluir", "confirmar", "sim", "ordem", "nome", "c", bia)
	if at := response.Header.Get("Location"); at != list {
		t.Errorf("a deletion leads to %q", at)
	}
	has(t, "deleted", v.get(list), "1 contato excluído.", `action="/acoes/`)
}

// TestTwoMarkedAreMerged: the bar leads to the question, into the older one; one or all are not two.
func TestTwoMarkedAreMerged(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	older := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	newer := v.lead(url.Values{"nome": {"Bia Rocha"}, "email": {"bia.rocha@example.com"}})
	r, _ := v.do(http.MethodPost, "/acoes", url.Values{"acao": {"unir"}, "c": {newer, older}})
	if want := "/contatos/" + older + "/unir/" + newer; r.Header.Get("Location") != want {
		t.Errorf("leads to %q, want %q", r.Header.Get("Location"), want)
	}
	for what, form := range map[string]url.Values{
		"one": {"c": {newer}}, "three": {"c": {older, newer, older}}, "all": {"todos": {"sim"}},
	} {
		form.Set("acao", "unir")
		r, page := v.do(http.MethodPost, "/acoes", form)
		if has(t, what, page, "Marque dois contatos para unir."); r.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", what, r.StatusCode)
		}
	}
	r, _ = v.do(http.MethodPost, "/acoes", url.Values{"acao": {"unir"}, "c": {"x", "/"}})
	if r.StatusCode != http.StatusNotFound {
		t.Errorf("what is no contact: %d", r.StatusCode)
	}
}

// TestTheListOnAPhone: a number is called and written to from the row, and who was spoken to waits no more.
func TestTheListOnAPhone(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	id := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}, "telefone": {"(11) 98765-4321"}})
	page := v.get("/contatos")
	has(t, "the row", page, `5511987654321">(11) 98765-4321</a>`, `href="https://wa.me/5511987654321"`,
		"name=falei value="+id, "sem retorno ")
	v.send("/acoes", "falei", id)
	page = v.get("/contatos")
	hasNot(t, "the row afterwards", page, "name=falei", "sem retorno ")
	has(t, "the row afterwards", page, `href="https://wa.me/5511987654321"`)
}

// TestWhoMayBeTheSameIsMarked: the row of one who came again leads to the comparison with the contact before; the rows
// of others, and those of another organisation, are not marked.
func TestWhoMayBeTheSameIsMarked(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v, other := site.visitor("Ana"), site.visitor("Rui")
	other.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	first := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	v.lead(url.Values{"nome": {"Lia"}, "email": {"lia@example.com"}})
	again := v.lead(url.Values{"nome": {"Beatriz"}, "email": {"BIA@example.com"}})
	page := v.get("/contatos")
	has(t, "the one who came again", page, `href="/contatos/`+again+`/unir"`, "repetido?")
	for id, want := range map[string]string{again: "/contatos/" + first + "/unir/" + again, first: "/contatos/" + first} {
		r, _ := v.do(http.MethodGet, "/contatos/"+id+"/unir", nil)
		if r.Header.Get("Location") != want {
			t.Errorf("the comparison leads to %q, want %q", r.Header.Get("Location"), want)
		}
	}
	if n := strings.Count(page, "repetido?"); n != 1 {
		t.Errorf("%d rows are marked", n)
	}
	hasNot(t, "where there is one", other.get("/contatos"), "repetido?")
}

// TestAfterABulkActionTheListIsNotEmpty: whose page nobody is left on sees the first one, and whose filter nobody
// matches any more, or whose marked contact is gone in another tab, is back on the list with the reason.
func TestAfterABulkActionTheListIsNotEmpty(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	var ids []string
	for i := range 52 {
		ids = append(ids, v.lead(url.Values{"nome": {fmt.Sprint("Bia ", i)}, "email": {"b@example.com"}}))
	}
	stages := v.funnel().Stages
	list := "/contatos?etapa=" + stages[0].ID
	second := pathIn(unescaped(v.get(list)), `/contatos\?depois=[^"]+`)
	has(t, "the second page", v.get(second), "51 a 52 de 52")
	did := func(on string, form ...string) string {
		t.Helper()
		values := url.Values{}
		for i := 0; i < len(form); i += 2 {
			values.Add(form[i], form[i+1])
		}
		response, _ := v.do(http.MethodPost, "/acoes", values, "Referer", v.server.URL+on)
		at := response.Header.Get("Location")
		if !strings.HasPrefix(at, "/contatos?") {
			t.Fatalf("%v: %d, to %q", form, response.StatusCode, at)
		}
		return v.get(at)
	}
	page := did(second, "acao", "mover "+stages[1].ID, "c", ids[0], "c", ids[1], "etapa", stages[0].ID)
	has(t, "nobody left", page, "2 contatos movidos", "1 a 50 de 50")
	const nobody = "01a22742-1ddf-7bde-a243-000000000000"
	for why, gone := range map[string][]string{
		"Nenhum contato tem mais o que os filtros pedem.": {
			"todos", "sim", "etapa", stages[3].ID, "acao", "mover " + stages[1].ID,
		},
		"Um dos contatos marcados não existe mais.": {"c", ids[2], "c", nobody, "acao", "mover " + stages[1].ID},
		"A etapa não existe mais.":                  {"c", ids[2], "acao", "mover " + nobody},
		"A pessoa não existe mais.":                 {"c", ids[2], "acao", "atribuir " + nobody},
		"A origem deste filtro não existe mais.":    {"todos", "sim", "origem", nobody, "acao", "mover " + stages[1].ID},
	} {
		has(t, "gone", did(list, gone...), `class="toast t-bad" role="alert"`, why+" Nada mudou.", "<h1>Contatos</h1>")
	}
}

// TestWhoCameSinceIsNotDeleted: all that a filter finds are those that the question counted; a lead that comes before
// it is answered stays.
func TestWhoCameSinceIsNotDeleted(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	bia := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	_, question := v.send("/acoes", "acao", "excluir", "todos", "sim", "confirmar", "sim")
	has(t, "asked, whatever it is told", question, "Excluir 1 contato?")
	caio := v.lead(url.Values{"nome": {"Caio"}, "email": {"caio@example.com"}})
	_, until, _ := strings.Cut(question, `name="ate" value="`)
	until, _, _ = strings.Cut(until, `"`)
	v.send("/acoes", "acao", "excluir", "todos", "sim", "confirmar", "sim", "ate", until)
	has(t, "what was done", v.get("/contatos"), "1 contato excluído.", "Caio")
	if _, err := v.store.Repos().Contacts.Find(t.Context(), v.by.OrgID(), bia); !errors.Is(err, ports.ErrNotFound) {
		t.Errorf("the one that was asked about: %v", err)
	}
	if v.find(caio).Name != "Caio" {
		t.Error("who came since was deleted")
	}
}
