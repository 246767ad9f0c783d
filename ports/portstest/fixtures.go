package portstest

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/intake"
	"fichario/domain/intake/fields"
	"fichario/domain/lookup"
	"fichario/domain/webhook"
	"fichario/ports"
)

// at is a time that both databases store exactly.
var at = time.Date(2026, 11, 20, 14, 3, 11, 520_001_000, time.UTC)

func id() string { return uuid.Must(uuid.NewV7()).String() }

// idOf returns an id of another time than now: stores find things by the time in their ids.
func idOf(t time.Time) string {
	u := uuid.Must(uuid.NewV7())
	for i := range 6 {
		u[i] = byte(t.UnixMilli() >> (40 - 8*i))
	}
	return u.String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func doc(t *testing.T, typ document.Type, s string) document.Document {
	t.Helper()
	d, err := document.Parse(typ, s)
	must(t, err)
	return d
}

func org(t *testing.T, s ports.Store) crm.Organisation {
	t.Helper()
	o := crm.Organisation{
		ID: id(), Name: "Organização " + id(), CreatedAt: at, MemberBatchLimit: crm.DefaultMemberBatchLimit,
	}
	must(t, s.Repos().Orgs.Create(t.Context(), o))
	return o
}

func member(t *testing.T, s ports.Store, orgID string, role crm.Role, active bool) crm.Member {
	t.Helper()
	m := crm.Member{
		ID: id(), OrgID: orgID, Name: "Ana", Email: id() + "@example.com", Role: role, Active: active, PasswordHash: "x",
		CreatedAt: at,
	}
	must(t, s.Repos().Members.Create(t.Context(), m))
	return m
}

func funnelOf(t *testing.T, s ports.Store, orgID string, byDefault bool, stages ...string) crm.Funnel {
	t.Helper()
	f := crm.Funnel{ID: id(), OrgID: orgID, Name: "Vendas", Default: byDefault, CreatedAt: at}
	for _, name := range stages {
		f.Stages = append(f.Stages, crm.Stage{ID: id(), Name: name, Outcome: crm.Open})
	}
	must(t, s.Repos().Funnels.Create(t.Context(), f))
	return f
}

func hook(t *testing.T, s ports.Store, orgID string) (webhook.Webhook, webhook.Token) {
	t.Helper()
	w := webhook.Webhook{
		ID: id(), OrgID: orgID, Name: "Site", Options: intake.Options{Kind: intake.Generic, Band: fields.BandZero},
		Enabled: true, CreatedAt: at,
	}
	token := webhook.NewToken()
	must(t, s.Repos().Webhooks.Create(t.Context(), w, token))
	return w, token
}

// arrival is a post that makes a contact.
func arrival(w webhook.Webhook, stageID string) ports.Arrival { return arrivalOf(w, stageID, 1) }

// arrivalOf is a post with that many people.
func arrivalOf(w webhook.Webhook, stageID string, people int) ports.Arrival {
	a := ports.Arrival{Delivery: webhook.Delivery{
		ID: id(), OrgID: w.OrgID, WebhookID: w.ID, At: at, Outcome: webhook.Accepted,
		Headers: []intake.Pair{{Key: "content-type", Value: "application/json"}}, Body: []byte(`{"a":"ç"}`),
	}}
	for range people {
		n := newcomer(w, stageID)
		a.People = append(a.People, n)
		if a.Delivery.ContactID == "" {
			a.Delivery.ContactID = n.Contact.ID
		} else {
			a.Delivery.Others = append(a.Delivery.Others, n.Contact.ID)
		}
	}
	return a
}

func newcomer(w webhook.Webhook, stageID string) ports.Newcomer {
	c := crm.Contact{
		ID: id(), OrgID: w.OrgID, WebhookID: w.ID, Name: "Bia Rocha", Email: "bia@example.com", Phone: "(11) 98765-4321",
		PhoneE164: "+5511987654321", Company: "Rocha & Filhos",
		Documents: []document.Document{document.Restore(document.CPF, "52998224725")}, Amount: 12345600, Note: "Olá\nmundo",
		Attribution: []crm.Attribute{{Key: "utm_source", Value: "google"}},
		StageID:     stageID, AssigneeID: id(), OriginID: id(), CreatedAt: at,
	}
	return ports.Newcomer{
		Contact: c,
		Event:   crm.Event{ID: id(), OrgID: w.OrgID, ContactID: c.ID, Kind: crm.ContactCreated, Actor: w.Name, At: at},
		Notification: crm.Notification{
			ID: id(), OrgID: w.OrgID, ContactID: c.ID, ContactName: c.Name, Kind: crm.NewContact, Subject: w.Name, At: at,
		},
		Job: automation.Job{
			ID: id(), OrgID: w.OrgID, Kind: automation.FanOut, ContactID: c.ID, State: automation.Ready, RunAt: at,
			CreatedAt: at, Facts: automation.FactsOf(c),
		},
	}
}

func received(t *testing.T, s ports.Store, webhookID string) int64 {
	t.Helper()
	w, _, err := s.Repos().Webhooks.Find(t.Context(), webhookID)
	must(t, err)
	return w.Received
}

// made creates contacts by hand, in order.
func made(t *testing.T, s ports.Store, contacts ...crm.Contact) []crm.Contact {
	t.Helper()
	for i := range contacts {
		c := &contacts[i]
		if c.ID == "" {
			c.ID = id()
		}
		if c.CreatedAt.IsZero() {
			c.CreatedAt = at.Add(time.Duration(i) * time.Hour)
		}
		e := crm.Event{ID: id(), OrgID: c.OrgID, ContactID: c.ID, Kind: crm.ContactAdded, Actor: "Ana", At: c.CreatedAt}
		must(t, s.InTx(t.Context(), func(r ports.Repos) error { return r.Contacts.Create(t.Context(), *c, e) }))
	}
	return contacts
}

// kept saves a record of a document and returns it.
func kept(t *testing.T, s ports.Store, orgID string, d document.Document) lookup.Record {
	t.Helper()
	rec := lookup.Record{
		ID: id(), OrgID: orgID, Product: "cpf", Document: d, AnsweredAt: at, Found: true, Schema: "s1",
		Fields: []byte(`{"nome":"Ana"}`), Raw: []byte(`{ "nome" : "Ana" }`),
	}
	must(t, s.Repos().History.Save(t.Context(), rec))
	return rec
}

func free(t *testing.T, key string, rec lookup.Record) lookup.Entry {
	t.Helper()
	return lookup.Entry{
		ID: id(), OrgID: rec.OrgID, KeyID: key, Product: rec.Product, Document: rec.Document, At: at.Add(time.Hour),
		Cache: true, Status: lookup.Done,
	}
}

func running(t *testing.T, key string) lookup.Entry {
	t.Helper()
	return lookup.Entry{
		ID: id(), OrgID: id(), KeyID: key, Product: "cpf", Document: doc(t, document.CPF, "52998224725"), At: at,
		Charged: true, Amount: 4500, Status: lookup.Running, Day: "2026-11-20", Month: "2026-11",
		SettleAt: at.Add(15 * time.Second),
	}
}

// charged begins a call that shares nothing.
func charged(
	t *testing.T, s ports.Store, key, day, month string, amount catalog.Money, caps access.Limits,
) (lookup.Entry, error) {
	t.Helper()
	e := running(t, key)
	e.Day, e.Month, e.Amount = day, month, amount
	_, err := s.Repos().Calls.Begin(t.Context(), ports.Charge{Entry: e, Takes: time.Minute, Caps: caps})
	return e, err
}

// notSent ends a call that was charged but costs nothing after all.
func notSent(e lookup.Entry) ports.Outcome {
	o := ports.Outcome{Entry: e, Price: e.Amount}
	o.Entry.Status, o.Entry.Charged, o.Entry.Amount = lookup.NotSent, false, 0
	return o
}

// begins begins a call that others may share.
func begins(t *testing.T, s ports.Store, c ports.Charge) ports.Begun {
	t.Helper()
	c.Shared = true
	begun, err := s.Repos().Calls.Begin(t.Context(), c)
	must(t, err)
	return begun
}

func ready(orgID, automationID string, runAt time.Time) automation.Job {
	return automation.Job{
		ID: id(), OrgID: orgID, Kind: automation.RunAutomation, ContactID: id(), AutomationID: automationID,
		State: automation.Ready, RunAt: runAt, CreatedAt: at,
	}
}

// refusal is a refused post.
func refusal(w webhook.Webhook) webhook.Delivery {
	return webhook.Delivery{
		ID: id(), OrgID: w.OrgID, WebhookID: w.ID, At: at, Outcome: webhook.Refused, Code: "email_invalido",
		Reason: "Falta o e-mail.", Body: []byte{0, 255}, Truncated: true, ReplayOf: id(),
	}
}
