// Package batches holds the pages of batches.
package batches

import (
	"embed"

	"fichario/adapters/web"
	"fichario/app/batches"
)

//go:embed *.html
var templates embed.FS

// Use are the use cases of these pages.
type Use struct {
	Batches *batches.Batches
}

// pages are the handlers of the room.
type pages struct {
	*web.Server
	Use
}

// Pages are the pages of batches.
func (use Use) Pages(server *web.Server) web.Pages {
	s := pages{server, use}
	return web.Pages{
		Templates: templates,
		Lookups: map[string]web.Handler{
			"GET /lotes":                     web.List(web.Decoded(s.batchList)),
			"POST /lotes":                    s.batchQuote,
			"POST /lotes/colados":            s.batchPasted,
			"GET /lotes/{id}":                web.Decoded(s.batchShow),
			"GET /lotes/{id}/andamento":      web.Decoded(s.batchProgress),
			"GET /lotes/{id}/resultado.csv":  s.batchCSV,
			"GET /lotes/{id}/resultado.xlsx": s.batchXLSX,
			"POST /lotes/{id}/confirmar":     s.batchConfirm,
			"POST /lotes/{id}/pausar":        s.batchPause,
			"POST /lotes/{id}/retomar":       s.batchResume,
			"POST /lotes/{id}/cancelar":      s.batchCancel,
		},
	}
}
