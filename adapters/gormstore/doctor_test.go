package gormstore

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/intake"
	"fichario/domain/intake/fields"
	"fichario/domain/webhook"
	"fichario/ports"
)

// TestCheckFindsWhatIsBroken breaks one thing after another behind the store's back.
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
			t.Fatalf("%s: a sound database: %v", s.Writer.Name(), broken)
		}
		other := "'01980000-0000-7000-8000-0000000000ff'"
		for _, c := range []struct{ broken, statement string }{
			{"counter", "UPDATE webhook_counters SET received = received + 1"},
			{"hourly figures match its deliveries", "UPDATE delivery_hours SET refused = refused + 1"},
			{"hourly figures match its contacts", "UPDATE contact_hours SET contacts = contacts + 1"},
			{"a stage's totals", "UPDATE stage_totals SET low = low + 1"},
			{"an organisation's audit", "INSERT INTO audit_heads (id, number, hash, at, removed_number, removed_hash) " +
				"VALUES (" + other + ", 1, '', '2020-01-01 00:00:00+00:00', 0, '')"},
			{"found by the first", "DELETE FROM contact_documents"},
			{"one without by none", "UPDATE contact_documents SET contact_id = " + other},
			{"its creation once", "INSERT INTO contact_events (id, org_id, contact_id, kind, actor, at) SELECT i.id, c.org_id, c.id, " +
				"'criado', '', c.created_at FROM contacts c CROSS JOIN (SELECT id FROM contacts UNION ALL SELECT id FROM jobs) AS i"},
			{"accepted delivery", "UPDATE deliveries SET outcome = 'repeated'"},
			{"hourly figures match its contacts", "UPDATE contacts SET created_at = '2020-01-01 00:00:00+00:00'"},
			{"in the search index", "UPDATE contact_index SET up_to = '" + engine.AfterAll + "'"},
			{"contacts that exist", "UPDATE jobs SET contact_id = " + other},
			{"stage, assignee and origin", "UPDATE contacts SET stage_id = " + other},
			{"default funnel", "UPDATE funnels SET is_default = false"},
			{"overdue by more than an hour", "UPDATE jobs SET run_at = '2020-01-01 00:00:00+00:00'"},
			{"the charges of a key",
				"INSERT INTO key_usage (key_id, bucket, count, amount) VALUES (" + other + ", 'total', 1, 4500)"},
			{"hourly figures match its lookups",
				"INSERT INTO lookup_hours (org_id, hour, product, slot, charged, cached, amount) VALUES (" + other +
					", '2020-01-01 00:00:00+00:00', 'cpf', 1, 0, 1, 0)"},
			{"an organisation's daily charges",
				"INSERT INTO spend_days (org_id, day, key_id, product, slot, charged, amount) VALUES (" + other +
					", '2020-01-01', " + other + ", 'cpf', 1, 1, 0)"},
			{"a member's daily charges",
				"INSERT INTO member_days (org_id, member_id, day, product, slot, charged, amount) VALUES (" + other +
					", " + other + ", '2020-01-01', 'cpf', 1, 1, 0)"},
			{"by asker, purpose, automation",
				"INSERT INTO charge_days (org_id, day, key_id, member_id, automation_id, batch_id, purpose, bureau, product, slot, " +
					"charged, amount) VALUES (" + other + ", '2020-01-01'" + strings.Repeat(", "+other, 4) + ", '', '', 'cpf', 1, 1, 0)"},
			{"running", `INSERT INTO lookups (id, org_id, product, doc_type, document, at, cache, charged, amount, status,
				day, month, settle_at) VALUES (` + other + ", " + other + `, 'cpf', 'cpf', '', '2020-01-01 00:00:00+00:00', false,
				false, 1, 'em_andamento', '', '', '2020-01-01 00:00:00+00:00')`},
			{"are in the history", "UPDATE lookups SET record_id = '01980000-0000-7000-8000-0000000000fe'"},
			{"free entries of the statement", "UPDATE lookups SET amount = 2"},
			{"bureau's answer", "INSERT INTO records (id, org_id, product, doc_type, doc_index, document, answered_at, " +
				"found, schema, answer) VALUES (" +
				other + ", " + other + ", 'cpf', 'cpf', '', '', '2020-01-01 00:00:00+00:00', true, '', '')"},
		} {
			if err := s.Writer.Exec(c.statement).Error; err != nil {
				t.Fatal(err)
			}
			found := false
			for name := range check() {
				found = found || strings.Contains(name, c.broken)
			}
			if !found {
				t.Errorf("%s: %q is not found broken", s.Writer.Name(), c.broken)
			}
		}
	}
}

// TestCheckLetsARunWaitForItsTurn: a run is not overdue while an earlier one of its contact and automation is tried
// again.
func TestCheckLetsARunWaitForItsTurn(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		made := takeOne(t, s)
		now := time.Now().UTC()
		run := func(n, place int, at time.Time) automation.Job {
			return automation.Job{
				ID: testID(n), OrgID: testID(1), Kind: automation.RunAutomation, ContactID: made.Delivery.ContactID,
				AutomationID: testID(80), Event: automation.ContactUpdated, Place: place, State: automation.Ready, RunAt: at,
				CreatedAt: now.Add(-8 * time.Hour),
			}
		}
		overdue := func() (n int64) {
			findings, err := s.Check(t.Context(), now)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range findings {
				if strings.Contains(f.Name, "overdue") {
					n = f.Violations
				}
			}
			return n
		}
		err := s.Repos().Jobs.Add(t.Context(), run(81, 0, now.Add(time.Hour)), run(82, 1, now.Add(-2*time.Hour)))
		if n := overdue(); n != 0 || err != nil {
			t.Errorf("%s: behind one that is tried again, %d are overdue, %v", s.Writer.Name(), n, err)
		}
		if err := s.Writer.Exec("UPDATE jobs SET state = 'done' WHERE id = '" + testID(81) + "'").Error; err != nil {
			t.Fatal(err)
		}
		if n := overdue(); n != 1 {
			t.Errorf("%s: alone, %d are overdue", s.Writer.Name(), n)
		}
	}
}

// TestCheckKnowsAllOfAPost: each contact of a post with several people has the delivery that made it.
func TestCheckKnowsAllOfAPost(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		made := takeOne(t, s)
		several := takenAt(made.Delivery.At.Add(time.Second), 20, "a", "b", "c")
		beside := takenAt(made.Delivery.At.Add(2*time.Second), 40, "d")
		beside.Delivery.ContactID, beside.Delivery.Others = made.Delivery.ContactID, []string{beside.Delivery.ContactID}
		for _, a := range []ports.Arrival{several, beside} {
			if _, err := s.Repos().Inbox.Take(t.Context(), a); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			statement string
			broken    int64
		}{{"SELECT 1", 0}, {"DELETE FROM delivery_contacts", 3}} {
			if err := s.Writer.Exec(c.statement).Error; err != nil {
				t.Fatal(err)
			}
			findings, err := s.Check(t.Context(), time.Now())
			if err != nil {
				t.Fatal(err)
			}
			var broken int64
			for _, f := range findings {
				broken += f.Violations
			}
			if broken != c.broken {
				t.Errorf("%s: %s: %+v", s.Writer.Name(), c.statement, findings)
			}
		}
	}
}

func testID(n int) string { return fmt.Sprintf("01980000-0000-7000-8000-%012d", n) }

// takeOne sets up an organisation with a webhook, and takes a post to it.
func takeOne(t *testing.T, s *Store) ports.Arrival {
	t.Helper()
	ctx, repos, now := t.Context(), s.Repos(), time.Now().UTC()
	w := webhook.Webhook{
		ID: testID(2), OrgID: testID(1), Name: "Site", Options: intake.Options{Kind: intake.Generic, Band: fields.BandZero},
	}
	a := takenAt(now, 4, "k")
	for _, err := range []error{
		repos.Orgs.Create(ctx, crm.Organisation{ID: testID(1), Name: "Organização", CreatedAt: now}),
		repos.Funnels.Create(ctx, crm.Funnel{
			ID: testID(3), OrgID: testID(1), Default: true, Stages: []crm.Stage{{ID: testID(4), Name: "Novo"}},
			CreatedAt: now,
		}),
		repos.Webhooks.Create(ctx, w, webhook.NewToken()),
		func() error { _, err := repos.Inbox.Take(ctx, a); return err }(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// takenAt is a post to takeOne's webhook, with one person for each key. Its ids are numbered from first on.
func takenAt(now time.Time, first int, keys ...string) ports.Arrival {
	next := first
	id := func() string { next++; return testID(next) }
	a := ports.Arrival{Mails: true, Delivery: webhook.Delivery{
		ID: id(), OrgID: testID(1), WebhookID: testID(2), At: now, Outcome: webhook.Accepted,
	}}
	for _, key := range keys {
		c := crm.Contact{
			ID: id(), OrgID: testID(1), WebhookID: testID(2), Name: "Bia", Email: "bia@example.com", StageID: testID(4),
			CreatedAt: now, Documents: []document.Document{document.Restore(document.CPF, "52998224725")},
		}
		a.People = append(a.People, ports.Newcomer{
			Contact: c, Key: key,
			Job: automation.Job{
				ID: id(), OrgID: c.OrgID, ContactID: c.ID, Kind: automation.FanOut, State: automation.Ready, RunAt: now,
				CreatedAt: now,
			},
		})
		if a.Delivery.ContactID == "" {
			a.Delivery.ContactID = c.ID
		} else {
			a.Delivery.Others = append(a.Delivery.Others, c.ID)
		}
	}
	return a
}

// TestCheckComparesFoldedDays: some posts are as old as the oldest that are stored, in the middle of a day, one is of
// three days ago, and one of now.
func TestCheckComparesFoldedDays(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		made, ctx := takeOne(t, s), t.Context()
		now := made.Delivery.At
		at := []time.Time{now.AddDate(0, 0, -3)}
		for hours := range 48 {
			at = append(at, now.AddDate(0, 0, -30).Add(time.Duration(hours)*time.Hour))
		}
		for i, at := range at {
			if _, err := s.Repos().Inbox.Take(ctx, takenAt(at, 100+i*10, fmt.Sprint("of ", i))); err != nil {
				t.Fatal(err)
			}
		}
		broken := func(changed string) (names []string) {
			t.Helper()
			for _, err := range []error{
				s.Writer.Exec("UPDATE jobs SET state = 'done'").Error, // they are overdue
				s.IndexContacts(ctx), s.FoldFigures(ctx, access.Calendar{Location: time.FixedZone("", -5*60*60)}),
				s.Writer.Exec(changed).Error,
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			findings, err := s.Check(ctx, now)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range findings {
				if f.Violations > 0 {
					names = append(names, f.Name)
				}
			}
			return names
		}
		for _, c := range []struct {
			statement string
			broken    []string
		}{
			{"SELECT 1", nil},
			{"UPDATE contact_hours SET contacts = contacts + 1 WHERE slot = -101",
				[]string{"an organisation's hourly figures match its contacts"}},
			{"UPDATE contact_hours SET contacts = contacts - 1 WHERE slot = -101", nil},
			{"UPDATE delivery_hours SET repeated = repeated + 1 WHERE slot = -101",
				[]string{"a webhook's hourly figures match its deliveries, while deliveries are kept"}},
		} {
			if got := broken(c.statement); !slices.Equal(got, c.broken) {
				t.Errorf("%s: after %s, %q, want %q", s.Writer.Name(), c.statement, got, c.broken)
			}
		}
		days := access.Calendar{Location: time.FixedZone("", -5*60*60)}
		for since, want := range map[time.Time]int{at[0]: 2, days.NextDay(at[0]): 1} { // the day of since counts as a whole
			sums, err := s.Repos().Deliveries.Summaries(ctx, testID(1), since)
			if err != nil || sums[testID(2)].Accepted != want {
				t.Errorf("%s: since %s there are %v, %v", s.Writer.Name(), since, sums, err)
			}
		}
		if err := s.Writer.Exec("DELETE FROM delivery_hours").Error; err != nil {
			t.Fatal(err)
		}
		if got := broken("SELECT 1"); !slices.Contains(got, "a webhook's hourly figures match its deliveries, while deliveries are kept") {
			t.Errorf("%s: without figures of deliveries: %q", s.Writer.Name(), got)
		}
	}
}
