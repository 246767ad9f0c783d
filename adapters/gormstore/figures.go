package gormstore

import (
	"context"
	"database/sql"
	"time"

	"gorm.io/gorm"

	"fichario/ports"
)

// figures are added up of hours in UTC, of which days are made in any zone that has whole hours. They are read from the
// slots; what was all taken back may be there with zeros.
type figures struct{ conn }

const (
	contactsByHour = `SELECT hour, webhook_id, origin_id, CAST(SUM(contacts) AS bigint) AS n
		FROM contact_hours WHERE org_id = ? AND hour >= ?
		GROUP BY 1, 2, 3 HAVING SUM(contacts) <> 0 ORDER BY 1`
	lookupsByHour = `SELECT hour, product, CAST(SUM(charged) AS bigint) AS charged, CAST(SUM(cached) AS bigint) AS cached,
		CAST(SUM(amount) AS bigint) AS amount
		FROM lookup_hours WHERE org_id = ? AND hour >= ? GROUP BY 1, 2 ORDER BY 1, 2`
)

func (r figures) Contacts(ctx context.Context, orgID string, since time.Time) ([]ports.ContactFigure, error) {
	read := func(rows *sql.Rows) (f ports.ContactFigure, err error) {
		var webhook, origin uid
		err = rows.Scan(&f.Hour, &webhook, &origin, &f.Count)
		f.Hour, f.WebhookID, f.OriginID = f.Hour.UTC(), webhook.known(), origin.known()
		return f, err
	}
	return eachFigure(ctx, r, "figures.contacts", contactsByHour, orgID, since, read)
}

func (r figures) Lookups(ctx context.Context, orgID string, since time.Time) ([]ports.LookupFigure, error) {
	read := func(rows *sql.Rows) (f ports.LookupFigure, err error) {
		err = rows.Scan(&f.Hour, &f.Product, &f.Charged, &f.Cached, &f.Amount)
		f.Hour = f.Hour.UTC()
		return f, err
	}
	return eachFigure(ctx, r, "figures.lookups", lookupsByHour, orgID, since, read)
}

// eachFigure reads rows without GORM, because a month has many thousands.
func eachFigure[Figure any](
	ctx context.Context, r figures, op, query, orgID string, since time.Time, read func(*sql.Rows) (Figure, error),
) (out []Figure, err error) {
	err = r.list(ctx, op, func(db *gorm.DB) error {
		rows, err := db.Raw(query, orgID, hourOf(since)).Rows()
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
