package app

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"fichario/adapters/gormstore"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/intake"
	"fichario/domain/webhook"
	"fichario/ports"
)

func TestWhatBecomesOfAPost(t *testing.T) {
	t.Parallel()
	unfit := errors.New("no e-mail")
	met := func(same bool) ports.Receipt { return ports.Receipt{ContactID: "c", Repeated: true, Same: same} }
	for _, c := range []struct {
		what   string
		strict bool
		first  ports.Receipt
		unfit  error
		want   webhook.Outcome
		code   fault.Code
	}{
		{"nothing was known", true, ports.Receipt{ContactID: "c"}, nil, webhook.Accepted, ""},
		{"nothing was known of an unfit one", true, ports.Receipt{}, unfit, webhook.Refused, fault.Internal},
		{"it came before", true, met(true), nil, webhook.Repeated, ""},
		{"an unfit one came before", true, met(true), unfit, webhook.Repeated, ""},
		{"the sender's key with another body", true, met(false), nil, webhook.Refused, fault.ReusedIdempotencyKey},
		{"the sender's key with another, unfit body", true, met(false), unfit, webhook.Refused, fault.ReusedIdempotencyKey},
		{"a product's id with another body", false, met(false), nil, webhook.Repeated, ""},
		{"a product's id with another, unfit body", false, met(false), unfit, webhook.Repeated, ""},
	} {
		outcome, why := identity{key: "k", strict: c.strict}.decide(c.first, c.unfit)
		if outcome != c.want || fault.CodeOf(why) != c.code {
			t.Errorf("%s: %s, %v", c.what, outcome, why)
		}
	}
}

// openSite opens a store with an organisation and a webhook.
func openSite(t *testing.T) (ports.Store, webhook.Webhook, webhook.Token) {
	t.Helper()
	path, key := filepath.Join(t.TempDir(), "test.db"), bytes.Repeat([]byte{7}, gormstore.DataKeySize)
	store, err := gormstore.Open("sqlite://"+path, [][]byte{key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	repos, org, token := store.Repos(), newID(), webhook.NewToken()
	w := webhook.Webhook{
		ID: newID(), OrgID: org, Name: "Site", Enabled: true,
		Options: intake.Options{Kind: intake.Generic, Band: intake.BandZero},
	}
	stages := []crm.Stage{{ID: newID(), Name: "Novo"}}
	for _, err := range []error{
		store.Migrate(t.Context()),
		repos.Orgs.Create(t.Context(), crm.Organisation{ID: org, Name: "Organização"}),
		repos.Funnels.Create(t.Context(), crm.Funnel{ID: newID(), OrgID: org, Name: "Vendas", Default: true, Stages: stages}),
		repos.Webhooks.Create(t.Context(), w, token),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return store, w, token
}

// TestARepetitionIsInTheLog: of posts with one key the first makes the contact, and each of the others leaves its line.
func TestARepetitionIsInTheLog(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store, w, token := openSite(t)
	repos := store.Repos()
	woken := 0
	i := NewIntake(store, time.Now, func() { woken++ })
	hook, err := i.Open(ctx, token.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	post := func(body string) (Accepted, error) {
		return i.Receive(ctx, hook, Post{Body: []byte(body), Headers: []intake.Pair{
			{Key: "content-type", Value: "application/json"}, {Key: "idempotency-key", Value: "k"},
		}})
	}
	first, err := post(`{"nome":"Bia","email":"bia@example.com"}`)
	if err != nil || first.Repeated {
		t.Fatal(first, err)
	}
	if again, err := post(`{"nome":"Bia","email":"bia@example.com"}`); err != nil || again != (Accepted{first.ContactID, true}) {
		t.Errorf("again: %v, %v", again, err)
	}
	if _, err := post(`{"nome":"Rui","email":"rui@example.com"}`); fault.CodeOf(err) != fault.ReusedIdempotencyKey {
		t.Errorf("another body: %v", err)
	}
	log, err := repos.Deliveries.Page(ctx, w.ID, "", "", 5)
	if err != nil || len(log) != 3 {
		t.Fatal(len(log), err)
	}
	for n, want := range []webhook.Delivery{
		{Outcome: webhook.Refused, Code: string(fault.ReusedIdempotencyKey)},
		{Outcome: webhook.Repeated, ContactID: first.ContactID},
		{Outcome: webhook.Accepted, ContactID: first.ContactID},
	} {
		if got := log[n]; got.Outcome != want.Outcome || got.Code != want.Code || got.ContactID != want.ContactID {
			t.Errorf("line %d of the log: %s %s", n, got.Outcome, got.Code)
		}
	}
	if contacts, err := repos.Contacts.Page(ctx, w.OrgID, "", 5); err != nil || len(contacts) != 1 || woken != 1 {
		t.Errorf("%d contacts, woken %d times, %v", len(contacts), woken, err)
	}
}
