package app

import (
	"context"
	"time"

	"fichario/domain/webhook"
	"fichario/ports"
)

// unsettledCounted is how many refused posts of a webhook are counted one by one.
const unsettledCounted = 1000

// UnsettledOf returns how many refused posts of a webhook since then nobody has made a contact of, where received is
// what it received since then. Where they are very many, it is how many were refused.
func UnsettledOf(
	ctx context.Context, r ports.Repos, orgID, webhookID string, since time.Time, received webhook.Summary,
) (int, error) {
	if received.Refused == 0 {
		return 0, nil
	}
	open, err := r.Deliveries.Unsettled(ctx, orgID, webhookID, since, unsettledCounted)
	if open == unsettledCounted {
		open = received.Refused
	}
	return open, err
}
