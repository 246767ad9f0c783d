package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/domain/access"
	"fichario/domain/crm"
)

type sessionRow struct {
	Hash      []byte    `gorm:"primaryKey"`
	MemberID  uid       `gorm:"not null"`
	CreatedAt time.Time `gorm:"not null"`
	SeenAt    time.Time `gorm:"not null"`
}

func (sessionRow) TableName() string { return "sessions" }

type failureRow struct {
	Email []byte    `gorm:"primaryKey"`
	Count int       `gorm:"not null"`
	At    time.Time `gorm:"not null"`
}

func (failureRow) TableName() string { return "sign_in_failures" }

type sessions struct {
	conn
	vault *vault
}

func (r sessions) Create(ctx context.Context, t access.SessionToken, s access.Session) error {
	hash := t.Hash()
	return r.exec(ctx, func(db *gorm.DB) error {
		return db.Create(&sessionRow{Hash: hash[:], MemberID: uid(s.MemberID), CreatedAt: stamp(s.CreatedAt), SeenAt: stamp(s.SeenAt)}).Error
	})
}

func (r sessions) Find(ctx context.Context, t access.SessionToken) (access.Session, crm.Member, error) {
	hash := t.Hash()
	var (
		session sessionRow
		member  memberRow
	)
	err := r.query(ctx, func(db *gorm.DB) error {
		if err := db.Take(&session, "hash = ?", hash[:]).Error; err != nil {
			return err
		}
		return db.Take(&member, "id = ?", session.MemberID).Error
	})
	return access.Session{MemberID: string(session.MemberID), CreatedAt: session.CreatedAt.UTC(), SeenAt: session.SeenAt.UTC()}, member.member(), err
}

func (r sessions) Touch(ctx context.Context, t access.SessionToken, at time.Time) error {
	hash := t.Hash()
	_, err := r.affected(ctx, "UPDATE sessions SET seen_at = ? WHERE hash = ? AND seen_at < ?", stamp(at), hash[:], stamp(at))
	return err
}

func (r sessions) End(ctx context.Context, t access.SessionToken) error {
	hash := t.Hash()
	_, err := r.affected(ctx, "DELETE FROM sessions WHERE hash = ?", hash[:])
	return err
}

func (r sessions) EndAll(ctx context.Context, memberID string) error {
	_, err := r.affected(ctx, "DELETE FROM sessions WHERE member_id = ?", memberID)
	return err
}

func (r sessions) email(email string) []byte { return r.vault.indexes("sign-in|" + email)[0] }

func (r sessions) Attempt(ctx context.Context, email string, at time.Time, pause func(int) time.Duration) (before int, wait time.Duration, err error) {
	key := r.email(email)
	err = r.exec(ctx, func(db *gorm.DB) error {
		return db.Transaction(func(tx *gorm.DB) error {
			// The row first, so that others wait for this attempt to be counted.
			if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&failureRow{Email: key, At: stamp(at)}).Error; err != nil {
				return err
			}
			var row failureRow
			if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Take(&row, "email = ?", blob(key)).Error; err != nil {
				return err
			}
			before, wait = row.Count, 0
			if p := pause(before); p > 0 {
				wait = max(0, row.At.Add(p).Sub(at))
			}
			if wait > 0 {
				return nil
			}
			return tx.Model(&failureRow{}).Where("email = ?", blob(key)).Updates(map[string]any{"count": before + 1, "at": stamp(at)}).Error
		})
	})
	return before, wait, err
}

func (r sessions) Clear(ctx context.Context, email string) error {
	_, err := r.affected(ctx, "DELETE FROM sign_in_failures WHERE email = ?", r.email(email))
	return err
}

func (r sessions) Forget(ctx context.Context, before time.Time) error {
	if _, err := r.affected(ctx, "DELETE FROM sessions WHERE seen_at < ?", stamp(before)); err != nil {
		return err
	}
	_, err := r.affected(ctx, "DELETE FROM sign_in_failures WHERE at < ?", stamp(before))
	return err
}
