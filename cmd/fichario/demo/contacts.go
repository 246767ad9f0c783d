package demo

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/automations"
	"fichario/app/contacts"
	intakeapp "fichario/app/intake"
	"fichario/app/team"
	"fichario/cmd/fichario/command"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/webhook"
)

// demoLead is an invented person who filled in a form some time ago.
type demoLead struct {
	hours                                       int // how long ago
	name, email, phone, company, value, message string
	origin                                      string
	stage, assignee                             string // set by hand afterwards; empty leaves the value as it came
}

// demoContact is a contact that arrived that many hours ago.
type demoContact struct {
	id    string
	hours int
}

// demoLeadsFile has leads of two weeks, the oldest first.
//
//go:embed leads.csv
var demoLeadsFile []byte

func demoLeads() ([]demoLead, error) {
	rows, err := csv.NewReader(bytes.NewReader(demoLeadsFile)).ReadAll()
	if err != nil {
		return nil, err
	}
	var leads []demoLead
	for _, r := range rows[1:] {
		hours, err := strconv.Atoi(r[0])
		if err != nil {
			return nil, err
		}
		leads = append(leads, demoLead{
			hours: hours, name: r[1], email: r[2], phone: r[3], company: r[4], value: r[5], message: r[6], origin: r[7],
			stage: r[8], assignee: r[9],
		})
	}
	return leads, nil
}

// demoContacts fills the demonstration's funnel: contacts of two weeks from two webhooks, some moved and assigned,
// refused posts, and automations of which one cannot succeed. It returns the contacts, the oldest first.
func demoContacts(ctx context.Context, store *gormstore.Store) (made []demoContact, err error) {
	by := app.Operator()
	hooks := intakeapp.NewWebhooks(store, command.Now)
	known, err := hooks.List(ctx, by, demoOrg)
	if err != nil || len(known) == 0 {
		return nil, err
	}
	site, err := hooks.Show(ctx, by, known[0].ID)
	if err != nil {
		return nil, err
	}
	form, err := demoForm(ctx, store)
	if err != nil {
		return nil, err
	}
	if err := demoAutomations(ctx, store); err != nil {
		return nil, err
	}
	helena, err := demoMember(ctx, store, "helena@demo.example")
	if err != nil {
		return nil, err
	}
	leads, err := demoLeads()
	if err != nil {
		return nil, err
	}
	for i, l := range leads {
		token := site.Token
		if i%3 == 1 {
			token = form
		}
		if i == len(leads)-1 {
			if err := demoRefused(ctx, store, site.Token); err != nil {
				return nil, err
			}
		}
		at := command.Now().Add(-time.Duration(l.hours) * time.Hour)
		id, err := demoPost(ctx, store, token, at, map[string]string{
			"nome": l.name, "email": l.email, "telefone": l.phone, "empresa": l.company, "valor": l.value, "mensagem": l.message,
			"origem": l.origin,
		})
		if err != nil {
			return nil, err
		}
		made = append(made, demoContact{id, l.hours})
		later := at.Add(time.Duration(min(i%7+2, l.hours)) * time.Hour)
		people := contacts.New(store, func() time.Time { return later })
		if err := demoMove(ctx, store, people, helena, id, l); err != nil {
			return nil, err
		}
		if l.hours >= demoUnread {
			if err := team.NewNotifications(store).ReadAll(ctx, helena, demoOrg, helena.MemberID()); err != nil {
				return nil, err
			}
		}
	}
	return made, nil
}

// demoUnread is for how many hours back notifications are unread.
const demoUnread = 30

// demoRefused sends two forms that are refused.
func demoRefused(ctx context.Context, store *gormstore.Store, token webhook.Token) error {
	for _, fields := range []map[string]string{
		{"nome": "Sem Correio", "telefone": "11 90012-0131", "email": "não tenho"},
		{"nome": "Bruna Salles", "fone": "85 90061-0140", "prazo": "até dezembro"},
	} {
		if _, err := demoPost(ctx, store, token, command.Now().Add(-3*time.Hour), fields); err != nil && !app.IsRefusal(err) {
			return err
		}
	}
	return nil
}

// demoPost posts a form to a webhook at a past time, and returns the contact.
func demoPost(
	ctx context.Context, store *gormstore.Store, token webhook.Token, at time.Time, fields map[string]string,
) (string, error) {
	body, err := json.Marshal(fields)
	if err != nil {
		return "", err
	}
	inbox := intakeapp.New(store, func() time.Time { return at })
	hook, err := inbox.Open(ctx, token.Reveal())
	if err != nil {
		return "", err
	}
	made, err := inbox.Receive(ctx, hook, intakeapp.Post{
		Headers: []intake.Pair{{Key: "content-type", Value: "application/json"}}, Body: body, Signed: body,
	})
	return made.ContactID, err
}

// demoForm makes a webhook whose contacts go to the demonstration's members in turn, and returns its token.
func demoForm(ctx context.Context, store *gormstore.Store) (webhook.Token, error) {
	none := webhook.Token{}
	var places []crm.RotationMember
	for i, email := range []string{"caio@demo.example", "helena@demo.example"} {
		m, err := demoMember(ctx, store, email)
		if err != nil {
			return none, err
		}
		places = append(places, crm.RotationMember{MemberID: m.MemberID(), Weight: 2 - i})
	}
	turns, err := contacts.NewRotations(store, command.Now).Add(ctx, app.Operator(), demoOrg, "Vendas", places)
	if err != nil {
		return none, err
	}
	_, token, err := intakeapp.NewWebhooks(store, command.Now).Create(ctx, app.Operator(), intakeapp.NewWebhook{
		OrgID: demoOrg, Name: "Pesquisa Tally", Options: intake.Options{Kind: intake.FormService}, Rotation: turns.ID,
	})
	return token, err
}

func demoMember(ctx context.Context, store *gormstore.Store, email string) (app.Caller, error) {
	all, err := command.Members(store).List(ctx, app.Operator(), demoOrg)
	if err != nil {
		return app.Caller{}, err
	}
	for _, m := range all {
		if m.Email == email {
			return app.ByMember(m), nil
		}
	}
	return app.Caller{}, fmt.Errorf("the demonstration has no member %s", strings.Split(email, "@")[0])
}

func demoMove(
	ctx context.Context, store *gormstore.Store, people *contacts.Contacts, by app.Caller, id string, l demoLead,
) error {
	if l.stage != "" {
		funnels, err := contacts.NewFunnels(store, command.Now).List(ctx, by, demoOrg)
		if err != nil {
			return err
		}
		for _, s := range funnels[0].Stages {
			if s.Name == l.stage {
				if _, err := people.Move(ctx, by, id, s.ID); err != nil {
					return err
				}
			}
		}
	}
	if l.assignee == "" {
		return nil
	}
	other, err := demoMember(ctx, store, l.assignee)
	if err != nil {
		return err
	}
	return people.Assign(ctx, by, id, other.MemberID())
}

// demoAutomations makes three automations; the third calls an address that is never allowed, so that the demonstration
// shows a failed run.
func demoAutomations(ctx context.Context, store *gormstore.Store) error {
	rules := automations.New(store, command.Now, automations.Means{})
	for _, n := range []automations.NewAutomation{
		{
			Name: "Lembrete do Instagram", Action: automation.AddNote, Text: "Responder {nome} no direct antes de ligar.",
			Origin: "Instagram",
		},
		{
			Name: "Contas grandes para o Caio", Action: automation.Assign, Member: "caio@demo.example",
			MinAmount: 100_000 * catalog.Real,
		},
		{Name: "Avisar o ERP", Action: automation.HTTP, URL: "http://192.168.0.10/leads", MinAmount: 90_000 * catalog.Real},
	} {
		n.OrgID, n.Event = demoOrg, automation.ContactCreated
		if _, err := rules.Add(ctx, app.Operator(), n); err != nil {
			return err
		}
	}
	return nil
}
