package gormstore

import (
	"fichario/ports"
	"time"

	"gorm.io/gorm/schema"
)

// personsRoom finds, exports and erases a person in the rows of all rooms, and forgets what is old.
type personsRoom struct {
	*Engine
	// tracedAgain belongs to IndexSubjects.
	tracedAgain time.Time
}

func newPersonsRoom(e *Engine) *personsRoom { return &personsRoom{Engine: e} }

// Fill gives the repositories of the room.
func (s *personsRoom) Fill(out *ports.Repos, c conn) {
	of := subjects{c, s.Engine}
	out.Subjects, out.SubjectTraces, out.SubjectBlocks, out.Erasures = of, of, of, of
	out.Retention = retention{c}
}

// Rows are those of the tables that the room keeps.
func (s *personsRoom) Rows() []schema.Tabler {
	return []schema.Tabler{
		blockRow{}, erasureRow{},
	}
}

// Statements: none.
func (s *personsRoom) Statements() []string { return nil }

// Close has nothing to wait for.
func (s *personsRoom) Close() {}
