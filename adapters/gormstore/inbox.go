package gormstore

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"gorm.io/gorm"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/webhook"
	"fichario/ports"
)

type receiptRow struct {
	WebhookID uid       `gorm:"primaryKey"`
	Key       []byte    `gorm:"primaryKey"`
	Body      []byte    `gorm:"not null"`
	ContactID uid       `gorm:"not null"`
	At        time.Time `gorm:"not null"`
}

func (receiptRow) TableName() string { return "receipts" }

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
	keys         [][]byte    // the receipt's key under every data key
	prints       [][]byte    // the fingerprint's keyed hashes
	mismatch     *fault.Error
}

func (r inbox) Take(ctx context.Context, a ports.Arrival) (receipt ports.Receipt, err error) {
	err = r.outside("inbox.take", func() error {
		receipt, err = r.taking(ctx, a)
		return err
	})
	return receipt, err
}

// taking looks beforehand for a receipt that an older data key has indexed: the posts that it is about were made before
// the key was changed.
func (r inbox) taking(ctx context.Context, a ports.Arrival) (ports.Receipt, error) {
	t := taken{delivery: r.vault.deliveryRow(a.Delivery), mismatch: a.Mismatch}
	if c := a.Contact; c != nil {
		row := r.vault.contactRow(*c)
		t.contact = &row
		at := a.Delivery.At
		t.event = r.vault.eventRow(crm.Event{ID: a.EventID, OrgID: c.OrgID, ContactID: c.ID, Kind: crm.ContactCreated, Actor: a.Webhook, At: at})
		t.notification = notificationRowOf(crm.Notification{ID: a.NotificationID, OrgID: c.OrgID, ContactID: c.ID, Kind: crm.NewContact, Subject: a.Webhook, At: at})
		t.job = jobRowOf(automation.Job{ID: a.JobID, OrgID: c.OrgID, ContactID: c.ID, Kind: automation.FanOut, State: automation.Ready, RunAt: at, CreatedAt: at})
	}
	if a.Contact != nil && a.Key != "" {
		t.keys = r.vault.indexes(receiptText(a.Delivery.WebhookID, a.Key))
		t.prints = r.vault.indexes(printText(a.Delivery.WebhookID, a.Fingerprint))
		t.receipt = &receiptRow{WebhookID: t.delivery.WebhookID, Key: t.keys[0], Body: t.prints[0], ContactID: t.contact.ID, At: t.delivery.At}
		if len(t.keys) > 1 {
			first, err := r.first(ctx, t.delivery.WebhookID, t.keys[1:])
			if err == nil {
				return r.takeRepeated(ctx, t, first)
			}
			if !errors.Is(err, ports.ErrNotFound) {
				return ports.Receipt{}, err
			}
		}
	}
	receipt, err := r.take.call(ctx, t)
	if err == nil && receipt.Repeated {
		// Nothing was written yet for a post that had come before.
		var first receiptRow
		if first, err = r.first(ctx, t.delivery.WebhookID, t.keys); err == nil {
			return r.takeRepeated(ctx, t, first)
		}
	}
	return receipt, err
}

// takeRepeated writes the log line of a post that had come before.
func (r inbox) takeRepeated(ctx context.Context, t taken, first receiptRow) (ports.Receipt, error) {
	receipt := repeats(first, t.prints)
	t.contact, t.receipt = nil, nil
	var mismatch error
	if t.mismatch != nil && !receipt.Same {
		mismatch = t.mismatch
		t.delivery.Outcome, t.delivery.ContactID = string(webhook.Refused), nil
		t.delivery.Code, t.delivery.Reason = string(t.mismatch.Code), t.mismatch.Message
	} else {
		t.delivery.Outcome, t.delivery.ContactID = string(webhook.Repeated), &first.ContactID
	}
	if _, err := r.take.call(ctx, t); err != nil {
		return ports.Receipt{}, err
	}
	return receipt, mismatch
}

func (r inbox) first(ctx context.Context, webhookID uid, keys [][]byte) (row receiptRow, err error) {
	err = r.query(ctx, "inbox.known", func(db *gorm.DB) error { return db.Take(&row, "webhook_id = ? AND key IN ?", webhookID, keys).Error })
	return row, err
}

func receiptText(webhookID, key string) string { return "receipt|" + webhookID + "|" + key }

func printText(webhookID string, fingerprint []byte) string {
	return "body|" + webhookID + "|" + string(fingerprint)
}

func repeats(first receiptRow, prints [][]byte) ports.Receipt {
	same := slices.ContainsFunc(prints, func(p []byte) bool { return bytes.Equal(p, first.Body) })
	return ports.Receipt{ContactID: string(first.ContactID), Repeated: true, Same: same}
}

func (r inbox) Known(ctx context.Context, webhookID, key string, fingerprint []byte) (ports.Receipt, error) {
	row, err := r.first(ctx, uid(webhookID), r.vault.indexes(receiptText(webhookID, key)))
	if err != nil {
		return ports.Receipt{}, err
	}
	return repeats(row, r.vault.indexes(printText(webhookID, fingerprint))), nil
}

func (r inbox) Forget(ctx context.Context, before time.Time) (int, error) {
	n, err := r.changed(ctx, "inbox.forget", func(db *gorm.DB) *gorm.DB {
		old := db.Model(&deliveryRow{}).Select("id").Where("id < ?", firstID(before)).Order("id").Limit(forgetAtOnce)
		return db.Delete(&deliveryRow{}, "id IN (?)", old)
	})
	if err != nil {
		return n, err
	}
	m, err := r.changed(ctx, "inbox.forget", func(db *gorm.DB) *gorm.DB {
		old := db.Model(&receiptRow{}).Select("webhook_id, key").Where("at < ?", stamp(before)).Order("at").Limit(forgetAtOnce)
		return db.Delete(&receiptRow{}, "(webhook_id, key) IN (?)", old)
	})
	return n + m, err
}
