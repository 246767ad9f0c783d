package lookups

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/ports"
)

// figures are sums over UTC hours, from which days can be made in any time zone with whole-hour offsets. They are read
// from the slots; rows whose counts were all taken back may remain as zeros.
type figures struct{ engine.Conn }

// DAY, DAYS, SAME and WITHIN stand for what daysBetween says.
const (
	contactsByDay = `SELECT DAY, webhook_id, origin_id, CAST(SUM(contacts) AS bigint)
		FROM DAYS contact_hours h WHERE h.org_id = ? AND WITHIN GROUP BY 1, 2, 3 HAVING SUM(contacts) <> 0`
	lookupsByDay = `SELECT DAY, product, CAST(SUM(charged) AS bigint), CAST(SUM(cached) AS bigint), CAST(SUM(amount) AS bigint)
		FROM DAYS lookup_hours h WHERE h.org_id = ? AND WITHIN GROUP BY 1, 2`
	deliveriesByDay = `SELECT DAY, w.id, CAST(SUM(accepted) AS bigint), CAST(SUM(repeated) AS bigint), CAST(SUM(refused) AS bigint)
		FROM webhooks w CROSS JOIN DAYS delivery_hours h
		WHERE w.org_id = ? AND (? = '' OR CAST(w.id AS text) = ?) AND h.webhook_id = w.id AND SAME WITHIN GROUP BY 1, 2`
	// On SQLite, GROUP BY would sort every hour first, and each sum of its own would be one more statement or column: the
	// three of a day are one text.
	deliveriesOfDays = `SELECT DAY, w.id, (SELECT SUM(accepted) || ' ' || SUM(repeated) || ' ' || SUM(refused)
			FROM delivery_hours h WHERE h.webhook_id = w.id AND WITHIN)
		FROM webhooks w CROSS JOIN days WHERE w.org_id = ? AND (? = '' OR w.id = ?)`
)

func (r figures) Contacts(ctx context.Context, orgID string, bounds []time.Time) ([]ports.ContactFigure, error) {
	read := func(rows *sql.Rows) (f ports.ContactFigure, err error) {
		var webhook, origin engine.UID
		err = rows.Scan(&f.Day, &webhook, &origin, &f.Count)
		f.WebhookID, f.OriginID = webhook.Known(), origin.Known()
		return f, err
	}
	return eachFigure(ctx, r, "figures.contacts", contactsByDay, bounds, read, orgID)
}

func (r figures) Lookups(ctx context.Context, orgID string, bounds []time.Time) ([]ports.LookupFigure, error) {
	read := func(rows *sql.Rows) (f ports.LookupFigure, err error) {
		err = rows.Scan(&f.Day, &f.Product, &f.Charged, &f.Cached, &f.Amount)
		return f, err
	}
	return eachFigure(ctx, r, "figures.lookups", lookupsByDay, bounds, read, orgID)
}

func (r figures) Deliveries(
	ctx context.Context, orgID, webhookID string, bounds []time.Time,
) ([]ports.DeliveryFigure, error) {
	const op = "figures.deliveries"
	if r.Reader.Name() == "sqlite" {
		out, err := eachFigure(ctx, r, op, deliveriesOfDays, bounds, deliveriesOfDay, orgID, webhookID, webhookID)
		return slices.DeleteFunc(out, func(f ports.DeliveryFigure) bool { return f.WebhookID == "" }), err
	}
	read := func(rows *sql.Rows) (f ports.DeliveryFigure, err error) {
		var hook engine.UID
		err = rows.Scan(&f.Day, &hook, &f.Accepted, &f.Repeated, &f.Refused)
		f.WebhookID = string(hook)
		return f, err
	}
	return eachFigure(ctx, r, op, deliveriesByDay, bounds, read, orgID, webhookID, webhookID)
}

// deliveriesOfDay reads a row of deliveriesOfDays; its zero value stands for a day without any.
func deliveriesOfDay(rows *sql.Rows) (f ports.DeliveryFigure, err error) {
	var hook string
	var sums sql.RawBytes
	if err = rows.Scan(&f.Day, &hook, &sums); err != nil || sums == nil {
		return ports.DeliveryFigure{}, err
	}
	f.WebhookID = hook
	texts := strings.SplitN(string(sums), " ", 3)
	for i, n := range []*int{&f.Accepted, &f.Repeated, &f.Refused} {
		if *n, err = strconv.Atoi(texts[i]); err != nil {
			return f, err
		}
	}
	return f, nil
}

// stagesOfOrigin reads an index alone, contacts_of_origin.
const stagesOfOrigin = `SELECT CAST(? AS %s), stage_id, COUNT(*) FROM (SELECT stage_id FROM contacts
		WHERE origin_id = ? AND id >= ?%s ORDER BY id DESC%s LIMIT ?) newest GROUP BY stage_id`

func (r figures) Stages(
	ctx context.Context, orgID string, origins []string, since time.Time, most int,
) (out []ports.StageFigure, err error) {
	if len(origins) == 0 {
		return nil, nil
	}
	err = r.QueryList(ctx, "figures.stages", func(db *gorm.DB) error {
		of, org := engine.OnCitus(db, " AND org_id = ?"), []any(nil)
		if of != "" {
			org = []any{orgID}
		}
		one := fmt.Sprintf(stagesOfOrigin, "uuid", of, " NULLS LAST")
		if db.Name() == "sqlite" {
			one = fmt.Sprintf(stagesOfOrigin, "text", "", "")
		}
		all, values := make([]string, len(origins)), []any(nil)
		for i, origin := range origins {
			values = append(append(values, origin, origin, engine.FirstID(since)), org...)
			all[i], values = one, append(values, most)
		}
		rows, err := db.Raw(strings.Join(all, " UNION ALL "), values...).Rows()
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for out = nil; rows.Next(); {
			var origin, stage engine.UID
			var n int
			if err := rows.Scan(&origin, &stage, &n); err != nil {
				return err
			}
			out = append(out, ports.StageFigure{OriginID: string(origin), StageID: string(stage), Count: n})
		}
		return rows.Err()
	})
	return out, err
}

// eachFigure reads rows without GORM, because a month has thousands of them.
func eachFigure[Figure any](
	ctx context.Context, r figures, op, query string, bounds []time.Time, read func(*sql.Rows) (Figure, error), of ...any,
) (out []Figure, err error) {
	err = r.QueryList(ctx, op, func(db *gorm.DB) error {
		days, values := daysBetween(db, query, bounds, of)
		rows, err := db.Raw(days, values...).Rows()
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for out = nil; rows.Next(); {
			f, err := read(rows)
			if err != nil {
				return err
			}
			out = append(out, f)
		}
		return rows.Err()
	})
	return out, err
}

// daysBetween completes a statement that sums hours by day. PostgreSQL finds the day of each hour. SQLite cannot: it
// asks an index once per day, and reads the table before CROSS JOIN first, whatever its planner estimates. An hour in
// which one day ends and the next begins is the next one's; after the last day it has no other.
func daysBetween(db *gorm.DB, query string, bounds []time.Time, of []any) (sql string, values []any) {
	hours := engine.Mapped(bounds, engine.HourOf)
	if end := &hours[len(hours)-1]; end.Before(bounds[len(bounds)-1]) {
		*end = end.Add(time.Hour)
	}
	if db.Name() == "postgres" {
		texts := engine.Mapped(hours, func(hour time.Time) string { return hour.Format(time.RFC3339) })
		sql = strings.NewReplacer("DAYS ", "", "DAY", "width_bucket(h.hour, CAST(? AS timestamptz[])) - 1",
			"SAME ", engine.OnCitus(db, "h.org_id = w.org_id AND "), "WITHIN", "h.hour >= ? AND h.hour < ?").Replace(query)
		values = append([]any{"{" + strings.Join(texts, ",") + "}"}, of...)
		return sql, append(values, hours[0], hours[len(hours)-1])
	}
	var days []string
	for i := range hours[1:] {
		days, values = append(days, fmt.Sprintf("(%d, ?, ?)", i)), append(values, hours[i], hours[i+1])
	}
	return "WITH days (day, since, until) AS (VALUES " + strings.Join(days, ", ") + ") " +
		strings.NewReplacer("DAYS", "days CROSS JOIN", "DAY", "days.day", "WITHIN",
			"h.hour >= days.since AND h.hour < days.until").Replace(query), append(values, of...)
}
