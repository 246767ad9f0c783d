package intake

import (
	"fmt"
	"strings"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	intakeapp "fichario/app/intake"
	"fichario/cmd/fichario/command"
	"fichario/domain/intake"
	"fichario/domain/webhook"
)

// deliveryView is a line of the delivery log as --json shows it.
type deliveryView struct {
	ID        string          `json:"id"`
	At        time.Time       `json:"at"`
	Outcome   webhook.Outcome `json:"outcome"`
	Code      string          `json:"code"`
	Reason    string          `json:"reason"`
	Contact   *string         `json:"contact"`
	Contacts  []string        `json:"contacts"`
	ReplayOf  *string         `json:"replayOf"`
	Bytes     int             `json:"bytes"`
	Truncated bool            `json:"truncated"`
}

// outcomeOf is the outcome of a delivery in the words of its webhook: those of leads are Portuguese.
func outcomeOf(d webhook.Delivery, kind intake.Kind) webhook.Outcome {
	switch {
	case kind.Fetched() && d.Outcome == webhook.Accepted:
		return "recebido"
	case kind.Fetched() && d.Outcome == webhook.Refused:
		return "recusado"
	}
	return d.Outcome
}

func viewDelivery(d webhook.Delivery, kind intake.Kind) deliveryView {
	v := deliveryView{
		ID: d.ID, At: d.At, Outcome: outcomeOf(d, kind), Code: d.Code, Reason: d.Reason,
		Contacts: append([]string{}, d.Contacts()...), Bytes: len(d.Body), Truncated: d.Truncated,
	}
	if d.ContactID != "" {
		v.Contact = &d.ContactID
	}
	if d.ReplayOf != "" {
		v.ReplayOf = &d.ReplayOf
	}
	return v
}

type webhookDeliveriesCmd struct {
	ID    string `arg:"" help:"Id of the webhook."`
	Limit int    `default:"1000" help:"How many."`
	After string `help:"Only deliveries before this one: the last of the previous page."`
}

// Run shows the delivery log.
func (c *webhookDeliveriesCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		all, err := intakeapp.New(store, command.Now).Deliveries(e.Ctx, app.Operator(), c.ID, "", c.After, c.Limit)
		if err != nil {
			return err
		}
		kind, err := kindOf(e, store, c.ID)
		if err != nil {
			return err
		}
		return command.PrintList(e, all, func(d webhook.Delivery) deliveryView { return viewDelivery(d, kind) },
			func(d webhook.Delivery) string {
				return fmt.Sprintf("%s  %s  %-8s  %s", d.ID, d.At.Format(time.DateTime), outcomeOf(d, kind), command.Printable(d.Reason))
			})
	})
}

func kindOf(e *command.Environment, store *gormstore.Store, id string) (intake.Kind, error) {
	hook, err := intakeapp.NewWebhooks(store, command.Now).Show(e.Ctx, app.Operator(), id)
	return hook.Kind, err
}

type webhookDeliveryCmd struct {
	ID string `arg:"" help:"Id of the delivery."`
}

// Run shows one delivery with what was posted.
func (c *webhookDeliveryCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		d, err := intakeapp.New(store, command.Now).OpenDelivery(e.Ctx, app.Operator(), c.ID)
		if err != nil {
			return err
		}
		kind, err := kindOf(e, store, d.WebhookID)
		if err != nil {
			return err
		}
		headers := map[string]string{}
		var text strings.Builder
		for _, h := range d.Headers {
			headers[h.Key] = h.Value
			fmt.Fprintf(&text, "%s: %s\n", h.Key, h.Value)
		}
		return e.Print(struct {
			deliveryView
			Headers map[string]string `json:"headers"`
			Body    string            `json:"body"`
		}{
			viewDelivery(d, kind), headers, string(d.Body),
		}, "%s %s %s\n%s\n%s\n", d.At.Format(time.DateTime), outcomeOf(d, kind), command.OnScreen(d.Reason), command.OnScreen(text.String()),
			command.OnScreen(string(d.Body)))
	})
}

type webhookReplayCmd struct {
	ID string `arg:"" help:"Id of the delivery."`
}

// Run replays a delivery.
func (c *webhookReplayCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		// The service on this database finds the job within a second, and knows whether it sends e-mails.
		a, err := intakeapp.New(store, command.Now).Mailing(true).Replay(e.Ctx, app.Operator(), c.ID)
		if err != nil {
			return err
		}
		contacts := append([]string{a.ContactID}, a.Others...)
		text := "Contact %s\n"
		if a.Repeated {
			text = "It had already created contact %s; nothing changed.\n"
		}
		return e.Print(map[string]any{"contact": a.ContactID, "contacts": contacts, "repeated": a.Repeated},
			text, strings.Join(contacts, ", "))
	})
}
