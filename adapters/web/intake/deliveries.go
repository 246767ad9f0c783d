package intake

import (
	"strings"
	"unicode/utf8"

	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/intake"
	"fichario/domain/crm"
	"fichario/domain/webhook"
)

// deliveryPage is a delivery with what was sent and how it was read.
type deliveryPage struct {
	webhook.Delivery
	Webhook webhook.Webhook
	// People are its contacts, where there are several.
	People  []crm.Contact
	Text    string
	Binary  bool
	Made    []intake.Simulation
	Problem string
	// Fix is how a post that was refused for want of an e-mail becomes a contact; nil for another.
	Fix *emailFix
}

func (s pages) deliveryShow(c *web.Call, choice struct {
	Key string `form:"campo"`
}) error {
	d, err := s.Intake.OpenDelivery(c.Ctx(), c.By, c.PathValue("entrega"))
	if err != nil {
		return err
	}
	data, err := s.delivery(c, d, choice.Key)
	if err != nil {
		return err
	}
	return c.Render("entrega", s.deliveryShown(data))
}

func (s pages) deliveryShown(data deliveryPage) web.Page {
	return web.Page{Title: "Entrega de " + s.Datetime(data.At), Nav: "webhooks", Data: data}
}

// delivery is what the page shows of a delivery. key is the one chosen for the e-mail, if any.
func (s pages) delivery(c *web.Call, d webhook.Delivery, key string) (deliveryPage, error) {
	w, err := s.Webhooks.Show(c.Ctx(), c.By, d.WebhookID)
	if err != nil {
		return deliveryPage{}, err
	}
	data := deliveryPage{Delivery: d, Webhook: w.Webhook, Text: string(d.Body)}
	if len(d.Others) > 0 {
		people, err := s.Intake.ContactsOf(c.Ctx(), len(d.Contacts()), d)
		if err != nil {
			return data, err
		}
		for _, id := range d.Contacts() {
			if person, ok := people[id]; ok {
				data.People = append(data.People, person)
			}
		}
	}
	if !utf8.Valid(d.Body) {
		data.Text, data.Binary = strings.ToValidUTF8(data.Text, "\uFFFD"), true
	}
	const shown = 60_000
	data.Text = web.Shorten(shown, data.Text)
	if !d.Truncated {
		made, err := s.Intake.Explain(c.Ctx(), c.By, d, "")
		switch f := app.FaultOf(err); {
		case err == nil:
			data.Made = made
		case f != nil && f.Field == "email":
			data.Made, data.Problem = made, f.Message
			if data.Fix, err = s.emailFix(c, w.Webhook, d, key); err != nil {
				return data, err
			}
		case f != nil && app.IsRefusal(err):
			data.Problem = f.Message
		default:
			return data, err
		}
	}
	return data, nil
}

func (s pages) deliveryReplay(c *web.Call) error {
	id := c.PathValue("entrega")
	made, err := s.Intake.Replay(c.Ctx(), c.By, id)
	if err != nil {
		if f := app.FaultOf(err); f != nil && app.IsRefusal(err) {
			first, _, _ := strings.Cut(f.Message, ". ") // the page says the rest, which would cover the way out
			return c.NotDone("/entregas/"+id, "Ainda recusada: "+strings.TrimSuffix(first, ".")+".")
		}
		return err
	}
	return c.Done("/contatos/"+made.ContactID, replayed(made))
}

// replayed describes the outcome of a replay; the page shows its first contact.
func replayed(made intake.Accepted) string {
	switch several := len(made.Others) > 0; {
	case several && made.Repeated:
		return "Este envio já tinha criado este contato e mais " + web.Count(len(made.Others)) + ". Nada mudou."
	case several:
		return web.Plural(made.Made(), "contato criado", "contatos criados") +
			" a partir do envio guardado. Este é o primeiro do envio."
	case made.Repeated:
		return "Este envio já tinha criado este contato. Nada mudou."
	}
	return "Contato criado a partir do envio guardado."
}
