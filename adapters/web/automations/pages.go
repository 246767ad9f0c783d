// Package automations holds the pages of automations and their runs.
package automations

import (
	"embed"

	"fichario/adapters/web"
	"fichario/app/automations"
	"fichario/app/contacts"
	"fichario/app/intake"
	"fichario/app/lookups"
	"fichario/app/team"
)

//go:embed *.html
var templates embed.FS

// Use are the use cases of these pages.
type Use struct {
	Automations *automations.Automations
	Contacts    *contacts.Contacts
	Funnels     *contacts.Funnels
	Members     *team.Members
	Origins     *contacts.Origins
	Rotations   *contacts.Rotations
	Statement   *lookups.Statement
	Terms       *lookups.Terms
	Webhooks    *intake.Webhooks
}

// pages are the handlers of the room.
type pages struct {
	*web.Server
	Use
}

// Pages are the pages of automations and their runs.
func (use Use) Pages(server *web.Server) web.Pages {
	s := pages{server, use}
	return web.Pages{
		Templates: templates,
		Inside: map[string]web.Handler{
			"GET /automacoes":              web.List(web.Decoded(s.automationList)),
			"POST /automacoes":             s.automationCreate,
			"GET /automacoes/nova":         web.Decoded(s.automationNew),
			"GET /automacoes/{id}":         web.List(web.Decoded(s.automationShow)),
			"POST /automacoes/{id}":        s.automationUpdate,
			"GET /automacoes/{id}/editar":  s.automationEdit,
			"POST /automacoes/{id}/ligar":  web.Decoded(s.automationEnable),
			"POST /execucoes/refazer":      web.Decoded(s.runDeadAgain),
			"POST /execucoes/{id}/refazer": s.runAgain,
		},
	}
}
