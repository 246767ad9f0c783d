package gormstore

import (
	"testing"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/audit"
	"fichario/ports"
)

// TestSlowTheAuditIsWalked: each page, whatever the filter, walks one index in display order.
func TestSlowTheAuditIsWalked(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		fill(t, s, 20_000, `INSERT INTO audit_lines
			(id, org_id, number, at, actor, door, action, object, request_id, hash) SELECT @id,
			'01980000-0000-7000-8000-000000000001'@uuid, i, @moment, 'membro ' || (i % 7), 'interface',
			CASE WHEN i % 5 = 0 THEN 'chave.criada' ELSE 'consulta.aberta' END, '', '', '' FROM numbers`)
		since, until := filledFrom.AddDate(0, 1, 0), filledFrom.AddDate(0, 2, 0)
		for what, c := range map[string]struct {
			q       ports.AuditQuery
			indexes []string
		}{
			"newest":     {ports.AuditQuery{}, []string{"audit_lines_number"}},
			"behind one": {ports.AuditQuery{After: 9000}, []string{"audit_lines_number"}},
			"oldest":     {ports.AuditQuery{After: 9000, Ascending: true}, []string{"audit_lines_number"}},
			"by one":     {ports.AuditQuery{Actor: "membro 3"}, []string{"audit_lines_actor"}},
			"of action":  {ports.AuditQuery{Action: audit.KeyCreated}, []string{"audit_lines_action"}},
			"both": {
				ports.AuditQuery{Actor: "membro 3", Action: audit.KeyCreated}, []string{"audit_lines_actor_action"},
			},
			"period": {
				ports.AuditQuery{Since: since, Until: until}, []string{"audit_lines_number", "audit_lines_org_at"},
			},
		} {
			c.q.Limit = 50
			walks(t, s, what, func(db engine.Conn) error {
				_, err := s.repos(db).Audit.Page(t.Context(), testID(1), c.q)
				return err
			}, c.indexes...)
		}
	}
}
