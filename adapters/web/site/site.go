// Package site puts the rooms of the interface together.
package site

import (
	"net/http"

	"fichario/adapters/web"
	"fichario/adapters/web/automations"
	"fichario/adapters/web/batches"
	"fichario/adapters/web/contacts"
	"fichario/adapters/web/intake"
	"fichario/adapters/web/lookups"
	"fichario/adapters/web/privacy"
	"fichario/adapters/web/team"
)

// allRooms are the rooms of the interface.
func allRooms() []func(*web.Server) web.Pages {
	return []func(*web.Server) web.Pages{
		lookups.Pages, batches.Pages, contacts.Pages, intake.Pages, automations.Pages, team.Pages, privacy.Pages,
	}
}

// New returns the handler of the interface.
func New(c web.Config) (http.Handler, error) { return web.New(c, allRooms()...) }

// Routes lists the method and path of every route of the interface.
func Routes() []string { return web.Routes(allRooms()...) }
