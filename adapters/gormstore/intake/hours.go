package intake

import (
	"time"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/webhook"
)

// deliveryHourRow counts the posts to a webhook in an hour, as far as one slot has counted them.
type deliveryHourRow struct {
	WebhookID engine.UID `gorm:"primaryKey"`
	Hour      time.Time  `gorm:"primaryKey"`
	Slot      int64      `gorm:"primaryKey;autoIncrement:false"`
	Accepted  int64      `gorm:"not null"`
	Repeated  int64      `gorm:"not null"`
	Refused   int64      `gorm:"not null"`
}

func (deliveryHourRow) TableName() string { return "delivery_hours" }

// countDeliveries adds to an hour. The bulk statement on PostgreSQL has the same ending.
const (
	countDeliveries = `INSERT INTO delivery_hours (webhook_id, hour, slot, accepted, repeated, refused)
	VALUES (?, ?, ?, ?, ?, ?)` + addDeliveries
	addDeliveries = `
	ON CONFLICT (webhook_id, hour, slot) DO UPDATE SET accepted = delivery_hours.accepted + excluded.accepted,
		repeated = delivery_hours.repeated + excluded.repeated, refused = delivery_hours.refused + excluded.refused`
)

// values are the parameters of countDeliveries.
func (r deliveryHourRow) values() []any {
	return []any{r.WebhookID, r.Hour, r.Slot, r.Accepted, r.Repeated, r.Refused}
}

// deliveryHours is what some deliveries add, by webhook and hour.
type deliveryHours map[deliveryHour]deliveryHourRow

type deliveryHour struct {
	webhookID engine.UID
	hour      time.Time
}

func (h deliveryHours) add(d DeliveryRow, slot int64) {
	key := deliveryHour{d.WebhookID, engine.HourOf(d.At)}
	row := h[key]
	row.WebhookID, row.Hour, row.Slot = key.webhookID, key.hour, slot
	switch webhook.Outcome(d.Outcome) {
	case webhook.Accepted:
		row.Accepted++
	case webhook.Repeated:
		row.Repeated++
	case webhook.Refused:
		row.Refused++
	}
	h[key] = row
}
