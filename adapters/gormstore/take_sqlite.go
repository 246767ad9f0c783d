package gormstore

import (
	"context"
	"database/sql"
)

// What an arrival writes, row by row, on SQLite.
var (
	insertReceipt      = sentReceipt.table.insert() + " ON CONFLICT DO NOTHING"
	insertContact      = sentContact.table.insert()
	insertEvent        = sentEvent.table.insert()
	insertNotification = sentNotification.table.insert()
	insertJob          = sentJob.table.insert()
	insertDelivery     = sentDelivery.table.insert()
)

const countReceived = `INSERT INTO webhook_counters (webhook_id, slot, received) VALUES (?, ?, ?)
	ON CONFLICT (webhook_id, slot) DO UPDATE SET received = webhook_counters.received + excluded.received`

// takeOnSQLite writes what arrived in a moment in one transaction, row by row, and
// returns which of it was kept: there is no round trip to save, and the statements are
// prepared once.
func (s *Store) takeOnSQLite(ctx context.Context, in []taken) ([]bool, error) {
	pool, err := s.write.DB()
	if err != nil {
		return nil, err
	}
	if s.taking == nil {
		s.taking, err = prepare(pool,
			insertReceipt, insertContact, insertEvent, insertNotification, insertJob, insertDelivery, countReceived,
			countDeliveries, countContacts, countStage)
		if err != nil {
			return nil, err
		}
	}
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	w := &writer{ctx: ctx, tx: tx, prepared: s.taking}
	kept := make([]bool, len(in))
	counts, hours, figures := map[uid]int{}, deliveryHours{}, newContactFigures(s.slot)
	for i := range in {
		t := &in[i]
		if t.contact != nil {
			if t.receipt != nil && w.exec(insertReceipt, sentReceipt.values(t.receipt)...) == 0 {
				continue
			}
			w.exec(insertContact, sentContact.values(t.contact)...)
			w.exec(insertEvent, sentEvent.values(&t.event)...)
			w.exec(insertNotification, sentNotification.values(&t.notification)...)
			w.exec(insertJob, sentJob.values(&t.job)...)
			counts[t.delivery.WebhookID]++
			figures.add(t.contact, 1)
		}
		w.exec(insertDelivery, sentDelivery.values(&t.delivery)...)
		hours.add(t.delivery, s.slot)
		kept[i] = true
	}
	for id, n := range counts {
		w.exec(countReceived, id, s.slot, n)
	}
	for _, hour := range hours {
		w.exec(countDeliveries, hour.values()...)
	}
	for _, hour := range figures.came.rows() {
		w.exec(countContacts, hour.values()...)
	}
	for _, stage := range figures.stays.rows() {
		w.exec(countStage, stage.values()...)
	}
	if w.err != nil {
		return nil, w.err
	}
	return kept, tx.Commit()
}

func prepare(pool *sql.DB, statements ...string) (map[string]*sql.Stmt, error) {
	prepared := map[string]*sql.Stmt{}
	for _, statement := range statements {
		//nolint:sqlclosecheck // it lives as long as the pool
		stmt, err := pool.PrepareContext(context.Background(), statement)
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
