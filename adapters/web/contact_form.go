package web

import (
	"net/http"

	"fichario/app"
)

// contactForm is the form of a new or changed contact.
type contactForm struct {
	Form
	app.Choices
	ID, Name, Version string
}

var contactFields = []string{"nome", "email", "telefone", "empresa", "valor", "origem", "etapa", "nota", "versao"}

func (c *call) contactForm() app.ContactForm {
	return app.ContactForm{
		Name: c.PostFormValue("nome"), Email: c.PostFormValue("email"), Phone: c.PostFormValue("telefone"),
		Company: c.PostFormValue("empresa"), Amount: c.PostFormValue("valor"), Note: c.PostFormValue("nota"),
		OriginID: c.text("origem"), StageID: c.text("etapa"), Version: c.text("versao"),
	}
}

func (s *server) contactNew(c *call) error {
	choices, err := s.Contacts.Choices(c.ctx(), c.by)
	if err != nil {
		return err
	}
	return c.render("contato-form", page{
		Title: "Novo contato", Nav: "contatos",
		Data: contactForm{Choices: choices, Form: Form{Values: map[string]string{"etapa": c.text("etapa")}}},
	})
}

func (s *server) contactCreate(c *call) error {
	made, err := s.Contacts.Create(c.ctx(), c.by, c.contactForm())
	if err != nil {
		return s.contactFormAgain(c, "", "", err)
	}
	return c.done("/contatos/"+made.ID, "Contato criado.")
}

// contactFormAgain shows the form with what was typed and what is wrong with it.
func (s *server) contactFormAgain(c *call, id, name string, why error) error {
	if !app.IsRefusal(why) {
		return why
	}
	f, ok := c.formOf(why, contactFields...)
	if !ok {
		return why
	}
	f.Field = map[string]string{
		"name": "nome", "email": "email", "phone": "telefone", "company": "empresa", "amount": "valor", "note": "nota",
		"version": "versao",
	}[f.Field]
	choices, err := s.Contacts.Choices(c.ctx(), c.by)
	if err != nil {
		return err
	}
	data := contactForm{Form: f, Choices: choices, ID: id, Name: name, Version: f.Values["versao"]}
	title := "Novo contato"
	if id != "" {
		title = "Editar contato"
	}
	if f.Field == "versao" {
		// The form is now about what the contact has become; sending it again keeps it.
		view, err := s.Contacts.View(c.ctx(), c.by, id)
		if err != nil {
			return err
		}
		data.Version = view.Version()
	}
	return c.renderStatus(http.StatusUnprocessableEntity, "contato-form", page{Title: title, Nav: "contatos", Data: data})
}

func (s *server) contactEdit(c *call) error {
	view, err := s.Contacts.View(c.ctx(), c.by, c.PathValue("id"))
	if err != nil {
		return err
	}
	choices, err := s.Contacts.Choices(c.ctx(), c.by)
	if err != nil {
		return err
	}
	return c.render("contato-form", page{Title: "Editar contato", Nav: "contatos", Data: contactForm{
		ID: view.ID, Name: view.Name, Version: view.Version(), Choices: choices, Form: Form{Values: map[string]string{
			"nome": view.Name, "email": view.Email, "telefone": view.Phone, "empresa": view.Company, "valor": view.AmountText(),
			"origem": view.OriginID, "nota": view.Note,
		}},
	}})
}

func (s *server) contactUpdate(c *call) error {
	view, err := s.Contacts.View(c.ctx(), c.by, c.PathValue("id"))
	if err != nil {
		return err
	}
	if err := s.Contacts.Edit(c.ctx(), c.by, view.ID, c.contactForm()); err != nil {
		return s.contactFormAgain(c, view.ID, view.Name, err)
	}
	return c.done("/contatos/"+view.ID, "Contato guardado.")
}
