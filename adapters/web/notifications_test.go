package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"fichario/domain/crm"
)

func TestNotificationsAndBell(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	colleague := site.member(v.by.OrgID(), "Caio", crm.Common)
	if page := v.get("/notificacoes"); !strings.Contains(page, "Nada por aqui") {
		t.Error("the empty page says nothing")
	}
	id := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	v.lead(url.Values{"nome": {"Davi"}, "email": {"davi@example.com"}})
	bell := v.get("/notificacoes/sino?visto=0")
	for _, want := range []string{
		`id="sino"`, "sino?visto=2", `id="sino-topo" hx-swap-oob="outerHTML"`, "Notificações: 2 não lidas", `role="status"`,
		"2\u00a0notificações novas",
	} {
		if !strings.Contains(bell, want) {
			t.Errorf("the bell has no %q", want)
		}
	}
	if again := v.get("/notificacoes/sino?visto=2"); strings.Contains(again, `role="status"`) {
		t.Error("the bell speaks although nothing is new")
	}
	page := v.get("/notificacoes")
	for _, want := range []string{"Hoje", `class="unread"`, `href="/contatos/` + id + `"`, "2\u00a0não lidas"} {
		if !strings.Contains(page, want) {
			t.Errorf("the list has no %q", want)
		}
	}
	newest := regexp.MustCompile(`name="ate" value="([^"]+)"`).FindStringSubmatch(page)[1]
	v.lead(url.Values{"nome": {"Depois"}, "email": {"depois@example.com"}})
	if status, _ := v.post("/notificacoes/lidas", url.Values{"ate": {newest}}); status != http.StatusSeeOther {
		t.Errorf("read all: %d", status)
	}
	if got := v.get("/notificacoes/sino"); !strings.Contains(got, "sino?visto=1") {
		t.Errorf("what came after the page was shown is read too: %s", got)
	}
	if got := colleague.get("/notificacoes/sino"); !strings.Contains(got, "sino?visto=3") {
		t.Errorf("one member reads for another: %s", got)
	}
	site.ahead.Store(int64(-24 * time.Hour))
	v.lead(url.Values{"nome": {"Antes"}, "email": {"antes@example.com"}})
	site.ahead.Store(0)
	if page := v.get("/notificacoes"); !strings.Contains(page, "Ontem") {
		t.Error("yesterday has no name")
	}
	v.lead(url.Values{"nome": {"Agora"}, "email": {"agora@example.com"}})
	if page := v.get("/notificacoes"); strings.Count(page, ">Hoje<") != 1 {
		t.Error("a day stands there twice")
	}
}
