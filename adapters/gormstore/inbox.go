package gormstore

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"gorm.io/gorm"

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
	contact      *contactRow // nil where only the delivery is written
	event        eventRow
	notification notificationRow
	job          jobRow
	receipt      *receiptRow // nil when nothing identifies the post
}

func (v *vault) taken(a ports.Arrival) taken {
	t := taken{delivery: v.deliveryRow(a.Delivery)}
	if a.Contact != nil {
		contact := v.contactRow(*a.Contact)
		t.contact = &contact
		t.event, t.notification, t.job = v.eventRow(a.Event), notificationRowOf(a.Notification), jobRowOf(a.Job)
	}
	return t
}

func (r inbox) Take(ctx context.Context, a ports.Arrival) (receipt ports.Receipt, err error) {
	const op = "inbox.take"
	if err := r.outside(op); err != nil {
		return receipt, err
	}
	t := r.vault.taken(a)
	if t.contact == nil || a.Key == "" {
		receipt, err = r.take.call(ctx, t)
	} else {
		receipt, err = r.takeOnce(ctx, t, r.vault.identity(a.Delivery.WebhookID, a.Key, a.Fingerprint))
	}
	return receipt, named(op, err)
}

// takeOnce looks beforehand for a receipt that an older data key has indexed: the posts that it is about were made
// before the key was changed.
func (r inbox) takeOnce(ctx context.Context, t taken, k identity) (ports.Receipt, error) {
	t.receipt = &receiptRow{
		WebhookID: t.delivery.WebhookID, Key: k.keys[0], Body: k.bodies[0], ContactID: t.contact.ID, At: t.delivery.At,
	}
	if len(k.keys) > 1 {
		first, err := r.first(ctx, k, k.keys[1:])
		if !errors.Is(err, ports.ErrNotFound) {
			return first, err
		}
	}
	receipt, err := r.take.call(ctx, t)
	if err == nil && receipt.Repeated {
		return r.first(ctx, k, k.keys)
	}
	return receipt, err
}

// identity is what a post is known by: the keyed hashes of its key and its fingerprint, under every data key.
type identity struct {
	webhookID    uid
	keys, bodies [][]byte
}

func (v *vault) identity(webhookID, key string, fingerprint []byte) identity {
	return identity{
		webhookID: uid(webhookID), keys: v.indexes("receipt|" + webhookID + "|" + key),
		bodies: v.indexes("body|" + webhookID + "|" + string(fingerprint)),
	}
}

// first returns the receipt of the first post with one of the keys, for one that comes now.
func (r inbox) first(ctx context.Context, now identity, keys [][]byte) (ports.Receipt, error) {
	return findOne(ctx, r.query, "inbox.known", plain(func(first receiptRow) ports.Receipt {
		same := slices.ContainsFunc(now.bodies, func(body []byte) bool { return bytes.Equal(body, first.Body) })
		return ports.Receipt{ContactID: string(first.ContactID), Repeated: true, Same: same}
	}), where("webhook_id = ? AND key IN ?", now.webhookID, keys))
}

func (r inbox) Known(ctx context.Context, webhookID, key string, fingerprint []byte) (ports.Receipt, error) {
	k := r.vault.identity(webhookID, key, fingerprint)
	return r.first(ctx, k, k.keys)
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
		old := db.Model(&receiptRow{}).Select("webhook_id, key").Where("at < ?", stamp(before)).
			Order("at").Limit(forgetAtOnce)
		return db.Delete(&receiptRow{}, "(webhook_id, key) IN (?)", old)
	})
	return n + m, err
}
