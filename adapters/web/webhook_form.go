package web

import (
	"net/http"

	"fichario/app"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/webhook"
)

// webhookForm is the form of a new or changed webhook.
type webhookForm struct {
	Form
	ID      string
	Origins []crm.Origin
}

var webhookFields = []string{"nome", "tipo", "origem", "faixas", "assinatura", "segredo", "obrigado"}

func (s *server) webhookNew(c *call) error {
	origins, err := s.Origins.List(c.ctx(), c.by, c.by.OrgID())
	if err != nil {
		return err
	}
	if err := c.manager(); err != nil {
		return err
	}
	data := webhookForm{
		Origins: origins,
		Form:    Form{Values: map[string]string{"tipo": string(intake.Generic), "faixas": string(intake.BandZero)}},
	}
	return c.render("webhook-form", page{Title: "Novo webhook", Nav: "webhooks", Data: data})
}

func (s *server) webhookCreate(c *call) error {
	hook, _, err := s.Webhooks.Create(c.ctx(), c.by, app.NewWebhook{
		OrgID: c.by.OrgID(), Name: c.text("nome"),
		Options: intake.Options{Kind: intake.Kind(c.text("tipo")), Band: intake.Band(c.text("faixas"))},
		Origin:  c.text("origem"), Signature: c.signature(), ThanksURL: c.text("obrigado"),
	})
	if err != nil {
		return s.webhookFormAgain(c, "", err)
	}
	return c.done("/webhooks/"+hook.ID, "Webhook criado. Copie o endereço e cole no seu formulário.")
}

func (c *call) signature() webhook.Signature {
	return webhook.Signature{Scheme: webhook.Scheme(c.text("assinatura")), Secret: c.text("segredo")}
}

// webhookFormAgain shows the form with what was typed and what is wrong with it.
func (s *server) webhookFormAgain(c *call, id string, why error) error {
	f, ok := c.formOf(why, webhookFields...)
	if !ok {
		return why
	}
	f.Field = map[string]string{
		"name": "nome", "type": "tipo", "bands": "faixas", "origin": "origem", "secret": "segredo", "thanksUrl": "obrigado",
	}[f.Field]
	origins, err := s.Origins.List(c.ctx(), c.by, c.by.OrgID())
	if err != nil {
		return err
	}
	title := "Novo webhook"
	if id != "" {
		title = "Editar webhook"
	}
	return c.renderStatus(http.StatusUnprocessableEntity, "webhook-form", page{
		Title: title, Nav: "webhooks", Data: webhookForm{Form: f, ID: id, Origins: origins},
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
	data := webhookForm{ID: w.ID, Origins: origins, Form: Form{Values: map[string]string{
		"nome": w.Name, "tipo": string(w.Kind), "origem": w.Origin, "faixas": string(w.Band),
		"assinatura": string(w.Signature.Scheme), "obrigado": w.ThanksURL,
	}}}
	return c.render("webhook-form", page{Title: "Editar webhook", Nav: "webhooks", Data: data})
}

func (s *server) webhookUpdate(c *call) error {
	id := c.PathValue("id")
	name, origin, thanks := c.text("nome"), c.text("origem"), c.text("obrigado")
	kind, band := intake.Kind(c.text("tipo")), intake.Band(c.text("faixas"))
	change := app.Change{Name: &name, Origin: &origin, Kind: &kind, Band: &band, ThanksURL: &thanks}
	signature := c.signature()
	if signature.Secret != "" || signature.Scheme == webhook.NoSignature {
		change.Signature = &signature // an empty secret keeps the one there is
	}
	if err := s.Webhooks.Update(c.ctx(), c.by, id, change); err != nil {
		return s.webhookFormAgain(c, id, err)
	}
	return c.done("/webhooks/"+id, "Webhook guardado. O próximo envio já segue o que mudou.")
}
