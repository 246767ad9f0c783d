package gormstore

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/webhook"
)

// TestSlowRefusedPostsAreFoundByThemselves: a page of a webhook's refused posts costs what it shows, not what the
// webhook has accepted.
func TestSlowRefusedPostsAreFoundByThemselves(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		fill(t, s, 60_000, fmt.Sprintf(`INSERT INTO deliveries
			(id, org_id, webhook_id, at, outcome, code, reason, content, truncated)
			SELECT @id, '%s'@uuid, '%s'@uuid, @moment, CASE WHEN i %% 10000 = 1 THEN 'refused' ELSE 'accepted' END,
			'', '', '', false FROM numbers`, planOrg, planKey))
		walks(t, s, "refused", func(c engine.Conn) error {
			refused, err := s.repos(c).Deliveries.Page(t.Context(), planOrg, planKey, webhook.Refused, "", 10)
			if len(refused) != 6 {
				t.Errorf("%s: %d posts were refused", s.Writer.Name(), len(refused))
			}
			return err
		}, "deliveries_refused")
	}
}

// TestSlowSettledPostsAreNotRead, however many contacts were made of refused posts.
func TestSlowSettledPostsAreNotRead(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		fill(t, s, 60_000, fmt.Sprintf(`INSERT INTO deliveries
			(id, org_id, webhook_id, at, outcome, code, reason, content, truncated, contact_id)
			SELECT @id, '%s'@uuid, '%s'@uuid, @moment, 'refused', '', '', '', false,
			CASE WHEN i %% 10000 <> 1 THEN '%[1]s'@uuid END FROM numbers`, planOrg, planKey))
		now := engine.Stamp(time.Now())
		put := errors.Join(
			s.Writer.Exec("INSERT INTO organisations (id, name, created_at) VALUES (?, '', ?)", planOrg, now).Error,
			s.Writer.Exec(`INSERT INTO webhooks (id, org_id, name, kind, band, enabled, scheme, secret, token, thanks_url,
				created_at) VALUES (?, ?, '', '', '', true, '', '', '', '', ?)`, planKey, planOrg, now).Error)
		plans := planned(t, s, func(c engine.Conn) error {
			open, err := s.repos(c).Deliveries.Unsettled(t.Context(), planOrg, []string{planKey}, time.Time{}, 100)
			if open[planKey] != 6 {
				t.Errorf("%s: %d are open", s.Writer.Name(), open[planKey])
			}
			return errors.Join(put, err)
		})
		if all := strings.Join(plans, "\n"); !strings.Contains(all, "deliveries_unsettled") {
			t.Errorf("%s: it reads those that are settled:\n%s", s.Writer.Name(), all)
		}
	}
}

// TestSlowAPageOfPostsIsAWalk, however many there are: the organisation is looked at in passing.
func TestSlowAPageOfPostsIsAWalk(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		fill(t, s, 16_000, fmt.Sprintf(`INSERT INTO deliveries
			(id, org_id, webhook_id, at, outcome, code, reason, content, truncated)
			SELECT @id, '%s'@uuid, CASE WHEN i %% 8 < 2 THEN '%s'@uuid ELSE '%s'@uuid END, @moment,
			CASE WHEN i %% 2 = 1 THEN 'refused' ELSE 'accepted' END, '', '', '', false FROM numbers`,
			planOrg, planKey, testID(60)))
		walks(t, s, "many refused", func(c engine.Conn) error {
			page, err := s.repos(c).Deliveries.Page(t.Context(), planOrg, planKey, webhook.Refused, "", 51)
			if len(page) != 51 {
				t.Errorf("%s: %d posts", s.Writer.Name(), len(page))
			}
			return err
		}, "deliveries_refused")
	}
}
