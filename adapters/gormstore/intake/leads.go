package intake

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/webhook"
	"fichario/ports"
)

// leadRow is a lead that was announced or read. ID is that of its line in the delivery log.
type leadRow struct {
	ID        engine.UID `gorm:"primaryKey"`
	WebhookID engine.UID `gorm:"not null"`
	Page      string     `gorm:"not null"`
	Key       string     `gorm:"not null"`
	Lead      []byte     `stored:"sealed"` // nil once it was read
	State     string     `gorm:"not null"`
	Attempts  int        `gorm:"not null"`
	RunAt     time.Time  `gorm:"not null"`
}

func (leadRow) TableName() string { return "leads" }

type leads struct {
	engine.Conn
	vault *engine.Vault
}

// Note writes the leads in the order of their keys, so that two notifications that name the same ones do not deadlock.
func (r leads) Note(ctx context.Context, noted ...ports.NotedLead) (n int, err error) {
	type line struct {
		lead     leadRow
		delivery DeliveryRow
	}
	lines := engine.Mapped(noted, func(l ports.NotedLead) line {
		return line{leadRow{
			ID: engine.UID(l.Delivery.ID), WebhookID: engine.UID(l.Delivery.WebhookID), Page: l.Page,
			Key: webhook.LeadKey(l.Lead), Lead: r.vault.Seal([]byte(l.Lead), "leads|lead|"+l.Delivery.ID),
			State: string(webhook.LeadWaiting), RunAt: engine.Stamp(l.Delivery.At),
		}, deliveryRowOf(r.vault, l.Delivery)}
	})
	slices.SortFunc(lines, func(a, b line) int { return cmp.Compare(a.lead.Key, b.lead.Key) })
	err = r.Whole(ctx, "leads.note", func(db *gorm.DB) error {
		n = 0
		for _, l := range lines {
			noted := db.Clauses(clause.OnConflict{DoNothing: true}).Create(&l.lead)
			if noted.Error == nil && noted.RowsAffected > 0 {
				noted = db.Create(&l.delivery)
				n++
			}
			if noted.Error != nil {
				return noted.Error
			}
		}
		return nil
	})
	return n, err
}

func (r leads) Waiting(
	ctx context.Context, webhookID, page string, now time.Time, limit int,
) ([]webhook.WaitingLead, error) {
	as := func(row leadRow) webhook.WaitingLead {
		id, _ := r.vault.Shown(row.Lead, "leads|lead|"+string(row.ID))
		return webhook.WaitingLead{
			ID: string(row.ID), Notice: webhook.Notice{Lead: string(id), Page: row.Page}, Attempts: row.Attempts,
		}
	}
	return engine.FindAll(ctx, r.Query, "leads.waiting", as, engine.Where("webhook_id = ? AND page = ? AND state = "+
		engine.Literal(webhook.LeadWaiting)+" AND run_at <= ?", webhookID, page, engine.Stamp(now)),
		func(db *gorm.DB) *gorm.DB { return db.Order("run_at").Limit(limit) })
}

func (r leads) Untaken(ctx context.Context, webhookID string, ids ...string) (map[string]bool, error) {
	out, byKey := map[string]bool{}, map[string]string{}
	for _, id := range ids {
		out[id], byKey[webhook.LeadKey(id)] = true, id
	}
	keys := slices.Collect(maps.Keys(byKey))
	rows, err := engine.FindAll(ctx, r.Query, "leads.untaken", engine.Same[leadRow],
		engine.Where("webhook_id = ? AND key IN ? AND state = "+engine.Literal(webhook.LeadTaken), webhookID, keys))
	for _, row := range rows {
		delete(out, byKey[row.Key])
	}
	return out, err
}

func (r leads) Delay(ctx context.Context, id string, until time.Time) error {
	_, err := r.ExecCount(ctx, "leads.delay", func(db *gorm.DB) *gorm.DB {
		return db.Model(&leadRow{}).Where("id = ?", id).
			Updates(map[string]any{"run_at": engine.Stamp(until), "attempts": gorm.Expr("attempts + 1")})
	})
	return err
}

func (r leads) Count(ctx context.Context, webhookID string) (int, error) {
	var n int64
	err := r.QueryList(ctx, "leads.count", func(db *gorm.DB) error {
		waiting := db.Model(&leadRow{}).Where("state = " + engine.Literal(webhook.LeadWaiting))
		if webhookID != "" {
			waiting = waiting.Where("webhook_id = ?", webhookID)
		}
		return waiting.Count(&n).Error
	})
	return int(n), err
}

// takeLead writes that a lead was read, or that its source does not have it, before anything else of the arrival: its
// row is the lock that all who fetch it at once wait for. errKnown where it was read before.
func takeLead(tx *gorm.DB, a arrived) error {
	if a.lead == "" {
		return nil
	}
	row := leadRow{
		ID: a.delivery.ID, WebhookID: a.delivery.WebhookID, Page: a.page, Key: webhook.LeadKey(a.lead),
		State: string(webhook.LeadTaken), RunAt: a.delivery.At,
	}
	if webhook.Outcome(a.delivery.Outcome) == webhook.Lost {
		row.State = string(webhook.LeadLost)
	}
	var was []leadRow
	taken := tx.Model(&was).Clauses(clause.Returning{Columns: []clause.Column{{Name: "id"}}}).
		Where("webhook_id = ? AND key = ? AND state NOT IN ?", row.WebhookID, row.Key,
			[]string{string(webhook.LeadTaken), row.State}).Updates(map[string]any{"state": row.State, "lead": nil})
	switch {
	case taken.Error != nil:
		return taken.Error
	case len(was) > 0:
		return moveLine(tx, a.delivery.OrgID, was[0].ID, row.ID)
	}
	taken = tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&row)
	if taken.RowsAffected == 0 && taken.Error == nil {
		return errKnown
	}
	return taken.Error
}

// moveLine gives a lead the line of the log of what became of it: the one on which it waited goes, as its id may be
// older than lines are kept.
func moveLine(tx *gorm.DB, orgID, from, to engine.UID) error {
	if err := engine.Routed(string(orgID))(tx).Delete(&DeliveryRow{}, "id = ?", from).Error; err != nil || from == to {
		return err
	}
	return tx.Model(&leadRow{}).Where("id = ?", from).Update("id", to).Error
}
