package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/ports"
)

type orgs struct{ conn }

func (r orgs) Create(ctx context.Context, o crm.Organisation) error {
	return r.exec(ctx, func(db *gorm.DB) error {
		return db.Create(&orgRow{ID: uid(o.ID), Name: o.Name, CreatedAt: stamp(o.CreatedAt)}).Error
	})
}

func (r orgs) Find(ctx context.Context, id string) (crm.Organisation, error) {
	var row orgRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Take(&row, "id = ?", id).Error })
	return crm.Organisation{ID: string(row.ID), Name: row.Name, CreatedAt: row.CreatedAt.UTC()}, err
}

func (r orgs) List(ctx context.Context) ([]crm.Organisation, error) {
	var rows []orgRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Order("created_at, id").Find(&rows).Error })
	out := make([]crm.Organisation, len(rows))
	for i, row := range rows {
		out[i] = crm.Organisation{ID: string(row.ID), Name: row.Name, CreatedAt: row.CreatedAt.UTC()}
	}
	return out, err
}

func (r orgs) Lock(ctx context.Context, id string) error {
	return r.exec(ctx, func(db *gorm.DB) error {
		// SQLite has one writer and no row locks; its dialect leaves the clause out.
		return db.Clauses(clause.Locking{Strength: "UPDATE"}).Select("id").Take(&orgRow{}, "id = ?", id).Error
	})
}

type members struct{ conn }

func (r members) Create(ctx context.Context, m crm.Member) error {
	row := memberRowOf(m)
	return r.changing(ctx, m.OrgID, func(db *gorm.DB) error { return db.Create(&row).Error })
}

type keys struct{ conn }

func (r keys) Create(ctx context.Context, k access.Key) error {
	row := keyRowOf(k)
	return r.exec(ctx, func(db *gorm.DB) error { return db.Create(&row).Error })
}

func (r keys) AddSecret(ctx context.Context, keyID, was string, s access.Secret, endOthers time.Time) error {
	hash, end := s.Hash(), stamp(endOthers)
	return r.exec(ctx, func(db *gorm.DB) error {
		// The key's row first: whoever else gives it a secret waits, and then ends this
		// one too.
		key := db.Model(&keyRow{}).Where("id = ?", keyID)
		if was != "" {
			key = key.Where("prefix = ?", was)
		}
		if err := orNotFound(key.Update("prefix", s.Prefix())); err != nil {
			return err
		}
		err := db.Model(&secretRow{}).Where("key_id = ? AND (ends_at IS NULL OR ends_at > ?)", keyID, end).
			Update("ends_at", end).Error
		if err != nil {
			return err
		}
		return db.Create(&secretRow{Hash: hash[:], KeyID: uid(keyID)}).Error
	})
}

func (r keys) BySecret(ctx context.Context, s access.Secret, now time.Time) (access.Key, error) {
	hash := s.Hash()
	var row keyRow
	err := r.query(ctx, func(db *gorm.DB) error {
		return db.Joins("JOIN key_secrets ON key_secrets.key_id = keys.id").
			Take(&row, "key_secrets.hash = ? AND (key_secrets.ends_at IS NULL OR key_secrets.ends_at > ?)", hash[:], stamp(now)).Error
	})
	return row.key(), err
}

func (r keys) Find(ctx context.Context, id string) (access.Key, error) {
	var row keyRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Take(&row, "id = ?", id).Error })
	return row.key(), err
}

func (r keys) List(ctx context.Context, orgID string) ([]access.Key, error) {
	var rows []keyRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Order("id").Find(&rows, "org_id = ?", orgID).Error })
	out := make([]access.Key, len(rows))
	for i, row := range rows {
		out[i] = row.key()
	}
	return out, err
}

func (r keys) Revoke(ctx context.Context, id string, at time.Time) error {
	n, err := r.affected(ctx, "UPDATE keys SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ?", stamp(at), id)
	if err == nil && n == 0 {
		return ports.ErrNotFound
	}
	return err
}

func (r keys) Touch(ctx context.Context, lastUse map[string]time.Time) error {
	for id, at := range lastUse {
		_, err := r.affected(ctx, "UPDATE keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)",
			stamp(at), id, stamp(at))
		if err != nil {
			return err
		}
	}
	return nil
}

type usage struct{ conn }

// total is the bucket that never ends.
const total = "total"

// Charge implements ports.Usage. Each count is one statement that checks its cap
// and takes the row's lock, always in the same order.
func (r usage) Charge(ctx context.Context, keyID, day, month string, amount catalog.Money, caps access.Limits) error {
	const uncapped = int(^uint(0) >> 1)
	for _, b := range []struct {
		bucket string
		limit  int
		full   error
	}{{month, caps.PerMonth, ports.ErrMonthCap}, {day, caps.PerDay, ports.ErrDayCap}, {total, uncapped, nil}} {
		if b.limit <= 0 {
			return b.full
		}
		n, err := r.affected(ctx, `INSERT INTO key_usage (key_id, bucket, count, amount) VALUES (?, ?, 1, ?)
			ON CONFLICT (key_id, bucket) DO UPDATE SET count = key_usage.count + 1, amount = key_usage.amount + excluded.amount
			WHERE key_usage.count < ?`, keyID, b.bucket, int64(amount), b.limit)
		if err != nil {
			return err
		}
		if n == 0 {
			return b.full
		}
	}
	return nil
}

func (r usage) Release(ctx context.Context, keyID, day, month string, amount catalog.Money) error {
	for _, bucket := range []string{month, day, total} {
		_, err := r.affected(ctx, "UPDATE key_usage SET count = count - 1, amount = amount - ? WHERE key_id = ? AND bucket = ?",
			int64(amount), keyID, bucket)
		if err != nil {
			return err
		}
	}
	return nil
}

func (r usage) Spent(ctx context.Context, keyID, day, month string) (today, thisMonth, all lookup.Spent, err error) {
	var rows []usageRow
	err = r.query(ctx, func(db *gorm.DB) error {
		return db.Find(&rows, "key_id = ? AND bucket IN ?", keyID, []string{day, month, total}).Error
	})
	for _, row := range rows {
		spent := lookup.Spent{Count: int(row.Count), Amount: catalog.Money(row.Amount)}
		switch row.Bucket {
		case day:
			today = spent
		case month:
			thisMonth = spent
		case total:
			all = spent
		}
	}
	return today, thisMonth, all, err
}
