package intake

import (
	"context"

	"fichario/adapters/gormstore/automations"
	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/team"
)

// The statements of an arrival on SQLite, row by row.
var (
	insertReceipt  = sentReceipt.Table.Insert() + " ON CONFLICT DO NOTHING"
	insertContact  = sentContact.Table.Insert()
	insertEvent    = sentEvent.Table.Insert()
	insertDelivery = sentDelivery.Table.Insert()
)

const countReceived = `INSERT INTO webhook_counters (webhook_id, slot, received) VALUES (?, ?, ?)
	ON CONFLICT (webhook_id, slot) DO UPDATE SET received = webhook_counters.received + excluded.received`

// takeOnSQLite writes a batch of arrivals in one transaction, row by row, and returns which of them were kept.
func (s *room) takeOnSQLite(ctx context.Context, in []taken) ([]bool, error) {
	kept := make([]bool, len(in))
	err := s.OnSQLite(ctx, func(w *engine.SQLiteTx) {
		counts, hours, figures := map[engine.UID]int{}, deliveryHours{}, contacts.NewContactFigures(s.Slot)
		for i := range in {
			t := &in[i]
			if t.contact != nil {
				if t.receipt != nil && w.Exec(insertReceipt, sentReceipt.Values(t.receipt)...) == 0 {
					continue
				}
				if t.turns != nil {
					takeTurnOf(w, t)
				}
				w.Exec(insertContact, sentContact.Values(t.contact)...)
				w.Exec(insertEvent, sentEvent.Values(&t.event)...)
				w.Exec(team.InsertNotification, sentNotification.Values(&t.notification)...)
				t.job.Facts = factsOf(t.contact)
				w.Exec(automations.InsertJob, sentJob.Values(&t.job)...)
				w.Queued = true
				counts[t.delivery.WebhookID]++
				figures.Add(t.contact, 1)
			} else if t.job.ID != "" {
				automations.WriteJob(w, t.job)
			}
			w.Exec(insertDelivery, sentDelivery.Values(&t.delivery)...)
			hours.add(t.delivery, s.Slot)
			kept[i] = true
		}
		for id, n := range counts {
			w.Exec(countReceived, id, s.Slot, n)
		}
		for _, hour := range hours {
			w.Exec(countDeliveries, hour.values()...)
		}
		for _, hour := range figures.Came.Rows() {
			w.Exec(contacts.CountContacts, hour.Values()...)
		}
		for _, stage := range figures.Stays.Rows() {
			w.Exec(contacts.CountStage, stage.Values()...)
		}
	})
	return kept, err
}

// takeTurnOf assigns a contact to the member whose turn it is.
func takeTurnOf(w *engine.SQLiteTx, t *taken) {
	var n int64
	w.Exec(contacts.TakeTurn, t.turns.Rotation)
	if w.Row(contacts.ReadTurn, []any{t.turns.Rotation}, &n) {
		t.contact.AssigneeID = engine.Optional(t.turns.Of(n))
		w.Exec(contacts.CountTurn, t.turns.Rotation, *t.contact.AssigneeID)
	}
}
