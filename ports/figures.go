package ports

import (
	"context"
	"time"

	"fichario/domain/catalog"
)

// Figures counts what happened in an organisation, for its dashboard.
type Figures interface {
	// Contacts counts contacts by hour, webhook and origin since the beginning of the hour, in UTC, that a time is in.
	Contacts(ctx context.Context, orgID string, since time.Time) ([]ContactFigure, error)
	// Lookups counts lookups by hour and product since the beginning of the hour, in UTC, that a time is in. An hour of
	// which everything was taken back may be there without figures.
	Lookups(ctx context.Context, orgID string, since time.Time) ([]LookupFigure, error)
}

// ContactFigure is how many contacts came in an hour.
type ContactFigure struct {
	// Hour is its beginning, UTC.
	Hour time.Time
	// WebhookID is empty for contacts that were made by hand, OriginID for those
	// without an origin.
	WebhookID, OriginID string
	Count               int
}

// LookupFigure is what was asked in an hour about a product.
type LookupFigure struct {
	Hour    time.Time
	Product string
	// Charged counts calls that cost Amount together; Cached counts answers from
	// history.
	Charged, Cached int
	Amount          catalog.Money
}
