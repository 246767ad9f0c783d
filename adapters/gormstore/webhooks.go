package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fichario/domain/intake"
	"fichario/domain/intake/fields"
	"fichario/domain/webhook"
)

type webhookRow struct {
	ID        uid    `gorm:"primaryKey"`
	OrgID     uid    `gorm:"not null"`
	Name      string `gorm:"not null"`
	Kind      string `gorm:"not null"`
	Band      string `gorm:"not null"`
	Enabled   bool   `gorm:"not null"`
	OriginID  *uid
	Scheme    string `gorm:"not null"`
	Secret    []byte `gorm:"not null" stored:"sealed"`
	Token     []byte `gorm:"not null" stored:"sealed"`
	ThanksURL string `gorm:"not null"`
	// SignatureHeader is empty for the scheme's usual header.
	SignatureHeader string
	RotationID      *uid
	CreatedAt       time.Time `gorm:"not null"`
}

func (webhookRow) TableName() string { return "webhooks" }

func (v *vault) webhookRow(w webhook.Webhook) webhookRow {
	return webhookRow{
		ID: uid(w.ID), OrgID: uid(w.OrgID), Name: w.Name, Kind: string(w.Kind), Band: string(w.Band), Enabled: w.Enabled,
		OriginID: optional(w.OriginID), Scheme: string(w.Signature.Scheme),
		Secret: v.seal([]byte(w.Signature.Secret), "webhooks|secret|"+w.ID), ThanksURL: w.ThanksURL,
		SignatureHeader: w.Signature.Header, RotationID: optional(w.RotationID), CreatedAt: stamp(w.CreatedAt),
	}
}

func (v *vault) webhook(row webhookRow) webhook.Webhook {
	secret, ok := v.shown(row.Secret, "webhooks|secret|"+string(row.ID))
	return webhook.Webhook{
		ID: string(row.ID), OrgID: string(row.OrgID), Name: row.Name, Enabled: row.Enabled, OriginID: row.OriginID.text(),
		Options: intake.Options{Kind: intake.Kind(row.Kind), Band: fields.Band(row.Band)},
		Signature: webhook.Signature{
			Scheme: webhook.Scheme(row.Scheme), Secret: string(secret), Header: row.SignatureHeader,
		},
		ThanksURL: row.ThanksURL, RotationID: row.RotationID.text(), CreatedAt: row.CreatedAt.UTC(), Unreadable: !ok,
	}
}

func (v *vault) sealToken(webhookID string, t webhook.Token) []byte {
	return v.seal([]byte(t.Reveal()), "webhooks|token|"+webhookID)
}

type tokenRow struct {
	Hash      []byte `gorm:"primaryKey"`
	WebhookID uid    `gorm:"not null"`
	EndsAt    *time.Time
}

func (tokenRow) TableName() string { return "webhook_tokens" }

type counterRow struct {
	WebhookID uid   `gorm:"primaryKey"`
	Slot      int64 `gorm:"primaryKey;autoIncrement:false"`
	Received  int64 `gorm:"not null"`
}

func (counterRow) TableName() string { return "webhook_counters" }

// countedRow is a webhook with the sum of its counter's slots.
type countedRow struct {
	Webhook  webhookRow `gorm:"embedded"`
	Received int64
}

var webhookColumns = columnNames(webhookRow{}, "webhooks")

func counted(db *gorm.DB) *gorm.DB {
	received := "(SELECT COALESCE(SUM(received), 0) FROM webhook_counters WHERE webhook_id = webhooks.id) AS received"
	return db.Table("webhooks").Select(webhookColumns + ", " + received)
}

func (v *vault) counted(row countedRow) webhook.Webhook {
	w := v.webhook(row.Webhook)
	w.Received = row.Received
	return w
}

type webhooks struct {
	conn
	vault *vault
	open  *together[opening, opened]
}

func (r webhooks) Create(ctx context.Context, w webhook.Webhook, t webhook.Token) error {
	row, hash := r.vault.webhookRow(w), t.Hash()
	row.Token = r.vault.sealToken(w.ID, t)
	return r.whole(ctx, "webhooks.create", func(db *gorm.DB) error {
		if err := db.Create(&row).Error; err != nil {
			return err
		}
		return db.Create(&tokenRow{Hash: hash[:], WebhookID: uid(w.ID)}).Error
	})
}

func (r webhooks) Find(ctx context.Context, id string) (w webhook.Webhook, t webhook.Token, err error) {
	as := func(row countedRow) webhook.Webhook {
		text, _ := r.vault.shown(row.Webhook.Token, "webhooks|token|"+id)
		t, _ = webhook.ParseToken(string(text)) // a lost token only hides the address, which can be made anew
		return r.vault.counted(row)
	}
	scopes := []scope{counted, byID(id)}
	if r.tx {
		scopes = append(scopes, locked("UPDATE", ""))
	}
	w, err = findOne(ctx, r.query, "webhooks.find", as, scopes...)
	return w, t, err
}

func (r webhooks) List(ctx context.Context, orgID string) ([]webhook.Webhook, error) {
	return findAll(ctx, r.list, "webhooks.list", r.vault.counted, counted, where("org_id = ?", orgID), order("id"))
}

func (r webhooks) Update(ctx context.Context, w webhook.Webhook) error {
	row := r.vault.webhookRow(w)
	return r.changing(ctx, "webhooks.update", w.OrgID, func(db *gorm.DB) error {
		return orNotFound(db.Model(&webhookRow{}).Where("id = ?", w.ID).
			Select("name", "kind", "band", "enabled", "origin_id", "scheme", "secret", "signature_header", "thanks_url",
				"rotation_id").
			Updates(&row))
	})
}

func (r webhooks) SetToken(ctx context.Context, webhookID string, t webhook.Token, endOthers time.Time) error {
	hash, end := t.Hash(), stamp(endOthers)
	sealed := r.vault.sealToken(webhookID, t)
	return r.inside(ctx, "webhooks.setToken", func(db *gorm.DB) error {
		// The webhook's row first: whoever else adds a token waits, and then ends this one too.
		if err := db.Model(&webhookRow{}).Where("id = ?", webhookID).Update("token", sealed).Error; err != nil {
			return err
		}
		err := db.Model(&tokenRow{}).Where("webhook_id = ? AND (ends_at IS NULL OR ends_at > ?)", webhookID, end).
			Update("ends_at", end).Error
		if err != nil {
			return err
		}
		return db.Create(&tokenRow{Hash: hash[:], WebhookID: uid(webhookID)}).Error
	})
}
