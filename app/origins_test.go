package app_test

import (
	"strings"
	"testing"

	"fichario/app"
	"fichario/app/contacts"
	"fichario/app/lookups"
	"fichario/domain/crm"
)

// TestOriginsAreKept step by step, each with its fault and the origins afterwards.
func TestOriginsAreKept(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, common, stranger := s.add("dona", crm.Owner), s.add("ana", crm.Common), s.another().add("rui", crm.Owner)
	ctx := t.Context()
	add := func(by app.Caller, name string) func() error {
		return func() error { _, err := s.origins.Add(ctx, by, s.orgID, name); return err }
	}
	id := func(name string) string {
		for _, o := range must(s.origins.List(ctx, owner, s.orgID)) {
			if o.Name == name {
				return o.ID
			}
		}
		return lookups.NewKeyID()
	}
	rename := func(by app.Caller, name, as string) func() error {
		return func() error { return s.origins.Rename(ctx, by, id(name), as) }
	}
	remove := func(by app.Caller, name string) func() error {
		return func() error { return s.origins.Remove(ctx, by, id(name)) }
	}
	was := ""
	for _, c := range []struct {
		what      string
		do        func() error
		said, are string // empty where they stay as they were
	}{
		{"one", add(owner, " Feira de Imóveis "), "", "Feira de Imóveis"},
		{"one that differs by case and accents", add(owner, "FEIRA de imoveis"), "requisicao_invalida name", ""},
		{"one of accents only", add(owner, "´"), "requisicao_invalida name", ""},
		{"one too long", add(owner, strings.Repeat("x", crm.NameMax+1)), "requisicao_invalida name", ""},
		{"by one who does not manage", add(common, "Rádio"), "nao_permitido", ""},
		{"by a stranger", add(stranger, "Rádio"), "nao_encontrado org", ""},
		{"another", add(owner, "Rádio"), "", "Feira de Imóveis, Rádio"},
		{"renamed as the other", rename(owner, "Rádio", "feira de imóveis"), "requisicao_invalida name", ""},
		{"renamed", rename(owner, "Rádio", "Rádio Local"), "", "Feira de Imóveis, Rádio Local"},
		{"renamed by a stranger", rename(stranger, "Rádio Local", "x"), "nao_encontrado origin", ""},
		{"none renamed", rename(owner, "Nenhuma", "x"), "nao_encontrado origin", ""},
		{"removed by a stranger", remove(stranger, "Rádio Local"), "nao_encontrado origin", ""},
		{"removed by one who does not manage", remove(common, "Rádio Local"), "nao_permitido", ""},
		{"one with a contact", func() error {
			form := contacts.ContactForm{Name: "Bia", Email: "b@x.example", OriginID: id("Rádio Local")}
			must(s.contacts.Create(ctx, owner, form))
			return s.origins.Remove(ctx, owner, id("Rádio Local"))
		}, "requisicao_invalida name", ""},
		{"one that nothing uses", remove(owner, "Feira de Imóveis"), "", "Rádio Local"},
		{"an id that is none", func() error { return s.origins.Remove(ctx, owner, "x") }, "nao_encontrado origin", ""},
	} {
		equal(t, c.what, said(c.do()), c.said)
		if c.are != "" {
			was = c.are
		}
		var names []string
		for _, o := range must(s.origins.List(ctx, owner, s.orgID)) {
			names = append(names, o.Name)
		}
		equal(t, "origins after "+c.what, strings.Join(names, ", "), was)
	}
}
