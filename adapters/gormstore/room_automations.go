package gormstore

import (
	"fichario/ports"

	"gorm.io/gorm/schema"
)

// automationsRoom keeps automations and jobs.
type automationsRoom struct{ *Engine }

func newAutomationsRoom(e *Engine) *automationsRoom { return &automationsRoom{e} }

// Fill gives the repositories of the room.
func (s *automationsRoom) Fill(out *ports.Repos, c conn) {
	queue := jobs{c}
	out.Automations = automations{c, s.vault}
	out.Jobs, out.JobQueue, out.JobRuns = queue, queue, queue
}

// Rows are those of the tables that the room keeps.
func (s *automationsRoom) Rows() []schema.Tabler {
	return []schema.Tabler{
		automationRow{}, jobRow{},
	}
}

// Statements are those that write a job on SQLite.
func (s *automationsRoom) Statements() []string {
	return []string{insertJob, insertEventJob, askListens}
}

// Close has nothing to wait for.
func (s *automationsRoom) Close() {}
