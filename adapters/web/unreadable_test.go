package web_test

import (
	"database/sql"
	"net/url"
	"testing"
)

// TestOnePageWithAnUnreadableRow breaks every sealed value behind the store's back: each page reports it, and still
// works.
func TestOnePageWithAnUnreadableRow(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	lead := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}, "obs": {"Oi"}})
	asked := v.ask("produto", "cpf", "documento", aPerson)
	db, err := sql.Open("sqlite", v.path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, statement := range []string{
		"UPDATE lookups SET document = x'01'", "UPDATE records SET answer = x'01'", "UPDATE contacts SET note = x'01'",
		"UPDATE deliveries SET content = x'01'", "UPDATE webhooks SET token = x'01'",
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"/extrato": "ilegível", "/extrato.csv": "ilegível", "/contatos/" + lead: "ilegível", asked: "ilegível",
		"/": "Painel", "/contatos": "Bia", "/webhooks": "Site de Ana", "/webhooks/" + v.hook.ID: "Site de Ana",
		"/consultar": "ilegível",
	} {
		has(t, path, v.get(path), want)
	}
}
