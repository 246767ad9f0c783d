// Package automations holds the pages of automations and their runs.
package automations

import (
	"embed"

	"fichario/adapters/web"
)

//go:embed *.html
var templates embed.FS

// pages are the handlers of the room.
type pages struct{ *web.Server }

// Pages are the pages of automations and their runs.
func Pages(server *web.Server) web.Pages {
	s := pages{server}
	return web.Pages{
		Templates: templates,
		Inside: map[string]web.Handler{
			"GET /automacoes":              web.List(s.automationList),
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
