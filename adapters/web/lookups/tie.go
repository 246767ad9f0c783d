package lookups

import (
	"cmp"
	"strings"

	"fichario/adapters/web"
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

func (s pages) tieChoose(c *web.Call, f struct {
	Text string `form:"q"`
}) error {
	v, err := s.Sheet.Show(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	p := tiePage{
		View: v, Name: cmp.Or(web.Shorten(web.TitleMax, lookups.Subject(v.Record)), v.Entry.Document.Punctuated(),
			v.Product.Name),
		Text: f.Text, Known: strings.TrimSpace(f.Text) == "",
	}
	search := contacts.ContactSearch{Text: f.Text}
	if p.Known {
		search.Text = v.Entry.Document.Value()
	}
	found, err := s.Contacts.Search(c.Ctx(), c.By, search, "", "", tieProposals)
	if err != nil {
		return err
	}
	p.Contacts = found.Contacts
	return c.Render("vincular", web.Page{Title: "Vincular a um contato", Nav: "consultar", Data: p})
}

func (s pages) tie(c *web.Call, f struct {
	Contact string `form:"contato"`
}) error {
	id := c.PathValue("id")
	if err := s.Sheet.Tie(c.Ctx(), c.By, id, f.Contact); err != nil {
		return err
	}
	return c.Done("/consultas/"+id, "A consulta está na ficha do contato.")
}
