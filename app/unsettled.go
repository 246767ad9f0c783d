package app

import (
	"context"
	"maps"
	"slices"
	"time"

	"fichario/domain/webhook"
	"fichario/ports"
)

// unsettledCounted is how many refused posts of a webhook are counted one by one.
const unsettledCounted = 1000

// Unsettled returns how many refused posts of webhooks since then nobody has made a contact of, by webhook, where
// received is what they received since then; those without any are left out. Where they are very many, it is how many
// were refused.
func Unsettled(
	ctx context.Context, r ports.Repos, orgID string, since time.Time, received map[string]webhook.Summary,
) (map[string]int, error) {
	refusing := maps.Clone(received)
	maps.DeleteFunc(refusing, func(_ string, sum webhook.Summary) bool { return sum.Refused == 0 })
	out, err := r.Deliveries.Unsettled(ctx, orgID, slices.Sorted(maps.Keys(refusing)), since, unsettledCounted)
	for id, open := range out {
		if open == unsettledCounted {
			out[id] = received[id].Refused
		}
	}
	maps.DeleteFunc(out, func(_ string, open int) bool { return open == 0 })
	return out, err
}
