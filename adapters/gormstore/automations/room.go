package automations

import (
	"fichario/adapters/gormstore/engine"
	"fichario/ports"

	"gorm.io/gorm/schema"
)

// Room keeps automations and jobs.
type Room struct{ *engine.Engine }

func New(e *engine.Engine) *Room { return &Room{e} }

// Fill gives the repositories of the room.
func (s *Room) Fill(out *ports.Repos, c engine.Conn) {
	queue := jobs{c}
	out.Automations = automations{c, s.Vault}
	out.Jobs, out.JobQueue, out.JobRuns = queue, queue, queue
}

// Rows are those of the tables that the room keeps.
func (s *Room) Rows() []schema.Tabler {
	return []schema.Tabler{
		AutomationRow{}, JobRow{},
	}
}

// Statements are those that write a job on SQLite.
func (s *Room) Statements() []string {
	return []string{InsertJob, insertEventJob, AskListens}
}

// Close has nothing to wait for.
func (s *Room) Close() {}
