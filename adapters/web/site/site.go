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

// Use are the use cases of each room.
type Use struct {
	Lookups     lookups.Use
	Batches     batches.Use
	Contacts    contacts.Use
	Intake      intake.Use
	Automations automations.Use
	Team        team.Use
	Privacy     privacy.Use
}

// Rooms are the rooms of the interface, for web.New; without use cases, for web.Routes.
func (u Use) Rooms() []func(*web.Server) web.Pages {
	return []func(*web.Server) web.Pages{
		u.Lookups.Pages, u.Batches.Pages, u.Contacts.Pages, u.Intake.Pages, u.Automations.Pages, u.Team.Pages,
		u.Privacy.Pages,
	}
}
