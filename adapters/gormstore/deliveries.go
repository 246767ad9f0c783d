package gormstore

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"gorm.io/gorm"

	"fichario/domain/webhook"
)

type deliveryRow struct {
	ID        uid       `gorm:"primaryKey"`
	OrgID     uid       `gorm:"not null"`
	WebhookID uid       `gorm:"not null"`
	At        time.Time `gorm:"not null"`
	Outcome   string    `gorm:"not null"`
	Code      string    `gorm:"not null"`
	Reason    string    `gorm:"not null"`
	ContactID *uid
	Content   []byte `gorm:"not null" stored:"sealed"`
	Truncated bool   `gorm:"not null"`
	ReplayOf  *uid
}

func (deliveryRow) TableName() string { return "deliveries" }

// deliveryContactRow is one of the further contacts of a post with several people.
type deliveryContactRow struct {
	DeliveryID uid   `gorm:"primaryKey"`
	Position   int64 `gorm:"primaryKey;autoIncrement:false"`
	ContactID  uid   `gorm:"not null"`
}

func (deliveryContactRow) TableName() string { return "delivery_contacts" }

func deliveryContactRows(d webhook.Delivery) []deliveryContactRow {
	rows := make([]deliveryContactRow, len(d.Others))
	for i, id := range d.Others {
		rows[i] = deliveryContactRow{uid(d.ID), int64(i + 1), uid(id)}
	}
	return rows
}

func (v *vault) deliveryRow(d webhook.Delivery) deliveryRow {
	headers, err := json.Marshal(d.Headers)
	if err != nil {
		panic(err) // texts alone always marshal
	}
	return deliveryRow{
		ID: uid(d.ID), OrgID: uid(d.OrgID), WebhookID: uid(d.WebhookID), At: stamp(d.At), Outcome: string(d.Outcome),
		Code: d.Code, Reason: d.Reason, ContactID: optional(d.ContactID),
		Content: v.sealTwo(headers, d.Body, "deliveries|content|"+d.ID), Truncated: d.Truncated,
		ReplayOf: optional(d.ReplayOf),
	}
}

func (v *vault) delivery(row deliveryRow) webhook.Delivery {
	d := webhook.Delivery{
		ID: string(row.ID), OrgID: string(row.OrgID), WebhookID: string(row.WebhookID), At: row.At.UTC(),
		Outcome: webhook.Outcome(row.Outcome), Code: row.Code, Reason: row.Reason, ContactID: row.ContactID.text(),
		Truncated: row.Truncated, ReplayOf: row.ReplayOf.text(),
	}
	headers, body, err := v.openTwo(row.Content, "deliveries|content|"+d.ID)
	if err == nil {
		err = json.Unmarshal(headers, &d.Headers)
	}
	if d.Body = body; err != nil {
		d.Unreadable = true
		v.unreadable.tell("deliveries|content|" + d.ID)
	}
	return d
}

type deliveries struct {
	conn
	vault *vault
}

func (r deliveries) Find(ctx context.Context, id string) (webhook.Delivery, error) {
	const op = "deliveries.find"
	d, err := findOne(ctx, r.query, op, r.vault.delivery, byID(id))
	if err != nil {
		return d, err
	}
	all, err := r.withOthers(ctx, op, []webhook.Delivery{d})
	return all[0], err
}

func (r deliveries) Page(
	ctx context.Context, webhookID string, outcome webhook.Outcome, after string, limit int,
) ([]webhook.Delivery, error) {
	const op = "deliveries.page"
	var rows []deliveryRow
	err := r.list(ctx, op, func(db *gorm.DB) (err error) {
		read := func(w window, limit int) (found []deliveryRow, err error) {
			wanted := newest(w.below, limit)(db).Where(w.edges).Where("webhook_id = ? AND id > ?", webhookID, w.above)
			if outcome != "" {
				wanted = wanted.Where("outcome = ?", string(outcome))
			}
			err = wanted.Find(&found).Error
			return found, err
		}
		rows, err = newestFirst(deliveriesByDay.windows(db, r.edges, beforeAll, cmp.Or(after, afterAll)), limit, read)
		return err
	})
	page := mapped(rows, r.vault.delivery)
	if err != nil {
		return page, err
	}
	return r.withOthers(ctx, op, page)
}

// withOthers adds the further contacts of posts with several people.
func (r deliveries) withOthers(ctx context.Context, op string, page []webhook.Delivery) ([]webhook.Delivery, error) {
	at := map[uid]int{}
	var ids []uid
	for i, d := range page {
		if d.ContactID != "" {
			ids, at[uid(d.ID)] = append(ids, uid(d.ID)), i
		}
	}
	if len(ids) == 0 {
		return page, nil
	}
	rows, err := findAll(ctx, r.list, op, func(row deliveryContactRow) deliveryContactRow { return row },
		where("delivery_id IN ?", ids), order("delivery_id, position"))
	for _, row := range rows {
		d := &page[at[row.DeliveryID]]
		d.Others = append(d.Others, string(row.ContactID))
	}
	return page, err
}

func (r deliveries) Summaries(
	ctx context.Context, orgID string, since time.Time,
) (map[string]webhook.Summary, error) {
	var rows []struct {
		WebhookID                   uid
		Accepted, Repeated, Refused int
		Last                        string // the newest id, which begins with its time
	}
	err := r.list(ctx, "deliveries.summaries", func(db *gorm.DB) error {
		return db.Table("webhooks AS w").Joins("JOIN delivery_hours h ON h.webhook_id = w.id").
			Select(`w.id AS webhook_id, CAST(SUM(h.accepted) AS bigint) AS accepted,
				CAST(SUM(h.repeated) AS bigint) AS repeated, CAST(SUM(h.refused) AS bigint) AS refused, COALESCE((
				SELECT CAST(d.id AS text) FROM deliveries d WHERE d.webhook_id = w.id AND d.id > ? ORDER BY d.id DESC LIMIT 1
				), '') AS last`, idsSince(hourOf(since))).
			Where("w.org_id = ? AND h.hour >= ?", orgID, hourOf(since)).Group("w.id").Find(&rows).Error
	})
	out := map[string]webhook.Summary{}
	for _, row := range rows {
		out[string(row.WebhookID)] = webhook.Summary{
			Accepted: row.Accepted, Repeated: row.Repeated, Refused: row.Refused, Last: timeOfID(row.Last),
		}
	}
	return out, err
}
