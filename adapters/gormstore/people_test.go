package gormstore_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fichario/adapters/gormstore"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
)

// TestRetriesOfSeveralOutliveADataKey: retried posts from before a change of the key are still recognised.
func TestRetriesOfSeveralOutliveADataKey(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, url string) {
		next := 0
		id := func() string { next++; return fmt.Sprintf("01980000-0000-7000-8000-%012d", next) }
		take := func(s *gormstore.Store, keys ...string) (known []bool) {
			t.Helper()
			now := time.Now().UTC()
			a := ports.Arrival{Delivery: webhook.Delivery{ID: id(), OrgID: orgID, WebhookID: orgID, At: now}}
			for _, key := range keys {
				c := crm.Contact{ID: id(), OrgID: orgID, WebhookID: orgID, StageID: orgID, CreatedAt: now}
				a.People = append(a.People, ports.Newcomer{
					Contact: c, Key: key,
					Job: automation.Job{ID: id(), OrgID: orgID, ContactID: c.ID, RunAt: now, CreatedAt: now},
				})
			}
			receipts, err := s.Repos().Inbox.Take(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range receipts {
				known = append(known, r.Repeated)
			}
			return known
		}
		take(open(t, url), "a", "b")
		rotating := open(t, url, make([]byte, engine.DataKeySize), testKey)
		for _, c := range []struct {
			keys []string
			want []bool
		}{
			{[]string{"c", "b"}, []bool{false, true}},
			{[]string{"a", "b"}, []bool{true, true}},
			{[]string{"c", "d"}, []bool{false, false}},
			{[]string{"d", "e"}, []bool{true, false}},
			{[]string{"a"}, []bool{true}},
		} {
			if got := take(rotating, c.keys...); !slices.Equal(got, c.want) {
				t.Errorf("%v: known %v, want %v", c.keys, got, c.want)
			}
		}
	})
}
