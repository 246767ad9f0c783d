package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/ports"
)

type automationRow struct {
	ID        uid    `gorm:"primaryKey"`
	OrgID     uid    `gorm:"not null"`
	Name      string `gorm:"not null"`
	Event     string `gorm:"not null"`
	Enabled   bool   `gorm:"not null"`
	OriginID  *uid
	WebhookID *uid
	MinAmount int64     `gorm:"not null"`
	Action    []byte    `gorm:"not null"`
	CreatedAt time.Time `gorm:"not null"`
}

func (automationRow) TableName() string { return "automations" }

type automations struct {
	conn
	vault *vault
}

func (r automations) row(a automation.Automation) automationRow {
	return automationRow{
		ID: uid(a.ID), OrgID: uid(a.OrgID), Name: a.Name, Event: string(a.Event), Enabled: a.Enabled, OriginID: optional(a.Conditions.OriginID),
		WebhookID: optional(a.Conditions.WebhookID), MinAmount: int64(a.Conditions.MinAmount),
		Action: r.vault.sealJSON(a.Action, "automations|action|"+a.ID), CreatedAt: stamp(a.CreatedAt),
	}
}

func (r automations) automation(row automationRow) (automation.Automation, error) {
	a := automation.Automation{
		ID: string(row.ID), OrgID: string(row.OrgID), Name: row.Name, Event: automation.EventName(row.Event), Enabled: row.Enabled,
		Conditions: automation.Conditions{OriginID: row.OriginID.text(), WebhookID: row.WebhookID.text(), MinAmount: catalog.Money(row.MinAmount)},
		CreatedAt:  row.CreatedAt.UTC(),
	}
	return a, r.vault.openJSON(row.Action, "automations|action|"+a.ID, &a.Action)
}

func (r automations) Create(ctx context.Context, a automation.Automation) error {
	row := r.row(a)
	return r.exec(ctx, func(db *gorm.DB) error { return db.Create(&row).Error })
}

func (r automations) Find(ctx context.Context, id string) (automation.Automation, error) {
	var row automationRow
	if err := r.query(ctx, func(db *gorm.DB) error { return db.Take(&row, "id = ?", id).Error }); err != nil {
		return automation.Automation{}, err
	}
	return r.automation(row)
}

func (r automations) List(ctx context.Context, orgID string) ([]automation.Automation, error) {
	var rows []automationRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Order("id").Find(&rows, "org_id = ?", orgID).Error })
	if err != nil {
		return nil, err
	}
	out := make([]automation.Automation, len(rows))
	for i, row := range rows {
		if out[i], err = r.automation(row); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r automations) Update(ctx context.Context, a automation.Automation) error {
	row := r.row(a)
	return r.exec(ctx, func(db *gorm.DB) error {
		return orNotFound(db.Model(&row).Select("name", "origin_id", "webhook_id", "min_amount", "action").Updates(&row))
	})
}

func (r automations) SetEnabled(ctx context.Context, id string, enabled bool) error {
	n, err := r.affected(ctx, "UPDATE automations SET enabled = ? WHERE id = ?", enabled, id)
	if err == nil && n == 0 {
		return ports.ErrNotFound
	}
	return err
}
