package intake

import (
	"net/http"
	"strings"
	"time"

	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/intake"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/webhook"
)

// webhookPage is a webhook with its address, its log and a box for trying it.
type webhookPage struct {
	intake.WebhookView
	URL        string
	Snippets   []web.Snippet
	Snippet    web.Snippet
	Deliveries []deliveryLine
	Outcome    webhook.Outcome
	Next       string
	// Way and After are what the address says of the way to connect and of the posts; empty where it says nothing.
	Way, After string
	Month      webhook.Summary
	// Open is how many of the month's refusals did not become a contact.
	Open  int
	Spark web.Spark
	Try   *trial
	// Sources are the pages whose leads are fetched, Waiting how many leads wait, and Problem why a token was refused.
	Sources []webhook.Source
	Waiting int
	Problem string
	// Page is the only page or account that was asked for with such a token.
	Page string
	// Alike is how many refusals have an address under the webhook's own key of the e-mail.
	Alike int
}

// Query is what the address of the page says about a way to connect, the posts with an outcome, and those after one: a
// link that changes one of them keeps the others.
func (d webhookPage) Query(way string, o webhook.Outcome, after string) string {
	return web.WithQuery(web.QueryOf(webhookFilter{Snippet: way, Outcome: o, After: after}))
}

// deliveryLine is a delivery in the log.
type deliveryLine struct {
	webhook.Delivery
	Size int
	// First are the contacts shown, More is how many others there are.
	First []crm.Contact
	More  int
}

// contactsInLine is how many contacts a line of the log shows.
const contactsInLine = 5

func deliveryLineOf(d webhook.Delivery, contacts map[string]crm.Contact) deliveryLine {
	line := deliveryLine{Delivery: d, Size: len(d.Body)}
	all := d.Contacts()
	first := all[:min(len(all), contactsInLine)]
	for _, id := range first {
		if c, ok := contacts[id]; ok {
			line.First = append(line.First, c)
		}
	}
	line.More = len(all) - len(first)
	return line
}

// trial is a pasted body, with what it would make.
type trial struct {
	Body    string
	Made    []intake.Simulation
	Problem string
}

// deliveriesAtOnce are few, so that the address, the trial and the log stand on one screen.
const deliveriesAtOnce = 10

// webhookFilter is the filter in the page's address.
type webhookFilter struct {
	// Snippet is the kind of form whose connection is explained.
	Snippet string          `form:"como"`
	Outcome webhook.Outcome `form:"resultado"`
	After   string          `form:"depois"`
}

func (s pages) webhookShow(c *web.Call, f webhookFilter) error { return s.webhookPage(c, f, nil, "") }

func (s pages) webhookPage(c *web.Call, f webhookFilter, try *trial, problem string) error {
	w, err := s.Webhooks.Show(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	data := webhookPage{
		WebhookView: w, URL: s.PublicURL + "/api/webhooks/receive/" + w.Token.Reveal(),
		Outcome: f.Outcome, After: f.After, Try: try, Problem: problem, Page: c.PostForm.Get("pagina"),
	}
	if w.Kind.Fetched() {
		if data.Sources, data.Waiting, err = s.Leads.Sources(c.Ctx(), c.By, w.ID); err != nil {
			return err
		}
	}
	data.Snippets = web.Snippets(data.URL)
	data.Snippet = data.Snippets[0]
	for _, snippet := range data.Snippets {
		if snippet.ID == f.Snippet {
			data.Snippet, data.Way = snippet, snippet.ID
		}
	}
	log, err := s.Intake.Deliveries(c.Ctx(), c.By, w.ID, f.Outcome, f.After, deliveriesAtOnce+1)
	if err != nil {
		return err
	}
	if len(log) > deliveriesAtOnce {
		log = log[:deliveriesAtOnce]
		data.Next = log[deliveriesAtOnce-1].ID
	}
	contacts, err := s.Intake.ContactsOf(c.Ctx(), contactsInLine, log...)
	if err != nil {
		return err
	}
	for _, d := range log {
		data.Deliveries = append(data.Deliveries, deliveryLineOf(d, contacts))
	}
	if w.EmailKey != "" && f.Outcome == webhook.Refused {
		alike, err := s.Intake.Alike(c.Ctx(), c.By, w.ID, "")
		if data.Alike = len(alike); err != nil {
			return err
		}
	}
	bounds := s.SparkDaysOf()
	daily, err := s.Webhooks.Days(c.Ctx(), c.By, c.By.OrgID(), w.ID, bounds)
	if err != nil {
		return err
	}
	data.Month, data.Spark = webhook.Sum(daily[w.ID]), s.sparkOf(bounds, daily[w.ID])
	if data.Open, err = s.Webhooks.UnsettledOf(c.Ctx(), c.By, w.Webhook, bounds[0], data.Month); err != nil {
		return err
	}
	status := http.StatusOK
	if problem != "" {
		status = http.StatusUnprocessableEntity
	}
	return c.RenderStatus(status, "webhook", web.Page{Title: w.Name, Nav: "webhooks", Data: data, Wide: true})
}

func (s pages) webhookEnable(c *web.Call, f struct {
	Enabled bool `form:"ligado"`
}) error {
	id := c.PathValue("id")
	if err := s.Webhooks.Update(c.Ctx(), c.By, id, intake.Change{Enabled: &f.Enabled}); err != nil {
		return err
	}
	notice := "Webhook desligado. Os envios recusados ficam guardados, e podem ser refeitos."
	if f.Enabled {
		notice = "Webhook ligado."
	}
	return c.Done("/webhooks/"+id, notice)
}

func (s pages) webhookRegenerate(c *web.Call, f struct {
	Keep bool `form:"carencia"`
}) error {
	id := c.PathValue("id")
	grace := time.Duration(0)
	if f.Keep {
		grace = 24 * time.Hour
	}
	if err := s.Webhooks.Regenerate(c.Ctx(), c.By, id, grace); err != nil {
		return err
	}
	return c.Done("/webhooks/"+id, "Endereço novo gerado. Cole-o em cada formulário que usava o antigo.")
}

// webhookTry shows what a pasted body would make, beside the way to connect and the posts that were shown. The body is
// posted, never in an address.
func (s pages) webhookTry(c *web.Call, f struct {
	Body web.AsTyped `form:"corpo"`
}) error {
	t := &trial{Body: string(f.Body)}
	made, err := s.Intake.Try(c.Ctx(), c.By, c.PathValue("id"), []byte(t.Body))
	switch f := app.FaultOf(err); {
	case err == nil:
		t.Made = made
	case f != nil && f.Field == "email":
		t.Made, t.Problem = made, f.Message
	case f != nil && app.IsRefusal(err):
		t.Problem = f.Message
	default:
		return err
	}
	shown := c.URL.Query()
	at := webhookFilter{Snippet: shown.Get("como"), Outcome: webhook.Outcome(shown.Get("resultado"))}
	return s.webhookPage(c, at, t, "")
}

// pagesConnect connects a webhook with the pages of a token. The token is posted, and never shown again.
func (s pages) pagesConnect(c *web.Call, f struct {
	Token string `form:"token" app:"token"`
	Page  string `form:"pagina" app:"page"`
}) error {
	id := c.PathValue("id")
	found, err := s.Leads.Connect(c.Ctx(), c.By, id, strings.TrimSpace(f.Token), strings.TrimSpace(f.Page))
	if refused := app.FaultOf(err); refused != nil && (app.IsRefusal(err) || refused.Code == fault.ServiceUnavailable) {
		return s.webhookPage(c, webhookFilter{}, nil, refused.Message)
	}
	if err != nil {
		return err
	}
	return c.Done("/webhooks/"+id, "Conectada: "+found[0].Name+". Os leads novos chegam sozinhos.")
}

func (s pages) pagesDisconnect(c *web.Call, f struct {
	Page string `form:"pagina"`
}) error {
	id := c.PathValue("id")
	if _, err := s.Leads.Disconnect(c.Ctx(), c.By, id, f.Page); err != nil {
		return err
	}
	return c.Done("/webhooks/"+id, "Desconectada. O token foi apagado.")
}
