package contacts

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"fichario/adapters/web"
	"fichario/app/contacts"
	"fichario/app/lookups"
	"fichario/domain/document"
)

// contactForm is the form of a new or existing contact.
type contactForm struct {
	web.Form
	contacts.Choices
	ID, Name string
	// Lookup is the lookup whose answer fills a new contact, if any.
	Lookup string
}

// BesideField is whether what is wrong stands beside a field, which then has the focus instead of the message above.
func (f contactForm) BesideField() bool {
	return slices.Contains([]string{"nome", "email", "telefone", "empresa", "documentos", "valor", "nota"}, f.Field)
}

// contactFields are the fields of the form. The use case parses the amount, because an unedited one must stay exactly
// as it was.
type contactFields struct {
	Name    string `form:"nome" app:"name"`
	Email   string `form:"email"`
	Phone   string `form:"telefone" app:"phone"`
	Company string `form:"empresa" app:"company"`
	// Documents are separated by commas.
	Documents string `form:"documentos" app:"documents"`

	Amount  string      `form:"valor" app:"amount"`
	Origin  string      `form:"origem" app:"origin"`
	Stage   string      `form:"etapa" app:"stage"`
	Note    web.AsTyped `form:"nota" app:"note"`
	Version string      `form:"versao" app:"version"`
	Lookup  string      `form:"consulta"`
}

func (f contactFields) contact() contacts.ContactForm {
	return contacts.ContactForm{
		Name: f.Name, Email: f.Email, Phone: f.Phone, Company: f.Company, Documents: f.Documents, Amount: f.Amount,
		Note: string(f.Note), OriginID: f.Origin, StageID: f.Stage, Version: f.Version,
	}
}

func (s pages) contactNew(c *web.Call, f struct {
	Stage  string `form:"etapa"`
	Lookup string `form:"consulta"`
}) error {
	choices, err := s.Contacts.Choices(c.Ctx(), c.By)
	if err != nil {
		return err
	}
	data := contactForm{Choices: choices, Form: web.Filled(f)}
	if s.LookupEnabled && f.Lookup != "" {
		v, err := s.Lookups.Sheet.Show(c.Ctx(), c.By, f.Lookup)
		if err == nil {
			err = s.Lookups.Sheet.Opened(c.Ctx(), c.By, v) // the form shows what the sheet shows
		}
		if err != nil {
			return err
		}
		fields := s.contactOf(v)
		fields.Stage = f.Stage
		data.Form, data.Lookup = web.Filled(fields), f.Lookup
	}
	return c.Render("contato-form", web.Page{Title: "Novo contato", Nav: "contatos", Data: data})
}

// contactOf fills a contact's form from an answer, and notes its source.
func (s pages) contactOf(v lookups.View) contactFields {
	f := contactFields{
		Documents: documentsText([]document.Document{v.Entry.Document}),
		Note:      web.AsTyped("Da ficha “" + v.Product.Name + "” consultada em " + s.Date(v.Entry.At) + "."),
	}
	if v.Record == nil {
		return f
	}
	var answer struct {
		Nome, RazaoSocial, NomeFantasia string
		Emails                          []string
		Telefones                       []struct{ DDD, Numero string }
	}
	_ = json.Unmarshal(v.Record.Fields, &answer) // fields of another type are left for people to fill in
	f.Name = cmp.Or(answer.Nome, answer.RazaoSocial)
	if v.Entry.Document.Type() == document.CNPJ {
		f.Company = cmp.Or(answer.NomeFantasia, f.Name)
	}
	if v.Entry.Document.Type() == document.Email {
		f.Email, f.Documents = v.Entry.Document.Value(), ""
	}
	if len(answer.Emails) > 0 {
		f.Email = answer.Emails[0]
	}
	if len(answer.Telefones) > 0 {
		f.Phone = answer.Telefones[0].DDD + answer.Telefones[0].Numero
	}
	if v.Entry.Document.Type() == document.Plate {
		f.Documents = ""
	}
	return f
}

func (s pages) contactCreate(c *web.Call, f contactFields) error {
	form := f.contact()
	if s.LookupEnabled {
		form.LookupID = f.Lookup
	}
	made, err := s.Contacts.Create(c.Ctx(), c.By, form)
	if err != nil {
		return s.contactFormAgain(c, "", "", f, err)
	}
	return c.Done("/contatos/"+made.ID, "Contato criado.")
}

// contactFormAgain shows the form with what was typed and what is wrong with it.
func (s pages) contactFormAgain(c *web.Call, id, name string, f contactFields, why error) error {
	shown, ok := c.Again(&f, why)
	if !ok {
		return why
	}
	choices, err := s.Contacts.Choices(c.Ctx(), c.By)
	if err != nil {
		return err
	}
	data := contactForm{Form: shown, Choices: choices, ID: id, Name: name, Lookup: f.Lookup}
	title := "Novo contato"
	if id != "" {
		title = "Editar " + web.Shorten(web.TitleMax, name)
	}
	if shown.Field == "versao" {
		// The form now applies to the changed contact; sending it again overwrites that change.
		view, err := s.Contacts.View(c.Ctx(), c.By, id)
		if err != nil {
			return err
		}
		data.Version = view.Version()
	}
	return c.RenderStatus(http.StatusUnprocessableEntity, "contato-form",
		web.Page{Title: title, Nav: "contatos", Data: data})
}

func (s pages) contactEdit(c *web.Call) error {
	view, err := s.Contacts.View(c.Ctx(), c.By, c.PathValue("id"))
	if err == nil {
		err = s.Contacts.Opened(c.Ctx(), c.By, view)
	}
	if err != nil {
		return err
	}
	choices, err := s.Contacts.Choices(c.Ctx(), c.By)
	if err != nil {
		return err
	}
	shown := web.Filled(contactFields{
		Name: view.Name, Email: view.Email, Phone: view.Phone, Company: view.Company,
		Documents: documentsText(view.Documents), Amount: view.AmountText(), Origin: view.OriginID,
		Note: web.AsTyped(view.Note),
	})
	shown.Version = view.Version()
	return c.Render("contato-form",
		web.Page{Title: "Editar " + web.Shorten(web.TitleMax, view.Name), Nav: "contatos", Data: contactForm{
			ID: view.ID, Name: view.Name, Choices: choices, Form: shown,
		}})
}

func (s pages) contactUpdate(c *web.Call, f contactFields) error {
	view, err := s.Contacts.View(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	if err := s.Contacts.Edit(c.Ctx(), c.By, view.ID, f.contact()); err != nil {
		return s.contactFormAgain(c, view.ID, view.Name, f, err)
	}
	return c.Done("/contatos/"+view.ID, "Contato guardado.")
}

// documentsText writes documents as the form shows them.
func documentsText(all []document.Document) string {
	written := make([]string, len(all))
	for i, d := range all {
		written[i] = d.Punctuated()
	}
	return strings.Join(written, ", ")
}
