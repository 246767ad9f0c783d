package persons

import (
	"bytes"
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
		}).CreateInBatches(&rows, privacyrows.HashesAtOnce).Error
	})
}

// Unbar hands over whom another running erasure has too: a person has one row, which is of the erasure that barred
// last. That one is locked, so that it does not end meanwhile and leave what is handed to it barred for ever.
func (r subjects) Unbar(ctx context.Context, orgID, erasureID string) error {
	return r.Inside(ctx, "subjects.unbar", func(db *gorm.DB) error {
		fresh := func() *gorm.DB { return db.Session(&gorm.Session{NewDB: true}) }
		var mine [][]byte
		barred := func() *gorm.DB {
			return engine.Routed(orgID)(fresh().Model(&privacyrows.ErasedRow{})).Where("erasure_id = ?", erasureID)
		}
		err := barred().Pluck("subject", &mine).Error
		var others []erasureRow
		if err == nil {
			err = fresh().Select("id", "org_id", "hashes").
				Where("state = "+engine.Literal(privacy.Running)+" AND id <> ?", erasureID).
				Where("org_id = ?", orgID).
				Order("id").Find(&others).Error
		}
		for _, other := range others {
			both := shared(mine, other.Hashes)
			if err != nil || len(both) == 0 {
				continue
			}
			var still erasureRow
			found := engine.Locked("SHARE", "")(fresh()).Select("id").Limit(1).
				Find(&still, "id = ? AND org_id = ? AND state = "+engine.Literal(privacy.Running), other.ID, other.OrgID)
			if err = found.Error; found.RowsAffected > 0 {
				err = barred().Where("subject IN ?", both).Update("erasure_id", other.ID).Error
			}
		}
		if err != nil {
			return err
		}
		now, err := engine.Clock{Conn: r.Conn}.Now(ctx, engine.Stamp(time.Now()))
		if err != nil {
			return err
		}
		return barred().Update("until", now).Error
	})
}

// shared returns the hashes that are also among others, which are joined.
func shared(hashes [][]byte, others []byte) (both [][]byte) {
	for other := range slices.Chunk(others, engine.SubjectSize) {
		if slices.ContainsFunc(hashes, func(hash []byte) bool { return bytes.Equal(hash, other) }) {
			both = append(both, other)
		}
	}
	return both
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
