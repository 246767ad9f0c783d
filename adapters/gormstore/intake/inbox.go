package intake

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"fichario/adapters/gormstore/automations"
	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
)

type receiptRow struct {
	WebhookID engine.UID  `gorm:"primaryKey"`
	Key       []byte      `gorm:"primaryKey"`
	Body      []byte      `gorm:"not null"`
	ContactID engine.UID  `gorm:"not null"`
	At        time.Time   `gorm:"not null"`
	OrgID     *engine.UID // none where an instance of the version before wrote it
}

func (receiptRow) TableName() string { return "receipts" }

type inbox struct {
	engine.Conn
	vault *engine.Vault
	take  *engine.Together[taken, bool]
	slot  int64
}

// taken is an arrival of at most one person as rows, sealed by the waiting requests rather than by the single worker.
type taken struct {
	delivery DeliveryRow
	contact  *contacts.ContactRow // nil where only the delivery is written
	job      automations.JobRow
	receipt  *receiptRow     // nil when nothing identifies the post
	more     []receiptRow    // under the other data keys: see takenOf
	turns    *contacts.Turns // nil where the webhook has no rotation
	mails    bool            // its job is written whoever listens
}

// factsOf are the facts of a contact that came in, after its turn was taken.
func factsOf(row *contacts.ContactRow) string {
	return string(automation.FactsOf(crm.Contact{
		StageID: string(row.StageID), AssigneeID: row.AssigneeID.Text(), OriginID: row.OriginID.Text(),
		WebhookID: row.WebhookID.Text(), Amount: catalog.Money(row.Amount),
	}))
}

// takenOf makes a receipt under each data key: while the key is rotated, other instances have them in another order, or
// not all of them.
func takenOf(v *engine.Vault, n ports.Newcomer, k identity) taken {
	contact := contacts.ContactRowOf(v, n.Contact)
	t := taken{
		contact: &contact, job: automations.JobRowOf(n.Job), turns: contacts.TurnsOf(n),
	}
	if n.Key != "" {
		for i, hash := range v.Indexes(k.name(n.Key)) {
			t.more = append(t.more, receiptRow{
				WebhookID: k.webhookID, Key: hash, Body: k.bodies[i], ContactID: contact.ID, At: contact.CreatedAt,
				OrgID: &contact.OrgID,
			})
		}
		t.receipt, t.more = &t.more[0], t.more[1:]
	}
	return t
}

func (r inbox) Take(ctx context.Context, a ports.Arrival) (_ []ports.Receipt, err error) {
	const op = "inbox.take"
	if err := r.Outside(op); err != nil {
		return nil, err
	}
	ctx, span := engine.Spanned(ctx, op)
	defer func() { ports.EndSpan(span, err) }()
	keys := engine.Mapped(a.People, func(n ports.Newcomer) string { return n.Key })
	identified := slices.ContainsFunc(keys, func(key string) bool { return key != "" })
	var k identity
	if identified {
		k = identityOf(r.vault, a.Delivery.OrgID, a.Delivery.WebhookID, a.Fingerprint)
	}
	kept, err := r.keep(ctx, a, k)
	if err == nil && !kept && a.Lead != "" {
		return engine.Mapped(a.People, func(ports.Newcomer) ports.Receipt { return ports.Receipt{Repeated: true} }), nil
	}
	if err == nil && !kept {
		first, known := r.first(ctx, k, keys)
		if !errors.Is(known, ports.ErrNotFound) {
			return first, known
		}
		kept, err = r.keep(ctx, a, k) // the post that it repeated was forgotten meanwhile, so it counts as new
	}
	if err == nil && !kept {
		err = ports.ErrNotFound
	}
	if err != nil {
		return nil, engine.Named(op, err)
	}
	return engine.Mapped(a.People, func(n ports.Newcomer) ports.Receipt { return ports.Receipt{ContactID: n.Contact.ID} }),
		nil
}

// keep writes an arrival, unless one of its keys is already known.
func (r inbox) keep(ctx context.Context, a ports.Arrival, k identity) (bool, error) {
	delivery := deliveryRowOf(r.vault, a.Delivery)
	people := engine.Mapped(a.People, func(n ports.Newcomer) taken { return takenOf(r.vault, n, k) })
	var t taken
	if len(people) > 0 {
		t = people[0]
	} else if a.Delivery.Outcome == webhook.Refused {
		t.job = automations.JobRowOf(automation.Job{
			ID: a.Delivery.ID, OrgID: a.Delivery.OrgID, Kind: automation.FanOut, Event: automation.DeliveryRefused,
			SubjectID: a.Delivery.ID, State: automation.Ready, RunAt: a.Delivery.At, CreatedAt: a.Delivery.At,
		})
	}
	// Posts that share a commit have one receipt each, and Citus would take their statement apart, and send its steps to
	// every node.
	if len(people) > 1 || len(t.more) > 0 || len(a.Delivery.Others) > 0 || a.Read+a.Lead != "" ||
		engine.Distributed(r.Writer) {
		return r.takeSeveral(ctx, arrived{
			delivery, deliveryContactRows(a.Delivery), people, a.Mails, t.job, a.Read, a.Lead, a.Page,
		})
	}
	t.delivery, t.mails = delivery, a.Mails
	return r.take.Call(ctx, t)
}

// identity holds what a repeated post is recognised by: keyed hashes of its body, under every data key.
type identity struct {
	orgID     string
	webhookID engine.UID
	bodies    [][]byte
}

func identityOf(v *engine.Vault, orgID, webhookID string, fingerprint []byte) identity {
	return identity{orgID, engine.UID(webhookID), v.Indexes("body|" + webhookID + "|" + string(fingerprint))}
}

// name is the text hashed for a key.
func (k identity) name(key string) string { return "receipt|" + string(k.webhookID) + "|" + key }

// first returns the receipts of the first posts with the keys, empty where there is none, for a post that arrives now.
// ErrNotFound when no key is known.
func (r inbox) first(ctx context.Context, now identity, keys []string) ([]ports.Receipt, error) {
	var hashes [][]byte
	asked := map[string]int{} // the position of each key, by its hash
	for i, key := range keys {
		if key == "" {
			continue
		}
		for _, hash := range r.vault.Indexes(now.name(key)) {
			hashes, asked[string(hash)] = append(hashes, hash), i
		}
	}
	rows, err := engine.FindAll(ctx, r.Query, "inbox.known", engine.Same[receiptRow],
		engine.Routed(now.orgID), engine.Where("webhook_id = ? AND key IN ?", now.webhookID, hashes))
	if err == nil && len(rows) == 0 {
		err = engine.Named("inbox.known", ports.ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	survivors, err := r.survivors(ctx, now.orgID, rows)
	if err != nil {
		return nil, err
	}
	out := make([]ports.Receipt, len(keys))
	for _, row := range rows {
		same := slices.ContainsFunc(now.bodies, func(body []byte) bool { return bytes.Equal(body, row.Body) })
		out[asked[string(row.Key)]] = ports.Receipt{
			ContactID: string(cmp.Or(survivors[row.ContactID], row.ContactID)), Repeated: true, Same: same,
		}
	}
	return out, nil
}

// survivors maps the contacts of receipts that were merged to the contacts that they are now part of. A deleted contact
// is still answered as before.
func (r inbox) survivors(
	ctx context.Context, orgID string, receipts []receiptRow,
) (map[engine.UID]engine.UID, error) {
	out := map[engine.UID]engine.UID{}
	err := r.Query(ctx, "inbox.known", func(db *gorm.DB) error {
		for _, receipt := range receipts {
			id, err := contacts.Survivor(db, orgID, receipt.ContactID)
			if err == nil {
				out[receipt.ContactID] = id
			} else if !errors.Is(err, ports.ErrNotFound) {
				return err
			}
		}
		return nil
	})
	return out, err
}

func (r inbox) Known(
	ctx context.Context, orgID, webhookID string, keys []string, fingerprint []byte,
) ([]ports.Receipt, error) {
	return r.first(ctx, identityOf(r.vault, orgID, webhookID, fingerprint), keys)
}

func (r inbox) Forget(ctx context.Context, before time.Time) (int, error) {
	if err := r.dropDeliveries(ctx, before); err != nil {
		return 0, engine.Named("inbox.forget", engine.Told(ctx, err))
	}
	n := 0
	for _, old := range []struct {
		row    schema.Tabler
		column string
		before any
	}{
		{DeliveryRow{}, "id", engine.FirstID(before)}, {DeliveryContactRow{}, "delivery_id", engine.FirstID(before)},
		{deliveryHourRow{}, "hour", engine.HourOf(before)}, // the hour of before stays: some of its deliveries do
		{receiptRow{}, "at", engine.Stamp(before)},
	} {
		some, err := r.ForgetSome(ctx, "inbox.forget", old.row, engine.Where(old.column+" < ?", old.before),
			engine.Order(old.column))
		if _, counts := old.row.(deliveryHourRow); !counts {
			n += some
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// dropDeliveries drops the daily partitions of deliveries that lie wholly before a time. PostgreSQL only.
func (r inbox) dropDeliveries(ctx context.Context, before time.Time) error {
	if r.Tx || r.Writer.Name() != "postgres" {
		return nil
	}
	db := r.Migrating.Open()
	defer func() { _ = db.Close() }()
	return engine.DeliveriesByDay.DropBefore(ctx, db, before)
}
