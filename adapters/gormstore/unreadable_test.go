package gormstore

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/automation"
	"fichario/domain/batch"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/domain/webhook"
	"fichario/ports"
)

// unreadableOf writes a row to every table with sealed columns, and returns a function that reads them.
func unreadableOf(t *testing.T, s *Store) func() map[string]bool {
	t.Helper()
	takeOne(t, s)
	ctx, repos, now := t.Context(), s.Repos(), time.Now().UTC()
	id := func(n string) string { return "01980000-0000-7000-8000-0000000000" + n }
	doc, err := document.Normalize(document.CPF, "52998224725")
	if err != nil {
		t.Fatal(err)
	}
	contact := id("06")
	note := crm.Event{ID: id("20"), OrgID: id("01"), ContactID: contact, Kind: crm.NoteAdded, Subject: "Oi", At: now}
	record := lookup.Record{
		ID: id("21"), OrgID: id("01"), Product: "cpf", Document: doc, Inputs: `{"uf":"SP"}`, AnsweredAt: now, Found: true,
	}
	for _, err := range []error{
		repos.History.Save(ctx, record),
		repos.Statement.Add(ctx, lookup.Entry{
			ID: id("22"), OrgID: id("01"), Product: "cpf", Document: doc, Inputs: record.Inputs, At: now,
			Status: lookup.Done, RecordID: id("21"), ContactID: contact,
		}),
		repos.Automations.Create(ctx, automation.Automation{ID: id("23"), OrgID: id("01"), Name: "Avisar", CreatedAt: now}),
		s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.ContactHistory.AddNote(ctx, note) }),
		repos.Batches.Create(ctx, batch.Batch{
			ID: id("24"), OrgID: id("01"), KeyID: id("25"), Product: "cpf", Status: batch.Quoted, Columns: []string{"cpf"},
			Tab:       "Carteira",
			CreatedAt: now, ExpiresAt: now,
		}),
		repos.BatchItems.AddItems(ctx, []batch.Item{{
			ID: id("26"), BatchID: id("24"), OrgID: id("01"), Line: 1, State: batch.Pending, Document: doc,
		}}),
		s.Writer.Create(&contacts.RemovedRow{
			ID: engine.UID(id("27")), OrgID: engine.UID(id("01")), At: now,
			Content: s.Vault.SealJSON(struct{}{}, "removed_contacts|content|"+id("27")),
		}).Error,
		s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			action := crm.Bulk{ID: id("29"), OrgID: id("01"), MemberID: id("30"), Settings: []byte("{}"), At: now}
			err := r.Bulks.Create(ctx, action, []crm.BulkItem{{ID: id("31"), BulkID: action.ID, Content: []byte("{}")}})
			person := &privacy.Person{OrgID: id("01")}
			erasure := privacy.Erasure{ID: id("32"), OrgID: id("01"), State: privacy.Running, At: now, Person: person}
			return errors.Join(err, r.Erasures.AddErasure(ctx, erasure))
		}),
		repos.Members.Create(ctx, crm.Member{ID: id("33"), OrgID: id("01"), Email: "ana@x.example"}),
		repos.Sessions.Create(ctx, access.NewSessionToken(), access.Session{
			ID: id("34"), MemberID: id("33"), Address: "203.0.113.7", CreatedAt: now, SeenAt: now,
		}),
		repos.Factors.SetCodes(ctx, id("33"), access.OneTimeCodes{Secret: "x"}),
		s.Writer.Exec("INSERT INTO later_answers (id, content, due, until) VALUES (?, ?, ?, ?)", id("19"), engine.Blob(
			s.Vault.SealJSON(map[string]string{"ticket": "t"}, "later_answers|content|"+id("19"))), now, now).Error,
		repos.LaterAnswers.Arrive(ctx, id("19"), ports.Reply{Body: []byte("x")}, now),
		s.Writer.Table("webhooks").Where("id = ?", id("02")).
			Update("verify_token", engine.Blob(s.Vault.Seal([]byte("x"), "webhooks|verify_token|"+id("02")))).Error,
		errOf(repos.LeadSources.Connect(ctx, webhook.Source{
			ID: id("41"), OrgID: id("01"), WebhookID: id("02"), Page: "1", Token: "t", ReadTo: now, RunAt: now, PausedUntil: now,
			CreatedAt: now,
		})),
		errOf(repos.Leads.Note(ctx, ports.NotedLead{
			Notice:   webhook.Notice{Lead: "7", Page: "1"},
			Delivery: webhook.Delivery{ID: id("42"), OrgID: id("01"), WebhookID: id("03"), At: now, Outcome: webhook.Waiting},
		})),
		s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			return r.Told.Add(ctx, automation.Told{RunID: id("43"), OrgID: id("01"), ContactID: contact, At: now})
		}),
		s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			return r.Audit.Append(ctx, audit.Line{
				ID: id("32"), OrgID: id("01"), At: now, Address: "203.0.113.7", Detail: audit.Detail{"nome": "Ana"},
			})
		}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return func() map[string]bool {
		t.Helper()
		entries, err1 := repos.Statement.Page(ctx, lookup.Asker{OrgID: id("01")}, lookup.Filter{}, "", 10)
		ofContact, err2 := repos.LookupContacts.OfContact(ctx, id("01"), contact, 10)
		records, err3 := repos.History.Records(ctx, ports.AnyOrg, []string{id("21")})
		contacts, err4 := repos.Contacts.Page(ctx, id("01"), "", 10)
		events, err5 := repos.ContactHistory.Events(ctx, ports.AnyOrg, contact)
		deliveries, err6 := repos.Deliveries.Page(ctx, id("01"), id("02"), "", "", 10)
		hooks, err7 := repos.Webhooks.List(ctx, id("01"))
		_, token, err8 := repos.Webhooks.Find(ctx, ports.AnyOrg, id("02"))
		rules, err9 := repos.Automations.List(ctx, id("01"))
		quoted, err10 := repos.Batches.Find(ctx, ports.AnyOrg, id("24"))
		items, err11 := repos.BatchItems.Items(ctx, ports.AnyOrg, id("24"), "", 0, 10)
		gone, err12 := repos.Removals.Find(ctx, ports.AnyOrg, id("27"))
		action, err13 := repos.Bulks.Find(ctx, ports.AnyOrg, id("29"))
		rows, err14 := repos.Bulks.Items(ctx, id("29"), "", "", 10)
		lines, err15 := repos.Audit.Page(ctx, id("01"), ports.AuditQuery{Limit: 1})
		_, headErr := repos.Audit.Head(ctx, id("01"))
		erasure, err16 := repos.Erasures.FindErasure(ctx, ports.AnyOrg, id("32"))
		_, leaseErr := repos.Erasures.LeaseErasure(ctx, id("32"), "lease", now, now)
		_, lost := (&engine.Engine{Vault: s.Vault, Reader: s.Reader,
			Writer: s.Writer}).SubjectSecret(ctx) // which remembers none
		sessions, err17 := repos.Sessions.List(ctx, id("33"), access.SessionToken{}, time.Time{})
		_, codesErr := repos.Factors.Codes(ctx, id("33"))
		later, err18 := repos.LaterAnswers.Claim(ctx, now.Add(time.Hour), now, 10)
		pages, err19 := repos.LeadSources.List(ctx, "", id("02"))
		waiting, err20 := repos.Leads.Waiting(ctx, id("03"), "1", now.Add(time.Hour), 10)
		told, err21 := repos.Told.OfContact(ctx, id("01"), contact)
		for i, err := range []error{
			err1, err2, err3, err4, err5, err6, err7, err8, err9, err10, err11, err12, err13, err14, err15, err16, err17,
			err18, err19, err20, err21,
		} {
			if err != nil {
				t.Fatalf("%s: read %d: %v", s.Writer.Name(), i+1, err)
			}
		}
		return map[string]bool{
			"lookups.document": entries[0].Unreadable && ofContact[0].Unreadable,
			"lookups.inputs":   ofContact[0].Unreadable,
			"records.inputs":   records[record.ID].Unreadable,
			"records.document": records[record.ID].Unreadable, "records.answer": records[record.ID].Unreadable,
			"contacts.note": contacts[0].Unreadable, "contacts.documents": contacts[0].Unreadable,
			"contact_events.subject": events[len(events)-1].Unreadable, "deliveries.content": deliveries[0].Unreadable,
			"webhooks.secret": hooks[0].Unreadable, "webhooks.token": token == webhook.Token{},
			"automations.action": rules[0].Unreadable, "batches.columns": len(quoted.Columns) == 0,
			"batches.sheets":      quoted.Tab == "",
			"batch_items.content": items[0].Unreadable, "removed_contacts.content": gone.Unreadable,
			"subject_keys.secret":   lost != nil,
			"erasures.content":      erasure.Person == nil && errors.Is(leaseErr, ports.ErrUnreadable),
			"bulk_actions.settings": action.Unreadable, "bulk_items.content": rows[0].Unreadable,
			"audit_lines.address": lines[0].Unreadable, "audit_lines.detail": lines[0].Unreadable,
			"sessions.address": sessions[0].Address == "", "one_time_codes.secret": errors.Is(codesErr, ports.ErrUnreadable),
			"later_answers.content": later[0].Ticket == "", "later_answers.reply": len(later[0].Reply.Body) == 0,
			"audit_heads.sealed":    errors.Is(headErr, ports.ErrUnreadable),
			"webhooks.verify_token": hooks[0].Unreadable, "lead_sources.token": pages[0].Unreadable,
			"leads.lead": waiting[0].Lead == "", "told_stages.content": told[0].Unreadable,
		}
	}
}

// errOf is the error of a call.
func errOf[T any](_ T, err error) error { return err }

// TestOneUnreadableValueTakesNoListDown replaces the sealed values of one column after another by misplaced ones.
func TestOneUnreadableValueTakesNoListDown(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		var log bytes.Buffer
		s.LogTo(slog.New(slog.NewTextHandler(&log, nil)))
		read := unreadableOf(t, s)
		for column, unreadable := range read() {
			if unreadable {
				t.Errorf("%s: %s is unreadable from the start", s.Writer.Name(), column)
			}
		}
		if findings, err := s.CheckSealed(t.Context()); err != nil || violations(findings) != 0 {
			t.Errorf("%s: a sound database: %v, %v", s.Writer.Name(), findings, err)
		}
		broken := 0
		for _, c := range s.sealed() {
			if c.Column == "attribution" || c.Column == "consents" {
				continue // NULL here
			}
			strange := engine.Blob(s.Vault.Seal([]byte("x"), "elsewhere"))
			changed := s.Writer.Table(c.Table).Where(c.Column+" IS NOT NULL").Update(c.Column, strange)
			if changed.Error != nil || changed.RowsAffected == 0 {
				t.Fatal(c, changed.Error)
			}
			broken += int(changed.RowsAffected)
			for range 2 {
				if name := c.Table + "." + c.Column; !read()[name] {
					t.Errorf("%s: %s is read as if nothing had happened", s.Writer.Name(), name)
				}
			}
			if told := strings.Count(log.String(), c.Table+"|"+c.Column+"|"); told != 1 {
				t.Errorf("%s: %s.%s is told %d times, want once", s.Writer.Name(), c.Table, c.Column, told)
			}
		}
		findings, err := s.CheckSealed(t.Context())
		if err != nil || violations(findings) != int64(broken) {
			t.Errorf("%s: %d broken, found %v, %v", s.Writer.Name(), broken, findings, err)
		}
		for _, f := range findings {
			if int64(len(f.IDs)) != f.Violations {
				t.Errorf("%s: %s: %d ids for %d", s.Writer.Name(), f.Name, len(f.IDs), f.Violations)
			}
		}
	}
}

func violations(findings []Finding) (n int64) {
	for _, f := range findings {
		n += f.Violations
	}
	return n
}

// TestAnUnreadableNoteStays: a change of its contact keeps it, in case the data key is found again.
func TestAnUnreadableNoteStays(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		unreadableOf(t, s)
		strange := s.Vault.Seal([]byte("x"), "elsewhere")
		if err := s.Writer.Table("contacts").Where("true").Update("note", engine.Blob(strange)).Error; err != nil {
			t.Fatal(err)
		}
		contact := "01980000-0000-7000-8000-000000000006"
		event := crm.Event{
			ID: "01980000-0000-7000-8000-000000000030", OrgID: "01980000-0000-7000-8000-000000000001", ContactID: contact,
			Kind: crm.ContactEdited, At: time.Now(),
		}
		err := s.InTx(t.Context(), func(_ context.Context, r ports.Repos) error {
			c, err := r.Contacts.Lock(t.Context(), ports.AnyOrg, contact)
			if err != nil {
				return err
			}
			c.Name = "Outro"
			if err := r.Contacts.Edit(t.Context(), c, event); err != nil {
				return err
			}
			event.ID, event.Kind, event.Subject = "01980000-0000-7000-8000-000000000031", crm.NoteAdded, "Mais"
			return r.ContactHistory.AddNote(t.Context(), event)
		})
		if err != nil {
			t.Fatal(err)
		}
		var row contacts.ContactRow
		if err := s.Reader.Take(&row).Error; err != nil || row.Name != "Outro" || !bytes.Equal(row.Note, strange) {
			t.Errorf("%s: name %q, %v; the note is changed: %t", s.Writer.Name(), row.Name, err, !bytes.Equal(row.Note, strange))
		}
	}
}
