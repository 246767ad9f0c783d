package intake

import (
	"context"
	"reflect"

	"github.com/jackc/pgx/v5"

	"fichario/adapters/gormstore/automations"
	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/automation"
	"fichario/domain/webhook"
)

// takeOnPostgres writes a batch of arrivals in one statement, which is one round trip and one transaction, and returns
// which of them were kept. Columns are sent as arrays, so that one plan serves any number of posts.
func (s *room) takeOnPostgres(ctx context.Context, in []taken) ([]bool, error) {
	kept := make([]bool, len(in))
	made, queued := map[string]bool{}, false
	err := s.PastGORM(ctx, func(db *pgx.Conn) error {
		statement, values := takeStatement, takeValues(in, s.Slot)
		if rotations, sequences := sentTurns(in); rotations != nil {
			statement, values = turnStatement, append(values, rotations, sequences)
		}
		rows, err := db.Query(ctx, statement, values...)
		if err != nil {
			return err
		}
		var id string
		_, err = pgx.ForEachRow(rows, []any{&id, &queued}, func() error { made[id] = true; return nil })
		return err
	})
	for i, t := range in {
		kept[i] = t.contact == nil || made[string(t.contact.ID)]
		queued = queued || t.contact == nil && t.job.ID != ""
	}
	if queued {
		s.Announce(automation.FanOut)
	}
	return kept, err
}

// An arrival belongs to one webhook, contact and moment, and its job is new: values that one of its rows has are not
// sent again with the others. A new column is sent, until its expression is added here.
var (
	sentDelivery = engine.TableOf(DeliveryRow{}).Sent("delivery_", nil)
	sentContact  = engine.TableOf(contacts.ContactRow{}).Sent("contact_", map[string]string{
		"org_id": "delivery_org_id::uuid", "webhook_id": "delivery_webhook_id::uuid", "created_at": "delivery_at",
	})
	sentJob = automations.JobTable.Sent("job_", map[string]string{
		"org_id": "delivery_org_id::uuid", "contact_id": "contact_id::uuid", "automation_id": "NULL", "member_id": "NULL",
		"attempts": "0", "run_at": "delivery_at", "result": "''", "created_at": "delivery_at", "ended_at": "NULL",
		"lease": "''", "lease_until": "NULL", "event": engine.Literal(automation.ContactCreated),
		"subject_id": "NULL", "detail": "''", "trail": "''", "lookups": "''", "place": "0",
		// automation.FactsOf
		"facts": "concat(contact_stage_id, ',', contact_assignee_id, ',', contact_origin_id, ',', delivery_webhook_id, ',', " +
			"contact_amount)",
	})
	// A refused post has a job for automations that listen.
	refusedJob = sentJob.But(map[string]string{
		"contact_id": "'" + engine.NoID + "'::uuid", "event": engine.Literal(automation.DeliveryRefused),
		"subject_id": "delivery_id::uuid",
		"facts":      "''",
	})
	sentReceipt = engine.TableOf(receiptRow{}).Sent("receipt_", map[string]string{
		"webhook_id": "delivery_webhook_id::uuid", "contact_id": "contact_id::uuid", "at": "delivery_at",
		"org_id": "delivery_org_id::uuid",
	})
	takeArrays = engine.ArraysOf(3, sentDelivery, sentContact, sentJob, sentReceipt)
)

// takeValues are the parameters of takeStatement.
func takeValues(in []taken, slot int64) []any {
	rows, mails := make([][]reflect.Value, 4), false
	for i := range rows {
		rows[i] = make([]reflect.Value, len(in)) // zero where an arrival has no such row
	}
	for i := range in {
		t := &in[i]
		mails = mails || t.mails // the job of another one does no harm
		rows[0][i] = reflect.ValueOf(&t.delivery).Elem()
		if t.contact != nil {
			rows[1][i] = reflect.ValueOf(t.contact).Elem()
		}
		if t.job.ID != "" {
			rows[2][i] = reflect.ValueOf(&t.job).Elem()
		}
		if t.receipt != nil {
			rows[3][i] = reflect.ValueOf(t.receipt).Elem()
		}
	}
	return append([]any{slot, mails}, takeArrays.Values(rows...)...)
}

// takeStatement writes receipts first: where a receipt exists, or another instance is writing it, nothing else is
// written for that post, and its contact is not returned. Receipts, counters and figures, for which others may be
// waiting, are locked in a fixed order, so that no two instances deadlock: PostgreSQL keeps to that order because each
// step reads what the previous one returns.
var takeStatement = takeWith(takeArrays.Parameters, takeArrays.Names, "made AS ("+wanted+")")

// wanted are the arrivals of people that are not known already.
const wanted = `
	SELECT * FROM arrived
	WHERE contact_id IS NOT NULL AND (receipt_key IS NULL OR contact_id::uuid IN (SELECT contact_id FROM claimed))
`

// takeWith is the statement for arrivals with some columns; made is the step that makes the relation of that name.
func takeWith(parameters, names, made string) string {
	return `
WITH arrived AS (
	SELECT * FROM unnest(` + parameters + `) AS a (` + names + `)
), claimed AS (
	` + sentReceipt.Insert("arrived WHERE receipt_key IS NOT NULL ORDER BY delivery_webhook_id, receipt_key") + `
	ON CONFLICT DO NOTHING
	RETURNING contact_id
), ` + made + `, contact AS (
	` + sentContact.Insert("made") + `
), job AS (
	` + sentJob.Insert("made WHERE $2::boolean OR "+
		automations.Listening("delivery_org_id::uuid", engine.Literal(automation.ContactCreated))) + `
	RETURNING contact_id
), refused AS (
	` + refusedJob.Insert("arrived WHERE delivery_outcome = "+engine.Literal(webhook.Refused)+" AND job_id IS NOT NULL AND "+
		automations.Listening("delivery_org_id::uuid", engine.Literal(automation.DeliveryRefused))) + `
), delivery AS (
	` + sentDelivery.Insert("arrived WHERE contact_id IS NULL OR contact_id IN (SELECT contact_id FROM made)") + `
), counted AS (
	INSERT INTO webhook_counters (webhook_id, slot, received, org_id)
	SELECT delivery_webhook_id::uuid, $1::bigint, count(*), delivery_org_id::uuid FROM made
	GROUP BY delivery_webhook_id, delivery_org_id ORDER BY delivery_webhook_id
` + receivedTally.Add + `
	RETURNING slot
), logged AS (
	INSERT INTO delivery_hours (webhook_id, hour, slot, accepted, repeated, refused, org_id)
	SELECT delivery_webhook_id::uuid, date_trunc('hour', delivery_at, 'UTC'), $1::bigint,
		` + engine.CountOf("delivery_outcome", webhook.Accepted) + `,
		` + engine.CountOf("delivery_outcome", webhook.Repeated) + `,
		` + engine.CountOf("delivery_outcome", webhook.Refused) + `, delivery_org_id::uuid
	FROM arrived
	WHERE (contact_id IS NULL OR contact_id IN (SELECT contact_id FROM made)) AND (SELECT COUNT(*) FROM counted) >= 0
	GROUP BY 1, 2, 7 ORDER BY 1, 2` + hourTally.Add + `
	RETURNING slot
), came AS (
	INSERT INTO contact_hours (org_id, hour, webhook_id, origin_id, slot, contacts)
	SELECT delivery_org_id::uuid, date_trunc('hour', delivery_at, 'UTC'), delivery_webhook_id::uuid,
		COALESCE(contact_origin_id, '` + engine.NoID + `')::uuid, $1::bigint, COUNT(*)
	FROM made WHERE (SELECT COUNT(*) FROM logged) >= 0
	GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4` + contacts.HourTally.Add + `
	RETURNING slot
), staged AS (
	INSERT INTO stage_totals (stage_id, slot, contacts, high, low, org_id)
	SELECT contact_stage_id::uuid, $1::bigint, COUNT(*), SUM(contact_amount >> 20), SUM(contact_amount & 1048575),
		delivery_org_id::uuid
	FROM made WHERE (SELECT COUNT(*) FROM came) >= 0
	GROUP BY 1, 6 ORDER BY 1` + contacts.StageTally.Add + `
)
SELECT contact_id, EXISTS (SELECT 1 FROM job) FROM made`
}
