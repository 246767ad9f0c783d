package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"fichario/app/contacts"
	"fichario/domain/crm"
)

func TestContactsBoard(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	var ids []string
	for i := range 20 {
		ids = append(ids, v.lead(url.Values{"nome": {fmt.Sprint("P", i)}, "email": {"p@example.com"}, "valor": {"100"}}))
	}
	stages := v.funnel().Stages
	v.post("/contatos/"+ids[0]+"/etapa", url.Values{"etapa": {stages[4].ID}})
	page := unescaped(v.get("/funil"))
	for _, want := range []string{
		"19\u00a0contatos, R$\u00a01.900,00", "1\u00a0contato, R$\u00a0100,00", "19\u00a0contatos em aberto",
		"Ver os 19 em lista", `href="/contatos?etapa=` + stages[0].ID, "Mover para",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the board has no %q", want)
		}
	}
	// A stage means what was set for it, whatever its name.
	funnels := contacts.NewFunnels(v.store, time.Now)
	if err := funnels.SetOutcome(t.Context(), v.by, v.by.OrgID(), stages[0].ID, crm.Lost); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(unescaped(v.get("/funil")), "0\u00a0contatos em aberto") {
		t.Error("a stage that means lost counts as open")
	}
	response, part := v.do(http.MethodGet, "/funil", nil, "HX-Request", "true")
	if response.StatusCode != http.StatusOK || strings.Contains(part, "<html") ||
		!strings.Contains(part, `class="board"`) {
		t.Error("the part for the script is not the board alone")
	}
	// The menu works without script, and redirects back to where it was used.
	response, _ = v.do(http.MethodPost, "/contatos/"+ids[1]+"/etapa", url.Values{"etapa": {stages[1].ID}}, "Referer",
		v.server.URL+"/funil?resp="+v.member.ID)
	if got := response.Header.Get("Location"); got != "/funil?resp="+v.member.ID {
		t.Errorf("it leads to %q", got)
	}
	response, _ = v.do(http.MethodPost, "/contatos/"+ids[1]+"/etapa", url.Values{"etapa": {stages[2].ID}}, "Referer",
		"https://evil.example/x")
	if got := response.Header.Get("Location"); got != "/contatos/"+ids[1] {
		t.Errorf("from elsewhere it leads to %q", got)
	}
}

// TestAStageShowsMoreCards for each time that somebody asks, with the filter kept, and up to a limit.
func TestAStageShowsMoreCards(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	for i := range 45 {
		v.lead(url.Values{"nome": {fmt.Sprint("P", i)}, "email": {"p@example.com"}})
	}
	first := v.funnel().Stages[0].ID
	cards := func(page string) int { return strings.Count(page, `class="lead"`) }
	address := "/funil?retorno=sem"
	for _, want := range []int{9, 29, 45} {
		page := unescaped(v.get(address))
		if got := cards(page); got != want {
			t.Errorf("%s has %d cards, want %d", address, got, want)
		}
		longer := strings.Replace(address, "?", "?mais="+first+"&", 1)
		if offers := strings.Contains(page, `href="`+longer+`#e0" data-longer`); offers != (want < 45) {
			t.Errorf("%s offers more: %v", address, offers)
		}
		address = longer
	}
}

// TestABoardAskedForMoreIsSmall: with all that one may ask for, of stages with many contacts, it is at most 60 kB, and
// the list has the rest.
func TestABoardAskedForMoreIsSmall(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	stages := v.funnel().Stages
	for i := range 100 {
		id := v.lead(url.Values{
			"nome": {fmt.Sprintf("Maria Aparecida dos Santos %d", i)}, "email": {fmt.Sprintf("maria%d@empresa.example", i)},
			"empresa": {"Indústria e Comércio de Embalagens Ltda"}, "valor": {"12.345,67"}, "origem": {"Instagram"},
		})
		v.post("/contatos/"+id+"/etapa", url.Values{"etapa": {stages[i%2].ID}})
	}
	page := v.get("/funil?" + strings.Repeat("mais="+stages[0].ID+"&mais="+stages[1].ID+"&", 9))
	if n := strings.Count(page, `class="lead"`); n < 60 || len(page) > 60_000 {
		t.Errorf("a board of %d cards has %d bytes", n, len(page))
	}
	has(t, "a full board", page, "Ver os 50 em lista")
	hasNot(t, "a full board", page, "data-longer")
}
