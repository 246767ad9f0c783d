package lookups

import (
	"context"
	"maps"
	"net/netip"
	"slices"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/access"
	"fichario/domain/document"
	"fichario/ports"
)

type keyRow struct {
	ID                               engine.UID `gorm:"primaryKey"`
	OrgID                            engine.UID `gorm:"not null"`
	Name                             string     `gorm:"not null"`
	Prefix                           string     `gorm:"not null"`
	Scopes                           string     `gorm:"not null"`
	PerMinute, PerDay, PerMonth      int        `gorm:"not null"`
	CreatedAt                        time.Time  `gorm:"not null"`
	ExpiresAt, RevokedAt, LastUsedAt *time.Time
	Purposes                         string `gorm:"not null;default:''"`
	Networks                         string `gorm:"not null;default:''"`
}

func (keyRow) TableName() string { return "keys" }

// contactsWord, among the scopes of a key, grants reading contacts; no document type has that name.
const contactsWord document.Type = "contatos"

func keyRowOf(k access.Key) keyRow {
	scopes := slices.Clone(k.Scopes)
	if k.Contacts {
		scopes = append(scopes, contactsWord)
	}
	if k.Bureau {
		scopes = append(scopes, access.BureauScope)
	}
	return keyRow{
		ID: engine.UID(k.ID), OrgID: engine.UID(k.OrgID), Name: k.Name, Prefix: k.Prefix, Scopes: engine.Commas(scopes),
		PerMinute: k.Limits.PerMinute, PerDay: k.Limits.PerDay, PerMonth: k.Limits.PerMonth,
		CreatedAt: engine.Stamp(k.CreatedAt), ExpiresAt: engine.OptionalTime(k.ExpiresAt),
		RevokedAt: engine.OptionalTime(k.RevokedAt), LastUsedAt: engine.OptionalTime(k.LastUsedAt),
		Purposes: engine.Commas(k.Purposes), Networks: engine.Commas(engine.Mapped(k.From, netip.Prefix.String)),
	}
}

func (r keyRow) key() access.Key {
	k := access.Key{
		ID: string(r.ID), OrgID: string(r.OrgID), Name: r.Name, Prefix: r.Prefix,
		Limits:    access.Limits{PerMinute: r.PerMinute, PerDay: r.PerDay, PerMonth: r.PerMonth},
		CreatedAt: r.CreatedAt.UTC(), ExpiresAt: engine.TimeOf(r.ExpiresAt), RevokedAt: engine.TimeOf(r.RevokedAt),
		LastUsedAt: engine.TimeOf(r.LastUsedAt), Scopes: engine.FromCommas[document.Type](r.Scopes),
		Purposes: engine.FromCommas[string](r.Purposes),
	}
	k.Contacts, k.Bureau = k.Has(contactsWord), k.Has(access.BureauScope)
	k.Scopes = slices.DeleteFunc(k.Scopes, func(t document.Type) bool {
		return t == contactsWord || t == access.BureauScope
	})
	for _, network := range engine.FromCommas[string](r.Networks) {
		from, err := netip.ParsePrefix(network)
		if err != nil {
			from = netip.Prefix{} // the zero prefix contains no address: an unreadable one admits nobody
		}
		k.From = append(k.From, from)
	}
	return k
}

type secretRow struct {
	Hash   []byte     `gorm:"primaryKey"`
	KeyID  engine.UID `gorm:"not null"`
	EndsAt *time.Time
}

func (secretRow) TableName() string { return "key_secrets" }

type keys struct{ engine.Conn }

func (r keys) Create(ctx context.Context, k access.Key) error {
	row := keyRowOf(k)
	return r.Insert(ctx, "keys.create", &row)
}

func (r keys) AddSecret(ctx context.Context, keyID, was string, s access.Secret, endOthers time.Time) error {
	hash, end := s.Hash(), engine.Stamp(endOthers)
	return r.Whole(ctx, "keys.addSecret", func(db *gorm.DB) error {
		// The key's row first: whoever else adds a secret to it waits, and then ends this one too.
		key := db.Model(&keyRow{}).Where("id = ?", keyID)
		if was != "" {
			key = key.Where("prefix = ?", was)
		}
		if err := engine.OrNotFound(key.Update("prefix", s.Prefix())); err != nil {
			return err
		}
		err := db.Model(&secretRow{}).Where("key_id = ? AND (ends_at IS NULL OR ends_at > ?)", keyID, end).
			Update("ends_at", end).Error
		if err != nil {
			return err
		}
		return db.Create(&secretRow{Hash: hash[:], KeyID: engine.UID(keyID)}).Error
	})
}

func (r keys) BySecret(ctx context.Context, s access.Secret, now time.Time) (access.Key, error) {
	hash := s.Hash()
	join := func(db *gorm.DB) *gorm.DB { return db.Joins("JOIN key_secrets ON key_secrets.key_id = keys.id") }
	return engine.FindOne(ctx, r.Query, "keys.bySecret", keyRow.key, join,
		engine.Where("key_secrets.hash = ? AND (key_secrets.ends_at IS NULL OR key_secrets.ends_at > ?)", hash[:],
			engine.Stamp(now)))
}

func (r keys) Change(ctx context.Context, orgID, id string, change ports.KeyChange) error {
	changed := map[string]any{}
	if change.Purposes != nil {
		changed["purposes"] = engine.Commas(*change.Purposes)
	}
	if change.From != nil {
		changed["networks"] = engine.Commas(engine.Mapped(*change.From, netip.Prefix.String))
	}
	if l := change.Limits; l != nil {
		changed["per_minute"], changed["per_day"], changed["per_month"] = l.PerMinute, l.PerDay, l.PerMonth
	}
	if len(changed) == 0 {
		return nil
	}
	return r.Exec(ctx, "keys.change", func(db *gorm.DB) error {
		return engine.OrNotFound(engine.Of(orgID, id)(db.Model(&keyRow{})).Updates(changed))
	})
}

func (r keys) Find(ctx context.Context, orgID, id string) (access.Key, error) {
	return engine.FindOne(ctx, r.Query, "keys.find", keyRow.key, engine.Of(orgID, id))
}

func (r keys) List(ctx context.Context, orgID string) ([]access.Key, error) {
	return engine.FindAll(ctx, r.Query, "keys.list", keyRow.key, engine.Where("org_id = ?", orgID), engine.Order("id"))
}

func (r keys) Revoke(ctx context.Context, orgID, id string, at time.Time) error {
	return r.Exec(ctx, "keys.revoke", func(db *gorm.DB) error {
		first := gorm.Expr("COALESCE(revoked_at, ?)", engine.Stamp(at))
		return engine.OrNotFound(engine.Of(orgID, id)(db.Model(&keyRow{})).Update("revoked_at", first))
	})
}

func (r keys) Touch(ctx context.Context, lastUse map[string]time.Time) error {
	return r.Whole(ctx, "keys.touch", func(db *gorm.DB) error {
		for _, id := range slices.Sorted(maps.Keys(lastUse)) { // so that no two instances wait for each other
			at := engine.Stamp(lastUse[id])
			touched := db.Model(&keyRow{}).Where("id = ? AND (last_used_at IS NULL OR last_used_at < ?)", id, at).
				Update("last_used_at", at)
			if touched.Error != nil {
				return touched.Error
			}
		}
		return nil
	})
}
