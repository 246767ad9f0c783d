package team

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/access"
	"fichario/ports"
)

type codesRow struct {
	ID        engine.UID `gorm:"primaryKey"` // the member's
	Secret    []byte     `gorm:"not null" stored:"sealed"`
	Confirmed bool       `gorm:"not null"`
	LastStep  int64      `gorm:"not null"`
}

func (codesRow) TableName() string { return "one_time_codes" }

type recoveryRow struct {
	MemberID engine.UID `gorm:"primaryKey"`
	Hash     []byte     `gorm:"primaryKey"`
}

func (recoveryRow) TableName() string { return "recovery_codes" }

type passkeyRow struct {
	ID         engine.UID `gorm:"primaryKey"`
	MemberID   engine.UID `gorm:"not null"`
	Name       string     `gorm:"not null"`
	Credential []byte     `gorm:"not null"`
	Content    []byte     `gorm:"not null"`
	CreatedAt  time.Time  `gorm:"not null"`
	UsedAt     *time.Time
}

func (passkeyRow) TableName() string { return "passkeys" }

func (r passkeyRow) passkey() access.Passkey {
	return access.Passkey{
		ID: string(r.ID), MemberID: string(r.MemberID), Name: r.Name, Credential: r.Credential, Content: r.Content,
		CreatedAt: r.CreatedAt.UTC(), UsedAt: engine.TimeOf(r.UsedAt),
	}
}

type factors struct {
	engine.Conn
	vault *engine.Vault
}

func (r factors) Codes(ctx context.Context, memberID string) (access.OneTimeCodes, error) {
	row, err := engine.FindOne(ctx, r.Query, "factors.codes", engine.Same[codesRow],
		engine.ByID(memberID))
	if err != nil {
		return access.OneTimeCodes{}, err
	}
	secret, ok := r.vault.Shown(row.Secret, "one_time_codes|secret|"+memberID)
	if !ok {
		err = engine.Named("factors.codes", ports.ErrUnreadable)
	}
	return access.OneTimeCodes{Secret: string(secret), Confirmed: row.Confirmed, LastStep: row.LastStep}, err
}

// change runs f, then records on the member whether a second factor remains.
func (r factors) change(ctx context.Context, op, memberID string, f func(*gorm.DB) error) error {
	return r.Whole(ctx, op, func(db *gorm.DB) error {
		if err := f(db); err != nil {
			return err
		}
		return db.Exec(`UPDATE members SET second_factor =
			EXISTS (SELECT 1 FROM one_time_codes c WHERE c.id = members.id AND c.confirmed) OR
			EXISTS (SELECT 1 FROM passkeys p WHERE p.member_id = members.id) WHERE id = ?`, memberID).Error
	})
}

func (r factors) SetCodes(ctx context.Context, memberID string, c access.OneTimeCodes) error {
	row := codesRow{
		ID: engine.UID(memberID), Secret: r.vault.Seal([]byte(c.Secret), "one_time_codes|secret|"+memberID),
		Confirmed: c.Confirmed, LastStep: c.LastStep,
	}
	return r.change(ctx, "factors.setCodes", memberID, func(db *gorm.DB) error {
		return db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&row).Error
	})
}

func (r factors) DropUnconfirmed(ctx context.Context, memberID string) error {
	return r.Exec(ctx, "factors.dropUnconfirmed", func(db *gorm.DB) error {
		return db.Delete(&codesRow{}, "id = ? AND NOT confirmed", memberID).Error
	})
}

func (r factors) UseStep(ctx context.Context, memberID string, step int64) (bool, error) {
	n, err := r.ExecCount(ctx, "factors.useStep", func(db *gorm.DB) *gorm.DB {
		return db.Model(&codesRow{}).Where("id = ? AND last_step < ?", memberID, step).Update("last_step", step)
	})
	return n > 0, err
}

func (r factors) SetRecovery(ctx context.Context, memberID string, hashes [][]byte) error {
	rows := engine.Mapped(hashes, func(h []byte) recoveryRow { return recoveryRow{engine.UID(memberID), h} })
	return r.Whole(ctx, "factors.setRecovery", func(db *gorm.DB) error {
		if err := db.Delete(&recoveryRow{}, "member_id = ?", memberID).Error; err != nil {
			return err
		}
		return db.Create(&rows).Error
	})
}

func (r factors) UseRecovery(ctx context.Context, memberID string, hash []byte) (bool, error) {
	n, err := r.ExecCount(ctx, "factors.useRecovery", func(db *gorm.DB) *gorm.DB {
		return db.Delete(&recoveryRow{}, "member_id = ? AND hash = ?", memberID, engine.Blob(hash))
	})
	return n > 0, err
}

func (r factors) RecoveryLeft(ctx context.Context, memberID string) (int, error) {
	var n int64
	err := r.Query(ctx, "factors.recoveryLeft", func(db *gorm.DB) error {
		return db.Model(&recoveryRow{}).Where("member_id = ?", memberID).Count(&n).Error
	})
	return int(n), err
}

func (r factors) Passkeys(ctx context.Context, memberID string) ([]access.Passkey, error) {
	return engine.FindAll(ctx, r.Query, "factors.passkeys", passkeyRow.passkey, engine.Where("member_id = ?", memberID),
		engine.Order("id"))
}

func (r factors) AddPasskey(ctx context.Context, p access.Passkey) error {
	row := passkeyRow{
		ID: engine.UID(p.ID), MemberID: engine.UID(p.MemberID), Name: p.Name, Credential: p.Credential, Content: p.Content,
		CreatedAt: engine.Stamp(p.CreatedAt),
	}
	return r.change(ctx, "factors.addPasskey", p.MemberID, func(db *gorm.DB) error { return db.Create(&row).Error })
}

func (r factors) UsePasskey(ctx context.Context, p access.Passkey) error {
	return r.Exec(ctx, "factors.usePasskey", func(db *gorm.DB) error {
		return engine.OrNotFound(db.Model(&passkeyRow{}).Where("id = ? AND member_id = ?", p.ID, p.MemberID).
			Updates(map[string]any{"content": engine.Blob(p.Content), "used_at": engine.OptionalTime(p.UsedAt)}))
	})
}

func (r factors) RemovePasskey(ctx context.Context, memberID, id string) error {
	return r.change(ctx, "factors.removePasskey", memberID, func(db *gorm.DB) error {
		return engine.OrNotFound(db.Delete(&passkeyRow{}, "id = ? AND member_id = ?", id, memberID))
	})
}

func (r factors) Clear(ctx context.Context, memberID string) error {
	return r.change(ctx, "factors.clear", memberID, func(db *gorm.DB) error {
		for _, row := range []any{&passkeyRow{}, &recoveryRow{}} {
			if err := db.Delete(row, "member_id = ?", memberID).Error; err != nil {
				return err
			}
		}
		return db.Delete(&codesRow{}, "id = ?", memberID).Error
	})
}
