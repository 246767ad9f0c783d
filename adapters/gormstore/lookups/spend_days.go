package lookups

import (
	"cmp"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
)

// spendDayRow is what a key, or members, were charged on a day for a product, as far as one slot has counted it.
type spendDayRow struct {
	OrgID   engine.UID `gorm:"primaryKey"`
	Day     string     `gorm:"primaryKey"`
	KeyID   engine.UID `gorm:"primaryKey"` // NoID for members
	Product string     `gorm:"primaryKey"`
	Slot    int64      `gorm:"primaryKey;autoIncrement:false"`
	Charged int64      `gorm:"not null"`
	Amount  int64      `gorm:"not null"`
}

func (spendDayRow) TableName() string { return "spend_days" }

var dayTally = engine.TallyOf(spendDayRow{})

// countEntry adds an entry to the figures of its hour and its day.
func countEntry(db *gorm.DB, row LookupRow, slot int64) error {
	if err := hourOfLookup(row, slot).count(db); err != nil || !row.Charged {
		return err
	}
	day := spendDayRow{
		OrgID: row.OrgID, Day: row.Day, KeyID: engine.OrNoID(row.KeyID), Product: row.Product, Slot: slot, Charged: 1,
		Amount: row.Amount,
	}
	sum := newCharges()
	sum.charged(row)
	return cmp.Or(dayTally.Count(engine.Through(db), &day), sum.through(db))
}
