// Package persons finds, exports and erases a person in the rows of every room, and forgets what is old.
package persons

import (
	"time"

	"gorm.io/gorm/schema"

	"fichario/adapters/gormstore/engine"
	"fichario/ports"
)

// Index finds, exports and erases a person in the rows of all rooms; see ports.SubjectIndex.
type Index struct {
	*engine.Engine
	// tracedAgain belongs to IndexSubjects.
	tracedAgain time.Time
}

// New is the room of persons and of what is forgotten, with the index by which they are found.
func New(e *engine.Engine) (*Index, engine.Room) {
	return &Index{Engine: e}, engine.Room{
		Rows: []schema.Tabler{blockRow{}, erasureRow{}},
		Repos: func(out *ports.Repos, c engine.Conn) {
			of := subjects{c, e}
			out.Subjects, out.SubjectTraces, out.SubjectBlocks, out.Erasures = of, of, of, of
			out.Retention = retention{c}
		},
	}
}
