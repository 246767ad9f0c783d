package contacts

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"fichario/adapters/web"
	"fichario/app/contacts"
	"fichario/app/lookups"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
)

// contactPage is one tab of a contact's page.
type contactPage struct {
	contactLine
	// Tab is the tab's part of the address: "", "documentos", "historico".
	Tab string
	// Mail, Tel and WhatsApp are targets of links; empty where a link would be unsafe or useless.
	Mail, Tel, WhatsApp string
	NoteCut             bool
	NoteShown           string
	Choices             contacts.Choices
	History             []happening
	Older               int
	// Purposes are those that a lookup may be for.
	Purposes web.Purposes
	// Own are the contact's documents, Documents the lookups about it.
	Own           []ownDocument
	Documents     []documentLine
	DocumentCount int
	Paid          string
	Products      []lookups.Offer
	Form          web.Form
	// Alike are contacts that may be the same person, the likeliest first.
	Alike []contacts.AlikeContact
	// Merges are contacts merged into this one that can be split off again.
	Merges []crm.Removal
	// Consents are the newest of each field.
	Consents []crm.Consent
}

// Came and Codes are the contact's attribution: what people understand, and what only platforms do.
func (p contactPage) Came() []crm.Attribute {
	return slices.DeleteFunc(slices.Clone(p.Attribution), crm.Attribute.Code)
}

// Codes is described with Came.
func (p contactPage) Codes() []crm.Attribute {
	return slices.DeleteFunc(slices.Clone(p.Attribution), func(a crm.Attribute) bool { return !a.Code() })
}

// MoreAlike is how many of Alike are folded below the first.
func (p contactPage) MoreAlike() int { return len(p.Alike) - 1 }

// happening is an entry of a contact's history.
type happening struct {
	contacts.Happening
	Document *documentLine
}

// ownDocument is a document of the contact, with the products that can look it up.
type ownDocument struct {
	document.Document
	Label    string
	Products []lookups.ProductChoice
	// Budget is the asker's budget this month; nil where there is none.
	Budget *lookups.Budget
	// Purpose is the code of the lookup's purpose.
	Purpose string
}

// documentLine is a lookup about a contact.
type documentLine struct {
	contacts.ContactDocument
	Product string
	// For is the name of its purpose; empty where the organisation had no purposes.
	For string
	// Days is the age of the answer, Left for how many more days it is free; zero when expired.
	Days, Left int
	Expired    bool
	Answered   bool
}

// plainMail is an address that needs no escaping in a link.
var plainMail = regexp.MustCompile(`^[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+$`)

const (
	// noteShown is how much of a note a page shows at first, in characters.
	noteShown = 4000
	// historyShown is how many entries of a history a page shows.
	historyShown = 150
	lastShown    = 5
	// tabDocuments is the documents tab's part of the address.
	tabDocuments = "documentos"
)

func (s pages) contactTab(
	c *web.Call, tab string, view crm.ContactView, documents []contacts.ContactDocument,
) (contactPage, error) {
	data := contactPage{
		contactLine: contactLineOf(view), Tab: tab, NoteShown: ownWords(view.Contact),
	}
	if plainMail.MatchString(view.Email) {
		data.Mail = view.Email
	}
	if view.PhoneE164 != "" {
		data.Tel, data.WhatsApp = view.PhoneE164, web.WhatsApp(view.PhoneE164)
	}
	if len([]rune(data.NoteShown)) > noteShown {
		data.NoteShown, data.NoteCut = web.Shorten(noteShown, data.NoteShown), true
	}
	if err := s.ownDocuments(c, &data); err != nil {
		return data, err
	}
	data.DocumentCount = len(documents)
	products := map[string]string{}
	for _, offer := range s.Lookups.Terms.Offers(c.By) {
		products[offer.Product.ID] = offer.Product.Name
		if s.LookupEnabled && (offer.Product.Takes(document.CPF) || offer.Product.Takes(document.CNPJ)) {
			data.Products = append(data.Products, offer)
		}
	}
	names, err := s.PurposeNames(c)
	if err != nil {
		return data, err
	}
	paid := lookup.Spent{}
	for _, d := range documents {
		paid.Amount += d.Cost()
		line := s.documentLine(d, products)
		line.For = names[d.Purpose]
		data.Documents = append(data.Documents, line)
	}
	data.Paid = paid.Amount.Reais()
	return data, nil
}

// ownWords are a contact's note without the lines that the page shows as its attribution.
func ownWords(c crm.Contact) string {
	return strings.Join(slices.DeleteFunc(strings.Split(c.Note, "\n"), func(line string) bool {
		key, value, _ := strings.Cut(line, ": ")
		return slices.Contains(c.Attribution, crm.Attribute{Key: key, Value: value})
	}), "\n")
}

// ownDocuments adds the contact's documents to a page.
func (s pages) ownDocuments(c *web.Call, data *contactPage) error {
	if s.LookupEnabled && data.Tab != "historico" {
		var err error
		if data.Purposes, err = s.PurposesOf(c, ""); err != nil {
			return err
		}
	}
	for _, d := range data.Contact.Documents {
		own := ownDocument{Document: d, Label: d.Type().Label(), Purpose: data.Purposes.Code}
		if data.Tab != "historico" && s.LookupEnabled {
			var err error
			if own.Products, err = s.Lookups.Sheet.Choices(c.Ctx(), c.By, d, own.Purpose, nil); err != nil {
				return err
			}
			if own.Budget, err = s.Lookups.Statement.Budget(c.Ctx(), c.By); err != nil {
				return err
			}
		}
		data.Own = append(data.Own, own)
	}
	return nil
}

func (s pages) documentLine(d contacts.ContactDocument, products map[string]string) documentLine {
	l := documentLine{ContactDocument: d, Product: products[d.Product], Answered: !d.AnsweredAt.IsZero()}
	if l.Product == "" {
		l.Product = d.Product
	}
	age, fresh := s.Clock().Sub(d.AnsweredAt), s.Lookups.Terms.Fresh
	l.Days, l.Expired = int(age/(24*time.Hour)), age >= fresh
	l.Left = int(fresh / (24 * time.Hour))
	if l.Expired {
		l.Left = int((age - fresh) / (24 * time.Hour))
	}
	return l
}

// tabTitle is the title of a tab in the browser.
func tabTitle(name, tab string) string {
	if tab == "" {
		return web.Shorten(80, name)
	}
	return web.Shorten(80, name) + ", " + map[string]string{"documentos": "documentos", "historico": "histórico"}[tab]
}

// contactShow is the first tab; or, for script, what of it a list shows beside itself.
func (s pages) contactShow(c *web.Call, f struct {
	Note string `form:"nota"`
	Part string `form:"parte"`
}) error {
	if f.Part == "gaveta" {
		data, err := s.summaryOf(c, web.Form{}, false)
		if err != nil {
			return err
		}
		return c.RenderPart("contato", "drawer", web.Page{Data: data, Manager: c.By.MayManage()})
	}
	return s.contactSummary(c, http.StatusOK, web.Form{}, f.Note == "inteira")
}

// contactSummary is the first tab, with a form that is shown again, if any.
func (s pages) contactSummary(c *web.Call, status int, shown web.Form, wholeNote bool) error {
	data, err := s.summaryOf(c, shown, wholeNote)
	if err != nil {
		return err
	}
	return c.RenderStatus(status, "contato", web.Page{Title: tabTitle(data.Name, ""), Nav: "contatos", Data: data})
}

func (s pages) summaryOf(c *web.Call, shown web.Form, wholeNote bool) (data contactPage, err error) {
	view, history, err := s.Contacts.History(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return data, err
	}
	data, err = s.contactTab(c, "", view, documentsIn(history))
	if err == nil {
		err = s.Contacts.Opened(c.Ctx(), c.By, view) // a refused form shows it too
	}
	if err != nil {
		return data, err
	}
	if data.Form = shown; wholeNote {
		data.NoteShown, data.NoteCut = ownWords(view.Contact), false
	}
	if data.Choices, err = s.Contacts.Choices(c.Ctx(), c.By); err != nil {
		return data, err
	}
	if data.Alike, err = s.Contacts.Alike(c.Ctx(), c.By, view.ID); err != nil {
		return data, err
	}
	// Who shares more is likelier the same; among equals, who came last.
	slices.SortStableFunc(data.Alike, func(a, b contacts.AlikeContact) int { return len(b.By) - len(a.By) })
	if data.Merges, err = s.Contacts.Merges(c.Ctx(), c.By, view.ID); err != nil {
		return data, err
	}
	if data.Consents, err = s.Contacts.Consents(c.Ctx(), c.By, view.ID); err != nil {
		return data, err
	}
	data.History = s.happenings(c, history[:min(len(history), lastShown)])
	data.Older = len(history) - len(data.History)
	return data, nil
}

func (s pages) contactDocuments(c *web.Call) error {
	view, err := s.Contacts.View(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	documents, err := s.Contacts.Documents(c.Ctx(), c.By, view.ID)
	if err != nil {
		return err
	}
	data, err := s.contactTab(c, tabDocuments, view, documents)
	if err == nil {
		err = s.Contacts.Opened(c.Ctx(), c.By, view)
	}
	if err != nil {
		return err
	}
	return c.Render("contato", web.Page{Title: tabTitle(view.Name, data.Tab), Nav: "contatos", Data: data})
}

func (s pages) contactHistory(c *web.Call) error {
	view, history, err := s.Contacts.History(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	data, err := s.contactTab(c, "historico", view, documentsIn(history))
	if err == nil {
		err = s.Contacts.Opened(c.Ctx(), c.By, view)
	}
	if err != nil {
		return err
	}
	data.History = s.happenings(c, history[:min(len(history), historyShown)])
	data.Older = len(history) - len(data.History)
	return c.Render("contato", web.Page{Title: tabTitle(view.Name, data.Tab), Nav: "contatos", Data: data})
}

// documentsIn returns the lookups in a history.
func documentsIn(history []contacts.Happening) (all []contacts.ContactDocument) {
	for _, h := range history {
		if h.Document != nil {
			all = append(all, *h.Document)
		}
	}
	return all
}

func (s pages) happenings(c *web.Call, all []contacts.Happening) []happening {
	products := map[string]string{}
	for _, offer := range s.Lookups.Terms.Offers(c.By) {
		products[offer.Product.ID] = offer.Product.Name
	}
	out := make([]happening, len(all))
	for i, h := range all {
		out[i].Happening = h
		if h.Document != nil {
			line := s.documentLine(*h.Document, products)
			out[i].Document = &line
		}
		if h.Event != nil && h.Event.Kind == crm.NoteAdded {
			e := *h.Event
			e.Subject = web.Shorten(noteShown/4, e.Subject)
			out[i].Event = &e
		}
	}
	return out
}

func (s pages) contactNote(c *web.Call, f struct {
	Text web.AsTyped `form:"texto" app:"note"`
}) error {
	err := s.Contacts.Note(c.Ctx(), c.By, c.PathValue("id"), string(f.Text))
	return s.contactChanged(c, &f, err, "Nota acrescentada.")
}

func (s pages) contactConsent(c *web.Call, f struct {
	Field string `form:"campo" app:"field"`
	Given bool   `form:"dado"`
}) error {
	err := s.Contacts.Consent(c.Ctx(), c.By, c.PathValue("id"), f.Field, f.Given)
	if f.Given {
		return s.contactChanged(c, &f, err, "Consentimento registrado.")
	}
	return s.contactChanged(c, &f, err, "Consentimento retirado. Nada mais é contado a plataformas por ele.")
}

func (s pages) contactAssign(c *web.Call, f struct {
	Member string `form:"resp" app:"member"`
}) error {
	id := c.PathValue("id")
	before, err := s.Contacts.View(c.Ctx(), c.By, id)
	if err != nil {
		return err
	}
	err = s.Contacts.Assign(c.Ctx(), c.By, id, f.Member)
	if err == nil && before.Assignee.Active && before.AssigneeID != f.Member {
		return c.DoneWithUndo("/contatos/"+id, "Responsável guardado.", web.Undo{Action: c.URL.Path, Name: "resp", Value: before.AssigneeID})
	}
	return s.contactChanged(c, &f, err, "Responsável guardado.")
}

// contactChanged answers a form of the first tab: with a notice, or with the form and its fault.
func (s pages) contactChanged(c *web.Call, f any, err error, notice string) error {
	if err == nil {
		return c.Done("/contatos/"+c.PathValue("id"), notice)
	}
	if shown, ok := c.Again(f, err); ok {
		return s.contactSummary(c, http.StatusUnprocessableEntity, shown, false)
	}
	return err
}

func (s pages) contactMove(c *web.Call, f struct {
	Stage string `form:"etapa"`
}) error {
	id := c.PathValue("id")
	before, err := s.Contacts.View(c.Ctx(), c.By, id)
	if err != nil {
		return err
	}
	stage, err := s.Contacts.Move(c.Ctx(), c.By, id, f.Stage)
	if err != nil {
		return err
	}
	notice := "Movido para " + stage.Name + "."
	if before.StageID == stage.ID {
		notice = "Já estava em " + stage.Name + "."
	}
	if c.Script() {
		c.Writer.WriteHeader(http.StatusNoContent) // the board reloads itself
		return nil
	}
	target := c.CameFrom("/contatos/" + id)
	if before.StageID != stage.ID {
		return c.DoneWithUndo(target, notice, web.Undo{Action: c.URL.Path, Name: "etapa", Value: before.StageID})
	}
	return c.Done(target, notice)
}
