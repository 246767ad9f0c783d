package gormstore

import (
	"context"
)

// The statements of an arrival on SQLite, row by row.
var (
	insertReceipt  = sentReceipt.table.insert() + " ON CONFLICT DO NOTHING"
	insertContact  = sentContact.table.insert()
	insertEvent    = sentEvent.table.insert()
	insertDelivery = sentDelivery.table.insert()
)

const countReceived = `INSERT INTO webhook_counters (webhook_id, slot, received) VALUES (?, ?, ?)
	ON CONFLICT (webhook_id, slot) DO UPDATE SET received = webhook_counters.received + excluded.received`

// takeOnSQLite writes a batch of arrivals in one transaction, row by row, and returns which of them were kept.
func (s *intakeRoom) takeOnSQLite(ctx context.Context, in []taken) ([]bool, error) {
	kept := make([]bool, len(in))
	err := s.writing(ctx, func(w *writer) {
		counts, hours, figures := map[uid]int{}, deliveryHours{}, newContactFigures(s.slot)
		for i := range in {
			t := &in[i]
			if t.contact != nil {
				if t.receipt != nil && w.exec(insertReceipt, sentReceipt.values(t.receipt)...) == 0 {
					continue
				}
				if t.turns != nil {
					w.turn(t)
				}
				w.exec(insertContact, sentContact.values(t.contact)...)
				w.exec(insertEvent, sentEvent.values(&t.event)...)
				w.exec(insertNotification, sentNotification.values(&t.notification)...)
				t.job.Facts = factsOf(t.contact)
				w.exec(insertJob, sentJob.values(&t.job)...)
				w.queued = true
				counts[t.delivery.WebhookID]++
				figures.add(t.contact, 1)
			} else if t.job.ID != "" {
				w.job(t.job)
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
	})
	return kept, err
}

// turn assigns a contact to the member whose turn it is.
func (w *writer) turn(t *taken) {
	var n int64
	w.exec(takeTurn, t.turns.rotation)
	if w.row(readTurn, []any{t.turns.rotation}, &n) {
		t.contact.AssigneeID = optional(t.turns.of(n))
		w.exec(countTurn, t.turns.rotation, *t.contact.AssigneeID)
	}
}
