package intake

import (
	"context"
	"encoding/json"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/webhook"
	"fichario/ports"
)

// leadSourceRow is a page of an advertising platform whose leads a webhook fetches.
type leadSourceRow struct {
	ID          engine.UID `gorm:"primaryKey"`
	OrgID       engine.UID `gorm:"not null"`
	WebhookID   engine.UID `gorm:"not null"`
	Page        string     `gorm:"not null"`
	Name        string     `gorm:"not null"`
	Token       []byte     `gorm:"not null" stored:"sealed"`
	Forms       string     `gorm:"not null"`
	State       string     `gorm:"not null"`
	Reason      string     `gorm:"not null"`
	ExpiresAt   *time.Time
	CheckedAt   *time.Time
	Told        string    `gorm:"not null"`
	ReadTo      time.Time `gorm:"not null"`
	RunAt       time.Time `gorm:"not null"`
	PausedUntil time.Time `gorm:"not null"`
	Failures    int       `gorm:"not null"`
	Lease       string    `gorm:"not null"`
	LeaseUntil  *time.Time
	CreatedAt   time.Time `gorm:"not null"`
}

func (leadSourceRow) TableName() string { return "lead_sources" }

var leadSourceColumns = engine.ColumnNames(leadSourceRow{}, "lead_sources")

func leadSourceRowOf(v *engine.Vault, s webhook.Source) leadSourceRow {
	forms, err := json.Marshal(s.Forms)
	if err != nil {
		panic(err) // texts alone always marshal
	}
	return leadSourceRow{
		ID: engine.UID(s.ID), OrgID: engine.UID(s.OrgID), WebhookID: engine.UID(s.WebhookID), Page: s.Page, Name: s.Name,
		Token: v.Seal([]byte(s.Token), "lead_sources|token|"+s.ID), Forms: string(forms), State: string(s.State),
		Reason: s.Reason, ExpiresAt: engine.OptionalTime(s.ExpiresAt), CheckedAt: engine.OptionalTime(s.CheckedAt),
		Told: string(s.Told), ReadTo: engine.Stamp(s.ReadTo), RunAt: engine.Stamp(s.RunAt),
		PausedUntil: engine.Stamp(s.PausedUntil), Failures: s.Failures, Lease: s.Lease, CreatedAt: engine.Stamp(s.CreatedAt),
	}
}

func leadSourceOf(v *engine.Vault, row leadSourceRow) webhook.Source {
	token, ok := v.Shown(row.Token, "lead_sources|token|"+string(row.ID))
	s := webhook.Source{
		ID: string(row.ID), OrgID: string(row.OrgID), WebhookID: string(row.WebhookID), Page: row.Page, Name: row.Name,
		Token: string(token), State: webhook.SourceState(row.State), Reason: row.Reason,
		ExpiresAt: engine.TimeOf(row.ExpiresAt), CheckedAt: engine.TimeOf(row.CheckedAt), Told: webhook.SourceNews(row.Told),
		ReadTo: row.ReadTo.UTC(), RunAt: row.RunAt.UTC(), PausedUntil: row.PausedUntil.UTC(), Failures: row.Failures,
		Lease: row.Lease, CreatedAt: row.CreatedAt.UTC(), Unreadable: !ok,
	}
	_ = json.Unmarshal([]byte(row.Forms), &s.Forms) // leadSourceRowOf wrote them
	return s
}

type leadSources struct {
	engine.Conn
	vault *engine.Vault
}

func (r leadSources) Connect(ctx context.Context, s webhook.Source) (webhook.Source, error) {
	err := r.Whole(ctx, "leadSources.connect", func(db *gorm.DB) error {
		var known []leadSourceRow
		err := engine.Locked("UPDATE", "")(db).Find(&known, "webhook_id = ? AND page = ?", s.WebhookID, s.Page).Error
		if err != nil {
			return err
		}
		if len(known) == 0 {
			row := leadSourceRowOf(r.vault, s)
			return db.Create(&row).Error
		}
		s.ID, s.ReadTo, s.CreatedAt = string(known[0].ID), known[0].ReadTo.UTC(), known[0].CreatedAt.UTC()
		row := leadSourceRowOf(r.vault, s)
		return db.Model(&leadSourceRow{}).Where("id = ?", s.ID).Select("*").Updates(&row).Error
	})
	return s, err
}

func (r leadSources) List(ctx context.Context, orgID, webhookID string) ([]webhook.Source, error) {
	scopes := []engine.Scope{engine.Order("name, page")}
	if orgID != "" {
		scopes = append(scopes, engine.Where("org_id = ?", orgID))
	}
	if webhookID != "" {
		scopes = append(scopes, engine.Where("webhook_id = ?", webhookID))
	}
	return engine.FindAll(ctx, r.QueryList, "leadSources.list", engine.With(r.vault, leadSourceOf), scopes...)
}

// dueSource selects the pages that have something to do.
const dueSource = `(lease_until IS NULL OR lease_until <= @now) AND paused_until <= @now
	AND (run_at <= @now OR state = 'ativa' AND EXISTS (
		SELECT 1 FROM leads l WHERE l.webhook_id = lead_sources.webhook_id AND l.page = lead_sources.page
		AND l.state = 'aguardando' AND l.run_at <= @now))
	AND EXISTS (SELECT 1 FROM webhooks w WHERE w.id = lead_sources.webhook_id AND w.enabled)`

// Claim finds and leases in one statement, so that no two workers get the same page.
func (r leadSources) Claim(ctx context.Context, lease string, now, until time.Time) (s webhook.Source, err error) {
	var rows []leadSourceRow
	err = r.Exec(ctx, "leadSources.claim", func(db *gorm.DB) error {
		next := db.Model(&leadSourceRow{}).Select("id").Where(dueSource, map[string]any{"now": engine.Stamp(now)})
		next = engine.Locked("UPDATE", "SKIP LOCKED")(next).Order("run_at").Limit(1)
		return db.Raw("UPDATE lead_sources SET lease = ?, lease_until = ? WHERE id IN (?) RETURNING "+leadSourceColumns,
			lease, engine.Stamp(until), next).Scan(&rows).Error
	})
	if err == nil && len(rows) == 0 {
		err = engine.Named("leadSources.claim", ports.ErrNotFound)
	}
	if err != nil {
		return s, err
	}
	return leadSourceOf(r.vault, rows[0]), nil
}

func (r leadSources) Keep(ctx context.Context, s webhook.Source, until time.Time) error {
	row := leadSourceRowOf(r.vault, s)
	if row.LeaseUntil = engine.OptionalTime(until); until.IsZero() {
		row.Lease = ""
	}
	n, err := r.ExecCount(ctx, "leadSources.keep", func(db *gorm.DB) *gorm.DB {
		return db.Model(&leadSourceRow{}).Where("id = ? AND lease = ?", s.ID, s.Lease).
			Select("name", "forms", "state", "reason", "expires_at", "checked_at", "told", "read_to", "run_at", "paused_until",
				"failures", "lease", "lease_until").Updates(&row)
	})
	if err == nil && n == 0 {
		err = engine.Named("leadSources.keep", ports.ErrNotFound)
	}
	return err
}

func (r leadSources) Remove(ctx context.Context, webhookID, page string) error {
	n, err := r.ExecCount(ctx, "leadSources.remove", func(db *gorm.DB) *gorm.DB {
		return db.Delete(&leadSourceRow{}, "webhook_id = ? AND page = ?", webhookID, page)
	})
	if err == nil && n == 0 {
		err = engine.Named("leadSources.remove", ports.ErrNotFound)
	}
	return err
}
