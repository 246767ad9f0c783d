package gormstore

import (
	"context"
	"testing"
	"time"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
)

// TestWhatIsForgottenMeanwhile: a post is known when it is written, but its receipt is gone when that is read. It
// counts as new.
func TestWhatIsForgottenMeanwhile(t *testing.T) {
	t.Parallel()
	const orgID = "01980000-0000-7000-8000-000000000001"
	for _, s := range each(t) {
		known := true
		take := newTogether(func(ctx context.Context, in []taken) ([]bool, error) {
			if known {
				known = false
				return make([]bool, len(in)), nil
			}
			if s.read == s.write {
				return s.takeOnPostgres(ctx, in)
			}
			return s.takeOnSQLite(ctx, in)
		})
		t.Cleanup(take.close)
		now := time.Now().UTC()
		c := crm.Contact{
			ID: "01980000-0000-7000-8000-000000000002", OrgID: orgID, WebhookID: orgID, StageID: orgID, CreatedAt: now,
		}
		receipts, err := inbox{conn{read: s.read, write: s.write}, s.vault, take, 0}.Take(t.Context(), ports.Arrival{
			Delivery: webhook.Delivery{ID: c.ID, OrgID: orgID, WebhookID: orgID, At: now},
			People: []ports.Newcomer{{
				Contact: c, Key: "a", Event: crm.Event{ID: c.ID, OrgID: orgID, ContactID: c.ID, At: now},
				Notification: crm.Notification{ID: c.ID, OrgID: orgID, ContactID: c.ID, At: now},
				Job:          automation.Job{ID: c.ID, OrgID: orgID, ContactID: c.ID, RunAt: now, CreatedAt: now},
			}},
		})
		if err != nil || len(receipts) != 1 || receipts[0] != (ports.Receipt{ContactID: c.ID}) {
			t.Errorf("%s: %+v, %v", s.write.Name(), receipts, err)
		}
	}
}
