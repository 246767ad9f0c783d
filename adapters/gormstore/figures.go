package gormstore

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"fichario/domain/catalog"
	"fichario/ports"
)

type figures struct{ conn }

// hour is the text of a time's hour in UTC, which both databases can group by.
func hour(db *gorm.DB, column string) string {
	if db.Name() == "postgres" {
		return "to_char(" + column + " AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24')"
	}
	return "substr(" + column + ", 1, 13)"
}

func parseHour(text string) time.Time {
	at, _ := time.Parse("2006-01-02 15", text) // it is the database's own
	return at
}

// contactsByHour groups by an expression of each database's own. lookupsByHour adds the slots up; what was all taken back
// is there with zeros.
const (
	contactsByHour = `SELECT %s AS hour, webhook_id, origin_id, COUNT(*) AS n
		FROM contacts WHERE org_id = ? AND created_at >= ? GROUP BY 1, 2, 3 ORDER BY 1`
	lookupsByHour = `SELECT hour, product, CAST(SUM(charged) AS bigint) AS charged, CAST(SUM(cached) AS bigint) AS cached,
		CAST(SUM(amount) AS bigint) AS amount
		FROM lookup_hours WHERE org_id = ? AND hour >= ? GROUP BY 1, 2 ORDER BY 1, 2`
)

func (r figures) Contacts(ctx context.Context, orgID string, since time.Time) ([]ports.ContactFigure, error) {
	var rows []struct {
		Hour      string
		WebhookID *uid
		OriginID  *uid
		N         int
	}
	err := r.query(ctx, "figures.contacts", func(db *gorm.DB) error {
		return db.Raw(fmt.Sprintf(contactsByHour, hour(db, "created_at")), orgID, stamp(since)).Scan(&rows).Error
	})
	out := make([]ports.ContactFigure, len(rows))
	for i, row := range rows {
		out[i] = ports.ContactFigure{
			Hour: parseHour(row.Hour), WebhookID: row.WebhookID.text(), OriginID: row.OriginID.text(), Count: row.N,
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
	err := r.query(ctx, "figures.lookups", func(db *gorm.DB) error {
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
