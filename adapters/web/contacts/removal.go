package contacts

import (
	"net/http"
	"slices"

	"fichario/adapters/web"
	"fichario/app/contacts"
	"fichario/domain/crm"
	"fichario/domain/fault"
)

// removedPage replaces the page of a deleted contact.
type removedPage struct {
	crm.Removal
	Seconds int
}

// following redirects from a merged contact's page to the contact that it is now part of.
func (s pages) following(h web.Handler) web.Handler {
	return func(c *web.Call) error {
		err := h(c)
		if fault.CodeOf(err) != fault.NotFound {
			return err
		}
		gone, survivor, removed := s.Contacts.Removed(c.Ctx(), c.By, c.PathValue("id"))
		switch {
		case removed != nil:
			return err
		case survivor != "":
			return c.Redirect("/contatos/" + survivor)
		case gone.IntoID == "" && c.By.MayManage() && gone.CanUndo(s.Clock()):
			return c.RenderStatus(http.StatusNotFound, "contato-excluido", web.Page{
				Title: "Contato excluído", Nav: "contatos", Read: true,
				Data: removedPage{gone, int(crm.UndoDeletion.Seconds())},
			})
		}
		return fault.New(fault.NotFound, "Este contato foi excluído.").At("contact")
	}
}

func (s pages) contactDelete(c *web.Call) error {
	if err := s.Contacts.Delete(c.Ctx(), c.By, c.PathValue("id")); err != nil {
		return err
	}
	return c.Redirect("/contatos/" + c.PathValue("id"))
}

func (s pages) contactUndelete(c *web.Call) error {
	if err := s.Contacts.Undelete(c.Ctx(), c.By, c.PathValue("id")); err != nil {
		return err
	}
	return c.Done("/contatos/"+c.PathValue("id"), "Contato restaurado.")
}

// mergePage is two contacts, and what they would be as one.
type mergePage struct {
	contacts.MergePreview
	Lines []mergeLine
}

// mergeLine is a field of both contacts.
type mergeLine struct{ Label, Into, From, After string }

// contactCompare leads to the comparison with the contact that came before, which the list does not name in every row.
func (s pages) contactCompare(c *web.Call) error {
	view, err := s.Contacts.View(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	doubles, err := s.Contacts.Doubles(c.Ctx(), c.By, []string{view.ID})
	if err != nil {
		return err
	}
	if older := doubles[view.ID]; older != "" {
		return c.Redirect("/contatos/" + older + "/unir/" + view.ID)
	}
	return c.Redirect("/contatos/" + view.ID)
}

func (s pages) contactMergePreview(c *web.Call) error {
	p, err := s.Contacts.PreviewMerge(c.Ctx(), c.By, c.PathValue("id"), c.PathValue("outro"))
	for _, view := range []crm.ContactView{p.Into, p.From} {
		if err == nil {
			err = s.Contacts.Opened(c.Ctx(), c.By, view)
		}
	}
	if err != nil {
		return err
	}
	data := mergePage{MergePreview: p}
	for _, field := range []struct {
		label string
		of    func(crm.ContactView) string
	}{
		{"Nome", func(v crm.ContactView) string { return v.Name }},
		{"E-mail", func(v crm.ContactView) string { return v.Email }},
		{"Telefone", func(v crm.ContactView) string { return web.PhoneText(v.PhoneE164, v.Phone) }},
		{"Empresa", func(v crm.ContactView) string { return v.Company }},
		{"Documentos", func(v crm.ContactView) string { return documentsText(v.Documents) }},
		{"Valor", func(v crm.ContactView) string { return v.Amount.Reais() }},
		{"Origem", func(v crm.ContactView) string { return v.Origin }},
		{"Etapa", func(v crm.ContactView) string { return v.Stage }},
		{"Responsável", func(v crm.ContactView) string { return v.Assignee.Name }},
		{"Nota", func(v crm.ContactView) string { return web.Shorten(noteShown/4, v.Note) }},
	} {
		l := mergeLine{field.label, field.of(p.Into), field.of(p.From), field.of(p.After)}
		if slices.ContainsFunc([]string{l.Into, l.From, l.After}, func(s string) bool { return s != "" }) {
			data.Lines = append(data.Lines, l)
		}
	}
	return c.Render("contato-unir", web.Page{Title: "Unir contatos", Nav: "contatos", Data: data})
}

func (s pages) contactMerge(c *web.Call, f struct {
	Other string `form:"outro"`
}) error {
	id := c.PathValue("id")
	if err := s.Contacts.Merge(c.Ctx(), c.By, id, f.Other); err != nil {
		return err
	}
	return c.Done("/contatos/"+id, "Contatos unidos. O que foi unido pode ser separado por 30 dias.")
}

func (s pages) contactPart(c *web.Call, f struct {
	Other string `form:"outro"`
}) error {
	if err := s.Contacts.Part(c.Ctx(), c.By, c.PathValue("id"), f.Other); err != nil {
		return err
	}
	return c.Done("/contatos/"+f.Other, "Contatos separados. Este é o que estava unido ao outro.")
}
