package contacts

import (
	"cmp"
	"slices"
	"time"

	"fichario/adapters/gormstore/engine"
)

// contactHourRow counts the contacts of an hour, as far as one slot has counted them.
type contactHourRow struct {
	OrgID     engine.UID `gorm:"primaryKey"`
	Hour      time.Time  `gorm:"primaryKey"`
	WebhookID engine.UID `gorm:"primaryKey"` // NoID for contacts made by hand
	OriginID  engine.UID `gorm:"primaryKey"` // NoID without one
	Slot      int64      `gorm:"primaryKey;autoIncrement:false"`
	Contacts  int64      `gorm:"not null"`
}

func (contactHourRow) TableName() string { return "contact_hours" }

// HourTally counts the contacts of each hour.
var HourTally = engine.TallyOf(contactHourRow{})

// contactHours is what some contacts add, keyed by the row that it is added to, without its count.
type contactHours map[contactHourRow]int64

func (h contactHours) add(c *ContactRow, slot, n int64) {
	h[contactHourRow{
		OrgID: c.OrgID, Hour: engine.HourOf(c.CreatedAt), WebhookID: engine.OrNoID(c.WebhookID),
		OriginID: engine.OrNoID(c.OriginID), Slot: slot,
	}] += n
}

// rows returns them in an order that all transactions share, so that no two deadlock.
func (h contactHours) rows() []contactHourRow {
	var out []contactHourRow
	for row, n := range h {
		if row.Contacts = n; n != 0 {
			out = append(out, row)
		}
	}
	slices.SortFunc(out, func(a, b contactHourRow) int {
		return cmp.Or(cmp.Compare(a.OrgID, b.OrgID), a.Hour.Compare(b.Hour), cmp.Compare(a.WebhookID, b.WebhookID),
			cmp.Compare(a.OriginID, b.OriginID))
	})
	return out
}
