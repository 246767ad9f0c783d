package gormstore

import (
	"fmt"
	"testing"

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
