package gormstore

import (
	"context"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/ports"
)

// TestCheckFindsAccountsAboveTheirLimit, unless the limit was lowered below what they held.
func TestCheckFindsAccountsAboveTheirLimit(t *testing.T) {
	t.Parallel()
	budget := catalog.Money(100)
	for _, s := range each(t) {
		ctx, repos, at := t.Context(), s.Repos(), time.Now().UTC()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(repos.Orgs.Create(ctx, crm.Organisation{ID: testID(1), Name: "Organização", CreatedAt: at}))
		must(repos.Keys.Create(ctx, access.Key{
			ID: testID(2), OrgID: testID(1), Limits: access.Limits{PerDay: 2, PerMonth: 5}, CreatedAt: at,
		}))
		must(repos.Members.Create(ctx, crm.Member{
			ID: testID(3), OrgID: testID(1), Email: "a@x.example", Role: crm.Owner, Active: true, Budget: &budget, CreatedAt: at,
		}))
		must(repos.Batches.Create(ctx, batch.Batch{
			ID: testID(4), OrgID: testID(1), KeyID: testID(2), Ceiling: 100, HasCeiling: true, CreatedAt: at, ExpiresAt: at,
		}))
		must(repos.Automations.Create(ctx, automation.Automation{
			ID: testID(5), OrgID: testID(1), Action: automation.Action{Kind: automation.Lookup, Ceiling: 100}, CreatedAt: at,
		}))
		for _, c := range []struct {
			account, bucket string
			count, amount   int64
			broken          string
			mayBeLowered    bool
		}{
			{testID(2), "2026-11", 5, 1000, "no key", true},
			{testID(2), "2026-11-20", 2, 1000, "no key", true},
			{testID(3), "2026-11", 9, 100, "no member", true},
			{testID(4), lookup.BatchBucket, 9, 100, "no batch", false},
			{testID(5), "2026-11", 9, 100, "no automation", true},
		} {
			found := func() bool {
				findings, err := s.Check(ctx, at)
				must(err)
				for _, f := range findings {
					if f.Violations > 0 && strings.HasPrefix(f.Name, c.broken) {
						return true
					}
				}
				return false
			}
			account := func() *gorm.DB { return s.Writer.Table("key_usage").Where("key_id = ?", c.account) }
			must(s.Writer.Table("key_usage").Create(map[string]any{
				"key_id": c.account, "bucket": c.bucket, "count": c.count, "amount": c.amount, "org_id": testID(1),
			}).Error)
			if found() {
				t.Errorf("%s: %s at its limit", s.Writer.Name(), c.broken)
			}
			must(account().Updates(map[string]any{"count": c.count + 1, "amount": c.amount + 1}).Error)
			if !found() {
				t.Errorf("%s: %s above its limit is not found", s.Writer.Name(), c.broken)
			}
			must(s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
				return r.Usage.LimitChanged(ctx, testID(1), c.account)
			}))
			if found() == c.mayBeLowered {
				t.Errorf("%s: %s above a limit that was lowered", s.Writer.Name(), c.broken)
			}
			must(account().Delete(nil).Error)
		}
	}
}
