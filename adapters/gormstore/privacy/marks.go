package privacy

import (
	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
)

// TraceRow is a row that holds data of a person.
type TraceRow struct {
	Subject []byte     `gorm:"primaryKey"`
	Kind    string     `gorm:"primaryKey"`
	RowID   engine.UID `gorm:"primaryKey"`
}

// TableName is the table of the row.
func (TraceRow) TableName() string { return "subject_traces" }

// MarkRow says up to which row of a table some work has been done.
type MarkRow struct {
	Name string     `gorm:"primaryKey"`
	UpTo engine.UID `gorm:"not null"`
}

// TableName is the table of the row.
func (MarkRow) TableName() string { return "privacy_marks" }

// MergedTrace is the kind of what a merged contact was known by.
const MergedTrace = "unidos"

// MoveMark moves a mark forward, never back.
func MoveMark(db *gorm.DB, what, upTo string) error {
	return db.Exec(`INSERT INTO privacy_marks (name, up_to) VALUES (?, ?) ON CONFLICT (name)
		DO UPDATE SET up_to = excluded.up_to WHERE privacy_marks.up_to < excluded.up_to`, what, upTo).Error
}
