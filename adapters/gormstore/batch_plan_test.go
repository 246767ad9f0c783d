package gormstore

import (
	"fmt"
	"strings"
	"testing"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/batch"
	"fichario/ports"
)

// TestSlowOpenBatchesAreFoundByTheirIndex among all batches that integrations ever made.
func TestSlowOpenBatchesAreFoundByTheirIndex(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		fill(t, s, 20_000, fmt.Sprintf(`INSERT INTO batches
			(id, org_id, member_id, name, product, refresh, status, reason, note, columns, total, valid, repeated, invalid,
			from_history, price, ended, charged, free, failed, run_ended, created_at, expires_at, started_at, request_key)
			SELECT @id, '%s'@uuid, '%s'@uuid, 'x', 'cpf', false, CASE WHEN i %% 5000 = 0 THEN 'pausado' ELSE 'concluido' END,
			'', '', '', 1, 1, 0, 0, 0, 4500, 0, 0, 0, 0, 0, @moment, @moment, @moment, '' FROM numbers`, testID(1), testID(2)))
		var found int
		plans := planned(t, s, func(c engine.Conn) error {
			open, err := s.repos(c).Batches.Open(t.Context(), testID(1), 25)
			found = len(open)
			return err
		})
		if found != 4 || !strings.Contains(strings.Join(plans, ""), "batches_open") {
			t.Errorf("%s: %d batches, %v", s.Writer.Name(), found, plans)
		}
	}
}

// TestSlowABatchShowsItsFaultsByAnIndex: the page is polled every few seconds, and a batch may have fifty thousand
// items.
func TestSlowABatchShowsItsFaultsByAnIndex(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		fill(t, s, 20_000, fmt.Sprintf(`INSERT INTO batch_items
			(id, batch_id, org_id, line, state, doc_type, content, cell, repeat_of, message, code, owner, queued)
			SELECT @id, '%s'@uuid, '%s'@uuid, i, CASE WHEN i %% 5000 = 0 THEN 'invalido' ELSE 'pendente' END, 'cpf', '', 0, 0,
			'', '', '', false FROM numbers`, testID(50), testID(1)))
		var found int
		plans := planned(t, s, func(c engine.Conn) error {
			items, err := s.repos(c).BatchItems.Items(t.Context(), ports.AnyOrg, testID(50), batch.Invalid, 0, 100)
			found = len(items)
			return err
		})
		if found != 4 || !strings.Contains(strings.Join(plans, ""), "batch_items_invalid") {
			t.Errorf("%s: %d items, %v", s.Writer.Name(), found, plans)
		}
	}
}

// TestTheNextItemsAreFoundByTheirIndex, past those that were refused: a running batch asks for them many times a
// second.
func TestTheNextItemsAreFoundByTheirIndex(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		fill(t, s, 20_000, fmt.Sprintf(`INSERT INTO batch_items
			(id, batch_id, org_id, line, state, doc_type, content, cell, repeat_of, message, code, owner, queued)
			SELECT @id, CASE WHEN i %% 20 = 0 THEN '%s'@uuid ELSE '%s'@uuid END, '%s'@uuid, i, 'pendente', 'cpf', '', 0, 0, '',
			CASE WHEN i %% 200 = 0 THEN 'recusado 2026-11-20T14:03:11Z' ELSE '' END, '', false FROM numbers`,
			testID(50), testID(51), testID(1)))
		var found []batch.Item
		plans := planned(t, s, func(c engine.Conn) (err error) {
			found, err = s.repos(c).BatchItems.Next(t.Context(), testID(1), testID(50), 12)
			return err
		})
		for _, plan := range plans {
			if !strings.Contains(plan, "batch_items_pending") || strings.Contains(strings.ToUpper(plan), "SORT") ||
				strings.Contains(plan, "TEMP B-TREE") {
				t.Errorf("%s: %s", s.Writer.Name(), plan)
			}
		}
		if len(plans) != 1 || len(found) != 12 || found[0].Line != 20 || found[9].Line != 220 {
			t.Errorf("%s: %d statements, %d items", s.Writer.Name(), len(plans), len(found))
		}
	}
}
