package team

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/access"
	"fichario/domain/crm"
)

type sessionRow struct {
	Hash      []byte     `gorm:"primaryKey"`
	MemberID  engine.UID `gorm:"not null"`
	CreatedAt time.Time  `gorm:"not null"`
	SeenAt    time.Time  `gorm:"not null"`
	ID        engine.UID `gorm:"not null;default:gen_random_uuid()"`
	Device    string     `gorm:"not null;default:''"`
	Address   []byte     `stored:"sealed"`
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
	engine.Conn
	vault *engine.Vault
	// secret keys the hashes of who tried: it stays when the data key is rotated.
	secret func(context.Context) ([]byte, error)
}

func (r sessions) Create(ctx context.Context, t access.SessionToken, s access.Session) error {
	hash := t.Hash()
	return r.Insert(ctx, "sessions.create", &sessionRow{
		Hash: hash[:], MemberID: engine.UID(s.MemberID), CreatedAt: engine.Stamp(s.CreatedAt), SeenAt: engine.Stamp(s.SeenAt),
		ID: engine.UID(s.ID), Device: s.Device, Address: addressOf(r.vault, s.Address, s.ID),
		FactorElsewhere: s.FactorElsewhere,
	})
}

// addressOf seals the network of a session; nil for none.
func addressOf(v *engine.Vault, address, id string) []byte {
	if address == "" {
		return nil
	}
	return v.Seal([]byte(address), "sessions|address|"+id)
}

func sessionOf(v *engine.Vault, row sessionRow) access.Session {
	s := access.Session{
		ID: string(row.ID), MemberID: string(row.MemberID), Device: row.Device, CreatedAt: row.CreatedAt.UTC(),
		SeenAt: row.SeenAt.UTC(), FactorElsewhere: row.FactorElsewhere,
	}
	if row.Address != nil {
		plain, _ := v.Shown(row.Address, "sessions|address|"+s.ID)
		s.Address = string(plain)
	}
	return s
}

// whoeverIsIn are the columns of a member, the views and the organisation's name, because every page shows them, and
// whether the organisation wants a second factor of all.
var whoeverIsIn = engine.ColumnNames(MemberRow{}, "members") + `,
	COALESCE((SELECT value FROM member_preferences p
		WHERE p.org_id = members.org_id AND p.member_id = members.id AND p.name = ?), '') AS views,
	(SELECT second_factor FROM organisations o WHERE o.id = members.org_id) AS of_all_two,
	COALESCE((SELECT name FROM organisations o WHERE o.id = members.org_id), '') AS org_name`

func (r sessions) Find(ctx context.Context, t access.SessionToken) (s access.Session, m crm.Member, err error) {
	hash := t.Hash()
	err = r.Query(ctx, "sessions.find", func(db *gorm.DB) error {
		var (
			session sessionRow
			member  struct {
				MemberRow
				Views, OrgName string
				OfAllTwo       bool
			}
		)
		if err := db.Take(&session, "hash = ?", hash[:]).Error; err != nil {
			return err
		}
		if err := db.Table("members").Select(whoeverIsIn, string(crm.ContactViews)).
			Take(&member, "id = ?", session.MemberID).Error; err != nil {
			return err
		}
		s, m = sessionOf(r.vault, session), member.Member()
		m.Views, m.OrgName = member.Views, member.OrgName
		m.NeedsFactor = member.OfAllTwo && !m.SecondFactor && !s.FactorElsewhere
		return nil
	})
	return s, m, err
}

func (r sessions) Touch(ctx context.Context, t access.SessionToken, at time.Time, address string) error {
	hash := t.Hash()
	return r.Exec(ctx, "sessions.touch", func(db *gorm.DB) error {
		var row sessionRow
		if err := db.Select("id").Limit(1).Find(&row, "hash = ?", hash[:]).Error; err != nil || row.ID == "" {
			return err
		}
		changes := map[string]any{"seen_at": engine.Stamp(at)}
		if address != "" {
			changes["address"] = engine.Blob(addressOf(r.vault, address, string(row.ID)))
		}
		return db.Model(&sessionRow{}).Where("hash = ? AND seen_at < ?", hash[:], engine.Stamp(at)).Updates(changes).Error
	})
}

func (r sessions) List(
	ctx context.Context, memberID string, present access.SessionToken, since time.Time,
) ([]access.Session, error) {
	hash := present.Hash()
	return engine.FindAll(ctx, r.Query, "sessions.list", func(row sessionRow) access.Session {
		s := sessionOf(r.vault, row)
		s.Present = bytes.Equal(row.Hash, hash[:])
		return s
	}, engine.Where("member_id = ? AND seen_at > ?", memberID, engine.Stamp(since)), engine.Order("seen_at DESC, id"))
}

func (r sessions) EndByID(ctx context.Context, memberID, id string) error {
	return r.Exec(ctx, "sessions.endByID", func(db *gorm.DB) error {
		return engine.OrNotFound(db.Delete(&sessionRow{}, "id = ? AND member_id = ?", id, memberID))
	})
}

func (r sessions) EndOthers(ctx context.Context, memberID string, but access.SessionToken) error {
	hash := but.Hash()
	return r.Exec(ctx, "sessions.endOthers", func(db *gorm.DB) error {
		return db.Delete(&sessionRow{}, "member_id = ? AND hash <> ?", memberID, engine.Blob(hash[:])).Error
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
	_, err := r.ExecCount(ctx, op, func(db *gorm.DB) *gorm.DB { return db.Delete(row, condition, value) })
	return err
}

// tried is the keyed hash of who tried.
func (r sessions) tried(ctx context.Context, who string) ([]byte, error) {
	secret, err := r.secret(ctx)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("sign-in|" + who))
	return mac.Sum(nil), err
}

func (r sessions) Attempt(
	ctx context.Context, who string, at time.Time, memory time.Duration, pause func(int) time.Duration,
) (before int, wait time.Duration, err error) {
	key, err := r.tried(ctx, who)
	if err != nil {
		return 0, 0, err
	}
	err = r.Exec(ctx, "sessions.attempt", func(db *gorm.DB) error {
		return db.Transaction(func(tx *gorm.DB) error {
			// Write the row first, so that concurrent attempts wait until this one is counted.
			first := &failureRow{Email: key, At: engine.Stamp(at)}
			if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(first).Error; err != nil {
				return err
			}
			var row failureRow
			if err := engine.Locked("UPDATE", "")(tx).Take(&row, "email = ?", key).Error; err != nil {
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
				Updates(map[string]any{"count": before + 1, "at": engine.Stamp(at)}).Error
		})
	})
	return before, wait, err
}

func (r sessions) Forgive(ctx context.Context, who string) error {
	key, err := r.tried(ctx, who)
	if err != nil {
		return err
	}
	_, err = r.ExecCount(ctx, "sessions.forgive", func(db *gorm.DB) *gorm.DB {
		return db.Model(&failureRow{}).Where("email = ? AND count > 0", key).Update("count", gorm.Expr("count - 1"))
	})
	return err
}

func (r sessions) Clear(ctx context.Context, who string) error {
	key, err := r.tried(ctx, who)
	if err != nil {
		return err
	}
	return r.remove(ctx, "sessions.clear", &failureRow{}, "email = ?", key)
}

func (r sessions) Forget(ctx context.Context, before time.Time) (int, error) {
	const op = "sessions.forget"
	n, err := r.ForgetSome(ctx, op, sessionRow{}, engine.Where("seen_at < ?", engine.Stamp(before)))
	if err != nil {
		return n, err
	}
	m, err := r.ForgetSome(ctx, op, failureRow{}, engine.Where("at < ?", engine.Stamp(before)))
	return n + m, err
}
