// Package automations keeps automations and jobs.
package automations

import (
	"gorm.io/gorm/schema"

	"fichario/adapters/gormstore/engine"
	"fichario/ports"
)

// New is the room of automations and jobs.
func New(e *engine.Engine) engine.Room {
	return engine.Room{
		Rows:       []schema.Tabler{AutomationRow{}, JobRow{}},
		Statements: []string{InsertJob, insertEventJob, AskListens},
		Repos: func(out *ports.Repos, c engine.Conn) {
			queue := jobs{c}
			out.Automations = automations{c, e.Vault}
			out.Jobs, out.JobQueue, out.JobRuns = queue, queue, queue
		},
	}
}
