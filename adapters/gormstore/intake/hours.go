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
	OrgID     *engine.UID
}

func (deliveryHourRow) TableName() string { return "delivery_hours" }

var hourTally = engine.TallyOf(deliveryHourRow{})

// deliveryHours is what some deliveries add, by webhook and hour.
type deliveryHours map[deliveryHour]deliveryHourRow

type deliveryHour struct {
	webhookID engine.UID
	hour      time.Time
}

func (h deliveryHours) add(d DeliveryRow, slot int64) {
	key := deliveryHour{d.WebhookID, engine.HourOf(d.At)}
	row := h[key]
	row.OrgID, row.WebhookID, row.Hour, row.Slot = &d.OrgID, key.webhookID, key.hour, slot
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
