package web

import (
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"fichario/app"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/webhook"
)

// webhookLine is a webhook in the list.
type webhookLine struct {
	webhook.Webhook
	Origin  string
	Refused int
	Last    time.Time
}

// webhooksPage is all webhooks, and those that refused something lately.
type webhooksPage struct{ Lines, Refused []webhookLine }

func (s *server) webhookList(c *call) error {
	hooks, err := s.Webhooks.List(c.ctx(), c.by, c.by.OrgID())
	if err != nil {
		return err
	}
	origins, err := s.Origins.List(c.ctx(), c.by, c.by.OrgID())
	if err != nil {
		return err
	}
	now := s.Clock()
	day, err := s.Webhooks.Summaries(c.ctx(), c.by, c.by.OrgID(), now.Add(-24*time.Hour))
	if err != nil {
		return err
	}
	month, err := s.Webhooks.Summaries(c.ctx(), c.by, c.by.OrgID(), now.Add(-30*24*time.Hour))
	if err != nil {
		return err
	}
	var data webhooksPage
	for _, w := range hooks {
		line := webhookLine{Webhook: w, Origin: nameOfOrigin(origins, w.OriginID), Refused: day[w.ID].Refused, Last: month[w.ID].Last}
		data.Lines = append(data.Lines, line)
		if line.Refused > 0 {
			data.Refused = append(data.Refused, line)
		}
	}
	return c.render("webhooks", page{Title: "Webhooks", Nav: "webhooks", Data: data})
}

func nameOfOrigin(all []crm.Origin, id string) string {
	for _, o := range all {
		if o.ID == id {
			return o.Name
		}
	}
	return ""
}

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
	data := webhookForm{Origins: origins, Form: Form{Values: map[string]string{"tipo": string(intake.Generic), "faixas": string(intake.BandZero)}}}
	return c.render("webhook-form", page{Title: "Novo webhook", Nav: "webhooks", Data: data})
}

func (s *server) webhookCreate(c *call) error {
	hook, _, err := s.Webhooks.Create(c.ctx(), c.by, app.NewWebhook{
		OrgID: c.by.OrgID(), Name: c.text("nome"), Options: intake.Options{Kind: intake.Kind(c.text("tipo")), Band: intake.Band(c.text("faixas"))},
		Origin: c.text("origem"), Signature: c.signature(), ThanksURL: c.text("obrigado"),
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
	f.Field = map[string]string{"name": "nome", "type": "tipo", "bands": "faixas", "origin": "origem", "secret": "segredo", "thanksUrl": "obrigado"}[f.Field]
	origins, err := s.Origins.List(c.ctx(), c.by, c.by.OrgID())
	if err != nil {
		return err
	}
	title := "Novo webhook"
	if id != "" {
		title = "Editar webhook"
	}
	return c.renderStatus(http.StatusUnprocessableEntity, "webhook-form", page{Title: title, Nav: "webhooks", Data: webhookForm{Form: f, ID: id, Origins: origins}})
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
	return c.render("webhook-form", page{Title: "Editar webhook", Nav: "webhooks", Data: webhookForm{ID: w.ID, Origins: origins, Form: Form{Values: map[string]string{
		"nome": w.Name, "tipo": string(w.Kind), "origem": w.Origin, "faixas": string(w.Band), "assinatura": string(w.Signature.Scheme), "obrigado": w.ThanksURL,
	}}}})
}

func (s *server) webhookUpdate(c *call) error {
	id := c.PathValue("id")
	name, origin, kind, band, thanks := c.text("nome"), c.text("origem"), intake.Kind(c.text("tipo")), intake.Band(c.text("faixas")), c.text("obrigado")
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

// webhookPage is a webhook with its address, its log and a box to try it.
type webhookPage struct {
	app.WebhookView
	URL        string
	Snippets   []snippet
	Snippet    snippet
	Deliveries []deliveryLine
	Outcome    webhook.Outcome
	Next       string
	Month      struct{ Accepted, Repeated, Refused int }
	Try        *trial
}

// deliveryLine is a delivery in the log.
type deliveryLine struct {
	webhook.Delivery
	Size int
}

// trial is a body that was pasted, and what it would make.
type trial struct {
	Body    string
	Made    *app.Simulation
	Problem string
}

const deliveriesAtOnce = 25

func (s *server) webhookShow(c *call) error { return s.webhookPage(c, nil) }

func (s *server) webhookPage(c *call, try *trial) error {
	w, err := s.Webhooks.Show(c.ctx(), c.by, c.PathValue("id"))
	if err != nil {
		return err
	}
	data := webhookPage{WebhookView: w, URL: s.PublicURL + "/api/webhooks/receive/" + w.Token.Reveal(), Outcome: webhook.Outcome(c.text("resultado")), Try: try}
	data.Snippets = snippets(data.URL)
	data.Snippet = data.Snippets[0]
	for _, one := range data.Snippets {
		if one.ID == c.text("como") {
			data.Snippet = one
		}
	}
	log, err := s.Intake.Deliveries(c.ctx(), c.by, w.ID, data.Outcome, c.text("depois"), deliveriesAtOnce+1)
	if err != nil {
		return err
	}
	if len(log) > deliveriesAtOnce {
		log = log[:deliveriesAtOnce]
		data.Next = log[deliveriesAtOnce-1].ID
	}
	for _, d := range log {
		data.Deliveries = append(data.Deliveries, deliveryLine{d, len(d.Body)})
	}
	sums, err := s.Webhooks.Summaries(c.ctx(), c.by, c.by.OrgID(), s.Clock().Add(-30*24*time.Hour))
	if err != nil {
		return err
	}
	data.Month.Accepted, data.Month.Repeated, data.Month.Refused = sums[w.ID].Accepted, sums[w.ID].Repeated, sums[w.ID].Refused
	return c.render("webhook", page{Title: w.Name, Nav: "webhooks", Data: data})
}

func (s *server) webhookEnable(c *call) error {
	id, enabled := c.PathValue("id"), c.text("ligado") == "sim"
	if err := s.Webhooks.Update(c.ctx(), c.by, id, app.Change{Enabled: &enabled}); err != nil {
		return err
	}
	notice := "Webhook desligado. Os envios recusados ficam guardados por 30 dias."
	if enabled {
		notice = "Webhook ligado."
	}
	return c.done("/webhooks/"+id, notice)
}

func (s *server) webhookRegenerate(c *call) error {
	id := c.PathValue("id")
	grace := time.Duration(0)
	if c.text("carencia") != "" {
		grace = 24 * time.Hour
	}
	if err := s.Webhooks.Regenerate(c.ctx(), c.by, id, grace); err != nil {
		return err
	}
	return c.done("/webhooks/"+id, "Endereço novo gerado. Cole-o em cada formulário que usava o antigo.")
}

// webhookTry shows what a pasted body would make. The body is in the page, never in
// an address.
func (s *server) webhookTry(c *call) error {
	t := &trial{Body: c.FormValue("corpo")}
	made, err := s.Intake.Try(c.ctx(), c.by, c.PathValue("id"), []byte(t.Body))
	switch f := app.FaultOf(err); {
	case err == nil:
		t.Made = &made
	case f != nil && f.Field == "email":
		t.Made, t.Problem = &made, f.Message
	case f != nil && app.IsRefusal(err):
		t.Problem = f.Message
	default:
		return err
	}
	return s.webhookPage(c, t)
}

// deliveryPage is a delivery with what was sent and how it is read.
type deliveryPage struct {
	webhook.Delivery
	Webhook webhook.Webhook
	Text    string
	Binary  bool
	Made    *app.Simulation
	Problem string
}

func (s *server) deliveryShow(c *call) error {
	d, err := s.Intake.Delivery(c.ctx(), c.by, c.PathValue("entrega"))
	if err != nil {
		return err
	}
	w, err := s.Webhooks.Show(c.ctx(), c.by, d.WebhookID)
	if err != nil {
		return err
	}
	data := deliveryPage{Delivery: d, Webhook: w.Webhook, Text: string(d.Body)}
	if !utf8.Valid(d.Body) {
		data.Text, data.Binary = strings.ToValidUTF8(data.Text, "\uFFFD"), true
	}
	const shown = 60_000
	data.Text = shorten(shown, data.Text)
	if !d.Truncated {
		made, err := s.Intake.Explain(c.ctx(), c.by, d)
		switch f := app.FaultOf(err); {
		case err == nil:
			data.Made = &made
		case f != nil && f.Field == "email":
			data.Made, data.Problem = &made, f.Message
		case f != nil && app.IsRefusal(err):
			data.Problem = f.Message
		default:
			return err
		}
	}
	return c.render("entrega", page{Title: "Entrega", Nav: "webhooks", Data: data})
}

func (s *server) deliveryReplay(c *call) error {
	id := c.PathValue("entrega")
	made, err := s.Intake.Replay(c.ctx(), c.by, id)
	if err != nil {
		if f := app.FaultOf(err); f != nil && app.IsRefusal(err) {
			return c.done("/entregas/"+id, "Ainda recusada: "+f.Message)
		}
		return err
	}
	if made.Repeated {
		return c.done("/contatos/"+made.ContactID, "Este envio já tinha criado este contato. Nada mudou.")
	}
	return c.done("/contatos/"+made.ContactID, "Contato criado a partir do envio guardado.")
}

// snippet is how a form is connected to a webhook.
type snippet struct {
	ID, Name string
	// Code is to be pasted, Steps to be followed; either may be empty.
	Code  string
	Steps []string
}

// snippets are ready for an address.
func snippets(url string) []snippet {
	paste := "Cole o endereço acima em URL e guarde."
	test := "Envie uma resposta de teste: ela aparece em Entregas em segundos."
	return []snippet{
		{ID: "html", Name: "HTML", Code: `<form method="post" action="` + url + `">
  <input name="nome" placeholder="Nome">
  <input name="email" type="email" placeholder="E-mail" required>
  <input name="telefone" type="tel" placeholder="Telefone">
  <textarea name="mensagem" placeholder="Mensagem"></textarea>
  <button>Enviar</button>
</form>`},
		{ID: "curl", Name: "curl", Code: `curl -H 'Content-Type: application/json' \
  -d '{"nome":"Bia Rocha","email":"bia@example.com","telefone":"(11) 98765-4321","valor":"R$ 1.500"}' \
  '` + url + `'`},
		{ID: "elementor", Name: "Elementor", Steps: []string{"No formulário, abra Actions After Submit e acrescente Webhook.", paste, "Publique a página.", test}},
		{ID: "typeform", Name: "Typeform", Steps: []string{"No formulário, abra Connect, depois Webhooks, e escolha Add a webhook.", paste, "Ligue o webhook e use Send test request.", "Se definir um segredo lá, escreva o mesmo em Editar, com a assinatura Typeform."}},
		{ID: "respondi", Name: "Respondi", Steps: []string{"No formulário, abra Integrações e escolha Webhook.", paste, "Ative a integração.", test}},
		{ID: "tally", Name: "Tally", Steps: []string{"No formulário, abra Integrations e conecte Webhooks.", paste, "Se definir um signing secret lá, escreva o mesmo em Editar, com a assinatura Tally.", test}},
		{ID: "google", Name: "Google Forms", Code: `function aoEnviar(e) {
  UrlFetchApp.fetch('` + url + `', {
    method: 'post',
    contentType: 'application/json',
    payload: JSON.stringify(e.namedValues)
  })
}`, Steps: []string{"Na planilha de respostas, abra Extensões, depois Apps Script, e cole o código.", "Em Acionadores, acrescente um para a função aoEnviar, ao enviar o formulário.", test}},
	}
}
