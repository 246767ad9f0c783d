package web_test

import (
	"context"
	"net/http"
	"net/url"
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

// TestNoneIsNotSome: without a marked contact no question is asked and no file begun.
func TestNoneIsNotSome(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	for _, do := range []string{"mover", "atribuir", "baixar", "excluir"} {
		r, page := v.send("/acoes", "acao", do, "destino", v.funnel().Stages[2].ID, "para", v.by.MemberID())
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
