package gormstore

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
)

// takeOnPostgres writes what arrived in a moment in one statement, which is one
// round trip and one transaction. It takes its columns as arrays, so that it is
// planned once for any number of posts.
func (s *Store) takeOnPostgres(ctx context.Context, in []taken) ([]ports.Receipt, error) {
	out := make([]ports.Receipt, len(in))
	made := map[string]bool{}
	err := s.pastGORM(ctx, func(db *pgx.Conn) error {
		rows, err := db.Query(ctx, takeStatement, columns(in, s.slot)...)
		if err != nil {
			return err
		}
		var id string
		_, err = pgx.ForEachRow(rows, []any{&id}, func() error { made[id] = true; return nil })
		return err
	})
	for i, t := range in {
		if t.contact != nil {
			id := string(t.contact.ID)
			out[i] = ports.Receipt{ContactID: id, Repeated: !made[id]}
		}
	}
	return out, err
}

// columns are the values of takeStatement: the arrivals' columns, and what is the
// same for all.
func columns(in []taken, slot int64) []any {
	n := len(in)
	texts := map[int][]*string{}
	text := func(column, row int, value *string) {
		if texts[column] == nil {
			texts[column] = make([]*string, n)
		}
		texts[column][row] = value
	}
	content, note, attribution, key, body := make([][]byte, n), make([][]byte, n), make([][]byte, n), make([][]byte, n), make([][]byte, n)
	at, truncated, amount := make([]time.Time, n), make([]bool, n), make([]int64, n)
	none := &contactRow{}
	for i := range in {
		t := &in[i]
		d, c := &t.delivery, t.contact
		at[i], content[i], truncated[i] = d.At, d.Content, d.Truncated
		if t.receipt != nil {
			key[i], body[i] = t.receipt.Key, t.receipt.Body
		}
		var contactID *uid
		if c == nil {
			c, contactID = none, nil
		} else {
			contactID = &c.ID
		}
		amount[i], note[i], attribution[i] = c.Amount, c.Note, c.Attribution
		for column, value := range []*string{
			(*string)(&d.ID), (*string)(&d.OrgID), (*string)(&d.WebhookID), &d.Outcome, &d.Code, &d.Reason, (*string)(d.ContactID), (*string)(d.ReplayOf),
			(*string)(contactID), &c.Name, &c.Email, &c.Phone, &c.PhoneE164, &c.Company, (*string)(c.OriginID), (*string)(&c.StageID), (*string)(c.AssigneeID),
			&t.webhook, (*string)(&t.eventID), (*string)(&t.notificationID), (*string)(&t.jobID), &c.Search,
		} {
			text(column, i, value)
		}
	}
	values := []any{}
	for _, column := range slices.Sorted(maps.Keys(texts)) {
		values = append(values, texts[column])
	}
	return append(values, at, truncated, amount, content, note, attribution, key, body,
		slot, string(crm.ContactCreated), string(crm.NewContact), string(automation.FanOut), string(automation.Ready))
}

// takeStatement writes receipts first: where one is there already, or another
// instance is writing it, nothing else is written for that post, and its contact is
// not among those that it returns. Receipts and counters, which others may be waiting
// for, are written in one order by everybody, so that no two instances wait for each
// other.
const takeStatement = `
WITH arrived AS (
	SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
		$11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[],
		$22::text[], $23::timestamptz[], $24::boolean[], $25::bigint[], $26::bytea[], $27::bytea[], $28::bytea[], $29::bytea[], $30::bytea[])
	AS a (delivery_id, org_id, webhook_id, outcome, code, reason, answered_id, replay_of, contact_id, name, email, phone, phone_e164, company,
		origin_id, stage_id, assignee_id, webhook, event_id, notification_id, job_id, search,
		at, truncated, amount, content, note, attribution, key, body)
), claimed AS (
	INSERT INTO receipts (webhook_id, key, body, contact_id, at)
	SELECT webhook_id::uuid, key, body, contact_id::uuid, at FROM arrived WHERE key IS NOT NULL ORDER BY webhook_id, key
	ON CONFLICT DO NOTHING
	RETURNING contact_id
), made AS (
	SELECT * FROM arrived WHERE contact_id IS NOT NULL AND (key IS NULL OR contact_id::uuid IN (SELECT contact_id FROM claimed))
), contact AS (
	INSERT INTO contacts (id, org_id, webhook_id, name, email, phone, phone_e164, company, amount, note, origin_id, attribution, stage_id, assignee_id, created_at, search)
	SELECT contact_id::uuid, org_id::uuid, webhook_id::uuid, name, email, phone, phone_e164, company, amount, note, origin_id::uuid, attribution,
		stage_id::uuid, assignee_id::uuid, at, search FROM made
), event AS (
	INSERT INTO contact_events (id, org_id, contact_id, kind, actor, at)
	SELECT event_id::uuid, org_id::uuid, contact_id::uuid, $32, webhook, at FROM made
), notification AS (
	INSERT INTO notifications (id, org_id, kind, contact_id, subject, at)
	SELECT notification_id::uuid, org_id::uuid, $33, contact_id::uuid, webhook, at FROM made
), job AS (
	INSERT INTO jobs (id, org_id, kind, contact_id, state, attempts, run_at, result, created_at, lease)
	SELECT job_id::uuid, org_id::uuid, $34, contact_id::uuid, $35, 0, at, '', at, '' FROM made
), delivery AS (
	INSERT INTO deliveries (id, org_id, webhook_id, at, outcome, code, reason, contact_id, content, truncated, replay_of)
	SELECT delivery_id::uuid, org_id::uuid, webhook_id::uuid, at, outcome, code, reason, answered_id::uuid, content, truncated, replay_of::uuid
	FROM arrived WHERE contact_id IS NULL OR contact_id IN (SELECT contact_id FROM made)
), counted AS (
	INSERT INTO webhook_counters (webhook_id, slot, received)
	SELECT webhook_id::uuid, $31::bigint, count(*) FROM made GROUP BY webhook_id ORDER BY webhook_id
	ON CONFLICT (webhook_id, slot) DO UPDATE SET received = webhook_counters.received + excluded.received
)
SELECT contact_id FROM made`
