package contacts

import (
	"net/http"

	"fichario/adapters/web"
	lookuppages "fichario/adapters/web/lookups"
	"fichario/app/lookups"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
)

// askedPage is a lookup started on a contact's page, shown in place of the button that started it.
type askedPage struct {
	lookuppages.ResultPage
	ContactID string
	// Tab is the tab that shows it; documentos then also refreshes its list of lookups.
	Tab string
	// Alert says why it was not started.
	Alert string
	// Page is the contact's page, for that list.
	Page contactPage
	// Paid is what it cost the member.
	Paid catalog.Money
}

// Running reports whether the bureau has not answered yet.
func (p askedPage) Running() bool { return p.Entry.Status == lookup.Running }

// foundPage is a document typed on a contact's page, with the products that can look it up.
type foundPage struct {
	lookuppages.SearchPage
	Own ownDocument
	// Entered says that Enter sent it, so that the focus moves on.
	Entered bool
}

// contactRecognise answers htmx while a document is typed on a contact's page, or once it is complete.
func (s pages) contactRecognise(c *web.Call, f lookuppages.LookupFields) error {
	f.ContactID = c.PathValue("id")
	p := foundPage{Entered: c.URL.Query().Has("pronto")}
	var err error
	if p.SearchPage, err = s.Lookups.Asking(s.Server).Recognise(c, f, !p.Entered); err != nil {
		return err
	}
	if p.Contact, err = s.Lookups.Sheet.Contact(c.Ctx(), c.By, f.ContactID); err != nil {
		return err
	}
	p.Own = ownDocument{
		Document: p.Found.Document, Label: p.Found.Document.Type().Label(), Purpose: p.Purposes.Code,
	}
	for _, choice := range p.Choices {
		p.Own.Products, p.Own.Budget = append(p.Own.Products, choice.ProductChoice), choice.Budget
	}
	return c.RenderPart("contato", "found-document", p)
}

// contactAsk starts a lookup about a contact and shows its progress or outcome in place.
func (s pages) contactAsk(c *web.Call, f struct {
	lookuppages.LookupFields
	Tab string `form:"aba"`
}) error {
	p := askedPage{ContactID: c.PathValue("id"), Tab: f.Tab}
	if _, err := s.Lookups.Sheet.Contact(c.Ctx(), c.By, p.ContactID); err != nil {
		return err
	}
	typed, err := s.Lookups.Asking(s.Server).Recognise(c, f.LookupFields, false)
	if err != nil {
		return err
	}
	if p.Alert = typed.Problem; p.Alert == "" {
		id, _, err := s.Lookups.Asking(s.Server).StartLookup(c, lookups.Request{
			Product: f.Product, Document: typed.Found.Document.Value(), ContactID: p.ContactID, Free: f.Free,
			Purpose: typed.Purposes.OrSaid(f.Purpose),
		})
		if p.Alert = lookuppages.Refusal(err); p.Alert == "" && err != nil {
			return err
		}
		if p.Alert == "" {
			return s.asked(c, id, p)
		}
	}
	return c.RenderPart("contato", "asked", p)
}

// contactAsked answers htmx with the progress of a lookup that contactAsk started.
func (s pages) contactAsked(c *web.Call, f struct {
	Tab string `form:"aba"`
}) error {
	return s.asked(c, c.PathValue("consulta"), askedPage{ContactID: c.PathValue("id"), Tab: f.Tab})
}

func (s pages) asked(c *web.Call, id string, p askedPage) error {
	v, err := s.Lookups.Sheet.Show(c.Ctx(), c.By, id)
	if err != nil {
		return err
	}
	if !c.Script() {
		return c.Redirect("/consultas/" + id)
	}
	if p.ResultPage = s.Lookups.Asking(s.Server).ResultOf(v); !p.Running() {
		p.Name, p.Paid = web.Shorten(web.TitleMax, lookups.Subject(v.Record)), v.PaidBy(c.By)
		if v.Record == nil {
			p.Trouble = s.Lookups.Asking(s.Server).TroubleOf(v)
		}
		if p.Tab == tabDocuments {
			view, err := s.Contacts.View(c.Ctx(), c.By, p.ContactID)
			if err != nil {
				return err
			}
			documents, err := s.Contacts.Documents(c.Ctx(), c.By, view.ID)
			if err != nil {
				return err
			}
			p.Page, err = s.contactTab(c, tabDocuments, view, documents)
			if err == nil {
				err = s.Contacts.Opened(c.Ctx(), c.By, view) // any lookup brings the list of any contact's
			}
			if err != nil {
				return err
			}
		}
	}
	return c.Write(http.StatusOK, "contato", "asked", p)
}
