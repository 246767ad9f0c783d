package app

import (
	"context"

	"fichario/ports"
)

// holdCharges holds an organisation's charges back until the transaction ends, because it changes what admits them:
// from its commit on, every charge is admitted by the new rule. It also notes what accounts hold whose limit changes.
func holdCharges(ctx context.Context, r ports.Repos, orgID string, accounts ...string) error {
	if err := r.Orgs.HoldCharges(ctx, orgID); err != nil {
		return err
	}
	for _, id := range accounts {
		if err := r.Usage.LimitChanged(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
