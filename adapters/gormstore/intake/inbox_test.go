package intake

import (
	"bytes"
	"context"
	"testing"
	"time"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
)

// TestWhatIsForgottenMeanwhile: a post is known when it is written, but its receipt is gone when that is read. It
// counts as new.
func TestWhatIsForgottenMeanwhile(t *testing.T) {
	t.Parallel()
	e, err := engine.Open("sqlite://"+engine.InMemory, [][]byte{bytes.Repeat([]byte{7}, engine.DataKeySize)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	table := "CREATE TABLE receipts (webhook_id text, key blob, body blob, contact_id text, at datetime, org_id text)"
	if err := e.Writer.Exec(table).Error; err != nil {
		t.Fatal(err)
	}
	tries := 0
	take := engine.NewTogether(func(_ context.Context, in []taken) ([]bool, error) {
		tries++
		kept := make([]bool, len(in))
		kept[0] = tries > 1
		return kept, nil
	})
	t.Cleanup(take.Close)
	const id = "01980000-0000-7000-8000-000000000002"
	now := time.Now().UTC()
	receipts, err := inbox{e.Conn(), e.Vault, take, 0}.Take(t.Context(), ports.Arrival{
		Delivery: webhook.Delivery{ID: id, OrgID: id, WebhookID: id, At: now},
		People: []ports.Newcomer{{
			Contact: crm.Contact{ID: id, OrgID: id, WebhookID: id, StageID: id, CreatedAt: now}, Key: "a",
			Job: automation.Job{ID: id, OrgID: id, ContactID: id, RunAt: now, CreatedAt: now},
		}},
	})
	if err != nil || len(receipts) != 1 || receipts[0] != (ports.Receipt{ContactID: id}) || tries != 2 {
		t.Errorf("%+v after %d tries, %v", receipts, tries, err)
	}
}
