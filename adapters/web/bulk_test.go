package web_test

import (
	"net/http"
	"net/url"
	"testing"
)

// TestAllAndSomeAreNotMeantAtOnce: what was meant is not guessed, and nothing is done.
func TestAllAndSomeAreNotMeantAtOnce(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	id := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	to := v.funnel().Stages[2].ID
	for _, do := range []string{"mover", "atribuir", "baixar", "excluir"} {
		r, page := v.send("/acoes", "acao", do, "destino", to, "para", v.by.MemberID(), "todos", "sim", "c", id)
		if r.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s of all, with one marked: %d", do, r.StatusCode)
		}
		has(t, do, page, "Há contatos marcados, e a escolha é de todos com estes filtros.", "Nada mudou.")
	}
	if v.find(id).StageID == to {
		t.Error("it was moved")
	}
	if r, _ := v.send("/acoes", "acao", "mover", "destino", to, "c", id); r.StatusCode != http.StatusSeeOther {
		t.Errorf("the marked one: %d", r.StatusCode)
	}
}
