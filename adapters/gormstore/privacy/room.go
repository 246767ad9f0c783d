// Package privacy keeps purposes, the audit, and who may not be asked about.
package privacy

import (
	"gorm.io/gorm/schema"

	"fichario/adapters/gormstore/engine"
	"fichario/ports"
)

// New is the room of purposes and the audit.
func New(e *engine.Engine) engine.Room {
	return engine.Room{
		Rows: []schema.Tabler{auditHeadRow{}, lineRow{}, ErasedRow{}, MarkRow{}, TraceRow{}, PurposeRow{}},
		Repos: func(out *ports.Repos, c engine.Conn) {
			chain := auditLines{c, e.Vault, e}
			out.Purposes, out.Audit, out.AuditRemovals = purposes{c}, chain, chain
		},
	}
}
