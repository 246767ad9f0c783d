package gormstore

import (
	"fichario/ports"

	"gorm.io/gorm/schema"
)

// privacyRoom keeps purposes and the audit.
type privacyRoom struct{ *Engine }

func newPrivacyRoom(e *Engine) *privacyRoom { return &privacyRoom{e} }

// Fill gives the repositories of the room.
func (s *privacyRoom) Fill(out *ports.Repos, c conn) {
	chain := auditLines{c, s.vault, s.Engine}
	out.Purposes, out.Audit, out.AuditRemovals = purposes{c}, chain, chain
}

// Rows are those of the tables that the room keeps.
func (s *privacyRoom) Rows() []schema.Tabler {
	return []schema.Tabler{
		auditHeadRow{}, lineRow{}, erasedRow{}, privacyMarkRow{}, traceRow{}, purposeRow{},
	}
}

// Statements: none.
func (s *privacyRoom) Statements() []string { return nil }

// Close has nothing to wait for.
func (s *privacyRoom) Close() {}
