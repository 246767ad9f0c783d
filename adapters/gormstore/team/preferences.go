package team

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
)

type preferenceRow struct {
	OrgID    engine.UID `gorm:"primaryKey"`
	MemberID engine.UID `gorm:"primaryKey"`
	Name     string     `gorm:"primaryKey"`
	Value    string     `gorm:"not null"`
}

func (preferenceRow) TableName() string { return "member_preferences" }

type preferences struct{ engine.Conn }

func (r preferences) Of(ctx context.Context, orgID, memberID string) (map[crm.Preference]string, error) {
	var rows []preferenceRow
	err := r.Query(ctx, "preferences.of", func(db *gorm.DB) error {
		return db.Find(&rows, "org_id = ? AND member_id = ?", orgID, memberID).Error
	})
	all := make(map[crm.Preference]string, len(rows))
	for _, row := range rows {
		all[crm.Preference(row.Name)] = row.Value
	}
	return all, err
}

func (r preferences) Set(ctx context.Context, orgID, memberID string, name crm.Preference, value string) error {
	row := preferenceRow{engine.UID(orgID), engine.UID(memberID), string(name), value}
	return r.Exec(ctx, "preferences.set", func(db *gorm.DB) error {
		if value == "" {
			return db.Delete(&row).Error
		}
		return db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&row).Error
	})
}
