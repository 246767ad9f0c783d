package gormstore

import (
	"bytes"
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
	ID        uid       `gorm:"not null;default:gen_random_uuid()"`
	Device    string    `gorm:"not null;default:''"`
	Address   []byte    `stored:"sealed"`
	// FactorElsewhere is set for members who signed in by a provider that asked for a second factor.
	FactorElsewhere bool `gorm:"not null;default:false"`
}

func (sessionRow) TableName() string { return "sessions" }

type failureRow struct {
	// Email is the keyed hash of who tried: an e-mail address, or a network.
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
	return r.create(ctx, "sessions.create", &sessionRow{
		Hash: hash[:], MemberID: uid(s.MemberID), CreatedAt: stamp(s.CreatedAt), SeenAt: stamp(s.SeenAt),
		ID: uid(s.ID), Device: s.Device, Address: r.vault.address(s.Address, s.ID),
		FactorElsewhere: s.FactorElsewhere,
	})
}

// address seals the network of a session; nil for none.
func (v *vault) address(address, id string) []byte {
	if address == "" {
		return nil
	}
	return v.seal([]byte(address), "sessions|address|"+id)
}

func (v *vault) session(row sessionRow) access.Session {
	s := access.Session{
		ID: string(row.ID), MemberID: string(row.MemberID), Device: row.Device, CreatedAt: row.CreatedAt.UTC(),
		SeenAt: row.SeenAt.UTC(), FactorElsewhere: row.FactorElsewhere,
	}
	if row.Address != nil {
		plain, _ := v.shown(row.Address, "sessions|address|"+s.ID)
		s.Address = string(plain)
	}
	return s
}

func (r sessions) Find(ctx context.Context, t access.SessionToken) (s access.Session, m crm.Member, err error) {
	hash := t.Hash()
	err = r.query(ctx, "sessions.find", func(db *gorm.DB) error {
		var (
			session sessionRow
			member  memberRow
		)
		if err := db.Take(&session, "hash = ?", hash[:]).Error; err != nil {
			return err
		}
		if err := db.Take(&member, "id = ?", session.MemberID).Error; err != nil {
			return err
		}
		s, m = r.vault.session(session), member.member()
		if m.SecondFactor || s.FactorElsewhere {
			return nil
		}
		return db.Model(&orgRow{}).Select("second_factor").Where("id = ?", member.OrgID).Scan(&m.NeedsFactor).Error
	})
	return s, m, err
}

func (r sessions) Touch(ctx context.Context, t access.SessionToken, at time.Time, address string) error {
	hash := t.Hash()
	return r.exec(ctx, "sessions.touch", func(db *gorm.DB) error {
		var row sessionRow
		if err := db.Select("id").Limit(1).Find(&row, "hash = ?", hash[:]).Error; err != nil || row.ID == "" {
			return err
		}
		changes := map[string]any{"seen_at": stamp(at)}
		if address != "" {
			changes["address"] = blob(r.vault.address(address, string(row.ID)))
		}
		return db.Model(&sessionRow{}).Where("hash = ? AND seen_at < ?", hash[:], stamp(at)).Updates(changes).Error
	})
}

func (r sessions) List(
	ctx context.Context, memberID string, present access.SessionToken, since time.Time,
) ([]access.Session, error) {
	hash := present.Hash()
	return findAll(ctx, r.query, "sessions.list", func(row sessionRow) access.Session {
		s := r.vault.session(row)
		s.Present = bytes.Equal(row.Hash, hash[:])
		return s
	}, where("member_id = ? AND seen_at > ?", memberID, stamp(since)), order("seen_at DESC, id"))
}

func (r sessions) EndByID(ctx context.Context, memberID, id string) error {
	return r.exec(ctx, "sessions.endByID", func(db *gorm.DB) error {
		return orNotFound(db.Delete(&sessionRow{}, "id = ? AND member_id = ?", id, memberID))
	})
}

func (r sessions) EndOthers(ctx context.Context, memberID string, but access.SessionToken) error {
	hash := but.Hash()
	return r.exec(ctx, "sessions.endOthers", func(db *gorm.DB) error {
		return db.Delete(&sessionRow{}, "member_id = ? AND hash <> ?", memberID, blob(hash[:])).Error
	})
}

func (r sessions) End(ctx context.Context, t access.SessionToken) error {
	hash := t.Hash()
	return r.remove(ctx, "sessions.end", &sessionRow{}, "hash = ?", hash[:])
}

func (r sessions) EndAll(ctx context.Context, memberID string) error {
	return r.remove(ctx, "sessions.endAll", &sessionRow{}, "member_id = ?", memberID)
}

func (r sessions) remove(ctx context.Context, op string, row any, condition string, value any) error {
	_, err := r.changed(ctx, op, func(db *gorm.DB) *gorm.DB { return db.Delete(row, condition, value) })
	return err
}

func (r sessions) tried(who string) []byte { return r.vault.indexes("sign-in|" + who)[0] }

func (r sessions) Attempt(
	ctx context.Context, who string, at time.Time, memory time.Duration, pause func(int) time.Duration,
) (before int, wait time.Duration, err error) {
	key := r.tried(who)
	err = r.exec(ctx, "sessions.attempt", func(db *gorm.DB) error {
		return db.Transaction(func(tx *gorm.DB) error {
			// Write the row first, so that concurrent attempts wait until this one is counted.
			first := &failureRow{Email: key, At: stamp(at)}
			if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(first).Error; err != nil {
				return err
			}
			var row failureRow
			if err := locked("UPDATE", "")(tx).Take(&row, "email = ?", key).Error; err != nil {
				return err
			}
			before, wait = row.Count, 0
			if at.Sub(row.At) > memory {
				before = 0
			}
			if p := pause(before); p > 0 {
				wait = min(p, max(0, row.At.Add(p).Sub(at))) // even if a fast clock has written At
			}
			if wait > 0 {
				return nil
			}
			return tx.Model(&failureRow{}).Where("email = ?", key).
				Updates(map[string]any{"count": before + 1, "at": stamp(at)}).Error
		})
	})
	return before, wait, err
}

func (r sessions) Forgive(ctx context.Context, who string) error {
	_, err := r.changed(ctx, "sessions.forgive", func(db *gorm.DB) *gorm.DB {
		return db.Model(&failureRow{}).Where("email = ? AND count > 0", r.tried(who)).Update("count", gorm.Expr("count - 1"))
	})
	return err
}

func (r sessions) Clear(ctx context.Context, who string) error {
	return r.remove(ctx, "sessions.clear", &failureRow{}, "email = ?", r.tried(who))
}

func (r sessions) Forget(ctx context.Context, before time.Time) (int, error) {
	const op = "sessions.forget"
	n, err := r.changed(ctx, op, func(db *gorm.DB) *gorm.DB {
		old := db.Model(&sessionRow{}).Select("hash").Where("seen_at < ?", stamp(before)).Limit(forgetAtOnce)
		return db.Delete(&sessionRow{}, "hash IN (?)", old)
	})
	if err != nil {
		return n, err
	}
	m, err := r.changed(ctx, op, func(db *gorm.DB) *gorm.DB {
		old := db.Model(&failureRow{}).Select("email").Where("at < ?", stamp(before)).Limit(forgetAtOnce)
		return db.Delete(&failureRow{}, "email IN (?)", old)
	})
	return n + m, err
}
