// Package site lists the rooms of the interface.
package site

import (
	"fichario/adapters/web"
	"fichario/adapters/web/automations"
	"fichario/adapters/web/batches"
	"fichario/adapters/web/contacts"
	"fichario/adapters/web/intake"
	"fichario/adapters/web/lookups"
	"fichario/adapters/web/privacy"
	"fichario/adapters/web/team"
)

// Rooms are the rooms of the interface, for web.New and web.Routes.
func Rooms() []func(*web.Server) web.Pages {
	return []func(*web.Server) web.Pages{
		lookups.Pages, batches.Pages, contacts.Pages, intake.Pages, automations.Pages, team.Pages, privacy.Pages,
	}
}
