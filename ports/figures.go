package ports

import (
	"context"
	"time"

	"fichario/domain/catalog"
)

// Figures counts what happened in an organisation, for its dashboard, by days of its zone. bounds holds the beginning
// of each day and, last, the end of the last one. Hours of UTC are counted as a whole, where a day begins within one
// as that day's, and where the last one ends within one as its own. Days before yesterday may be counted as they were
// in the zone of then.
type Figures interface {
	// Contacts counts contacts by day, webhook and origin.
	Contacts(ctx context.Context, orgID string, bounds []time.Time) ([]ContactFigure, error)
	// Lookups counts lookups by day and product. A day whose charges were all taken back may appear with zeros.
	Lookups(ctx context.Context, orgID string, bounds []time.Time) ([]LookupFigure, error)
	// Deliveries counts the posts to webhooks by day and webhook; with the id of a webhook, its own alone.
	Deliveries(ctx context.Context, orgID, webhookID string, bounds []time.Time) ([]DeliveryFigure, error)
	// Stages counts where the contacts of each origin are that came since a time: the newest of each, at most so many.
	Stages(ctx context.Context, orgID string, origins []string, since time.Time, most int) ([]StageFigure, error)
}

// StageFigure is how many contacts of an origin are in a stage.
type StageFigure struct {
	OriginID, StageID string
	Count             int
}

// DeliveryFigure is what a webhook got on a day.
type DeliveryFigure struct {
	// Day is the index of the day among those asked for.
	Day                         int
	WebhookID                   string
	Accepted, Repeated, Refused int
}

// ContactFigure is how many contacts came on a day.
type ContactFigure struct {
	// Day is the index of the day among those asked for.
	Day int
	// WebhookID is empty for contacts that were made by hand, OriginID for those
	// without an origin.
	WebhookID, OriginID string
	Count               int
}

// LookupFigure is what was asked on a day about a product.
type LookupFigure struct {
	// Day is the index of the day among those asked for.
	Day     int
	Product string
	// Charged counts calls that cost Amount together; Cached counts answers from
	// history.
	Charged, Cached int
	Amount          catalog.Money
}
