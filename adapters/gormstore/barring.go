package gormstore

import (
	"context"
	"fichario/domain/privacy"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

func (r subjects) Bar(ctx context.Context, orgID, erasureID string, hashes [][]byte) error {
	rows := mapped(hashes, func(hash []byte) erasedRow {
		return erasedRow{uid(orgID), hash, uid(erasureID), whileErasing}
	})
	return r.inside(ctx, "subjects.bar", func(db *gorm.DB) error {
		if len(rows) == 0 {
			return nil
		}
		return db.Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "org_id"}, {Name: "subject"}},
			DoUpdates: clause.AssignmentColumns([]string{"erasure_id", "until"}),
		}).Create(&rows).Error
	})
}

func (r subjects) Unbar(ctx context.Context, erasureID string) error {
	return r.inside(ctx, "subjects.unbar", func(db *gorm.DB) error {
		now := any(stamp(time.Now()))
		if db.Name() == "postgres" {
			now = gorm.Expr("clock_timestamp()")
		}
		return db.Model(&erasedRow{}).Where("erasure_id = ?", erasureID).Update("until", now).Error
	})
}

func (r subjects) Barred(
	ctx context.Context, orgID string, since time.Time,
) (is func(privacy.Identity) bool, err error) {
	var hashes [][]byte
	err = r.query(ctx, "subjects.barred", func(db *gorm.DB) error {
		return barring(orgID, since)(db).Pluck("subject", &hashes).Error
	})
	if err != nil || len(hashes) == 0 {
		return nil, err
	}
	secret, err := r.store.subjectSecret(ctx)
	barred := map[string]bool{}
	for _, hash := range hashes {
		barred[string(hash)] = true
	}
	return func(i privacy.Identity) bool { return barred[string(subjectHash(secret, orgID, i))] }, err
}
