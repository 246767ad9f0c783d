// Package automations holds the commands of automations.
package automations

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	outbound "fichario/adapters/automation"
	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/automations"
	"fichario/cmd/fichario/command"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/text"
	"fichario/ports"
)

// UseCase is the use case; offered is needed only where automations are made.
func UseCase(e *command.Environment, store ports.Store, offered catalog.Catalog) *automations.Automations {
	return automations.New(store, command.Now, automations.Means{
		Mails: e.Settings.SMTPURL != "", Conditions: outbound.NewConditions(), Catalog: offered,
		Destinations: outbound.Destinations{Meta: e.Settings.MetaURL},
	})
}

// offeredBy is the configured bureau's catalogue.
func offeredBy(e *command.Environment) (catalog.Catalog, error) {
	client, stop, err := e.OpenBureaus(slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer stop()
	return client.Catalog(), nil
}

// Automation holds the commands of automations.
type Automation struct {
	Add          automationAddCmd          `cmd:"" help:"Make an automation."`
	List         automationListCmd         `cmd:"" help:"List the automations of an organisation."`
	Set          automationSetCmd          `cmd:"" help:"Change the purpose of its lookup, or a value filled into its request, such as a token."`
	Enable       automationEnableCmd       `cmd:"" help:"Enable an automation."`
	Disable      automationDisableCmd      `cmd:"" help:"Disable an automation."`
	Runs         automationRunsCmd         `cmd:"" help:"Show runs and e-mails with their results, newest first."`
	Destinations automationDestinationsCmd `cmd:"" help:"List the built-in destinations, and the fields of each."`
	Try          automationTryCmd          `cmd:"" help:"Show what it would do for a contact: the exact request, with secrets masked. Nothing is sent."`
	Rerun        automationRerunCmd        `cmd:"" help:"Repeat a run that was given up or that succeeded, or retry a waiting one now."`
}

type automationAddCmd struct {
	Org    string `required:"" help:"Id of the organisation."`
	Name   string `required:"" help:"Name of the automation; contacts' histories show it."`
	Event  string `help:"Event that starts it: contact.created (the default, but contact.moved for a destination that tells stages), contact.updated, contact.moved, lookup.completed, batch.completed, cap.reached or delivery.refused."`
	Action string `required:"" enum:"http,email,move_stage,assign,add_note,lookup" help:"http, email, move_stage, assign, add_note or lookup."`
	URL    string `name:"url" help:"http: the address to post to."`
	requestFlags
	To      string  `help:"email: an address, contact or assignee."`
	Subject string  `help:"email: the subject; {nome}, {email}, {telefone}, {empresa} and {valor} are filled in."`
	Text    string  `help:"email and add_note: the text; the same are filled in."`
	Stage   string  `help:"move_stage: name of the stage."`
	Member  string  `help:"assign: id or e-mail address of the member."`
	Origin  written `help:"Only for contacts of this origin."`
	Webhook written `help:"Only for contacts of the webhook with this id."`
	Min     written `name:"min-value" help:"Only for contacts worth at least this many reais, such as 1500.50."`
	When    written `help:"Only if this jq expression over the event's data is true, such as '.campos.score >= 600'."`
	Product string  `help:"lookup: the product."`
	MaxAge  *int    `help:"lookup: oldest acceptable answer from history, in days, 0 to 30."`
	Purpose string  `help:"lookup: code of the purpose; required if the organisation has several."`
	Ceiling string  `name:"monthly-ceiling" help:"lookup: most that it may spend in a month, in reais, such as 50.00; required."`
}

// Run makes an automation.
func (c *automationAddCmd) Run(e *command.Environment) error {
	n := automations.NewAutomation{
		OrgID: c.Org, Name: c.Name, Event: automation.EventName(c.Event), Action: automation.ActionKind(c.Action), URL: c.URL,
		To:      c.To,
		Subject: c.Subject, Text: c.Text, Stage: c.Stage, Member: c.Member, Origin: string(c.Origin),
		WebhookID: string(c.Webhook),
		When:      string(c.When), Product: c.Product, MaxAge: c.MaxAge, Purpose: c.Purpose,
	}
	if c.Ceiling != "" {
		var err error
		if n.Ceiling, err = catalog.ParseMoney(c.Ceiling); err != nil {
			return fmt.Errorf("--monthly-ceiling: %w", err)
		}
	}
	var offered catalog.Catalog
	if n.Action == automation.Lookup {
		var err error
		if offered, err = offeredBy(e); err != nil {
			return err
		}
	}
	if c.Min != "" {
		var err error
		if n.MinAmount, err = catalog.ParseMoney(string(c.Min)); err != nil {
			return fmt.Errorf("--min-value: %w", err)
		}
	}
	return e.WithStore(func(store *gormstore.Store) error {
		rules := UseCase(e, store, offered)
		var err error
		if n.RequestForm, err = c.form(e, rules, n); err != nil {
			return err
		}
		a, err := rules.Add(e.Ctx, app.Operator(), n)
		if err != nil {
			return err
		}
		value := map[string]string{"id": a.ID}
		if a.Action.Secret == "" {
			return e.Print(value, "Automation %s: %s\n", a.ID, a.Name)
		}
		value["secret"] = a.Action.Secret
		return e.Print(value,
			"Automation %s: %s\nIts calls are signed (Standard Webhooks) with this secret:\n\n  %s\n", a.ID, a.Name,
			a.Action.Secret)
	})
}

type automationListCmd struct {
	Org string `required:"" help:"Id of the organisation."`
}

// automationView is an automation as --json shows it. Fields that an action or a condition does not have are omitted.
type automationView struct {
	ID          string                `json:"id"`
	Name        string                `json:"name"`
	Event       automation.EventName  `json:"event"`
	Action      automation.ActionKind `json:"action"`
	Enabled     bool                  `json:"enabled"`
	URL         string                `json:"url,omitempty"`
	To          string                `json:"to,omitempty"`
	Subject     string                `json:"subject,omitempty"`
	Text        string                `json:"text,omitempty"`
	Stage       string                `json:"stage,omitempty"`
	Member      string                `json:"member,omitempty"`
	Origin      string                `json:"origin,omitempty"`
	Webhook     string                `json:"webhook,omitempty"`
	MinValue    json.Number           `json:"minValue,omitempty"`
	Destination string                `json:"destination,omitempty"`
	Method      string                `json:"method,omitempty"`
	Body        string                `json:"body,omitempty"`
	Done        string                `json:"done,omitempty"`
	When        string                `json:"when,omitempty"`
	Product     string                `json:"product,omitempty"`
	MaxAge      *int                  `json:"maxAge,omitempty"`
	Ceiling     json.Number           `json:"monthlyCeiling,omitempty"`
	Purpose     string                `json:"purpose,omitempty"`
	Consent     string                `json:"consent,omitempty"`
	Basis       string                `json:"basis,omitempty"`
}

func viewAutomation(a automations.View) automationView {
	v := automationView{
		ID: a.ID, Name: a.Name, Event: a.Event, Action: a.Action.Kind, Enabled: a.Enabled, URL: a.Action.URL,
		To: a.Action.To, Subject: a.Action.Subject, Text: a.Action.Text, Stage: a.Stage, Member: a.Member,
		Origin: a.Origin, Webhook: a.Conditions.WebhookID, When: a.Conditions.When, Product: a.Action.Product,
		MaxAge: a.Action.MaxAge, Destination: a.Action.Destination, Method: a.Action.Method, Body: a.Action.Body,
		Done: a.Action.Done, Purpose: a.Action.Purpose, Consent: a.Action.Ground.Consent, Basis: a.Action.Ground.Basis,
	}
	if a.Action.Ceiling > 0 {
		v.Ceiling = json.Number(a.Action.Ceiling.String())
	}
	if a.Conditions.MinAmount > 0 {
		v.MinValue = json.Number(a.Conditions.MinAmount.String())
	}
	return v
}

// Run lists the automations.
func (c *automationListCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		all, err := UseCase(e, store, nil).Views(e.Ctx, app.Operator(), c.Org)
		if err != nil {
			return err
		}
		return command.PrintList(e, all, viewAutomation, func(a automations.View) string {
			return fmt.Sprintf("%s  %-10s  %-8s  %s", a.ID, a.Action.Kind, command.OnOff(a.Enabled), a.Name)
		})
	})
}

type automationSetCmd struct {
	ID      string            `arg:"" help:"Id of the automation."`
	Purpose string            `help:"lookup: code of the purpose."`
	Set     map[string]string `mapsep:"none" help:"http: a new value for a field of the destination or a $${NAME}, as name=value; may be repeated."`
	Secrets bool              `help:"http: read each secret that --set does not give from standard input again, as add does."`
}

// Run changes an automation.
func (c *automationSetCmd) Run(e *command.Environment) error {
	fills := c.Secrets || len(c.Set) > 0
	switch {
	case c.Purpose == "" && !fills:
		return errors.New("give what to change: --purpose, --set or --secrets")
	case c.Purpose != "" && fills:
		return errors.New("--purpose belongs to a lookup, --set and --secrets to a request: change one or the other")
	}
	return e.WithStore(func(store *gormstore.Store) error {
		if fills {
			return c.fill(e, UseCase(e, store, nil))
		}
		if err := UseCase(e, store, nil).SetPurpose(e.Ctx, app.Operator(), c.ID, c.Purpose); err != nil {
			return err
		}
		return e.Print(map[string]string{"id": c.ID, "purpose": c.Purpose},
			"Automation %s now has the purpose %s.\n", c.ID, c.Purpose)
	})
}

// fill replaces the values filled into the request.
func (c *automationSetCmd) fill(e *command.Environment, rules *automations.Automations) error {
	values := c.Set
	if c.Secrets {
		rule, err := rules.View(e.Ctx, app.Operator(), c.ID)
		if err != nil {
			return err
		}
		if values, err = secrets(e, rule.Destination.Fields, values); err != nil {
			return err
		}
	}
	if len(values) == 0 {
		return errors.New("--secrets: the request of this automation has none")
	}
	if err := rules.Refill(e.Ctx, app.Operator(), c.ID, values); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(values))
	return e.Print(map[string]any{"id": c.ID, "set": names},
		"Automation %s has new values: %s.\n", c.ID, strings.Join(names, ", "))
}

type automationEnableCmd struct {
	ID string `arg:"" help:"Id of the automation."`
}

// Run enables an automation.
func (c *automationEnableCmd) Run(e *command.Environment) error {
	return enableAutomation(e, c.ID, true)
}

type automationDisableCmd struct {
	ID string `arg:"" help:"Id of the automation."`
}

// Run disables an automation.
func (c *automationDisableCmd) Run(e *command.Environment) error {
	return enableAutomation(e, c.ID, false)
}

func enableAutomation(e *command.Environment, id string, enabled bool) error {
	return e.WithStore(func(store *gormstore.Store) error {
		if err := UseCase(e, store, nil).SetEnabled(e.Ctx, app.Operator(), id, enabled); err != nil {
			return err
		}
		return e.Print(map[string]any{"id": id, "enabled": enabled}, "Automation %s is %s.\n", id, command.OnOff(enabled))
	})
}

type automationRunsCmd struct {
	Org        string `required:"" help:"Id of the organisation."`
	Automation string `help:"Only runs of this automation."`
	Contact    string `help:"Only runs for this contact."`
	State      string `enum:",ready,done,dead" default:"" help:"Only runs that are ready (to be tried), done or dead (given up)."`
	Limit      int    `default:"50" help:"How many."`
	After      string `help:"Only runs before this one: the last of the previous page."`
}

// runView is a run of an automation, or an e-mail to a member, as --json shows it.
type runView struct {
	ID         string               `json:"id"`
	Kind       automation.JobKind   `json:"kind"`
	Automation *string              `json:"automation"`
	Member     *string              `json:"member"`
	Contact    *string              `json:"contact"`
	Event      automation.EventName `json:"event"`
	State      automation.JobState  `json:"state"`
	Skipped    bool                 `json:"skipped"`
	Attempts   int                  `json:"attempts"`
	Result     string               `json:"result"`
	NextAt     *time.Time           `json:"nextAt"`
	CreatedAt  time.Time            `json:"createdAt"`
	EndedAt    *time.Time           `json:"endedAt"`
}

func viewRun(j automation.Job) runView {
	v := runView{
		ID: j.ID, Kind: j.Kind, Automation: text.OrNil(j.AutomationID), Member: text.OrNil(j.MemberID),
		Contact: text.OrNil(j.ContactID),
		Event:   cmp.Or(j.Event, automation.ContactCreated),
		State:   j.State, Skipped: j.Skipped(), Attempts: j.Attempts, Result: j.Result, CreatedAt: j.CreatedAt,
		EndedAt: command.TimeOrNull(j.EndedAt),
	}
	if j.State == automation.Ready {
		v.NextAt = &j.RunAt
	}
	return v
}

// Run shows runs.
func (c *automationRunsCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		all, err := UseCase(e, store, nil).Runs(e.Ctx, app.Operator(), c.Org,
			automation.JobFilter{
				AutomationID: c.Automation, ContactID: c.Contact, State: automation.JobState(c.State),
			}, c.After, c.Limit)
		if err != nil {
			return err
		}
		return command.PrintList(e, all, viewRun, func(j automation.Job) string {
			return fmt.Sprintf("%s  %s  %-5s  %2d attempts  %s",
				j.ID, j.CreatedAt.Format(time.DateTime), j.State, j.Attempts, j.Result)
		})
	})
}

type automationRerunCmd struct {
	ID string `arg:"" help:"Id of the run."`
}

// Run repeats a run.
func (c *automationRerunCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		id, err := UseCase(e, store, nil).RunAgain(e.Ctx, app.Operator(), c.ID)
		if err != nil {
			return err
		}
		return e.Print(map[string]string{"id": id}, "Run %s is ready.\n", id)
	})
}
