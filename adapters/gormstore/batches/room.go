// Package batches keeps batches and their items.
package batches

import (
	"gorm.io/gorm/schema"

	"fichario/adapters/gormstore/engine"
	"fichario/ports"
)

// New is the room of batches and their items.
func New(e *engine.Engine) engine.Room {
	return engine.Room{
		Rows: []schema.Tabler{BatchItemRow{}, BatchRow{}, paceRow{}},
		Repos: func(out *ports.Repos, c engine.Conn) {
			lots := batches{c, e.Vault, e.SubjectSecret}
			out.Batches, out.BatchItems, out.BatchRuns, out.BatchRemovals = lots, lots, lots, lots
		},
	}
}
