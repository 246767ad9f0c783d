package gormstore

import (
	"context"
	"encoding/json"
	"time"

	"gorm.io/gorm"

	"fichario/domain/automation"
	"fichario/domain/catalog"
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
	Action    []byte    `gorm:"not null" stored:"sealed"`
	CreatedAt time.Time `gorm:"not null"`
	// Condition is a jq expression.
	Condition string `gorm:"not null;default:''"`
}

func (automationRow) TableName() string { return "automations" }

type automations struct {
	conn
	vault *vault
}

func (v *vault) automationRow(a automation.Automation) automationRow {
	return automationRow{
		ID: uid(a.ID), OrgID: uid(a.OrgID), Name: a.Name, Event: string(a.Event), Enabled: a.Enabled,
		OriginID: optional(a.Conditions.OriginID), WebhookID: optional(a.Conditions.WebhookID),
		MinAmount: int64(a.Conditions.MinAmount), Action: v.sealJSON(a.Action, "automations|action|"+a.ID),
		CreatedAt: stamp(a.CreatedAt), Condition: a.Conditions.When,
	}
}

func (v *vault) automation(row automationRow) automation.Automation {
	a := automation.Automation{
		ID: string(row.ID), OrgID: string(row.OrgID), Name: row.Name, Event: automation.EventName(row.Event),
		Enabled: row.Enabled, CreatedAt: row.CreatedAt.UTC(),
		Conditions: automation.Conditions{
			OriginID: row.OriginID.text(), WebhookID: row.WebhookID.text(), MinAmount: catalog.Money(row.MinAmount),
			When: row.Condition,
		},
	}
	action, ok := v.shown(row.Action, "automations|action|"+a.ID)
	a.Unreadable = !ok || json.Unmarshal(action, &a.Action) != nil
	return a
}

func (r automations) Create(ctx context.Context, a automation.Automation) error {
	row := r.vault.automationRow(a)
	return r.create(ctx, "automations.create", &row)
}

func (r automations) Find(ctx context.Context, id string) (automation.Automation, error) {
	return findOne(ctx, r.query, "automations.find", r.vault.automation, byID(id))
}

func (r automations) List(ctx context.Context, orgID string) ([]automation.Automation, error) {
	return findAll(ctx, r.list, "automations.list", r.vault.automation, where("org_id = ?", orgID), order("id"))
}

func (r automations) Update(ctx context.Context, a automation.Automation) error {
	row := r.vault.automationRow(a)
	return r.exec(ctx, "automations.update", func(db *gorm.DB) error {
		columns := []string{"name", "event", "origin_id", "webhook_id", "min_amount", "condition", "action"}
		return orNotFound(db.Model(&row).Select(columns).Updates(&row))
	})
}

// listening is the condition that an organisation has an enabled automation for an event.
func listening(org, event string) string {
	return "EXISTS (SELECT 1 FROM automations WHERE automations.org_id = " + org + " AND automations.event = " + event +
		" AND automations.enabled)"
}

func (r automations) Listens(ctx context.Context, orgID string, event automation.EventName) (bool, error) {
	var yes bool
	err := r.query(ctx, "automations.listens", func(db *gorm.DB) error {
		return db.Raw("SELECT "+listening("?", "?"), orgID, string(event)).Scan(&yes).Error
	})
	return yes, err
}

func (r automations) SetEnabled(ctx context.Context, id string, enabled bool) error {
	return r.exec(ctx, "automations.setEnabled", func(db *gorm.DB) error {
		return orNotFound(db.Model(&automationRow{}).Where("id = ?", id).Update("enabled", enabled))
	})
}

// askListens asks on SQLite whether any automation listens.
const askListens = "SELECT 1 FROM automations WHERE org_id = ? AND event = ? AND enabled LIMIT 1"
