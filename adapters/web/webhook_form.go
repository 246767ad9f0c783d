package web

import (
	"net/http"

	"fichario/app"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/intake"
	"fichario/domain/intake/fields"
	"fichario/domain/webhook"
)

// webhookForm is the form of a new or existing webhook.
type webhookForm struct {
	Form
	ID      string
	Origins []crm.Origin
	// Rotations are those that can distribute its contacts.
	Rotations []app.Choice
}

// webhookFields are the fields of the form.
type webhookFields struct {
	Name   string         `form:"nome" app:"name"`
	Kind   intake.Kind    `form:"tipo" app:"type"`
	Origin string         `form:"origem" app:"origin"`
	Band   fields.Band    `form:"faixas" app:"bands"`
	Scheme webhook.Scheme `form:"assinatura"`
	Secret string         `form:"segredo" app:"secret"`
	// Retype says that a secret was typed, which the form does not repeat.
	Retype bool   `form:"reescrever" app:"-"`
	Thanks string `form:"obrigado" app:"thanksUrl"`
	// Rotation is an id.
	Rotation string `form:"rodizio" app:"rotation"`
}

func (f webhookFields) signature() webhook.Signature {
	return webhook.Signature{Scheme: f.Scheme, Secret: f.Secret}
}

func (s *server) webhookNew(c *call) error {
	origins, err := s.Origins.List(c.ctx(), c.by, c.by.OrgID())
	if err != nil {
		return err
	}
	if err := c.manager(); err != nil {
		return err
	}
	data := webhookForm{Origins: origins, Form: filled(webhookFields{Kind: intake.Generic, Band: fields.BandZero})}
	if data.Rotations, err = s.rotationChoices(c, ""); err != nil {
		return err
	}
	return c.render("webhook-form", page{Title: "Novo webhook", Nav: "webhooks", Data: data})
}

func (s *server) webhookCreate(c *call, f webhookFields) error {
	hook, _, err := s.Webhooks.Create(c.ctx(), c.by, app.NewWebhook{
		OrgID: c.by.OrgID(), Name: f.Name, Options: intake.Options{Kind: f.Kind, Band: f.Band},
		Origin: f.Origin, Signature: f.signature(), ThanksURL: f.Thanks, Rotation: f.Rotation,
	})
	if err != nil {
		return s.webhookFormAgain(c, "", f, err)
	}
	return c.done("/webhooks/"+hook.ID, "Webhook criado. Copie o endereço e cole no seu formulário.")
}

// webhookFormAgain shows the form with what was typed and what is wrong with it.
func (s *server) webhookFormAgain(c *call, id string, f webhookFields, why error) error {
	shown, ok := c.again(&f, why)
	if !ok {
		return why
	}
	if f.Secret != "" {
		shown.Values["reescrever"] = "sim"
	}
	origins, err := s.Origins.List(c.ctx(), c.by, c.by.OrgID())
	if err != nil {
		return err
	}
	title := "Novo webhook"
	if id != "" {
		title = "Editar webhook"
	}
	rotations, err := s.rotationChoices(c, "")
	if err != nil {
		return err
	}
	return c.renderStatus(http.StatusUnprocessableEntity, "webhook-form", page{
		Title: title, Nav: "webhooks", Data: webhookForm{Form: shown, ID: id, Origins: origins, Rotations: rotations},
	})
}

func (s *server) webhookEdit(c *call) error {
	w, err := s.Webhooks.Show(c.ctx(), c.by, c.PathValue("id"))
	if err != nil {
		return err
	}
	origins, err := s.Origins.List(c.ctx(), c.by, c.by.OrgID())
	if err != nil {
		return err
	}
	data := webhookForm{ID: w.ID, Origins: origins, Form: filled(webhookFields{
		Name: w.Name, Kind: w.Kind, Origin: w.Origin, Band: w.Band, Scheme: w.Signature.Scheme, Thanks: w.ThanksURL,
		Rotation: w.RotationID,
	})}
	if data.Rotations, err = s.rotationChoices(c, ""); err != nil {
		return err
	}
	return c.render("webhook-form", page{Title: "Editar " + w.Name, Nav: "webhooks", Data: data})
}

// errNoSecret is for a form with another scheme, or one whose secret was not repeated: the stored secret does not
// count.
var errNoSecret = fault.New(fault.InvalidRequest, "Escreva o segredo desta assinatura. Nada foi guardado.").
	At("segredo")

func (s *server) webhookUpdate(c *call, f webhookFields) error {
	id := c.PathValue("id")
	change := app.Change{Name: &f.Name, Origin: &f.Origin, Kind: &f.Kind, Band: &f.Band, ThanksURL: &f.Thanks,
		Rotation: &f.Rotation}
	w, err := s.Webhooks.Show(c.ctx(), c.by, id)
	if err != nil {
		return err
	}
	same := w.Signature.Scheme == f.Scheme
	switch {
	case f.Secret == "" && f.Scheme != webhook.NoSignature && (!same || f.Retype):
		return s.webhookFormAgain(c, id, f, errNoSecret)
	case f.Secret != "" || !same:
		change.Signature = new(f.signature()) // an empty secret keeps the stored one
		if same {
			change.Signature.Header = w.Signature.Header // the form has no field for it
		}
	}
	if err := s.Webhooks.Update(c.ctx(), c.by, id, change); err != nil {
		return s.webhookFormAgain(c, id, f, err)
	}
	return c.done("/webhooks/"+id, "Webhook guardado. O próximo envio já segue o que mudou.")
}
