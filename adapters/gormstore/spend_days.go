package gormstore

import "gorm.io/gorm"

// spendDayRow is what a key, or members, were charged on a day for a product, as far as one slot has counted it.
type spendDayRow struct {
	OrgID   uid    `gorm:"primaryKey"`
	Day     string `gorm:"primaryKey"`
	KeyID   uid    `gorm:"primaryKey"` // noID for members
	Product string `gorm:"primaryKey"`
	Slot    int64  `gorm:"primaryKey;autoIncrement:false"`
	Charged int64  `gorm:"not null"`
	Amount  int64  `gorm:"not null"`
}

func (spendDayRow) TableName() string { return "spend_days" }

const countSpent = `INSERT INTO spend_days (org_id, day, key_id, product, slot, charged, amount)
	VALUES (?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (org_id, day, key_id, product, slot) DO UPDATE SET charged = spend_days.charged + excluded.charged,
		amount = spend_days.amount + excluded.amount`

// countEntry adds an entry n times to its figures, of the hour and of the day; n is -1 for one that is taken back.
func countEntry(db *gorm.DB, row lookupRow, slot, n int64) error {
	hour := hourOfLookup(row, slot)
	hour.Charged, hour.Cached, hour.Amount = n*hour.Charged, n*hour.Cached, n*hour.Amount
	if err := hour.count(db); err != nil || hour.Charged == 0 {
		return err
	}
	return db.Exec(countSpent, row.OrgID, row.Day, orNoID(row.KeyID), row.Product, slot, n, n*row.Amount).Error
}
