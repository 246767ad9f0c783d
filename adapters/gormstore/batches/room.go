package batches

import (
	"fichario/adapters/gormstore/engine"
	"fichario/ports"

	"gorm.io/gorm/schema"
)

// Room keeps batches and their items.
type Room struct{ *engine.Engine }

func New(e *engine.Engine) *Room { return &Room{e} }

// Fill gives the repositories of the room.
func (s *Room) Fill(out *ports.Repos, c engine.Conn) {
	lots := batches{c, s.Vault, s.SubjectSecret}
	out.Batches, out.BatchItems, out.BatchRuns, out.BatchRemovals = lots, lots, lots, lots
}

// Rows are those of the tables that the room keeps.
func (s *Room) Rows() []schema.Tabler {
	return []schema.Tabler{
		BatchItemRow{}, batchRow{}, paceRow{},
	}
}

// Statements: none.
func (s *Room) Statements() []string { return nil }

// Close has nothing to wait for.
func (s *Room) Close() {}
