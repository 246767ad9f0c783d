package web

import (
	"net/http"

	"fichario/app/lookups"
	"fichario/domain/lookup"
)

// askedPage is a lookup started on a contact's page, shown in place of the button that started it.
type askedPage struct {
	resultPage
	ContactID string
	// Tab is the tab that shows it; documentos then also refreshes its list of lookups.
	Tab string
	// Alert says why it was not started.
	Alert string
	// Page is the contact's page, for that list.
	Page contactPage
}

// Running reports whether the bureau has not answered yet.
func (p askedPage) Running() bool { return p.Entry.Status == lookup.Running }

// foundPage is a document typed on a contact's page, with the products that can look it up.
type foundPage struct {
	searchPage
	Own ownDocument
	// Entered says that Enter sent it, so that the focus moves on.
	Entered bool
}

// contactRecognise answers htmx while a document is typed on a contact's page, or once it is complete.
func (s *server) contactRecognise(c *call, f lookupFields) error {
	f.ContactID = c.PathValue("id")
	p := foundPage{Entered: c.URL.Query().Has("pronto")}
	var err error
	if p.searchPage, err = s.recognise(c, f, !p.Entered); err != nil {
		return err
	}
	if p.Contact, err = s.Lookups.Contact(c.ctx(), c.by, f.ContactID); err != nil {
		return err
	}
	p.Own = ownDocument{
		Document: p.Found.Document, Label: p.Found.Document.Type().Label(), Purpose: p.Purposes.Code,
	}
	for _, choice := range p.Choices {
		p.Own.Products, p.Own.Budget = append(p.Own.Products, choice.ProductChoice), choice.Budget
	}
	return c.renderPart("contato", "found-document", p)
}

// contactAsk starts a lookup about a contact and shows its progress or outcome in place.
func (s *server) contactAsk(c *call, f struct {
	lookupFields
	Tab string `form:"aba"`
}) error {
	p := askedPage{ContactID: c.PathValue("id"), Tab: f.Tab}
	if _, err := s.Lookups.Contact(c.ctx(), c.by, p.ContactID); err != nil {
		return err
	}
	known, err := s.recognise(c, f.lookupFields, false)
	if err != nil {
		return err
	}
	if p.Alert = known.Problem; p.Alert == "" {
		id, _, err := s.startLookup(c, lookups.Request{
			Product: f.Product, Document: known.Found.Document.Value(), ContactID: p.ContactID, Free: f.Free,
			Purpose: known.Purposes.orSaid(f.Purpose),
		})
		if p.Alert = refusal(err); p.Alert == "" && err != nil {
			return err
		}
		if p.Alert == "" {
			return s.asked(c, id, p)
		}
	}
	return c.renderPart("contato", "asked", p)
}

// contactAsked answers htmx with the progress of a lookup that contactAsk started.
func (s *server) contactAsked(c *call, f struct {
	Tab string `form:"aba"`
}) error {
	return s.asked(c, c.PathValue("consulta"), askedPage{ContactID: c.PathValue("id"), Tab: f.Tab})
}

func (s *server) asked(c *call, id string, p askedPage) error {
	v, err := s.Lookups.Show(c.ctx(), c.by, id)
	if err != nil {
		return err
	}
	if !c.script() {
		return c.redirect("/consultas/" + id)
	}
	if p.resultPage = s.resultOf(v); !p.Running() {
		p.Name = shorten(titleMax, lookups.Subject(v.Record))
		if v.Record == nil {
			p.Trouble = s.troubleOf(v)
		}
		if p.Tab == tabDocuments {
			view, err := s.Contacts.View(c.ctx(), c.by, p.ContactID)
			if err != nil {
				return err
			}
			documents, err := s.Contacts.Documents(c.ctx(), c.by, view.ID)
			if err != nil {
				return err
			}
			if p.Page, err = s.contactTab(c, tabDocuments, view, documents); err != nil {
				return err
			}
		}
	}
	return c.write(http.StatusOK, "contato", "asked", p)
}
