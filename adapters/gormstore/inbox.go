package gormstore

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/domain/fault"
	"fichario/domain/intake"
	"fichario/ports"
)

type inbox struct {
	conn
	vault *vault
	take  *together[taken, ports.Receipt]
}

// taken is an arrival as rows: sealed by those who wait, not by the one worker.
type taken struct {
	delivery     deliveryRow
	contact      *contactRow // nil for a refusal
	event        eventRow
	notification notificationRow
	job          jobRow
	receipt      *receiptRow // nil when nothing identifies the post
	otherKeys    [][]byte    // the receipt's key under older data keys
	prints       [][]byte    // the fingerprint's keyed hashes
	mismatch     *fault.Error
}

// Take implements ports.Inbox.
func (r inbox) Take(ctx context.Context, a ports.Arrival) (ports.Receipt, error) {
	t := taken{delivery: r.vault.deliveryRow(a.Delivery), mismatch: a.Mismatch}
	if a.Contact != nil {
		row := r.vault.contactRow(*a.Contact)
		t.contact, t.event, t.notification, t.job = &row, r.vault.eventRow(a.Event), notificationRowOf(a.Notification), jobRowOf(a.Job)
	}
	if a.Contact != nil && a.Key != "" {
		keys := r.vault.indexes(receiptText(a.Delivery.WebhookID, a.Key))
		t.prints = r.vault.indexes(printText(a.Delivery.WebhookID, a.Fingerprint))
		t.receipt = &receiptRow{WebhookID: t.delivery.WebhookID, Key: keys[0], Body: t.prints[0], ContactID: t.contact.ID, At: t.delivery.At}
		t.otherKeys = keys[1:]
	}
	receipt, err := r.take.call(ctx, t)
	if err == nil && receipt.Repeated && !receipt.Same && a.Mismatch != nil {
		return receipt, a.Mismatch
	}
	return receipt, err
}

func receiptText(webhookID, key string) string { return "receipt|" + webhookID + "|" + key }

func printText(webhookID string, fingerprint []byte) string {
	return "body|" + webhookID + "|" + string(fingerprint)
}

func repeats(first receiptRow, prints [][]byte) ports.Receipt {
	same := slices.ContainsFunc(prints, func(p []byte) bool { return bytes.Equal(p, first.Body) })
	return ports.Receipt{ContactID: string(first.ContactID), Repeated: true, Same: same}
}

// Known implements ports.Inbox.
func (r inbox) Known(ctx context.Context, webhookID, key string, fingerprint []byte) (ports.Receipt, error) {
	var row receiptRow
	err := r.query(ctx, func(db *gorm.DB) error {
		return db.Take(&row, "webhook_id = ? AND key IN ?", webhookID, r.vault.indexes(receiptText(webhookID, key))).Error
	})
	if err != nil {
		return ports.Receipt{}, err
	}
	return repeats(row, r.vault.indexes(printText(webhookID, fingerprint))), nil
}

// takeTogether writes what arrived in a moment in one transaction. Rows that others
// may be waiting for, receipts and counters, are written in one order by everybody,
// so that no two instances wait for each other.
func (s *Store) takeTogether(ctx context.Context, in []taken) ([]ports.Receipt, error) {
	out := make([]ports.Receipt, len(in))
	return out, s.write.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		known, err := claimReceipts(tx, in)
		if err != nil {
			return err
		}
		var b batch
		for i, t := range in {
			if t.contact != nil {
				out[i] = ports.Receipt{ContactID: string(t.contact.ID)}
				if first, ok := known[i]; ok {
					out[i] = repeats(first, t.prints)
					t.logRepeated(out[i])
				} else {
					b.add(t, s.slot)
				}
			}
			b.deliveries = append(b.deliveries, t.delivery)
		}
		return b.write(tx)
	})
}

// logRepeated says in the log what became of a post whose key was known.
func (t *taken) logRepeated(r ports.Receipt) {
	if t.mismatch != nil && !r.Same {
		t.delivery.Outcome, t.delivery.ContactID = string(intake.Refused), nil
		t.delivery.Code, t.delivery.Reason = string(t.mismatch.Code), t.mismatch.Message
		return
	}
	t.delivery.Outcome, t.delivery.ContactID = string(intake.Repeated), optional(r.ContactID)
}

// claimReceipts writes the receipts of posts that can be known again. For those that
// are known already, by position, it returns the first receipt.
func claimReceipts(tx *gorm.DB, in []taken) (map[int]receiptRow, error) {
	var rows []receiptRow
	for _, t := range in {
		if t.receipt != nil {
			rows = append(rows, *t.receipt)
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	slices.SortFunc(rows, func(a, b receiptRow) int {
		return cmp.Or(cmp.Compare(a.WebhookID, b.WebhookID), bytes.Compare(a.Key, b.Key))
	})
	known := map[int]receiptRow{}
	if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&rows).Error; err != nil {
		return nil, err
	}
	for i, t := range in {
		if t.receipt == nil {
			continue
		}
		var first receiptRow
		// Those of older data keys come first: they were there before.
		err := tx.Raw("SELECT * FROM receipts WHERE webhook_id = ? AND key IN ? ORDER BY at, contact_id LIMIT 1",
			t.receipt.WebhookID, append(slices.Clone(t.otherKeys), t.receipt.Key)).Scan(&first).Error
		if err != nil {
			return nil, err
		}
		if first.ContactID != t.receipt.ContactID {
			known[i] = first
		}
	}
	return known, nil
}

// batch is what is written for posts that make contacts, and the log of all.
type batch struct {
	contacts      []contactRow
	events        []eventRow
	notifications []notificationRow
	jobs          []jobRow
	deliveries    []deliveryRow
	counters      []counterRow
}

func (b *batch) add(t taken, slot int64) {
	b.contacts = append(b.contacts, *t.contact)
	b.events = append(b.events, t.event)
	b.notifications = append(b.notifications, t.notification)
	b.jobs = append(b.jobs, t.job)
	for i := range b.counters {
		if b.counters[i].WebhookID == t.delivery.WebhookID {
			b.counters[i].Received++
			return
		}
	}
	b.counters = append(b.counters, counterRow{WebhookID: t.delivery.WebhookID, Slot: slot, Received: 1})
}

func (b *batch) write(tx *gorm.DB) error {
	if len(b.contacts) > 0 {
		slices.SortFunc(b.counters, func(x, y counterRow) int { return cmp.Compare(x.WebhookID, y.WebhookID) })
		for _, rows := range []any{&b.contacts, &b.events, &b.notifications, &b.jobs} {
			if err := tx.Create(rows).Error; err != nil {
				return err
			}
		}
		counting := clause.OnConflict{
			Columns:   []clause.Column{{Name: "webhook_id"}, {Name: "slot"}},
			DoUpdates: clause.Assignments(map[string]any{"received": gorm.Expr("webhook_counters.received + excluded.received")}),
		}
		if err := tx.Clauses(counting).Create(&b.counters).Error; err != nil {
			return err
		}
	}
	return tx.Create(&b.deliveries).Error
}

// forgetAtOnce is how many rows one removal takes, so that none takes long.
const forgetAtOnce = 1000

// Forget implements ports.Inbox.
func (r inbox) Forget(ctx context.Context, before time.Time) (int, error) {
	n, err := r.affected(ctx, "DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE id < ? ORDER BY id LIMIT ?)", firstID(before), forgetAtOnce)
	if err != nil {
		return int(n), err
	}
	m, err := r.affected(ctx, `DELETE FROM receipts WHERE (webhook_id, key) IN
		(SELECT webhook_id, key FROM receipts WHERE at < ? ORDER BY at LIMIT ?)`, stamp(before), forgetAtOnce)
	return int(n + m), err
}

// firstID is the smallest UUIDv7 of a time: what was made before has a smaller one.
func firstID(at time.Time) string {
	ms := at.UnixMilli()
	return fmt.Sprintf("%08x-%04x-7000-8000-000000000000", ms>>16, ms&0xffff)
}
