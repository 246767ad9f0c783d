package intake

import (
	"context"

	"fichario/adapters/gormstore/automations"
	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/automation"
)

// The statements of an arrival on SQLite, row by row.
var (
	insertReceipt  = sentReceipt.Table.Insert() + " ON CONFLICT DO NOTHING"
	insertContact  = sentContact.Table.Insert()
	insertDelivery = sentDelivery.Table.Insert()
)

// takeOnSQLite writes a batch of arrivals in one transaction, row by row, and returns which of them were kept.
func (s *room) takeOnSQLite(ctx context.Context, in []taken) ([]bool, error) {
	kept := make([]bool, len(in))
	err := s.OnSQLite(ctx, func(w *engine.SQLiteTx) {
		counts, hours, figures := map[engine.UID]counterRow{}, deliveryHours{}, contacts.NewContactFigures(s.Slot)
		heard := automations.Heard{}
		for i := range in {
			t := &in[i]
			if t.contact != nil {
				if t.receipt != nil && w.Exec(insertReceipt, sentReceipt.Values(t.receipt)...) == 0 {
					continue
				}
				if t.turns != nil {
					t.contact.AssigneeID = engine.Optional(t.turns.TakeOn(w))
				}
				w.Exec(insertContact, sentContact.Values(t.contact)...)
				contacts.WriteDocuments(w, *t.contact)
				if t.mails || heard.In(w, t.contact.OrgID, automation.ContactCreated) {
					t.job.Facts = factsOf(t.contact)
					w.Exec(automations.InsertJob, sentJob.Values(&t.job)...)
					w.Queued = true
				}
				id := t.delivery.WebhookID
				counts[id] = counterRow{id, s.Slot, counts[id].Received + 1, &t.delivery.OrgID}
				figures.Add(t.contact, 1)
			} else if t.job.ID != "" {
				automations.WriteJob(w, t.job)
			}
			w.Exec(insertDelivery, sentDelivery.Values(&t.delivery)...)
			hours.add(t.delivery, s.Slot)
			kept[i] = true
		}
		for _, received := range counts {
			_ = w.Counting(receivedTally, &received)
		}
		for _, hour := range hours {
			_ = w.Counting(hourTally, &hour)
		}
		_ = figures.Count(w.Counting)
	})
	return kept, err
}
