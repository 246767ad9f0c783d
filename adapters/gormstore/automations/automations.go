package automations

import (
	"context"
	"encoding/json"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/automation"
	"fichario/domain/catalog"
)

// AutomationRow is a rule; its action is sealed.
type AutomationRow struct {
	ID        engine.UID `gorm:"primaryKey"`
	OrgID     engine.UID `gorm:"not null"`
	Name      string     `gorm:"not null"`
	Event     string     `gorm:"not null"`
	Enabled   bool       `gorm:"not null"`
	OriginID  *engine.UID
	WebhookID *engine.UID
	MinAmount int64     `gorm:"not null"`
	Action    []byte    `gorm:"not null" stored:"sealed"`
	CreatedAt time.Time `gorm:"not null"`
	// Condition is a jq expression.
	Condition string `gorm:"not null;default:''"`
}

// TableName is the table of the row.
func (AutomationRow) TableName() string { return "automations" }

type automations struct {
	engine.Conn
	vault *engine.Vault
}

func automationRowOf(v *engine.Vault, a automation.Automation) AutomationRow {
	return AutomationRow{
		ID: engine.UID(a.ID), OrgID: engine.UID(a.OrgID), Name: a.Name, Event: string(a.Event), Enabled: a.Enabled,
		OriginID: engine.Optional(a.Conditions.OriginID), WebhookID: engine.Optional(a.Conditions.WebhookID),
		MinAmount: int64(a.Conditions.MinAmount), Action: v.SealJSON(a.Action, "automations|action|"+a.ID),
		CreatedAt: engine.Stamp(a.CreatedAt), Condition: a.Conditions.When,
	}
}

// AutomationOf opens a rule.
func AutomationOf(v *engine.Vault, row AutomationRow) automation.Automation {
	a := automation.Automation{
		ID: string(row.ID), OrgID: string(row.OrgID), Name: row.Name, Event: automation.EventName(row.Event),
		Enabled: row.Enabled, CreatedAt: row.CreatedAt.UTC(),
		Conditions: automation.Conditions{
			OriginID: row.OriginID.Text(), WebhookID: row.WebhookID.Text(), MinAmount: catalog.Money(row.MinAmount),
			When: row.Condition,
		},
	}
	action, ok := v.Shown(row.Action, "automations|action|"+a.ID)
	a.Unreadable = !ok || json.Unmarshal(action, &a.Action) != nil
	return a
}

func (r automations) Create(ctx context.Context, a automation.Automation) error {
	row := automationRowOf(r.vault, a)
	return r.Insert(ctx, "automations.create", &row)
}

func (r automations) Find(ctx context.Context, orgID, id string) (automation.Automation, error) {
	return engine.FindOne(ctx, r.Query, "automations.find", engine.With(r.vault, AutomationOf), engine.Of(orgID, id))
}

func (r automations) List(ctx context.Context, orgID string) ([]automation.Automation, error) {
	return engine.FindAll(ctx, r.QueryList, "automations.list", engine.With(r.vault, AutomationOf),
		engine.Where("org_id = ?", orgID), engine.Order("id"))
}

func (r automations) Update(ctx context.Context, a automation.Automation) error {
	row := automationRowOf(r.vault, a)
	return r.Exec(ctx, "automations.update", func(db *gorm.DB) error {
		columns := []string{"name", "event", "origin_id", "webhook_id", "min_amount", "condition", "action"}
		return engine.OrNotFound(db.Model(&row).Select(columns).Updates(&row))
	})
}

// Listening is the condition that an organisation has an enabled automation for an event.
func Listening(org, event string) string {
	return "EXISTS (SELECT 1 FROM automations WHERE automations.org_id = " + org + " AND automations.event = " + event +
		" AND automations.enabled)"
}

func (r automations) Listens(ctx context.Context, orgID string, event automation.EventName) (bool, error) {
	var yes bool
	err := r.Query(ctx, "automations.listens", func(db *gorm.DB) error {
		return db.Raw("SELECT "+Listening("?", "?"), orgID, string(event)).Scan(&yes).Error
	})
	return yes, err
}

func (r automations) SetEnabled(ctx context.Context, orgID, id string, enabled bool) error {
	return r.Exec(ctx, "automations.setEnabled", func(db *gorm.DB) error {
		return engine.OrNotFound(engine.Of(orgID, id)(db.Model(&AutomationRow{})).Update("enabled", enabled))
	})
}

// AskListens asks on SQLite whether any automation listens.
const AskListens = "SELECT 1 FROM automations WHERE org_id = ? AND event = ? AND enabled LIMIT 1"
