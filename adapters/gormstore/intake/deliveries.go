package intake

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/webhook"
)

// DeliveryRow is a post to a webhook, or a repetition or refusal of one.
type DeliveryRow struct {
	ID        engine.UID `gorm:"primaryKey"`
	OrgID     engine.UID `gorm:"not null"`
	WebhookID engine.UID `gorm:"not null"`
	At        time.Time  `gorm:"not null"`
	Outcome   string     `gorm:"not null"`
	Code      string     `gorm:"not null"`
	Reason    string     `gorm:"not null"`
	ContactID *engine.UID
	Content   []byte `gorm:"not null" stored:"sealed"`
	Truncated bool   `gorm:"not null"`
	ReplayOf  *engine.UID
}

// TableName is the table of the row.
func (DeliveryRow) TableName() string { return "deliveries" }

// DeliveryContactRow is one of the further contacts of a post with several people.
type DeliveryContactRow struct {
	DeliveryID engine.UID `gorm:"primaryKey"`
	Position   int64      `gorm:"primaryKey;autoIncrement:false"`
	ContactID  engine.UID `gorm:"not null"`
	OrgID      *engine.UID
}

// TableName is the table of the row.
func (DeliveryContactRow) TableName() string { return "delivery_contacts" }

func deliveryContactRows(d webhook.Delivery) []DeliveryContactRow {
	rows, orgID := make([]DeliveryContactRow, len(d.Others)), engine.UID(d.OrgID)
	for i, id := range d.Others {
		rows[i] = DeliveryContactRow{engine.UID(d.ID), int64(i + 1), engine.UID(id), &orgID}
	}
	return rows
}

func deliveryRowOf(v *engine.Vault, d webhook.Delivery) DeliveryRow {
	headers, err := json.Marshal(d.Headers)
	if err != nil {
		panic(err) // texts alone always marshal
	}
	return DeliveryRow{
		ID: engine.UID(d.ID), OrgID: engine.UID(d.OrgID), WebhookID: engine.UID(d.WebhookID), At: engine.Stamp(d.At),
		Outcome: string(d.Outcome),
		Code:    d.Code, Reason: d.Reason, ContactID: engine.Optional(d.ContactID),
		Content: v.SealTwo(headers, d.Body, "deliveries|content|"+d.ID), Truncated: d.Truncated,
		ReplayOf: engine.Optional(d.ReplayOf),
	}
}

// DeliveryOf opens a post.
func DeliveryOf(v *engine.Vault, row DeliveryRow) webhook.Delivery {
	d := webhook.Delivery{
		ID: string(row.ID), OrgID: string(row.OrgID), WebhookID: string(row.WebhookID), At: row.At.UTC(),
		Outcome: webhook.Outcome(row.Outcome), Code: row.Code, Reason: row.Reason, ContactID: row.ContactID.Text(),
		Truncated: row.Truncated, ReplayOf: row.ReplayOf.Text(),
	}
	headers, body, err := v.OpenTwo(row.Content, "deliveries|content|"+d.ID)
	if err == nil {
		err = json.Unmarshal(headers, &d.Headers)
	}
	if d.Body = body; err != nil {
		d.Unreadable = true
		v.Unreadable.Tell("deliveries|content|" + d.ID)
	}
	return d
}

type deliveries struct {
	engine.Conn
	vault *engine.Vault
}

func (r deliveries) Find(ctx context.Context, orgID, id string) (webhook.Delivery, error) {
	const op = "deliveries.find"
	d, err := engine.FindOne(ctx, r.Query, op, engine.With(r.vault, DeliveryOf), engine.Of(orgID, id))
	if err != nil {
		return d, err
	}
	all, err := r.withOthers(ctx, op, []webhook.Delivery{d})
	return all[0], err
}

// IndexRefused lets a page of refused posts skip all others.
func IndexRefused(ctx context.Context, db *sql.DB) error {
	return engine.DeliveriesByDay.Index(ctx, db, "refused",
		"(webhook_id, id) WHERE outcome = "+engine.Literal(webhook.Refused))
}

// unsettled is the condition of refused posts that nobody has made a contact of.
var unsettled = "outcome = " + engine.Literal(webhook.Refused) + " AND contact_id IS NULL AND replay_of IS NULL"

// IndexUnsettled lets them be counted without those that somebody has made a contact of.
func IndexUnsettled(ctx context.Context, db *sql.DB) error {
	return engine.DeliveriesByDay.Index(ctx, db, "unsettled", "(webhook_id, id) WHERE "+unsettled)
}

// ofOwn selects an organisation's rows among those of a webhook, whose index is walked.
func ofOwn(orgID string) engine.Scope {
	return func(db *gorm.DB) *gorm.DB { return engine.Passing("org_id = ?", orgID)(engine.Routed(orgID)(db)) }
}

func (r deliveries) Page(
	ctx context.Context, orgID, webhookID string, outcome webhook.Outcome, after string, limit int,
) ([]webhook.Delivery, error) {
	const op = "deliveries.page"
	var rows []DeliveryRow
	own := ofOwn(orgID)
	err := r.QueryList(ctx, op, func(db *gorm.DB) (err error) {
		read := func(w engine.Window, limit int) (found []DeliveryRow, err error) {
			wanted := own(engine.Newest(w.Below, limit)(db)).Where(w.Edges).
				Where("webhook_id = ? AND id > ?", webhookID, w.Above)
			if outcome == webhook.Refused {
				wanted = wanted.Where("outcome = " + engine.Literal(webhook.Refused)) // served by a partial index
			} else if outcome != "" {
				wanted = wanted.Where("outcome = ?", string(outcome))
			}
			err = wanted.Find(&found).Error
			return found, err
		}
		rows, err = engine.NewestFirst(engine.DeliveriesByDay.Windows(db, r.Edges, engine.BeforeAll,
			cmp.Or(after, engine.AfterAll)), limit, read)
		return err
	})
	page := engine.Mapped(rows, engine.With(r.vault, DeliveryOf))
	if err != nil {
		return page, err
	}
	return r.withOthers(ctx, op, page)
}

// withOthers adds the further contacts of posts with several people.
func (r deliveries) withOthers(ctx context.Context, op string, page []webhook.Delivery) ([]webhook.Delivery, error) {
	at := map[engine.UID]int{}
	var ids []engine.UID
	for i, d := range page {
		if d.ContactID != "" {
			ids, at[engine.UID(d.ID)] = append(ids, engine.UID(d.ID)), i
		}
	}
	if len(ids) == 0 {
		return page, nil
	}
	orgs := engine.Distinct(page, func(d webhook.Delivery) engine.UID { return engine.UID(d.OrgID) })
	rows, err := engine.FindAll(ctx, r.QueryList, op, engine.Same[DeliveryContactRow], engine.RoutedAny(orgs),
		engine.Where("delivery_id IN ?", ids), engine.Order("delivery_id, position"))
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
		WebhookID                   engine.UID
		Accepted, Repeated, Refused int
	}
	err := r.QueryList(ctx, "deliveries.summaries", func(db *gorm.DB) error {
		return db.Table("webhooks AS w").Joins("JOIN delivery_hours h ON h.webhook_id = w.id").
			Select(`w.id AS webhook_id, CAST(SUM(h.accepted) AS bigint) AS accepted,
				CAST(SUM(h.repeated) AS bigint) AS repeated, CAST(SUM(h.refused) AS bigint) AS refused`).
			Where("w.org_id = ?"+engine.OnCitus(db, " AND h.org_id = w.org_id"), orgID).
			Where("h.hour >= ? OR (h.slot = ? AND h.hour > ?)", engine.HourOf(since), engine.DaySlot,
				engine.HourOf(since.Add(-24*time.Hour))).Group("w.id").Find(&rows).Error
	})
	out := map[string]webhook.Summary{}
	for _, row := range rows {
		out[string(row.WebhookID)] = webhook.Summary{Accepted: row.Accepted, Repeated: row.Repeated, Refused: row.Refused}
	}
	return out, err
}

// unsettledOf counts, for each webhook by itself, so that none is read beyond the most that is asked for.
const unsettledOf = `SELECT CAST(w.id AS text) AS id, (SELECT COUNT(*) FROM (SELECT 1 FROM deliveries
		WHERE deliveries.webhook_id = w.id AND deliveries.id > @since AND %s%s LIMIT @most) AS open) AS open
	FROM webhooks w WHERE w.org_id = @org AND w.id IN @hooks`

func (r deliveries) Unsettled(
	ctx context.Context, orgID string, webhookIDs []string, since time.Time, most int,
) (map[string]int, error) {
	out := map[string]int{}
	if len(webhookIDs) == 0 {
		return out, nil
	}
	err := r.QueryList(ctx, "deliveries.unsettled", func(db *gorm.DB) error {
		var rows []struct {
			ID   string
			Open int
		}
		of := engine.OnCitus(db, " AND deliveries.org_id = @org")
		err := db.Raw(fmt.Sprintf(unsettledOf, unsettled, of), map[string]any{
			"since": engine.IDsSince(since), "most": most, "org": orgID, "hooks": webhookIDs,
		}).Scan(&rows).Error
		for _, row := range rows {
			out[row.ID] = row.Open
		}
		return err
	})
	return out, err
}

// latestOf reads the newest id of each webhook by one step into an index. The rows are read by another statement: if
// they were joined, PostgreSQL would read all posts between the bounds, once its plan is for any values.
const latestOf = `SELECT (SELECT CAST(deliveries.id AS text) FROM deliveries WHERE deliveries.webhook_id = w.id
		AND deliveries.id > @above AND deliveries.id < @below%s ORDER BY deliveries.id DESC LIMIT 1) AS id
	FROM webhooks w WHERE w.org_id = @org AND w.id IN @hooks`

func (r deliveries) Latest(
	ctx context.Context, orgID string, webhookIDs []string, outcome webhook.Outcome, from, until time.Time,
) (map[string]webhook.Delivery, error) {
	out := map[string]webhook.Delivery{}
	wanted := ""
	if outcome != "" {
		wanted = " AND deliveries.outcome = " + engine.Literal(outcome) // some are served by a partial index
	}
	err := r.QueryList(ctx, "deliveries.latest", func(db *gorm.DB) error {
		clear(out)
		windows := engine.DeliveriesByDay.Windows(db, r.Edges, engine.IDsSince(from),
			engine.FirstID(until.Add(engine.ClockSkew)))
		for _, w := range windows {
			missing := slices.DeleteFunc(slices.Clone(webhookIDs), func(id string) bool { return out[id].ID != "" })
			if len(missing) == 0 {
				return nil
			}
			edges := ""
			if w.Edges != "" {
				edges = " AND " + w.Edges
			}
			var newest []struct{ ID *string }
			of := engine.OnCitus(db, " AND deliveries.org_id = @org")
			err := db.Raw(fmt.Sprintf(latestOf, wanted+edges+of), map[string]any{
				"above": w.Above, "below": w.Below, "org": orgID, "hooks": missing,
			}).Scan(&newest).Error
			var ids []string
			for _, of := range newest {
				if of.ID != nil {
					ids = append(ids, *of.ID)
				}
			}
			var rows []DeliveryRow
			if err == nil && len(ids) > 0 {
				err = engine.Routed(orgID)(db).Select("id", "webhook_id", "at", "reason").Where(w.Edges).
					Find(&rows, "id IN ? AND id > ? AND id < ?", ids, w.Above, w.Below).Error
			}
			if err != nil {
				return err
			}
			for _, row := range rows {
				if !row.At.Before(engine.HourOf(from)) { // ids of an hour before are read, for clocks that differ
					out[string(row.WebhookID)] = webhook.Delivery{
						ID: string(row.ID), OrgID: orgID, WebhookID: string(row.WebhookID), At: row.At.UTC(), Reason: row.Reason,
					}
				}
			}
		}
		return nil
	})
	return out, err
}
