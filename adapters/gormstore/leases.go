package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/automation"
	"fichario/domain/batch"
	"fichario/domain/privacy"
	"fichario/ports"
)

// longestLease is more than anybody holds anything without renewing it.
const longestLease = 10 * time.Minute

// endings end the leases that last longer than any. What was to be done under them is due at once.
var endings = []string{
	// A job that has not been tried was due when it was made.
	"UPDATE jobs SET lease_until = NULL, run_at = @now WHERE state = " + engine.Literal(automation.Ready) +
		" AND (lease_until > @most OR attempts = 0 AND run_at > @most)",
	"UPDATE batch_items SET lease_until = @now WHERE state = " + engine.Literal(batch.InFlight) +
		" AND lease_until > @most",
	"UPDATE erasures SET lease_until = @now WHERE state = " + engine.Literal(privacy.Running) +
		" AND lease_until > @most",
	"UPDATE lead_sources SET lease_until = @now WHERE lease_until > @most",
	// What nobody was fetching is due when its bureau wants to be asked again.
	"UPDATE later_answers SET due = @now, turn = false WHERE turn AND due > @most OR due > @pause",
	"UPDATE lookup_requests SET lease_until = @now WHERE created_at > @now AND NOT begun AND lease_until > @most",
}

// EndLeases ends what a predecessor holds until a time that no lease of now reaches: the clock has stepped back since,
// and nobody is left to end it. It is for a service that starts and is alone with its database, by whose own clock
// leases end.
func (s *Store) EndLeases(ctx context.Context, now time.Time) error {
	times := map[string]any{
		"now": engine.Stamp(now), "most": engine.Stamp(now.Add(longestLease)), "pause": engine.Stamp(now.Add(ports.LaterPause)),
	}
	return s.Conn().Whole(ctx, "store.endLeases", func(db *gorm.DB) error {
		for _, ending := range endings {
			if err := db.Exec(ending, times).Error; err != nil {
				return err
			}
		}
		return nil
	})
}
