package privacy

import (
	"fichario/adapters/gormstore/engine"
	"fichario/ports"

	"gorm.io/gorm/schema"
)

// Room keeps purposes and the audit.
type Room struct{ *engine.Engine }

func New(e *engine.Engine) *Room { return &Room{e} }

// Fill gives the repositories of the room.
func (s *Room) Fill(out *ports.Repos, c engine.Conn) {
	chain := auditLines{c, s.Vault, s.Engine}
	out.Purposes, out.Audit, out.AuditRemovals = purposes{c}, chain, chain
}

// Rows are those of the tables that the room keeps.
func (s *Room) Rows() []schema.Tabler {
	return []schema.Tabler{
		auditHeadRow{}, lineRow{}, ErasedRow{}, PrivacyMarkRow{}, TraceRow{}, PurposeRow{},
	}
}

// Statements: none.
func (s *Room) Statements() []string { return nil }

// Close has nothing to wait for.
func (s *Room) Close() {}
