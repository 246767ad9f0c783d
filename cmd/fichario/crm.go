package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	event "fichario/adapters/automation"
	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/ports"
)

type automationCmd struct {
	Add     automationAddCmd     `cmd:"" help:"Make an automation."`
	List    automationListCmd    `cmd:"" help:"List the automations of an organisation."`
	Enable  automationEnableCmd  `cmd:"" help:"Switch one on."`
	Disable automationDisableCmd `cmd:"" help:"Switch one off."`
	Runs    automationRunsCmd    `cmd:"" help:"Show runs and e-mails with how they ended, newest first."`
	Rerun   automationRerunCmd   `cmd:"" help:"Run one again that was given up, or that succeeded."`
}

type automationAddCmd struct {
	Org     string `required:"" help:"Id of the organisation."`
	Name    string `required:"" help:"Name of the automation; contacts' histories show it."`
	Event   string `default:"contact.created" help:"What starts it: contact.created."`
	Action  string `required:"" enum:"http,email,move_stage,assign,add_note" help:"http, email, move_stage, assign or add_note."`
	URL     string `name:"url" help:"http: the address to post to."`
	To      string `help:"email: an address, contact or assignee."`
	Subject string `help:"email: the subject; {nome}, {email}, {telefone}, {empresa} and {valor} are filled in."`
	Text    string `help:"email and add_note: the text; the same are filled in."`
	Stage   string `help:"move_stage: name of the stage."`
	Member  string `help:"assign: id or e-mail address of the member."`
	Origin  string `help:"Only for contacts of this origin."`
	Webhook string `help:"Only for contacts of the webhook with this id."`
	Min     string `name:"min-value" help:"Only for contacts worth at least this many reais, such as 1500.50."`
}

// Run makes an automation.
func (c *automationAddCmd) Run(e *environment) error {
	n := app.NewAutomation{
		OrgID: c.Org, Name: c.Name, Event: automation.EventName(c.Event), Action: automation.ActionKind(c.Action), URL: c.URL, To: c.To,
		Subject: c.Subject, Text: c.Text, Stage: c.Stage, Member: c.Member, Origin: c.Origin, WebhookID: c.Webhook,
	}
	if c.Min != "" {
		var err error
		if n.MinAmount, err = catalog.ParseMoney(c.Min); err != nil {
			return fmt.Errorf("--min-value: %w", err)
		}
	}
	return e.withStore(func(store *gormstore.Store) error {
		a, err := app.NewAutomations(store, now).Add(e.ctx, app.Operator(), n)
		if err != nil {
			return err
		}
		value := map[string]string{"id": a.ID}
		if a.Action.Secret == "" {
			return e.print(value, "Automation %s: %s\n", a.ID, a.Name)
		}
		value["secret"] = a.Action.Secret
		return e.print(value, "Automation %s: %s\nIts calls are signed (Standard Webhooks) with this secret:\n\n  %s\n", a.ID, a.Name, a.Action.Secret)
	})
}

type automationListCmd struct {
	Org string `required:"" help:"Id of the organisation."`
}

// Run lists the automations.
func (c *automationListCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		all, err := app.NewAutomations(store, now).Views(e.ctx, app.Operator(), c.Org)
		if err != nil {
			return err
		}
		// What an action or a condition does not have is left out.
		type view struct {
			ID       string                `json:"id"`
			Name     string                `json:"name"`
			Event    automation.EventName  `json:"event"`
			Action   automation.ActionKind `json:"action"`
			Enabled  bool                  `json:"enabled"`
			URL      string                `json:"url,omitempty"`
			To       string                `json:"to,omitempty"`
			Subject  string                `json:"subject,omitempty"`
			Text     string                `json:"text,omitempty"`
			Stage    string                `json:"stage,omitempty"`
			Member   string                `json:"member,omitempty"`
			Origin   string                `json:"origin,omitempty"`
			Webhook  string                `json:"webhook,omitempty"`
			MinValue json.Number           `json:"minValue,omitempty"`
		}
		views := make([]view, len(all))
		var text strings.Builder
		for i, a := range all {
			views[i] = view{
				ID: a.ID, Name: a.Name, Event: a.Event, Action: a.Action.Kind, Enabled: a.Enabled, URL: a.Action.URL, To: a.Action.To,
				Subject: a.Action.Subject, Text: a.Action.Text, Stage: a.Stage, Member: a.Member, Origin: a.Origin, Webhook: a.Conditions.WebhookID,
			}
			if a.Conditions.MinAmount > 0 {
				views[i].MinValue = json.Number(a.Conditions.MinAmount.String())
			}
			fmt.Fprintf(&text, "%s  %-10s  %-8s  %s\n", a.ID, a.Action.Kind, onOff(a.Enabled), a.Name)
		}
		return e.print(views, "%s", text.String())
	})
}

type automationEnableCmd struct {
	ID string `arg:"" help:"Id of the automation."`
}

// Run switches an automation on.
func (c *automationEnableCmd) Run(e *environment) error { return e.enableAutomation(c.ID, true) }

type automationDisableCmd struct {
	ID string `arg:"" help:"Id of the automation."`
}

// Run switches an automation off.
func (c *automationDisableCmd) Run(e *environment) error { return e.enableAutomation(c.ID, false) }

func (e *environment) enableAutomation(id string, enabled bool) error {
	return e.withStore(func(store *gormstore.Store) error {
		if err := app.NewAutomations(store, now).SetEnabled(e.ctx, app.Operator(), id, enabled); err != nil {
			return err
		}
		return e.print(map[string]any{"id": id, "enabled": enabled}, "Automation %s is %s.\n", id, onOff(enabled))
	})
}

type automationRunsCmd struct {
	Org        string `required:"" help:"Id of the organisation."`
	Automation string `help:"Only of this automation."`
	Contact    string `help:"Only for this contact."`
	State      string `enum:",ready,done,dead" default:"" help:"Only those that are ready (to be tried), done or dead (given up)."`
	Limit      int    `default:"50" help:"How many."`
	After      string `help:"Only those before this run: the last one of the page before."`
}

// Run shows runs.
func (c *automationRunsCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		all, err := app.NewAutomations(store, now).Runs(e.ctx, app.Operator(), c.Org,
			ports.JobFilter{AutomationID: c.Automation, ContactID: c.Contact, State: automation.JobState(c.State)}, c.After, c.Limit)
		if err != nil {
			return err
		}
		type view struct {
			ID         string              `json:"id"`
			Kind       automation.JobKind  `json:"kind"`
			Automation *string             `json:"automation"`
			Member     *string             `json:"member"`
			Contact    string              `json:"contact"`
			State      automation.JobState `json:"state"`
			Attempts   int                 `json:"attempts"`
			Result     string              `json:"result"`
			NextAt     *time.Time          `json:"nextAt"`
			CreatedAt  time.Time           `json:"createdAt"`
			EndedAt    *time.Time          `json:"endedAt"`
		}
		views := make([]view, len(all))
		var text strings.Builder
		for i, j := range all {
			views[i] = view{
				ID: j.ID, Kind: j.Kind, Automation: textOrNull(j.AutomationID), Member: textOrNull(j.MemberID), Contact: j.ContactID, State: j.State,
				Attempts: j.Attempts, Result: j.Result, CreatedAt: j.CreatedAt, EndedAt: orNull(j.EndedAt),
			}
			if j.State == automation.Ready {
				views[i].NextAt = &j.RunAt
			}
			fmt.Fprintf(&text, "%s  %s  %-5s  %2d attempts  %s\n", j.ID, j.CreatedAt.Format(time.DateTime), j.State, j.Attempts, j.Result)
		}
		return e.print(views, "%s", text.String())
	})
}

func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

type automationRerunCmd struct {
	ID string `arg:"" help:"Id of the run."`
}

// Run runs one again.
func (c *automationRerunCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		id, err := app.NewAutomations(store, now).RunAgain(e.ctx, app.Operator(), c.ID)
		if err != nil {
			return err
		}
		return e.print(map[string]string{"id": id}, "Run %s is ready.\n", id)
	})
}

type contactCmd struct {
	List contactListCmd `cmd:"" help:"List contacts, newest first."`
	Show contactShowCmd `cmd:"" help:"Show a contact with its history."`
}

type contactListCmd struct {
	Org   string `required:"" help:"Id of the organisation."`
	Limit *int   `help:"How many; all by default."`
}

// Run lists contacts.
func (c *contactListCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		all, err := app.NewContacts(store, now).List(e.ctx, app.Operator(), c.Org, orAll(c.Limit))
		if err != nil {
			return err
		}
		views := make([]event.ContactJSON, len(all))
		var text strings.Builder
		for i, k := range all {
			views[i] = event.NewContactJSON(k)
			fmt.Fprintf(&text, "%s  %s  %s <%s>\n", k.ID, k.CreatedAt.Format(time.DateTime), k.Name, k.Email)
		}
		return e.print(views, "%s", text.String())
	})
}

type contactShowCmd struct {
	ID string `arg:"" help:"Id of the contact."`
}

// Run shows a contact.
func (c *contactShowCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		k, events, err := app.NewContacts(store, now).Show(e.ctx, app.Operator(), c.ID)
		if err != nil {
			return err
		}
		type entry struct {
			Em    time.Time `json:"em"`
			Tipo  string    `json:"tipo"`
			Autor string    `json:"autor"`
			Texto string    `json:"texto"`
		}
		history := make([]entry, len(events))
		var text strings.Builder
		for i, h := range events {
			history[i] = entry{h.At, string(h.Kind), h.Actor, h.Text()}
			fmt.Fprintf(&text, "  %s  %s\n", h.At.Format(time.DateTime), h.Text())
		}
		return e.print(struct {
			event.ContactJSON
			Historico []entry `json:"historico"`
		}{event.NewContactJSON(k), history}, "%s <%s> %s\n%s, R$ %s, %s, %s\n\n%s\n\n%s",
			k.Name, k.Email, k.Phone, k.Company, k.Amount, k.Stage, k.Assignee.Name, k.Note, text.String())
	})
}

type notificationCmd struct {
	List notificationListCmd `cmd:"" help:"List notifications, newest first."`
	Read notificationReadCmd `cmd:"" help:"Mark all as read by a member."`
}

type notificationListCmd struct {
	Org    string `required:"" help:"Id of the organisation."`
	Member string `help:"Id of the member whose reading counts."`
	Limit  *int   `help:"How many; all by default."`
}

// Run lists notifications.
func (c *notificationListCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		all, err := app.NewNotifications(store).List(e.ctx, app.Operator(), c.Org, c.Member, orAll(c.Limit))
		if err != nil {
			return err
		}
		type view struct {
			ID      string    `json:"id"`
			Titulo  string    `json:"titulo"`
			Texto   string    `json:"texto"`
			Contato string    `json:"contato"`
			Em      time.Time `json:"em"`
			Lida    bool      `json:"lida"`
		}
		views := make([]view, len(all))
		var text strings.Builder
		for i, n := range all {
			views[i] = view{n.ID, n.Title(), n.Text(), n.ContactID, n.At, n.Read}
			fmt.Fprintf(&text, "%s  %s: %s\n", n.At.Format(time.DateTime), n.Title(), n.Text())
		}
		return e.print(views, "%s", text.String())
	})
}

type notificationReadCmd struct {
	Org    string `required:"" help:"Id of the organisation."`
	Member string `required:"" help:"Id of the member."`
}

// Run marks notifications as read.
func (c *notificationReadCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		if err := app.NewNotifications(store).ReadAll(e.ctx, app.Operator(), c.Org, c.Member); err != nil {
			return err
		}
		return e.print(map[string]bool{"read": true}, "All notifications are read.\n")
	})
}

// orAll is the limit that was given, or none.
func orAll(limit *int) int {
	if limit == nil {
		return app.All
	}
	return *limit
}
