package ports

import (
	"context"
	"time"

	"fichario/domain/webhook"
)

// LeadSources stores the pages whose leads webhooks fetch. Tokens are encrypted at rest.
type LeadSources interface {
	// Connect writes a page of a webhook, or its new token and what follows from it where it is there already, and
	// returns it with its id.
	Connect(ctx context.Context, s webhook.Source) (webhook.Source, error)
	// List returns the pages of an organisation or of a webhook by name; an empty id is any.
	List(ctx context.Context, orgID, webhookID string) ([]webhook.Source, error)
	// Claim leases the page that is due longest, or ErrNotFound: one that may be asked and has a lead that waits, or
	// whose RunAt has come.
	Claim(ctx context.Context, lease string, now, until time.Time) (webhook.Source, error)
	// Keep writes what a worker learned of a page, and holds its lease until a time; zero ends it. ErrNotFound when
	// somebody else has leased it since, or it was connected anew or removed.
	Keep(ctx context.Context, s webhook.Source, until time.Time) error
	// Remove removes a page of a webhook. Leads that wait stay until it is connected again. ErrNotFound for none.
	Remove(ctx context.Context, webhookID, page string) error
}

// NotedLead is a lead that was announced, and its line in the delivery log.
type NotedLead struct {
	webhook.Notice
	Delivery webhook.Delivery
}

// Leads stores what was announced of leads. Ids of leads are encrypted at rest while they are needed, and hashed for
// ever.
type Leads interface {
	// Note writes leads that were announced, each with its line in the delivery log, durably, and returns how many were
	// new. The others leave nothing.
	Note(ctx context.Context, noted ...NotedLead) (int, error)
	// Waiting returns leads of a page that wait and may be fetched at now, oldest first.
	Waiting(ctx context.Context, webhookID, page string, now time.Time, limit int) ([]webhook.WaitingLead, error)
	// Untaken returns those of some leads that were never read: ids of their deliveries, or "" for one that nobody
	// announced, by the platform's id.
	Untaken(ctx context.Context, webhookID string, ids ...string) (map[string]string, error)
	// Delay puts off a lead that could not be fetched, and counts the attempt.
	Delay(ctx context.Context, id string, until time.Time) error
	// Count returns how many leads wait, of a webhook or, without one, of all.
	Count(ctx context.Context, webhookID string) (int, error)
}
