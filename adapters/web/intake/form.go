package intake

import (
	"net/http"

	"fichario/adapters/web"
	"fichario/app/contacts"
	intakeapp "fichario/app/intake"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/intake"
	"fichario/domain/intake/fields"
	"fichario/domain/webhook"
)

// webhookForm is the form of a new or existing webhook.
type webhookForm struct {
	web.Form
	// ID and Name are those of a webhook being edited; empty for a new one.
	ID, Name string
	Origins  []crm.Origin
	// Rotations are those that can distribute its contacts.
	Rotations []contacts.Choice
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
	EmailKey string `form:"campo" app:"emailKey"`
	// Verify is Meta's verify token; empty leaves that of an existing webhook. The form hides it for other types.
	Verify string `form:"verificacao" app:"verifyToken"`
}

// signature is how senders sign; a platform does with the secret of its app.
func (f webhookFields) signature() webhook.Signature {
	if f.Kind.Fetched() {
		return webhook.OfPlatform(f.Kind, f.Secret)
	}
	return webhook.Signature{Scheme: f.Scheme, Secret: f.Secret}
}

func (s pages) webhookNew(c *web.Call) error {
	origins, err := s.Origins.List(c.Ctx(), c.By, c.By.OrgID())
	if err != nil {
		return err
	}
	if err := c.Manager(); err != nil {
		return err
	}
	data := webhookForm{Origins: origins, Form: web.Filled(webhookFields{Kind: intake.Generic, Band: fields.BandZero})}
	if data.Rotations, err = web.RotationChoices(c, s.Rotations, ""); err != nil {
		return err
	}
	return c.Render("webhook-form", web.Page{Title: "Novo webhook", Nav: "webhooks", Data: data})
}

// ofType is the form without what it hides for its type.
func (f webhookFields) ofType() webhookFields {
	if f.Kind.Fetched() {
		f.Thanks = ""
	}
	if f.Kind != intake.Meta {
		f.Verify = ""
	}
	return f
}

func (s pages) webhookCreate(c *web.Call, f webhookFields) error {
	f = f.ofType()
	hook, _, err := s.Webhooks.Create(c.Ctx(), c.By, intakeapp.NewWebhook{
		OrgID: c.By.OrgID(), Name: f.Name, Options: intake.Options{Kind: f.Kind, Band: f.Band, EmailKey: f.EmailKey},
		Origin: f.Origin, Signature: f.signature(), VerifyToken: f.Verify, ThanksURL: f.Thanks, Rotation: f.Rotation,
	})
	if err != nil {
		return s.webhookFormAgain(c, "", "", f, err)
	}
	if f.Kind.Fetched() {
		return c.Done("/webhooks/"+hook.ID, "Webhook criado. Siga os passos ao lado para conectá-lo.")
	}
	return c.Done("/webhooks/"+hook.ID, "Webhook criado. Copie o endereço e cole no seu formulário.")
}

// webhookFormAgain shows the form with what was typed and what is wrong with it.
func (s pages) webhookFormAgain(c *web.Call, id, name string, f webhookFields, why error) error {
	shown, ok := c.Again(&f, why)
	if !ok {
		return why
	}
	if f.Secret != "" {
		shown.Values["reescrever"] = "sim"
	}
	origins, err := s.Origins.List(c.Ctx(), c.By, c.By.OrgID())
	if err != nil {
		return err
	}
	title := "Novo webhook"
	if id != "" {
		title = "Editar " + web.Shorten(web.TitleMax, name)
	}
	rotations, err := web.RotationChoices(c, s.Rotations, "")
	if err != nil {
		return err
	}
	return c.RenderStatus(http.StatusUnprocessableEntity, "webhook-form", web.Page{
		Title: title, Nav: "webhooks", Data: webhookForm{Form: shown, ID: id, Name: name, Origins: origins, Rotations: rotations},
	})
}

func (s pages) webhookEdit(c *web.Call) error {
	w, err := s.Webhooks.Show(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	origins, err := s.Origins.List(c.Ctx(), c.By, c.By.OrgID())
	if err != nil {
		return err
	}
	data := webhookForm{ID: w.ID, Name: w.Name, Origins: origins, Form: web.Filled(settingsOf(w))}
	data.Version = settingsVersion(w.Webhook)
	if data.Rotations, err = web.RotationChoices(c, s.Rotations, ""); err != nil {
		return err
	}
	return c.Render("webhook-form", web.Page{
		Title: "Editar " + web.Shorten(web.TitleMax, w.Name), Nav: "webhooks", Data: data,
	})
}

// settingsOf is what the form shows of a webhook.
func settingsOf(w intakeapp.WebhookView) webhookFields {
	return webhookFields{
		Name: w.Name, Kind: w.Kind, Origin: w.Origin, Band: w.Band, Scheme: w.Signature.Scheme, Thanks: w.ThanksURL,
		Rotation: w.RotationID, EmailKey: w.EmailKey,
	}
}

// settingsVersion is that of what the form shows of a webhook.
func settingsVersion(w webhook.Webhook) string {
	return web.VersionOf([]any{settingsOf(intakeapp.WebhookView{Webhook: w}), w.OriginID})
}

// errNoSecret is for a form with another scheme, or one whose secret was not repeated: the stored secret does not
// count.
var errNoSecret = fault.New(fault.InvalidRequest, "Escreva o segredo desta assinatura. Nada foi guardado.").
	At("segredo")

func (s pages) webhookUpdate(c *web.Call, f webhookFields) error {
	f = f.ofType()
	id := c.PathValue("id")
	change := intakeapp.Change{Name: &f.Name, Origin: &f.Origin, Kind: &f.Kind, Band: &f.Band, ThanksURL: &f.Thanks,
		Rotation: &f.Rotation, EmailKey: &f.EmailKey, Still: web.Still(c, settingsVersion)}
	w, err := s.Webhooks.Show(c.Ctx(), c.By, id)
	if err != nil {
		return err
	}
	if f.Scheme = f.signature().Scheme; f.Verify != "" || f.Kind != intake.Meta {
		change.VerifyToken = &f.Verify
	}
	same := w.Signature.Scheme == f.Scheme && (w.Kind == f.Kind || !f.Kind.Fetched())
	switch {
	case f.Secret == "" && f.Scheme != webhook.NoSignature && (!same || f.Retype):
		return s.webhookFormAgain(c, id, w.Name, f, errNoSecret)
	case f.Secret != "" || !same:
		change.Signature = new(f.signature()) // an empty secret keeps the stored one
		if same && !f.Kind.Fetched() {
			change.Signature.Header = w.Signature.Header // the form has no field for it
		}
	}
	if err := s.Webhooks.Update(c.Ctx(), c.By, id, change); err != nil {
		return s.webhookFormAgain(c, id, w.Name, f, err)
	}
	return c.Done("/webhooks/"+id, "Webhook guardado. O próximo envio já segue o que mudou.")
}
