package gormstore

import (
	"fichario/ports"

	"gorm.io/gorm/schema"
)

// batchesRoom keeps batches and their items.
type batchesRoom struct{ *Engine }

func newBatchesRoom(e *Engine) *batchesRoom { return &batchesRoom{e} }

// Fill gives the repositories of the room.
func (s *batchesRoom) Fill(out *ports.Repos, c conn) {
	lots := batches{c, s.vault, s.subjectSecret}
	out.Batches, out.BatchItems, out.BatchRuns, out.BatchRemovals = lots, lots, lots, lots
}

// Rows are those of the tables that the room keeps.
func (s *batchesRoom) Rows() []schema.Tabler {
	return []schema.Tabler{
		batchItemRow{}, batchRow{}, paceRow{},
	}
}

// Statements: none.
func (s *batchesRoom) Statements() []string { return nil }

// Close has nothing to wait for.
func (s *batchesRoom) Close() {}
