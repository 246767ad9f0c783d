package lookups

import "fichario/adapters/gormstore/engine"

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
