package gormstore

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"time"

	"gorm.io/gorm"

	"fichario/domain/webhook"
	"fichario/ports"
)

type deliveryRow struct {
	ID        uid       `gorm:"primaryKey"`
	OrgID     uid       `gorm:"not null"`
	WebhookID uid       `gorm:"not null"`
	At        time.Time `gorm:"not null"`
	Outcome   string    `gorm:"not null"`
	Code      string    `gorm:"not null"`
	Reason    string    `gorm:"not null"`
	ContactID *uid
	Content   []byte `gorm:"not null"`
	Truncated bool   `gorm:"not null"`
	ReplayOf  *uid
}

func (deliveryRow) TableName() string { return "deliveries" }

// deliveryRow seals headers and body as one value: the length of the former, the
// former, the latter.
func (v *vault) deliveryRow(d webhook.Delivery) deliveryRow {
	headers, err := json.Marshal(d.Headers)
	if err != nil {
		panic(err) // they are texts
	}
	content := binary.AppendUvarint(make([]byte, 0, 4+len(headers)+len(d.Body)), uint64(len(headers)))
	content = append(append(content, headers...), d.Body...)
	return deliveryRow{
		ID: uid(d.ID), OrgID: uid(d.OrgID), WebhookID: uid(d.WebhookID), At: stamp(d.At), Outcome: string(d.Outcome), Code: d.Code, Reason: d.Reason,
		ContactID: optional(d.ContactID), Content: v.seal(content, "deliveries|content|"+d.ID), Truncated: d.Truncated, ReplayOf: optional(d.ReplayOf),
	}
}

func (v *vault) delivery(row deliveryRow) (webhook.Delivery, error) {
	d := webhook.Delivery{
		ID: string(row.ID), OrgID: string(row.OrgID), WebhookID: string(row.WebhookID), At: row.At.UTC(), Outcome: webhook.Outcome(row.Outcome),
		Code: row.Code, Reason: row.Reason, ContactID: row.ContactID.text(), Truncated: row.Truncated, ReplayOf: row.ReplayOf.text(),
	}
	content, err := v.open(row.Content, "deliveries|content|"+d.ID)
	if err != nil {
		return d, err
	}
	n, size := binary.Uvarint(content)
	if size <= 0 || n > uint64(len(content)-size) {
		return d, errSealed
	}
	d.Body = content[size+int(n):]
	return d, json.Unmarshal(content[size:size+int(n)], &d.Headers)
}

type deliveries struct {
	conn
	vault *vault
}

func (r deliveries) Find(ctx context.Context, id string) (webhook.Delivery, error) {
	var row deliveryRow
	if err := r.query(ctx, func(db *gorm.DB) error { return db.Take(&row, "id = ?", id).Error }); err != nil {
		return webhook.Delivery{}, err
	}
	return r.vault.delivery(row)
}

func (r deliveries) Page(ctx context.Context, webhookID string, outcome webhook.Outcome, after string, limit int) ([]webhook.Delivery, error) {
	var rows []deliveryRow
	err := r.query(ctx, func(db *gorm.DB) error {
		db = newest(db, after, limit).Where("webhook_id = ?", webhookID)
		if outcome != "" {
			db = db.Where("outcome = ?", string(outcome))
		}
		return db.Find(&rows).Error
	})
	if err != nil {
		return nil, err
	}
	out := make([]webhook.Delivery, len(rows))
	for i, row := range rows {
		if out[i], err = r.vault.delivery(row); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// A delivery's id begins with its time.
func (r deliveries) Summaries(ctx context.Context, orgID string, since time.Time) (map[string]ports.DeliverySummary, error) {
	var rows []struct {
		WebhookID uid
		Outcome   string
		N         int
		Last      string // the newest id
	}
	err := r.query(ctx, func(db *gorm.DB) error {
		return db.Raw(`SELECT d.webhook_id, d.outcome, COUNT(*) AS n, MAX(CAST(d.id AS text)) AS last FROM webhooks w JOIN deliveries d ON d.webhook_id = w.id
			WHERE w.org_id = ? AND d.id >= ? GROUP BY d.webhook_id, d.outcome`, orgID, firstID(since)).Scan(&rows).Error
	})
	out := map[string]ports.DeliverySummary{}
	for _, row := range rows {
		sum := out[string(row.WebhookID)]
		switch webhook.Outcome(row.Outcome) {
		case webhook.Accepted:
			sum.Accepted = row.N
		case webhook.Repeated:
			sum.Repeated = row.N
		case webhook.Refused:
			sum.Refused = row.N
		}
		if at := timeOfID(row.Last); at.After(sum.Last) {
			sum.Last = at
		}
		out[string(row.WebhookID)] = sum
	}
	return out, err
}
