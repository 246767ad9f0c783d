package web

import (
	"cmp"
	"strings"

	"fichario/app/contacts"
	"fichario/app/lookups"
	"fichario/domain/crm"
)

// tieProposals is how many contacts are offered for a lookup.
const tieProposals = 12

// tiePage offers contacts to link a lookup to.
type tiePage struct {
	lookups.View
	Name     string
	Text     string
	Contacts []crm.ContactView
	// Known says that Contacts are those that have the document, because no search was made.
	Known bool
}

func (s *server) tieChoose(c *call, f struct {
	Text string `form:"q"`
}) error {
	v, err := s.Lookups.Show(c.ctx(), c.by, c.PathValue("id"))
	if err != nil {
		return err
	}
	p := tiePage{
		View: v, Name: cmp.Or(shorten(titleMax, lookups.Subject(v.Record)), v.Entry.Document.Punctuated(),
			v.Product.Name),
		Text: f.Text, Known: strings.TrimSpace(f.Text) == "",
	}
	search := contacts.ContactSearch{Text: f.Text}
	if p.Known {
		search.Text = v.Entry.Document.Value()
	}
	found, err := s.Contacts.Search(c.ctx(), c.by, search, "", "", tieProposals)
	if err != nil {
		return err
	}
	p.Contacts = found.Contacts
	return c.render("vincular", page{Title: "Vincular a um contato", Nav: "consultar", Data: p})
}

func (s *server) tie(c *call, f struct {
	Contact string `form:"contato"`
}) error {
	id := c.PathValue("id")
	if err := s.Lookups.Tie(c.ctx(), c.by, id, f.Contact); err != nil {
		return err
	}
	return c.done("/consultas/"+id, "A consulta está na ficha do contato.")
}
