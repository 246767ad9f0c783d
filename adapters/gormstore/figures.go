package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fichario/domain/catalog"
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
	var rows []struct {
		Hour                time.Time
		WebhookID, OriginID uid
		N                   int
	}
	err := r.list(ctx, "figures.contacts", func(db *gorm.DB) error {
		return db.Raw(contactsByHour, orgID, hourOf(since)).Scan(&rows).Error
	})
	out := make([]ports.ContactFigure, len(rows))
	for i, row := range rows {
		out[i] = ports.ContactFigure{
			Hour: row.Hour.UTC(), WebhookID: row.WebhookID.known(), OriginID: row.OriginID.known(), Count: row.N,
		}
	}
	return out, err
}

func (r figures) Lookups(ctx context.Context, orgID string, since time.Time) ([]ports.LookupFigure, error) {
	var rows []struct {
		Hour            time.Time
		Product         string
		Charged, Cached int
		Amount          int64
	}
	err := r.list(ctx, "figures.lookups", func(db *gorm.DB) error {
		return db.Raw(lookupsByHour, orgID, hourOf(since)).Scan(&rows).Error
	})
	out := make([]ports.LookupFigure, len(rows))
	for i, row := range rows {
		out[i] = ports.LookupFigure{
			Hour: row.Hour.UTC(), Product: row.Product, Charged: row.Charged, Cached: row.Cached,
			Amount: catalog.Money(row.Amount),
		}
	}
	return out, err
}
