package gormstore

import (
	"fmt"
	"strings"
	"testing"

	"fichario/domain/batch"
)

// TestABatchShowsItsFaultsByAnIndex: it is looked at every few seconds, and may have fifty thousand items.
func TestABatchShowsItsFaultsByAnIndex(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		fill(t, s, 20_000, fmt.Sprintf(`INSERT INTO batch_items
			(id, batch_id, org_id, line, state, doc_type, content, cell, repeat_of, message, code, owner, queued)
			SELECT @id, '%s'@uuid, '%s'@uuid, i, CASE WHEN i %% 5000 = 0 THEN 'invalido' ELSE 'pendente' END, 'cpf', '', 0, 0,
			'', '', '', false FROM numbers`, testID(50), testID(1)))
		var found int
		plans := planned(t, s, func(c conn) error {
			items, err := batches{c, s.vault, s.subjectSecret}.Items(t.Context(), testID(50), batch.Invalid, 0, 100)
			found = len(items)
			return err
		})
		if found != 4 || !strings.Contains(strings.Join(plans, ""), "batch_items_invalid") {
			t.Errorf("%s: %d items, %v", s.write.Name(), found, plans)
		}
	}
}
