package web

import (
	"net/http"
	"slices"

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
func (s *server) following(h handler) handler {
	return func(c *call) error {
		err := h(c)
		if fault.CodeOf(err) != fault.NotFound {
			return err
		}
		gone, survivor, removed := s.Contacts.Removed(c.ctx(), c.by, c.PathValue("id"))
		switch {
		case removed != nil:
			return err
		case survivor != "":
			return c.redirect("/contatos/" + survivor)
		case gone.IntoID == "" && c.by.MayManage() && gone.CanUndo(s.Clock()):
			return c.renderStatus(http.StatusNotFound, "contato-excluido", page{
				Title: "Contato excluído", Nav: "contatos", Read: true,
				Data: removedPage{gone, int(crm.UndoDeletion.Seconds())},
			})
		}
		return fault.New(fault.NotFound, "Este contato foi excluído.").At("contact")
	}
}

func (s *server) contactDelete(c *call) error {
	if err := s.Contacts.Delete(c.ctx(), c.by, c.PathValue("id")); err != nil {
		return err
	}
	return c.redirect("/contatos/" + c.PathValue("id"))
}

func (s *server) contactUndelete(c *call) error {
	if err := s.Contacts.Undelete(c.ctx(), c.by, c.PathValue("id")); err != nil {
		return err
	}
	return c.done("/contatos/"+c.PathValue("id"), "Contato restaurado.")
}

// mergePage is two contacts, and what they would be as one.
type mergePage struct {
	contacts.MergePreview
	Lines []mergeLine
}

// mergeLine is a field of both contacts.
type mergeLine struct{ Label, Into, From, After string }

func (s *server) contactMergePreview(c *call) error {
	p, err := s.Contacts.PreviewMerge(c.ctx(), c.by, c.PathValue("id"), c.PathValue("outro"))
	for _, view := range []crm.ContactView{p.Into, p.From} {
		if err == nil {
			err = s.Contacts.Opened(c.ctx(), c.by, view)
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
		{"Telefone", func(v crm.ContactView) string { return phoneText(v.PhoneE164, v.Phone) }},
		{"Empresa", func(v crm.ContactView) string { return v.Company }},
		{"Documentos", func(v crm.ContactView) string { return documentsText(v.Documents) }},
		{"Valor", func(v crm.ContactView) string { return v.Amount.Reais() }},
		{"Origem", func(v crm.ContactView) string { return v.Origin }},
		{"Etapa", func(v crm.ContactView) string { return v.Stage }},
		{"Responsável", func(v crm.ContactView) string { return v.Assignee.Name }},
		{"Nota", func(v crm.ContactView) string { return shorten(noteShown/4, v.Note) }},
	} {
		l := mergeLine{field.label, field.of(p.Into), field.of(p.From), field.of(p.After)}
		if slices.ContainsFunc([]string{l.Into, l.From, l.After}, func(s string) bool { return s != "" }) {
			data.Lines = append(data.Lines, l)
		}
	}
	return c.render("contato-unir", page{Title: "Unir contatos", Nav: "contatos", Data: data})
}

func (s *server) contactMerge(c *call, f struct {
	Other string `form:"outro"`
}) error {
	id := c.PathValue("id")
	if err := s.Contacts.Merge(c.ctx(), c.by, id, f.Other); err != nil {
		return err
	}
	return c.done("/contatos/"+id, "Contatos unidos. O que foi unido pode ser separado por 30 dias.")
}

func (s *server) contactPart(c *call, f struct {
	Other string `form:"outro"`
}) error {
	if err := s.Contacts.Part(c.ctx(), c.by, c.PathValue("id"), f.Other); err != nil {
		return err
	}
	return c.done("/contatos/"+f.Other, "Contatos separados.")
}
