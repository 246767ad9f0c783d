package lookups

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/ports"
)

// figures are sums over UTC hours, and over whole days before yesterday; see engine.Engine.Fold. Rows whose counts were
// all taken back may remain as zeros.
type figures struct{ engine.Conn }

// The rows are added up by day in the program: a month has few of them, and SQLite would sort them first.
const (
	hoursOfContacts = `SELECT hour, webhook_id, origin_id, contacts FROM contact_hours
		WHERE org_id = ? AND hour >= ? AND hour < ?`
	hoursOfLookups = `SELECT hour, product, charged, cached, amount FROM lookup_hours
		WHERE org_id = ? AND hour >= ? AND hour < ?`
	// SQLite reads the table before CROSS JOIN first, whatever its planner estimates.
	hoursOfDeliveries = `SELECT h.hour, w.id, h.accepted, h.repeated, h.refused FROM webhooks w CROSS JOIN delivery_hours h
		WHERE w.org_id = ? AND (? = '' OR CAST(w.id AS text) = ?) AND h.webhook_id = w.id%s AND h.hour >= ? AND h.hour < ?`
)

func (r figures) Contacts(
	ctx context.Context, orgID string, bounds []time.Time,
) (out []ports.ContactFigure, err error) {
	type counted = map[ports.ContactFigure]int
	sums, err := byDay(ctx, r, "figures.contacts", hoursOfContacts, bounds, func(sums counted, row *sql.Rows, of days) error {
		var hour time.Time
		var webhook, origin engine.UID
		var n int
		err := row.Scan(&hour, &webhook, &origin, &n)
		sums[ports.ContactFigure{Day: of.day(hour), WebhookID: webhook.Known(), OriginID: origin.Known()}] += n
		return err
	}, orgID)
	for f, n := range sums {
		if f.Count = n; n != 0 {
			out = append(out, f)
		}
	}
	return out, err
}

func (r figures) Lookups(ctx context.Context, orgID string, bounds []time.Time) ([]ports.LookupFigure, error) {
	type asked struct {
		day     int
		product string
	}
	sums, err := byDay(ctx, r, "figures.lookups", hoursOfLookups, bounds,
		func(sums map[asked]ports.LookupFigure, row *sql.Rows, of days) error {
			var hour time.Time
			var f ports.LookupFigure
			err := row.Scan(&hour, &f.Product, &f.Charged, &f.Cached, &f.Amount)
			f.Day = of.day(hour)
			sum := sums[asked{f.Day, f.Product}]
			f.Charged, f.Cached, f.Amount = f.Charged+sum.Charged, f.Cached+sum.Cached, f.Amount+sum.Amount
			sums[asked{f.Day, f.Product}] = f
			return err
		}, orgID)
	return slices.Collect(maps.Values(sums)), err
}

func (r figures) Deliveries(
	ctx context.Context, orgID, webhookID string, bounds []time.Time,
) ([]ports.DeliveryFigure, error) {
	type received struct {
		day  int
		hook engine.UID
	}
	query := fmt.Sprintf(hoursOfDeliveries, engine.OnCitus(r.Reader, " AND h.org_id = w.org_id"))
	sums, err := byDay(ctx, r, "figures.deliveries", query, bounds,
		func(sums map[received]ports.DeliveryFigure, row *sql.Rows, of days) error {
			var hour time.Time
			var hook engine.UID
			var f ports.DeliveryFigure
			err := row.Scan(&hour, &hook, &f.Accepted, &f.Repeated, &f.Refused)
			f.Day, f.WebhookID = of.day(hour), string(hook)
			sum := sums[received{f.Day, hook}]
			f.Accepted, f.Repeated, f.Refused = f.Accepted+sum.Accepted, f.Repeated+sum.Repeated, f.Refused+sum.Refused
			sums[received{f.Day, hook}] = f
			return err
		}, orgID, webhookID, webhookID)
	return slices.Collect(maps.Values(sums)), err
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

// days are the first hours of some days and, last, the hour at which the last one is over.
type days []time.Time

// daysOf are the days between some bounds. An hour in which one day ends and the next begins is the next one's; after
// the last day it has no other.
func daysOf(bounds []time.Time) days {
	hours := engine.Mapped(bounds, engine.HourOf)
	if end := &hours[len(hours)-1]; end.Before(bounds[len(bounds)-1]) {
		*end = end.Add(time.Hour)
	}
	return hours
}

// day is the index of the day that an hour belongs to.
func (d days) day(hour time.Time) int {
	return sort.Search(len(d), func(i int) bool { return d[i].After(hour) }) - 1
}

// byDay sums the hours that a query selects, which ends with their bounds. It reads without GORM, because the current
// day can have thousands of them.
func byDay[Key comparable, Sum any](
	ctx context.Context, r figures, op, query string, bounds []time.Time,
	add func(map[Key]Sum, *sql.Rows, days) error, of ...any,
) (sums map[Key]Sum, err error) {
	days := daysOf(bounds)
	err = r.QueryList(ctx, op, func(db *gorm.DB) error {
		rows, err := db.Raw(query, append(slices.Clone(of), days[0], days[len(days)-1])...).Rows()
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for sums = map[Key]Sum{}; rows.Next(); {
			if err := add(sums, rows, days); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	return sums, err
}
