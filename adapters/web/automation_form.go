package web

import (
	"cmp"
	"net/http"

	"fichario/app"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/webhook"
)

// automationForm is the form of an automation.
type automationForm struct {
	Form
	// ID is of one that is edited; empty for a new one.
	ID       string
	Origins  []crm.Origin
	Webhooks []webhook.Webhook
	Funnels  []crm.Funnel
	Members  []crm.Member
}

var automationFields = []string{
	"nome", "acao", "origem", "webhook", "valor", "url", "para", "endereco", "assunto", "texto", "etapa", "membro",
}

func (s *server) automationForm(c *call, status int, id string, f Form) error {
	data := automationForm{Form: f, ID: id}
	var err error
	if data.Origins, err = s.Origins.List(c.ctx(), c.by, c.by.OrgID()); err != nil {
		return err
	}
	if data.Webhooks, err = s.Webhooks.List(c.ctx(), c.by, c.by.OrgID()); err != nil {
		return err
	}
	if data.Funnels, err = s.Funnels.List(c.ctx(), c.by, c.by.OrgID()); err != nil {
		return err
	}
	if data.Members, err = s.Members.List(c.ctx(), c.by, c.by.OrgID()); err != nil {
		return err
	}
	return c.renderStatus(status, "automacao-form", page{
		Title: map[bool]string{true: "Nova automação", false: "Editar automação"}[id == ""], Nav: "automacoes", Data: data,
	})
}

func (s *server) automationNew(c *call) error {
	kind := c.text("acao")
	if !automation.ActionKind(kind).Valid() {
		kind = string(automation.HTTP)
	}
	return s.automationForm(c, http.StatusOK, "", Form{
		Values: map[string]string{"acao": kind, "para": automation.ToContact},
	})
}

func (s *server) automationEdit(c *call) error {
	a, err := s.Automations.View(c.ctx(), c.by, c.PathValue("id"))
	if err != nil {
		return err
	}
	v := map[string]string{
		"nome": a.Name, "acao": string(a.Action.Kind), "origem": a.Origin, "webhook": a.Conditions.WebhookID,
		"url": a.Action.URL, "para": a.Action.To,
		"assunto": a.Action.Subject, "texto": a.Action.Text, "etapa": a.Action.StageID, "membro": a.Action.MemberID,
	}
	if a.Conditions.MinAmount > 0 {
		v["valor"] = money(a.Conditions.MinAmount)
	}
	if to := a.Action.To; to != automation.ToContact && to != automation.ToAssignee {
		v["para"], v["endereco"] = "", to
	}
	return s.automationForm(c, http.StatusOK, a.ID, Form{Values: v})
}

func (s *server) automationCreate(c *call) error {
	var made automation.Automation
	return s.automationSave(c, "", func(n app.NewAutomation) (err error) {
		if made, err = s.Automations.Add(c.ctx(), c.by, n); err != nil {
			return err
		}
		return c.done("/automacoes/"+made.ID, "Automação criada. Ela vale para os próximos contatos.")
	})
}

func (s *server) automationUpdate(c *call) error {
	id := c.PathValue("id")
	return s.automationSave(c, id, func(n app.NewAutomation) error {
		if err := s.Automations.Edit(c.ctx(), c.by, id, n); err != nil {
			return err
		}
		return c.done("/automacoes/"+id, "Automação guardada. Ela vale assim a partir de agora.")
	})
}

// automationSave reads the form, and shows it again where save finds something wrong.
func (s *server) automationSave(c *call, id string, save func(app.NewAutomation) error) error {
	n := app.NewAutomation{
		OrgID: c.by.OrgID(), Name: c.text("nome"), Event: automation.ContactCreated,
		Action: automation.ActionKind(c.text("acao")),
		Origin: c.text("origem"), WebhookID: c.text("webhook"),
	}
	// The form shows the fields of every action; only those of the chosen one count.
	switch n.Action {
	case automation.HTTP:
		n.URL = c.text("url")
	case automation.Email:
		n.To, n.Subject, n.Text = cmp.Or(c.text("para"), c.text("endereco")), c.text("assunto"), c.text("texto")
	case automation.AddNote:
		n.Text = c.text("texto")
	case automation.MoveStage:
		n.Stage = c.text("etapa")
	case automation.Assign:
		n.Member = c.text("membro")
	}
	if v := c.text("valor"); v != "" {
		amount, ok := intake.ParseAmount(v)
		if !ok || amount < 0 {
			f, _ := c.formOf(nil, automationFields...)
			f.Field, f.Problem = "valor", "Escreva um valor só, como R$ 50.000,00."
			return s.automationForm(c, http.StatusUnprocessableEntity, id, f)
		}
		n.MinAmount = catalog.Money(amount)
	}
	err := save(n)
	if err != nil {
		f, ok := c.formOf(err, automationFields...)
		if !ok {
			return err
		}
		f.Field = map[string]string{
			"name": "nome", "action": "acao", "url": "url", "to": "endereco", "subject": "assunto", "text": "texto",
			"stage": "etapa", "member": "membro",
			"origin": "origem", "webhook": "webhook", "minValue": "valor",
		}[f.Field]
		if f.Field == "endereco" {
			f.Problem = "Escreva um endereço de e-mail, como ana@exemplo.com.br."
		}
		return s.automationForm(c, http.StatusUnprocessableEntity, id, f)
	}
	return nil
}
