package intake

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/intake"
	"fichario/domain/intake/fields"
	"fichario/domain/webhook"
)

type webhookRow struct {
	ID        engine.UID `gorm:"primaryKey"`
	OrgID     engine.UID `gorm:"not null"`
	Name      string     `gorm:"not null"`
	Kind      string     `gorm:"not null"`
	Band      string     `gorm:"not null"`
	Enabled   bool       `gorm:"not null"`
	OriginID  *engine.UID
	Scheme    string `gorm:"not null"`
	Secret    []byte `gorm:"not null" stored:"sealed"`
	Token     []byte `gorm:"not null" stored:"sealed"`
	ThanksURL string `gorm:"not null"`
	// SignatureHeader is empty for the scheme's usual header.
	SignatureHeader string
	RotationID      *engine.UID
	EmailKey        string    `gorm:"not null;default:''"`
	VerifyToken     []byte    `stored:"sealed"` // nil for none
	CreatedAt       time.Time `gorm:"not null"`
}

func (webhookRow) TableName() string { return "webhooks" }

func webhookRowOf(v *engine.Vault, w webhook.Webhook) webhookRow {
	row := webhookRow{
		ID: engine.UID(w.ID), OrgID: engine.UID(w.OrgID), Name: w.Name, Kind: string(w.Kind), Band: string(w.Band),
		Enabled:  w.Enabled,
		OriginID: engine.Optional(w.OriginID), Scheme: string(w.Signature.Scheme),
		Secret: v.Seal([]byte(w.Signature.Secret), "webhooks|secret|"+w.ID), ThanksURL: w.ThanksURL,
		SignatureHeader: w.Signature.Header, RotationID: engine.Optional(w.RotationID), EmailKey: w.EmailKey,
		CreatedAt: engine.Stamp(w.CreatedAt),
	}
	if w.VerifyToken != "" {
		row.VerifyToken = v.Seal([]byte(w.VerifyToken), "webhooks|verify_token|"+w.ID)
	}
	return row
}

func webhookOf(v *engine.Vault, row webhookRow) webhook.Webhook {
	secret, ok := v.Shown(row.Secret, "webhooks|secret|"+string(row.ID))
	w := webhook.Webhook{
		ID: string(row.ID), OrgID: string(row.OrgID), Name: row.Name, Enabled: row.Enabled, OriginID: row.OriginID.Text(),
		Options: intake.Options{Kind: intake.Kind(row.Kind), Band: fields.Band(row.Band), EmailKey: row.EmailKey},
		Signature: webhook.Signature{
			Scheme: webhook.Scheme(row.Scheme), Secret: string(secret), Header: row.SignatureHeader,
		},
		ThanksURL: row.ThanksURL, RotationID: row.RotationID.Text(), CreatedAt: row.CreatedAt.UTC(), Unreadable: !ok,
	}
	if row.VerifyToken != nil {
		known, ok := v.Shown(row.VerifyToken, "webhooks|verify_token|"+w.ID)
		w.VerifyToken, w.Unreadable = string(known), w.Unreadable || !ok
	}
	return w
}

func sealToken(v *engine.Vault, webhookID string, t webhook.Token) []byte {
	return v.Seal([]byte(t.Reveal()), "webhooks|token|"+webhookID)
}

type tokenRow struct {
	Hash      []byte     `gorm:"primaryKey"`
	WebhookID engine.UID `gorm:"not null"`
	EndsAt    *time.Time
}

func (tokenRow) TableName() string { return "webhook_tokens" }

type counterRow struct {
	WebhookID engine.UID `gorm:"primaryKey"`
	Slot      int64      `gorm:"primaryKey;autoIncrement:false"`
	Received  int64      `gorm:"not null"`
	OrgID     *engine.UID
}

func (counterRow) TableName() string { return "webhook_counters" }

var receivedTally = engine.TallyOf(counterRow{})

// countedRow is a webhook with the sum of its counter's slots.
type countedRow struct {
	Webhook  webhookRow `gorm:"embedded"`
	Received int64
}

var webhookColumns = engine.ColumnNames(webhookRow{}, "webhooks")

// counted selects webhooks of an organisation with their counts; where any will do, the one with an id.
func counted(orgID, id string) engine.Scope {
	return func(db *gorm.DB) *gorm.DB {
		sum := ", (SELECT COALESCE(SUM(received), 0) FROM webhook_counters AS c WHERE c.webhook_id = webhooks.id"
		if !engine.Distributed(db) {
			return db.Table("webhooks").Select(webhookColumns + sum + ") AS received")
		}
		of := engine.OrgOf(db, &webhookRow{}, orgID, id)
		return db.Table("webhooks").Select(webhookColumns+sum+" AND c.org_id = ?) AS received", of)
	}
}

func countedOf(v *engine.Vault, row countedRow) webhook.Webhook {
	w := webhookOf(v, row.Webhook)
	w.Received = row.Received
	return w
}

type webhooks struct {
	engine.Conn
	vault *engine.Vault
	open  *engine.Together[opening, opened]
}

func (r webhooks) Create(ctx context.Context, w webhook.Webhook, t webhook.Token) error {
	row, hash := webhookRowOf(r.vault, w), t.Hash()
	row.Token = sealToken(r.vault, w.ID, t)
	return r.Whole(ctx, "webhooks.create", func(db *gorm.DB) error {
		if err := db.Create(&row).Error; err != nil {
			return err
		}
		return db.Create(&tokenRow{Hash: hash[:], WebhookID: engine.UID(w.ID)}).Error
	})
}

func (r webhooks) Find(ctx context.Context, orgID, id string) (w webhook.Webhook, t webhook.Token, err error) {
	as := func(row countedRow) webhook.Webhook {
		text, _ := r.vault.Shown(row.Webhook.Token, "webhooks|token|"+id)
		t, _ = webhook.ParseToken(string(text)) // a lost token only hides the address, which can be made anew
		return countedOf(r.vault, row)
	}
	scopes := []engine.Scope{counted(orgID, id), engine.Of(orgID, id)}
	if r.Tx {
		scopes = append(scopes, engine.Locked("UPDATE", ""))
	}
	w, err = engine.FindOne(ctx, r.Query, "webhooks.find", as, scopes...)
	return w, t, err
}

func (r webhooks) List(ctx context.Context, orgID string) ([]webhook.Webhook, error) {
	return engine.FindAll(ctx, r.QueryList, "webhooks.list", engine.With(r.vault, countedOf), counted(orgID, ""),
		engine.Where("org_id = ?", orgID), engine.Order("id"))
}

// nameRow is a name that a webhook had until a time: contacts that came before show it.
type nameRow struct {
	WebhookID engine.UID `gorm:"primaryKey"`
	Until     time.Time  `gorm:"primaryKey"`
	Name      string     `gorm:"not null"`
}

func (nameRow) TableName() string { return "webhook_names" }

// keepName keeps the name of a webhook that is to have another, unless it had that one for no time: renamed again in
// the same moment, or by an instance whose clock is behind that of the one before. Older contacts would show it.
func keepName(db *gorm.DB, w webhook.Webhook, at time.Time) error {
	var was []string
	err := engine.Locked("UPDATE", "")(db).Model(&webhookRow{}).Where("id = ? AND name <> ?", w.ID, w.Name).
		Pluck("name", &was).Error
	if err != nil || len(was) == 0 {
		return err
	}
	row, later := nameRow{engine.UID(w.ID), engine.Stamp(at), was[0]}, int64(0)
	err = db.Model(&row).Where("webhook_id = ? AND until >= ?", row.WebhookID, row.Until).Count(&later).Error
	if err != nil || later > 0 {
		return err
	}
	return db.Create(&row).Error
}

func (r webhooks) Update(ctx context.Context, w webhook.Webhook, at time.Time) error {
	row := webhookRowOf(r.vault, w)
	return r.ExecPosts(ctx, "webhooks.update", w.OrgID, func(db *gorm.DB) error {
		if err := keepName(db, w, at); err != nil {
			return err
		}
		return engine.OrNotFound(db.Model(&webhookRow{}).Where("id = ?", w.ID).
			Select("name", "kind", "band", "enabled", "origin_id", "scheme", "secret", "signature_header", "thanks_url",
				"rotation_id", "email_key", "verify_token").
			Updates(&row))
	})
}

func (r webhooks) SetToken(ctx context.Context, webhookID string, t webhook.Token, endOthers time.Time) error {
	hash, end := t.Hash(), engine.Stamp(endOthers)
	sealed := sealToken(r.vault, webhookID, t)
	return r.Inside(ctx, "webhooks.setToken", func(db *gorm.DB) error {
		// The webhook's row first: whoever else adds a token waits, and then ends this one too.
		if err := db.Model(&webhookRow{}).Where("id = ?", webhookID).Update("token", sealed).Error; err != nil {
			return err
		}
		err := db.Model(&tokenRow{}).Where("webhook_id = ? AND (ends_at IS NULL OR ends_at > ?)", webhookID, end).
			Update("ends_at", end).Error
		if err != nil {
			return err
		}
		return db.Create(&tokenRow{Hash: hash[:], WebhookID: engine.UID(webhookID)}).Error
	})
}
