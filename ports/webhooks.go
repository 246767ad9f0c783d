package ports

import (
	"context"
	"time"

	"fichario/domain/webhook"
)

// Webhooks stores webhooks. Tokens are stored as hashes and also encrypted, so that they can be shown again; the
// secrets of signatures are encrypted too.
type Webhooks interface {
	Create(ctx context.Context, w webhook.Webhook, t webhook.Token) error
	// Find returns a webhook and its newest token, or ErrNotFound. Inside InTx it locks the webhook until the transaction
	// ends.
	Find(ctx context.Context, orgID, id string) (webhook.Webhook, webhook.Token, error)
	// List returns the webhooks of an organisation, oldest first.
	List(ctx context.Context, orgID string) ([]webhook.Webhook, error)
	// Open returns the present state of the webhook that a token opens at now, or ErrNotFound. Concurrent calls may share
	// a read. Only outside InTx.
	Open(ctx context.Context, t webhook.Token, now time.Time) (webhook.Hook, error)
	// HookOf is Open by the webhook's id; the token and the counter are not read.
	HookOf(ctx context.Context, orgID, id string) (webhook.Hook, error)
	// Update changes everything but the counter and the tokens. Contacts that came before at, which is now, keep showing
	// the name of then.
	Update(ctx context.Context, w webhook.Webhook, at time.Time) error
	// SetToken gives a webhook a new token, and ends its earlier ones at endOthers, unless they end before. Only inside
	// InTx.
	SetToken(ctx context.Context, webhookID string, t webhook.Token, endOthers time.Time) error
}

// Deliveries is the delivery log. Headers and bodies are encrypted at rest.
type Deliveries interface {
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, orgID, id string) (webhook.Delivery, error)
	// Page returns deliveries of a webhook, newest first, that come after the one with id after ("" starts at the newest);
	// outcome is the only one wanted, or "".
	Page(
		ctx context.Context, orgID, webhookID string, outcome webhook.Outcome, after string, limit int,
	) ([]webhook.Delivery, error)
	// Summaries returns what the webhooks of an organisation received since the beginning of the hour, in UTC, that since
	// is in, by webhook; of the days before yesterday, the one that since is in counts as a whole.
	// Webhooks that received nothing are left out.
	Summaries(ctx context.Context, orgID string, since time.Time) (map[string]webhook.Summary, error)
	// Unsettled counts, up to most of each, the refused posts of some webhooks of an organisation since then of which no
	// replay has made a contact, by webhook. Replays are not counted.
	Unsettled(ctx context.Context, orgID string, webhookIDs []string, since time.Time, most int) (map[string]int, error)
	// Latest returns the newest post, with its time and reason alone, of each of some webhooks of an organisation, by
	// webhook, as far as it came in the hour of from or later; outcome is the only one wanted, or "". Those that came an
	// hour after until or later are not looked at.
	Latest(
		ctx context.Context, orgID string, webhookIDs []string, outcome webhook.Outcome, from, until time.Time,
	) (map[string]webhook.Delivery, error)
}
