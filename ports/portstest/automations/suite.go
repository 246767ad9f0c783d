// Package automations is the suite of the repositories of automations and jobs.
package automations

import "fichario/ports/portstest/kit"

// Suite are the tests, by name.
var Suite = kit.Suite{
	"automations":            automations,
	"jobs":                   jobs,
	"pages of jobs":          jobPages,
	"turns of jobs":          jobTurns,
	"jobs and their workers": workers,
}
