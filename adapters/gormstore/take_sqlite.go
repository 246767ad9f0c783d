package gormstore

import (
	"context"
	"database/sql"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
)

// What an arrival writes, row by row, on SQLite.
const (
	insertReceipt = "INSERT INTO receipts (webhook_id, key, body, contact_id, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
	insertContact = `INSERT INTO contacts (id, org_id, webhook_id, name, email, phone, phone_e164, company, amount, note, origin_id, attribution,
		stage_id, assignee_id, created_at, search) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertEvent        = "INSERT INTO contact_events (id, org_id, contact_id, kind, actor, at) VALUES (?, ?, ?, ?, ?, ?)"
	insertNotification = "INSERT INTO notifications (id, org_id, kind, contact_id, subject, at) VALUES (?, ?, ?, ?, ?, ?)"
	insertJob          = `INSERT INTO jobs (id, org_id, kind, contact_id, state, attempts, run_at, result, created_at, lease)
		VALUES (?, ?, ?, ?, ?, 0, ?, '', ?, '')`
	insertDelivery = `INSERT INTO deliveries (id, org_id, webhook_id, at, outcome, code, reason, contact_id, content, truncated, replay_of)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	countReceived = `INSERT INTO webhook_counters (webhook_id, slot, received) VALUES (?, ?, ?)
		ON CONFLICT (webhook_id, slot) DO UPDATE SET received = webhook_counters.received + excluded.received`
)

// takeOnSQLite writes what arrived in a moment in one transaction, row by row: there
// is no round trip to save, and the statements are prepared once.
func (s *Store) takeOnSQLite(ctx context.Context, in []taken) ([]ports.Receipt, error) {
	pool, err := s.write.DB()
	if err != nil {
		return nil, err
	}
	if s.taking == nil {
		if s.taking, err = prepare(pool, insertReceipt, insertContact, insertEvent, insertNotification, insertJob, insertDelivery, countReceived); err != nil {
			return nil, err
		}
	}
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	w := &writer{ctx: ctx, tx: tx, prepared: s.taking}
	out := make([]ports.Receipt, len(in))
	counts := map[uid]int{}
	for i, t := range in {
		if t.contact != nil {
			if r := t.receipt; r != nil && w.exec(insertReceipt, r.WebhookID, r.Key, r.Body, r.ContactID, r.At) == 0 {
				out[i].Repeated = true
				continue
			}
			w.contact(t)
			counts[t.delivery.WebhookID]++
			out[i].ContactID = string(t.contact.ID)
		}
		d := t.delivery
		w.exec(insertDelivery, d.ID, d.OrgID, d.WebhookID, d.At, d.Outcome, d.Code, d.Reason, d.ContactID, d.Content, d.Truncated, d.ReplayOf)
	}
	for id, n := range counts {
		w.exec(countReceived, id, s.slot, n)
	}
	if w.err != nil {
		return nil, w.err
	}
	return out, tx.Commit()
}

func prepare(pool *sql.DB, statements ...string) (map[string]*sql.Stmt, error) {
	prepared := map[string]*sql.Stmt{}
	for _, statement := range statements {
		stmt, err := pool.PrepareContext(context.Background(), statement) //nolint:sqlclosecheck // it lives as long as the pool
		if err != nil {
			return nil, err
		}
		prepared[statement] = stmt
	}
	return prepared, nil
}

// writer runs prepared statements in one transaction until one fails.
type writer struct {
	ctx      context.Context
	tx       *sql.Tx
	prepared map[string]*sql.Stmt
	err      error
}

// exec returns how many rows a statement changed.
func (w *writer) exec(statement string, values ...any) (changed int64) {
	if w.err != nil {
		return 0
	}
	var result sql.Result
	stmt := w.tx.StmtContext(w.ctx, w.prepared[statement]) //nolint:sqlclosecheck // the transaction closes it
	if result, w.err = stmt.ExecContext(w.ctx, values...); w.err == nil {
		changed, w.err = result.RowsAffected()
	}
	return changed
}

func (w *writer) contact(t taken) {
	c, at := t.contact, t.delivery.At
	w.exec(insertContact, c.ID, c.OrgID, c.WebhookID, c.Name, c.Email, c.Phone, c.PhoneE164, c.Company, c.Amount, c.Note, c.OriginID, c.Attribution,
		c.StageID, c.AssigneeID, c.CreatedAt, c.Search)
	w.exec(insertEvent, t.eventID, c.OrgID, c.ID, string(crm.ContactCreated), t.webhook, at)
	w.exec(insertNotification, t.notificationID, c.OrgID, string(crm.NewContact), c.ID, t.webhook, at)
	w.exec(insertJob, t.jobID, c.OrgID, string(automation.FanOut), c.ID, string(automation.Ready), at, at)
}
