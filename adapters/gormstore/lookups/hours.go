package lookups

import (
	"time"

	"fichario/adapters/gormstore/engine"
)

// lookupHourRow counts an organisation's lookups of a product in an hour, as far as one slot has counted them.
type lookupHourRow struct {
	OrgID   engine.UID `gorm:"primaryKey"`
	Hour    time.Time  `gorm:"primaryKey"`
	Product string     `gorm:"primaryKey"`
	Slot    int64      `gorm:"primaryKey;autoIncrement:false"`
	Charged int64      `gorm:"not null"`
	Cached  int64      `gorm:"not null"`
	Amount  int64      `gorm:"not null"`
}

func (lookupHourRow) TableName() string { return "lookup_hours" }

var hourTally = engine.TallyOf(lookupHourRow{})

// hourOfLookup is what an entry adds to the figures of its hour.
func hourOfLookup(row LookupRow, slot int64) lookupHourRow {
	out := lookupHourRow{OrgID: row.OrgID, Hour: engine.HourOf(row.At), Product: row.Product, Slot: slot,
		Amount: row.Amount}
	if row.Charged {
		out.Charged = 1
	}
	if row.Cache {
		out.Cached = 1
	}
	return out
}

// hoursOfCached sums what entries answered from the history add, one row per organisation, hour and product.
func hoursOfCached(entries []LookupRow, slot int64) []lookupHourRow {
	sums := map[lookupHourRow]int64{} // keyed by what an entry adds
	for _, entry := range entries {
		sums[hourOfLookup(entry, slot)]++
	}
	out := make([]lookupHourRow, 0, len(sums))
	for row, n := range sums {
		row.Cached = n
		out = append(out, row)
	}
	return out
}
