package intake

import (
	"fmt"
	"strings"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/intake"
	"fichario/cmd/fichario/command"
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

func viewDelivery(d webhook.Delivery) deliveryView {
	v := deliveryView{
		ID: d.ID, At: d.At, Outcome: d.Outcome, Code: d.Code, Reason: d.Reason, Contacts: append([]string{}, d.Contacts()...),
		Bytes: len(d.Body), Truncated: d.Truncated,
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
		all, err := intake.New(store, command.Now).Deliveries(e.Ctx, app.Operator(), c.ID, "", c.After, c.Limit)
		if err != nil {
			return err
		}
		return command.PrintList(e, all, viewDelivery, func(d webhook.Delivery) string {
			return fmt.Sprintf("%s  %s  %-8s  %s", d.ID, d.At.Format(time.DateTime), d.Outcome, command.Printable(d.Reason))
		})
	})
}

type webhookDeliveryCmd struct {
	ID string `arg:"" help:"Id of the delivery."`
}

// Run shows one delivery with what was posted.
func (c *webhookDeliveryCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		d, err := intake.New(store, command.Now).OpenDelivery(e.Ctx, app.Operator(), c.ID)
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
			viewDelivery(d), headers, string(d.Body),
		}, "%s %s %s\n%s\n%s\n", d.At.Format(time.DateTime), d.Outcome, command.OnScreen(d.Reason), command.OnScreen(text.String()),
			command.OnScreen(string(d.Body)))
	})
}

type webhookReplayCmd struct {
	ID string `arg:"" help:"Id of the delivery."`
}

// Run replays a delivery.
func (c *webhookReplayCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		// The service on this database finds the job within a second.
		a, err := intake.New(store, command.Now).Replay(e.Ctx, app.Operator(), c.ID)
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
