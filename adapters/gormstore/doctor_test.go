package gormstore

import (
	"strings"
	"testing"
	"time"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/webhook"
	"fichario/ports"
)

// TestCheckFindsWhatIsBroken breaks one thing after the other behind the store's back.
func TestCheckFindsWhatIsBroken(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		takeOne(t, s)
		check := func() map[string]int64 {
			t.Helper()
			findings, err := s.Check(t.Context(), time.Now().Add(2*time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			broken := map[string]int64{}
			for _, f := range findings {
				if f.Violations > 0 {
					broken[f.Name] = f.Violations
				}
			}
			return broken
		}
		if broken := check(); len(broken) > 0 {
			t.Fatalf("%s: a sound database: %v", s.write.Name(), broken)
		}
		other := "'01980000-0000-7000-8000-0000000000ff'"
		for _, c := range []struct{ broken, statement string }{
			{"counter", "UPDATE webhook_counters SET received = received + 1"},
			{"history entry", "DELETE FROM contact_events"},
			{"one notification", "DELETE FROM notifications"},
			{"accepted delivery", "UPDATE deliveries SET outcome = 'repeated'"},
			{"contacts that exist", "UPDATE jobs SET contact_id = " + other},
			{"stage, assignee and origin", "UPDATE contacts SET stage_id = " + other},
			{"default funnel", "UPDATE funnels SET is_default = false"},
			{"waited for an hour", "UPDATE jobs SET run_at = '2020-01-01 00:00:00+00:00'"},
			{"what a key was charged",
				"INSERT INTO key_usage (key_id, bucket, count, amount) VALUES (" + other + ", 'total', 1, 4500)"},
			{"running", `INSERT INTO lookups (id, org_id, product, doc_type, document, at, cache, charged, amount, status,
				day, month, settle_at) VALUES (` + other + ", " + other + `, 'cpf', 'cpf', '', '2020-01-01 00:00:00+00:00', false,
				false, 1, 'em_andamento', '', '', '2020-01-01 00:00:00+00:00')`},
			{"free in the statement", "UPDATE lookups SET amount = 2"},
			{"bureau's answer", "INSERT INTO records (id, org_id, product, doc_type, doc_index, document, answered_at, " +
				"found, schema, answer) VALUES (" +
				other + ", " + other + ", 'cpf', 'cpf', '', '', '2020-01-01 00:00:00+00:00', true, '', '')"},
		} {
			if err := s.write.Exec(c.statement).Error; err != nil {
				t.Fatal(err)
			}
			found := false
			for name := range check() {
				found = found || strings.Contains(name, c.broken)
			}
			if !found {
				t.Errorf("%s: %q is not found broken", s.write.Name(), c.broken)
			}
		}
	}
}

func takeOne(t *testing.T, s *Store) {
	t.Helper()
	ctx, repos, now := t.Context(), s.Repos(), time.Now().UTC()
	id := func(n byte) string { return "01980000-0000-7000-8000-0000000000" + string([]byte{'0', n}) }
	w := webhook.Webhook{
		ID: id('2'), OrgID: id('1'), Name: "Site", Options: intake.Options{Kind: intake.Generic, Band: intake.BandZero},
	}
	for _, err := range []error{
		repos.Orgs.Create(ctx, crm.Organisation{ID: id('1'), Name: "Organização", CreatedAt: now}),
		repos.Funnels.Create(ctx, crm.Funnel{
			ID: id('3'), OrgID: id('1'), Default: true, Stages: []crm.Stage{{ID: id('4'), Name: "Novo"}}, CreatedAt: now,
		}),
		repos.Webhooks.Create(ctx, w, webhook.NewToken()),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	c := crm.Contact{
		ID: id('6'), OrgID: id('1'), WebhookID: w.ID, Name: "Bia", Email: "bia@example.com", StageID: id('4'), CreatedAt: now,
	}
	_, err := repos.Inbox.Take(ctx, ports.Arrival{
		Delivery: webhook.Delivery{
			ID: id('5'), OrgID: id('1'), WebhookID: w.ID, At: now, Outcome: webhook.Accepted, ContactID: c.ID,
		},
		Contact: &c, Key: "k",
		Event: crm.Event{
			ID: id('7'), OrgID: id('1'), ContactID: c.ID, Kind: crm.ContactCreated, Actor: w.Name, At: now,
		},
		Notification: crm.Notification{
			ID: id('8'), OrgID: id('1'), ContactID: c.ID, Kind: crm.NewContact, Subject: w.Name, At: now,
		},
		Job: automation.Job{
			ID: id('9'), OrgID: id('1'), ContactID: c.ID, Kind: automation.FanOut, State: automation.Ready, RunAt: now,
			CreatedAt: now,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}
