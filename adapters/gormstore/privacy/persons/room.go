package persons

import (
	"fichario/adapters/gormstore/engine"
	"fichario/ports"
	"time"

	"gorm.io/gorm/schema"
)

// Room finds, exports and erases a person in the rows of all rooms, and forgets what is old.
type Room struct {
	*engine.Engine
	// tracedAgain belongs to IndexSubjects.
	tracedAgain time.Time
}

func New(e *engine.Engine) *Room { return &Room{Engine: e} }

// Fill gives the repositories of the room.
func (s *Room) Fill(out *ports.Repos, c engine.Conn) {
	of := subjects{c, s.Engine}
	out.Subjects, out.SubjectTraces, out.SubjectBlocks, out.Erasures = of, of, of, of
	out.Retention = retention{c}
}

// Rows are those of the tables that the room keeps.
func (s *Room) Rows() []schema.Tabler {
	return []schema.Tabler{
		blockRow{}, erasureRow{},
	}
}

// Statements: none.
func (s *Room) Statements() []string { return nil }

// Close has nothing to wait for.
func (s *Room) Close() {}
