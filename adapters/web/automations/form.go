package automations

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/automations"
	"fichario/app/contacts"
	"fichario/app/lookups"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/webhook"
)

// automationForm is the form of an automation.
type automationForm struct {
	web.Form
	// ID and Name are those of an automation being edited; empty for a new one.
	ID, Name string
	Origins  []crm.Origin
	Webhooks []webhook.Webhook
	Funnels  []crm.Funnel
	Members  []crm.Member
	// Rotations are those that contacts can be given to in turn, with the value of each option.
	Rotations []contacts.Choice
	// Destinations are the options; Kept is true where the automation has a request that only commands can describe.
	Destinations []destinationOption
	Kept         bool
	Products     []lookups.Offer
	// Purposes are those that a lookup may be for.
	Purposes []crm.Purpose
	Events   []web.EventChoice
	// Conditions is the expression in rows.
	Conditions conditionRows
	// Trial is the trial of the expression; nil unless one was asked for.
	Trial *automations.Trial
	// Lost says that a secret was typed, which no page shows again.
	Lost bool
}

// Begins reports whether the form is new and nothing was done with it yet.
func (f automationForm) Begins() bool {
	return f.ID == "" && f.Trial == nil && f.Conditions.New == 0
}

// Gone reports whether the form shows a choice that is no more, or that was not made because it is none.
func (f automationForm) Gone(field string) bool {
	chosen := f.Values[field]
	if chosen == "" {
		return f.Field == field && field != "finalidade"
	}
	switch field {
	case "produto":
		return !slices.ContainsFunc(f.Products, func(o lookups.Offer) bool { return o.Product.ID == chosen })
	case "finalidade":
		return !slices.ContainsFunc(f.Purposes, func(p crm.Purpose) bool { return p.Code == chosen })
	}
	return !slices.ContainsFunc(f.Funnels, func(u crm.Funnel) bool {
		return slices.ContainsFunc(u.Stages, func(s crm.Stage) bool { return s.ID == chosen })
	})
}

// automationFields are the fields of the form. It has those of every action; only the chosen action's count.
type automationFields struct {
	Name      string                `form:"nome" app:"name"`
	Event     automation.EventName  `form:"evento" app:"event"`
	When      string                `form:"se" app:"when"`
	Action    automation.ActionKind `form:"acao" app:"action"`
	Origin    string                `form:"origem" app:"origin"`
	WebhookID string                `form:"webhook"`
	MinAmount catalog.Money         `form:"valor" app:"minValue" validate:"min=0" says:"Escreva um valor só, como R$ 50.000,00."`
	URL       string                `form:"url"`
	// Destination is empty where URL is used instead.
	Destination string `form:"destino" app:"destination"`
	// To is empty where Address is used instead.
	To      string `form:"para"`
	Address string `form:"endereco" app:"to"`
	Subject string `form:"assunto" app:"subject"`
	Text    string `form:"texto" app:"text"`
	Stage   string `form:"etapa" app:"stage"`
	Member  string `form:"membro" app:"member"`
	Product string `form:"produto" app:"product"`
	Purpose string `form:"finalidade" app:"finalidade"`
	// MaxAge is in days; empty for the instance's default.
	MaxAge  string        `form:"idade" app:"maxAge"`
	Ceiling catalog.Money `form:"teto" app:"monthlyCeiling" validate:"min=0" says:"Escreva um valor só, como R$ 50,00."`
}

// automationTrial asks only for a trial of the conditions.
type automationTrial struct {
	Event     automation.EventName `form:"evento"`
	When      string               `form:"se"`
	Origin    string               `form:"origem"`
	WebhookID string               `form:"webhook"`
	MinAmount string               `form:"valor"`
	Try       string               `form:"experimentar"`
}

// try is the trial that was asked for; nil where none was.
func (s pages) try(c *web.Call, asked automationTrial) (*automations.Trial, error) {
	if asked.Try == "" {
		return nil, nil
	}
	n := automations.NewAutomation{
		Event: asked.Event, When: asked.When, Origin: asked.Origin, WebhookID: asked.WebhookID,
	}
	if asked.MinAmount != "" {
		amount, err := web.ReadMoney([]string{asked.MinAmount})
		if err != nil {
			return &automations.Trial{Found: true, Problem: "o valor mínimo não é um valor só, como R$ 50.000,00"}, nil
		}
		n.MinAmount, _ = amount.(catalog.Money)
	}
	trial, err := s.Automations.Try(c.Ctx(), c.By, n)
	return &trial, err
}

// days reads a number of days; nil for an empty field, and a number that the use case refuses for anything else.
func days(typed string) *int {
	if typed = strings.TrimSpace(typed); typed == "" {
		return nil
	}
	n, err := strconv.Atoi(typed)
	if err != nil {
		n = -1
	}
	return &n
}

// automation is what the form describes.
func (f automationFields) automation(
	orgID string, all []automation.Destination, sent url.Values,
) automations.NewAutomation {
	n := automations.NewAutomation{
		OrgID: orgID, Name: f.Name, Event: cmp.Or(f.Event, automation.ContactCreated), Action: f.Action,
		When:   strings.TrimSpace(f.When),
		Origin: f.Origin, WebhookID: f.WebhookID, MinAmount: f.MinAmount,
	}
	switch f.Action {
	case automation.HTTP:
		f.request(&n, all, sent)
	case automation.Email:
		n.To, n.Subject, n.Text = cmp.Or(f.To, f.Address), f.Subject, f.Text
	case automation.AddNote:
		n.Text = f.Text
	case automation.MoveStage:
		n.Stage = f.Stage
	case automation.Assign:
		n.Member = f.Member
	case automation.Lookup:
		n.Product, n.MaxAge, n.Ceiling, n.Purpose = f.Product, days(f.MaxAge), f.Ceiling, f.Purpose
	}
	return n
}

// automationForm shows the form, filled with data's Form; typed are the rows of one that came back.
func (s pages) automationForm(c *web.Call, status int, data automationForm, typed rowsTyped) error {
	data.Events = web.EventChoices
	shown, id := data.Form, data.ID
	for _, offer := range s.Terms.Offers(c.By) {
		if offer.Product.Takes(document.CPF) || offer.Product.Takes(document.CNPJ) {
			data.Products = append(data.Products, offer)
		}
	}
	all, kept := s.Automations.Destinations(), ""
	title := "Nova automação"
	if id != "" {
		a, err := s.Automations.Find(c.Ctx(), c.By, id)
		if err != nil {
			return err
		}
		kept, data.Name = destinationChoice(a.Action, all), a.Name
		title = "Editar " + web.Shorten(web.TitleMax, a.Name)
	}
	data.Destinations, data.Kept = destinationOptions(all, kept), kept == keptRequest
	data.Lost = typedSecrets(data.Destinations, c.PostForm)
	var err error
	event := automation.EventName(cmp.Or(shown.Values["evento"], string(automation.ContactCreated)))
	if data.Conditions, err = s.rowsOf(c, event, shown.Values["se"], shown.Values["webhook"], typed); err != nil {
		return err
	}
	if data.Purposes, err = s.Purposes.InForce(c.Ctx(), c.By); err != nil {
		return err
	}
	if data.Origins, err = s.Origins.List(c.Ctx(), c.By, c.By.OrgID()); err != nil {
		return err
	}
	if data.Webhooks, err = s.Webhooks.List(c.Ctx(), c.By, c.By.OrgID()); err != nil {
		return err
	}
	if data.Funnels, err = s.Funnels.List(c.Ctx(), c.By, c.By.OrgID()); err != nil {
		return err
	}
	if data.Members, err = s.Members.List(c.Ctx(), c.By, c.By.OrgID()); err != nil {
		return err
	}
	if data.Rotations, err = web.RotationChoices(c, s.Rotations, automations.RotationPrefix); err != nil {
		return err
	}
	return c.RenderStatus(status, "automacao-form", web.Page{
		Title: title, Nav: "automacoes", Data: data,
	})
}

func (s pages) automationNew(c *web.Call, f struct {
	Action automation.ActionKind `form:"acao"`
}) error {
	if !f.Action.Valid() {
		f.Action = automation.HTTP
	}
	return s.automationForm(c, http.StatusOK, automationForm{Form: web.Filled(automationFields{
		Event: automation.ContactCreated, Action: f.Action, To: automation.ToContact,
	})}, rowsTyped{})
}

func (s pages) automationEdit(c *web.Call) error {
	a, err := s.Automations.View(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	shown := s.shownOf(a)
	shown.Version = s.version(a.Automation)
	return s.automationForm(c, http.StatusOK, automationForm{ID: a.ID, Form: shown}, rowsTyped{})
}

// shownOf is what the form shows of an automation.
func (s pages) shownOf(a automations.View) web.Form {
	f := automationFields{
		Name: a.Name, Event: a.Event, When: a.Conditions.When, Action: a.Action.Kind,
		Product: a.Action.Product, Purpose: a.Action.Purpose, Ceiling: a.Action.Ceiling,
		Origin: a.Origin, WebhookID: a.Conditions.WebhookID,
		MinAmount: a.Conditions.MinAmount, URL: a.Action.URL, To: a.Action.To, Subject: a.Action.Subject, Text: a.Action.Text,
		Stage: a.Action.StageID, Member: a.Action.MemberID,
	}
	if id := a.Action.RotationID; id != "" {
		f.Member = automations.RotationPrefix + id
	}
	if age := a.Action.MaxAge; age != nil {
		f.MaxAge = strconv.Itoa(*age)
	}
	if f.To != automation.ToContact && f.To != automation.ToAssignee {
		f.To, f.Address = "", f.To
	}
	all := s.Automations.Destinations()
	f.Destination = destinationChoice(a.Action, all)
	shown := web.Filled(f)
	destinationValues(&shown, a.Action, all)
	return shown
}

// version is that of what the form shows of an automation.
func (s pages) version(a automation.Automation) string {
	return web.VersionOf([]any{s.shownOf(automations.View{Automation: a}).Values, a.Conditions.OriginID})
}

func (s pages) automationCreate(c *web.Call) error {
	return s.automationSave(c, "", func(n automations.NewAutomation) error {
		made, err := s.Automations.Add(c.Ctx(), c.By, n)
		if err != nil {
			return err
		}
		return c.Done("/automacoes/"+made.ID, "Automação criada. Ela vale para os próximos contatos.")
	})
}

func (s pages) automationUpdate(c *web.Call) error {
	id := c.PathValue("id")
	return s.automationSave(c, id, func(n automations.NewAutomation) error {
		n.Still = web.Still(c, s.version)
		if err := s.Automations.Edit(c.Ctx(), c.By, id, n); err != nil {
			return err
		}
		return c.Done("/automacoes/"+id, "Automação guardada. Ela vale assim a partir de agora.")
	})
}

// automationWants are the messages for fields left empty, an invalid address, a ceiling of zero and an event that a
// destination does not count: the use case words those for commands.
var automationWants = map[string]string{
	"evento":   "Este destino conta etapas: em Quando, escolha “Um contato muda de etapa”, ou “Chega um contato” para a primeira.",
	"acao":     "Escolha o que a automação faz.",
	"url":      "Escreva o endereço que recebe o contato, como https://exemplo.com.br/contatos.",
	"endereco": "Escreva um endereço de e-mail, como ana@exemplo.com.br.",
	"assunto":  "Escreva o assunto do e-mail.",
	"texto":    "Escreva o texto.",
	"etapa":    "Escolha uma etapa.",
	"membro":   "Escolha um responsável.",
	"produto":  "Escolha um produto.",
	"teto":     "Escreva um teto por mês maior que zero, como R$ 50,00.",
}

// automationSave reads the form, and shows it again where save finds a fault.
func (s pages) automationSave(c *web.Call, id string, save func(automations.NewAutomation) error) error {
	var asked automationTrial
	typed := typedIn(c.PostForm, c.URL.Query().Get(changeOf))
	c.PostForm.Set("se", whenOf(c.PostForm, typed))
	if err := c.Decode(&asked); err != nil {
		return err
	}
	asked.Event = cmp.Or(asked.Event, automation.ContactCreated)
	if is, err := s.keepInStep(c, asked.Event, asked.When, typed); is || err != nil {
		return err
	}
	trial, err := s.try(c, asked)
	if err != nil {
		return err
	}
	if trial != nil && c.Script() { // what was typed stays where it is
		return c.RenderPart("automacao-form", "trial", automationForm{Trial: trial})
	}
	var f automationFields
	all := s.Automations.Destinations()
	if typed.More {
		return s.automationMore(c, id, typed)
	}
	err = c.Decode(&f)
	if err == nil && trial != nil {
		shown := web.Filled(f)
		shown.Version = c.PostForm.Get("versao")
		destinationFault(&shown, f.Destination, all, c.PostForm, nil)
		return s.automationForm(c, http.StatusOK, automationForm{ID: id, Form: shown, Trial: trial}, typed)
	}
	if err == nil {
		err = orderOf(f.Event, typed.Rows)
	}
	if err == nil {
		err = save(f.automation(c.By.OrgID(), all, c.PostForm))
	}
	if err == nil {
		return nil
	}
	shown, ok := c.Again(&f, err)
	if ok = destinationFault(&shown, f.Destination, all, c.PostForm, err) || ok; !ok {
		return err
	}
	wordForPeople(&shown, f.Action)
	return s.automationForm(c, http.StatusUnprocessableEntity, automationForm{ID: id, Form: shown, Trial: trial}, typed)
}

// automationMore shows the form again with one more row for conditions; nothing is found fault with before somebody
// saves.
func (s pages) automationMore(c *web.Call, id string, typed rowsTyped) error {
	shown, _ := c.Again(&automationFields{}, app.Invalid("", ""))
	destinationFault(&shown, c.PostForm.Get("destino"), s.Automations.Destinations(), c.PostForm, nil)
	return s.automationForm(c, http.StatusOK, automationForm{ID: id, Form: shown}, typed)
}

// wordForPeople replaces the problem of a form where the use case words it for who gives commands.
func wordForPeople(shown *web.Form, action automation.ActionKind) {
	empty := strings.TrimSpace(shown.Values[shown.Field]) == ""
	always := shown.Field == "endereco" || shown.Field == "teto" || shown.Field == "evento"
	if says := automationWants[shown.Field]; says != "" && (always || empty) {
		shown.Problem = says
	}
	if shown.Field == "acao" && action == automation.Email {
		shown.Problem = app.NoMailer + " Peça a quem administra o servidor, ou escolha outra ação."
	}
}
