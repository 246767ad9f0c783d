package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/domain/intake"
	"fichario/domain/webhook"
	"fichario/ports"
)

type webhookRow struct {
	ID        uid    `gorm:"primaryKey"`
	OrgID     uid    `gorm:"not null"`
	Name      string `gorm:"not null"`
	Kind      string `gorm:"not null"`
	Band      string `gorm:"not null"`
	Enabled   bool   `gorm:"not null"`
	OriginID  *uid
	Scheme    string    `gorm:"not null"`
	Secret    []byte    `gorm:"not null"`
	Token     []byte    `gorm:"not null"`
	ThanksURL string    `gorm:"not null"`
	CreatedAt time.Time `gorm:"not null"`
}

func (webhookRow) TableName() string { return "webhooks" }

func (v *vault) webhookRow(w webhook.Webhook) webhookRow {
	return webhookRow{
		ID: uid(w.ID), OrgID: uid(w.OrgID), Name: w.Name, Kind: string(w.Kind), Band: string(w.Band), Enabled: w.Enabled,
		OriginID: optional(w.OriginID), Scheme: string(w.Signature.Scheme),
		Secret: v.seal([]byte(w.Signature.Secret), "webhooks|secret|"+w.ID), ThanksURL: w.ThanksURL, CreatedAt: stamp(w.CreatedAt),
	}
}

func (v *vault) webhook(row webhookRow) (webhook.Webhook, error) {
	secret, err := v.open(row.Secret, "webhooks|secret|"+string(row.ID))
	return webhook.Webhook{
		ID: string(row.ID), OrgID: string(row.OrgID), Name: row.Name, Options: intake.Options{Kind: intake.Kind(row.Kind), Band: intake.Band(row.Band)},
		Enabled: row.Enabled, OriginID: row.OriginID.text(), Signature: webhook.Signature{Scheme: webhook.Scheme(row.Scheme), Secret: string(secret)},
		ThanksURL: row.ThanksURL, CreatedAt: row.CreatedAt.UTC(),
	}, err
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

func counted(db *gorm.DB) *gorm.DB {
	return db.Table("webhooks").Select(`webhooks.*, (SELECT COALESCE(SUM(received), 0) FROM webhook_counters WHERE webhook_id = webhooks.id) AS received`)
}

type webhooks struct {
	conn
	vault *vault
	open  *together[opening, opened]
}

func (r webhooks) Create(ctx context.Context, w webhook.Webhook, t webhook.Token) error {
	row, hash := r.vault.webhookRow(w), t.Hash()
	row.Token = r.vault.seal([]byte(t.Reveal()), "webhooks|token|"+w.ID)
	return r.exec(ctx, func(db *gorm.DB) error {
		if err := db.Create(&row).Error; err != nil {
			return err
		}
		return db.Create(&tokenRow{Hash: hash[:], WebhookID: uid(w.ID)}).Error
	})
}

func (r webhooks) Find(ctx context.Context, id string) (webhook.Webhook, webhook.Token, error) {
	var row countedRow
	err := r.query(ctx, func(db *gorm.DB) error {
		if r.tx {
			db = db.Clauses(clause.Locking{Strength: "UPDATE"}) // SQLite has one writer
		}
		return counted(db).Take(&row, "id = ?", id).Error
	})
	if err != nil {
		return webhook.Webhook{}, webhook.Token{}, err
	}
	w, err := r.vault.webhook(row.Webhook)
	if err != nil {
		return w, webhook.Token{}, err
	}
	w.Received = row.Received
	text, err := r.vault.open(row.Webhook.Token, "webhooks|token|"+id)
	token, _ := webhook.ParseToken(string(text))
	return w, token, err
}

func (r webhooks) List(ctx context.Context, orgID string) ([]webhook.Webhook, error) {
	var rows []countedRow
	err := r.query(ctx, func(db *gorm.DB) error { return counted(db).Order("id").Find(&rows, "org_id = ?", orgID).Error })
	if err != nil {
		return nil, err
	}
	out := make([]webhook.Webhook, len(rows))
	for i, row := range rows {
		if out[i], err = r.vault.webhook(row.Webhook); err != nil {
			return nil, err
		}
		out[i].Received = row.Received
	}
	return out, nil
}

func (r webhooks) Update(ctx context.Context, w webhook.Webhook) error {
	row := r.vault.webhookRow(w)
	return r.changing(ctx, w.OrgID, func(db *gorm.DB) error {
		changed := db.Model(&webhookRow{}).Where("id = ?", w.ID).
			Select("name", "kind", "band", "enabled", "origin_id", "scheme", "secret", "thanks_url").Updates(&row)
		if changed.Error == nil && changed.RowsAffected == 0 {
			return ports.ErrNotFound
		}
		return changed.Error
	})
}

func (r webhooks) SetToken(ctx context.Context, webhookID string, t webhook.Token, endOthers time.Time) error {
	hash, end := t.Hash(), stamp(endOthers)
	sealed := r.vault.seal([]byte(t.Reveal()), "webhooks|token|"+webhookID)
	return r.exec(ctx, func(db *gorm.DB) error {
		// The webhook's row first: whoever else gives it a token waits, and then ends
		// this one too.
		if err := db.Model(&webhookRow{}).Where("id = ?", webhookID).Update("token", sealed).Error; err != nil {
			return err
		}
		err := db.Model(&tokenRow{}).Where("webhook_id = ? AND (ends_at IS NULL OR ends_at > ?)", webhookID, end).Update("ends_at", end).Error
		if err != nil {
			return err
		}
		return db.Create(&tokenRow{Hash: hash[:], WebhookID: uid(webhookID)}).Error
	})
}
