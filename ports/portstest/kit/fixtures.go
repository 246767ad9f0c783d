package kit

import (
	"context"
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

// At is a time that both databases store exactly.
var At = time.Date(2026, 11, 20, 14, 3, 11, 520_001_000, time.UTC)

// ID is the n-th id of a test.
func ID() string { return uuid.Must(uuid.NewV7()).String() }

// IDOf returns an id of another time than now: stores find things by the time in their ids.
func IDOf(t time.Time) string {
	u := uuid.Must(uuid.NewV7())
	for i := range 6 {
		u[i] = byte(t.UnixMilli() >> (40 - 8*i))
	}
	return u.String()
}

// Must ends the test at an error.
func Must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Same fails where two values differ.
func Same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

// WantErr fails where an error is not the wanted one.
func WantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

// Doc is a document of a test.
func Doc(t *testing.T, typ document.Type, s string) document.Document {
	t.Helper()
	d, err := document.Parse(typ, s)
	Must(t, err)
	return d
}

// Org makes an organisation.
func Org(t *testing.T, s ports.Store) crm.Organisation {
	t.Helper()
	o := crm.Organisation{
		ID: ID(), Name: "Organização " + ID(), CreatedAt: At, MemberBatchLimit: crm.DefaultMemberBatchLimit,
	}
	Must(t, s.Repos().Orgs.Create(t.Context(), o))
	return o
}

// Member makes a member.
func Member(t *testing.T, s ports.Store, orgID string, role crm.Role, active bool) crm.Member {
	t.Helper()
	m := crm.Member{
		ID: ID(), OrgID: orgID, Name: "Ana", Email: ID() + "@example.com", Role: role, Active: active, PasswordHash: "x",
		CreatedAt: At,
	}
	Must(t, s.Repos().Members.Create(t.Context(), m))
	return m
}

// FunnelOf makes a funnel with its stages.
func FunnelOf(t *testing.T, s ports.Store, orgID string, byDefault bool, stages ...string) crm.Funnel {
	t.Helper()
	f := crm.Funnel{ID: ID(), OrgID: orgID, Name: "Vendas", Default: byDefault, CreatedAt: At}
	for _, name := range stages {
		f.Stages = append(f.Stages, crm.Stage{ID: ID(), Name: name, Outcome: crm.Open})
	}
	Must(t, s.Repos().Funnels.Create(t.Context(), f))
	return f
}

// Origin makes an origin.
func Origin(t *testing.T, s ports.Store, orgID, name string) crm.Origin {
	t.Helper()
	o := crm.Origin{ID: ID(), OrgID: orgID, Name: name}
	Must(t, s.Repos().Origins.Create(t.Context(), o))
	return o
}

// Hook makes a webhook.
func Hook(t *testing.T, s ports.Store, orgID string) (webhook.Webhook, webhook.Token) {
	t.Helper()
	w := webhook.Webhook{
		ID: ID(), OrgID: orgID, Name: "Site", Options: intake.Options{Kind: intake.Generic, Band: fields.BandZero},
		Enabled: true, CreatedAt: At,
	}
	token := webhook.NewToken()
	Must(t, s.Repos().Webhooks.Create(t.Context(), w, token))
	return w, token
}

// Arrival is a post that makes a contact.
func Arrival(w webhook.Webhook, stageID string) ports.Arrival { return ArrivalOf(w, stageID, 1) }

// ArrivalOf is a post with that many people.
func ArrivalOf(w webhook.Webhook, stageID string, people int) ports.Arrival {
	a := ports.Arrival{Mails: true, Delivery: webhook.Delivery{
		ID: ID(), OrgID: w.OrgID, WebhookID: w.ID, At: At, Outcome: webhook.Accepted,
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

// Came is the entry with which the history of a webhook's contact begins.
func Came(c crm.Contact, w webhook.Webhook) crm.Event {
	return crm.Event{ID: c.ID, OrgID: c.OrgID, ContactID: c.ID, Kind: crm.ContactCreated, Actor: w.Name, At: c.CreatedAt}
}

// Told is what the team is told of a webhook's contact.
func Told(c crm.Contact, w webhook.Webhook) crm.Notification {
	return crm.Notification{
		ID: c.ID, OrgID: c.OrgID, ContactID: c.ID, ContactName: c.Name, Kind: crm.NewContact, Subject: w.Name,
		At: c.CreatedAt,
	}
}

func newcomer(w webhook.Webhook, stageID string) ports.Newcomer {
	c := crm.Contact{
		ID: ID(), OrgID: w.OrgID, WebhookID: w.ID, Name: "Bia Rocha", Email: "bia@example.com", Phone: "(11) 98765-4321",
		PhoneE164: "+5511987654321", Company: "Rocha & Filhos",
		Documents: []document.Document{document.Restore(document.CPF, "52998224725")}, Amount: 12345600, Note: "Olá\nmundo",
		Attribution: []crm.Attribute{{Key: "utm_source", Value: "google"}},
		Consents:    []crm.Consent{{Key: "aceite", Title: "Aceito?", Given: true, At: At}},
		StageID:     stageID, AssigneeID: ID(), OriginID: ID(), CreatedAt: At,
	}
	return ports.Newcomer{
		Contact: c,
		Job: automation.Job{
			ID: ID(), OrgID: w.OrgID, Kind: automation.FanOut, ContactID: c.ID, State: automation.Ready, RunAt: At,
			CreatedAt: At, Facts: automation.FactsOf(c),
		},
	}
}

// Received is a contact that came in.
func Received(t *testing.T, s ports.Store, webhookID string) int64 {
	t.Helper()
	w, _, err := s.Repos().Webhooks.Find(t.Context(), ports.AnyOrg, webhookID)
	Must(t, err)
	return w.Received
}

// Made creates contacts by hand, in order.
func Made(t *testing.T, s ports.Store, contacts ...crm.Contact) []crm.Contact {
	t.Helper()
	for i := range contacts {
		c := &contacts[i]
		if c.ID == "" {
			c.ID = ID()
		}
		if c.CreatedAt.IsZero() {
			c.CreatedAt = At.Add(time.Duration(i) * time.Hour)
		}
		e := crm.Event{ID: ID(), OrgID: c.OrgID, ContactID: c.ID, Kind: crm.ContactAdded, Actor: "Ana", At: c.CreatedAt}
		Must(t, s.InTx(t.Context(), func(_ context.Context, r ports.Repos) error {
			return r.Contacts.Create(t.Context(), *c, e)
		}))
	}
	return contacts
}

// Kept saves a record of a document and returns it.
func Kept(t *testing.T, s ports.Store, orgID string, d document.Document) lookup.Record {
	t.Helper()
	rec := lookup.Record{
		ID: ID(), OrgID: orgID, Product: "cpf", Document: d, AnsweredAt: At, Found: true, Schema: "s1",
		Fields: []byte(`{"nome":"Ana"}`), Raw: []byte(`{ "nome" : "Ana" }`),
	}
	Must(t, s.Repos().History.Save(t.Context(), rec))
	return rec
}

// Free is an entry that cost nothing.
func Free(t *testing.T, key string, rec lookup.Record) lookup.Entry {
	t.Helper()
	return lookup.Entry{
		ID: ID(), OrgID: rec.OrgID, KeyID: key, Product: rec.Product, Document: rec.Document, At: At.Add(time.Hour),
		Cache: true, Status: lookup.Done,
	}
}

// OrgOf is the organisation of a key: each has one.
func OrgOf(key string) string {
	if key == "" {
		return ID()
	}
	return automation.Derived(key, 1)
}

// Running is an entry of a call that runs.
func Running(t *testing.T, key string) lookup.Entry {
	t.Helper()
	return lookup.Entry{
		ID: ID(), OrgID: OrgOf(key), KeyID: key, Product: "cpf", Document: Doc(t, document.CPF, "52998224725"), At: At,
		Charged: true, Amount: 4500, Status: lookup.Running, Day: "2026-11-20", Month: "2026-11",
		SettleAt: At.Add(15 * time.Second),
	}
}

// Charged begins a call that shares nothing.
func Charged(
	t *testing.T, s ports.Store, key, day, month string, amount catalog.Money, caps access.Limits,
) (lookup.Entry, error) {
	t.Helper()
	e := Running(t, key)
	e.Day, e.Month, e.Amount = day, month, amount
	_, err := s.Repos().Calls.Begin(t.Context(), ports.Charge{Entry: e, Takes: time.Minute, Caps: caps})
	return e, err
}

// NotSent ends a call that was charged but costs nothing after all.
func NotSent(e lookup.Entry) ports.Outcome {
	o := ports.Outcome{Entry: e, Price: e.Amount}
	o.Entry.Status, o.Entry.Charged, o.Entry.Amount = lookup.NotSent, false, 0
	return o
}

// Begins begins a call that others may share.
func Begins(t *testing.T, s ports.Store, c ports.Charge) ports.Begun {
	t.Helper()
	c.Shared = true
	begun, err := s.Repos().Calls.Begin(t.Context(), c)
	Must(t, err)
	return begun
}

// Ready is a job that is due.
func Ready(orgID, automationID string, runAt time.Time) automation.Job {
	return automation.Job{
		ID: ID(), OrgID: orgID, Kind: automation.RunAutomation, ContactID: ID(), AutomationID: automationID,
		State: automation.Ready, RunAt: runAt, CreatedAt: At,
	}
}

// Refusal is a refused post.
func Refusal(w webhook.Webhook) webhook.Delivery {
	return webhook.Delivery{
		ID: ID(), OrgID: w.OrgID, WebhookID: w.ID, At: At, Outcome: webhook.Refused, Code: "email_invalido",
		Reason: "Falta o e-mail.", Body: []byte{0, 255}, Truncated: true, ReplayOf: ID(),
	}
}
