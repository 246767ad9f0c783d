package gormstore

import "gorm.io/gorm"

// traceRow is a row that holds data of a person.
type traceRow struct {
	Subject []byte `gorm:"primaryKey"`
	Kind    string `gorm:"primaryKey"`
	RowID   uid    `gorm:"primaryKey"`
}

func (traceRow) TableName() string { return "subject_traces" }

// privacyMarkRow says up to which row of a table some work has been done.
type privacyMarkRow struct {
	Name string `gorm:"primaryKey"`
	UpTo uid    `gorm:"not null"`
}

func (privacyMarkRow) TableName() string { return "privacy_marks" }

// mergedTrace is the kind of what a merged contact was known by.
const mergedTrace = "unidos"

// moveMark moves a mark forward, never back.
func moveMark(db *gorm.DB, what, upTo string) error {
	return db.Exec(`INSERT INTO privacy_marks (name, up_to) VALUES (?, ?) ON CONFLICT (name)
		DO UPDATE SET up_to = excluded.up_to WHERE privacy_marks.up_to < excluded.up_to`, what, upTo).Error
}
