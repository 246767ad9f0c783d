package gormstore

import (
	"context"
	"encoding/json"
	"time"

	"gorm.io/gorm"

	"fichario/domain/webhook"
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

func (v *vault) deliveryRow(d webhook.Delivery) deliveryRow {
	headers, err := json.Marshal(d.Headers)
	if err != nil {
		panic(err) // they are texts
	}
	return deliveryRow{
		ID: uid(d.ID), OrgID: uid(d.OrgID), WebhookID: uid(d.WebhookID), At: stamp(d.At), Outcome: string(d.Outcome),
		Code: d.Code, Reason: d.Reason, ContactID: optional(d.ContactID),
		Content: v.sealTwo(headers, d.Body, "deliveries|content|"+d.ID), Truncated: d.Truncated,
		ReplayOf: optional(d.ReplayOf),
	}
}

func (v *vault) delivery(row deliveryRow) (webhook.Delivery, error) {
	d := webhook.Delivery{
		ID: string(row.ID), OrgID: string(row.OrgID), WebhookID: string(row.WebhookID), At: row.At.UTC(),
		Outcome: webhook.Outcome(row.Outcome), Code: row.Code, Reason: row.Reason, ContactID: row.ContactID.text(),
		Truncated: row.Truncated, ReplayOf: row.ReplayOf.text(),
	}
	headers, body, err := v.openTwo(row.Content, "deliveries|content|"+d.ID)
	if err != nil {
		return d, err
	}
	d.Body = body
	return d, json.Unmarshal(headers, &d.Headers)
}

type deliveries struct {
	conn
	vault *vault
}

func (r deliveries) Find(ctx context.Context, id string) (webhook.Delivery, error) {
	return findOne(ctx, r.query, "deliveries.find", r.vault.delivery, where("id = ?", id))
}

func (r deliveries) Page(
	ctx context.Context, webhookID string, outcome webhook.Outcome, after string, limit int,
) ([]webhook.Delivery, error) {
	scopes := []scope{where("webhook_id = ?", webhookID), newest(after, limit)}
	if outcome != "" {
		scopes = append(scopes, where("outcome = ?", string(outcome)))
	}
	return findAll(ctx, r.query, "deliveries.page", r.vault.delivery, scopes...)
}

// Summaries reads the ids of deliveries for their times, which they begin with.
func (r deliveries) Summaries(
	ctx context.Context, orgID string, since time.Time,
) (map[string]webhook.Summary, error) {
	var rows []struct {
		WebhookID uid
		Outcome   string
		N         int
		Last      string // the newest id
	}
	err := r.query(ctx, "deliveries.summaries", func(db *gorm.DB) error {
		return db.Table("webhooks AS w").Joins("JOIN deliveries d ON d.webhook_id = w.id").
			Select("d.webhook_id, d.outcome, COUNT(*) AS n, MAX(CAST(d.id AS text)) AS last").
			Where("w.org_id = ? AND d.id >= ?", orgID, firstID(since)).Group("d.webhook_id, d.outcome").Find(&rows).Error
	})
	out := map[string]webhook.Summary{}
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
