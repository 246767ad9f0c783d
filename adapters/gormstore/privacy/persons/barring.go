package persons

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
	privacyrows "fichario/adapters/gormstore/privacy"
	"fichario/domain/privacy"
)

func (r subjects) Bar(ctx context.Context, orgID, erasureID string, hashes [][]byte) error {
	rows := engine.Mapped(hashes, func(hash []byte) privacyrows.ErasedRow {
		return privacyrows.ErasedRow{
			OrgID: engine.UID(orgID), Subject: hash, ErasureID: engine.UID(erasureID), Until: privacyrows.WhileErasing,
		}
	})
	return r.Inside(ctx, "subjects.bar", func(db *gorm.DB) error {
		if len(rows) == 0 {
			return nil
		}
		return db.Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "org_id"}, {Name: "subject"}},
			DoUpdates: clause.AssignmentColumns([]string{"erasure_id", "until"}),
		}).Create(&rows).Error
	})
}

// Unbar hands over whom another running erasure has too: a person has one row, which is of the erasure that barred
// last. The others are locked, so that none of them ends meanwhile and leaves what is handed to it barred for ever.
func (r subjects) Unbar(ctx context.Context, erasureID string) error {
	return r.Inside(ctx, "subjects.unbar", func(db *gorm.DB) error {
		fresh := func() *gorm.DB { return db.Session(&gorm.Session{NewDB: true}) }
		var others []erasureRow
		err := engine.Locked("SHARE", "")(fresh()).Select("id", "hashes").
			Where("state = "+engine.Literal(privacy.Running)+" AND id <> ?", erasureID).
			Where("org_id IN (SELECT org_id FROM erased_subjects WHERE erasure_id = ?)", erasureID).
			Order("id").Find(&others).Error
		for _, other := range others {
			if hashes := slices.Collect(slices.Chunk(other.Hashes, engine.SubjectSize)); err == nil && len(hashes) > 0 {
				err = fresh().Model(&privacyrows.ErasedRow{}).
					Where("erasure_id = ? AND subject IN ?", erasureID, hashes).Update("erasure_id", other.ID).Error
			}
		}
		if err != nil {
			return err
		}
		now := any(engine.Stamp(time.Now()))
		if db.Name() == "postgres" {
			now = gorm.Expr("clock_timestamp()")
		}
		return fresh().Model(&privacyrows.ErasedRow{}).Where("erasure_id = ?", erasureID).Update("until", now).Error
	})
}

func (r subjects) Barred(
	ctx context.Context, orgID string, since time.Time,
) (is func(privacy.Identity) bool, err error) {
	var hashes [][]byte
	err = r.Query(ctx, "subjects.barred", func(db *gorm.DB) (err error) {
		hashes, err = privacyrows.Barred(db, orgID, since, func(all *gorm.DB) *gorm.DB { return all })
		return err
	})
	if err != nil || len(hashes) == 0 {
		return nil, err
	}
	secret, err := r.store.SubjectSecret(ctx)
	barred := map[string]bool{}
	for _, hash := range hashes {
		barred[string(hash)] = true
	}
	return func(i privacy.Identity) bool { return barred[string(engine.SubjectHash(secret, orgID, i))] }, err
}
