package app

import (
	"context"

	"fichario/ports"
)

// DisabledOf returns the disabled automations of an organisation, whose runs would do nothing.
func DisabledOf(ctx context.Context, r ports.Repos, orgID string) (ids []string, err error) {
	rules, err := r.Automations.List(ctx, orgID)
	for _, rule := range rules {
		if !rule.Enabled {
			ids = append(ids, rule.ID)
		}
	}
	return ids, err
}

// FailedAtOnce is how many runs that were given up are counted, or revived, at once.
const FailedAtOnce = 500
