// Package privacy holds the pages of purposes, data subjects and the audit.
package privacy

import (
	"embed"

	"fichario/adapters/web"
	"fichario/app/automations"
	"fichario/app/privacy"
)

//go:embed *.html
var templates embed.FS

// Use are the use cases of these pages.
type Use struct {
	Audit       *privacy.Audit
	Automations *automations.Automations
	Record      *privacy.Record
	Subjects    *privacy.Subjects
}

// pages are the handlers of the room.
type pages struct {
	*web.Server
	Use
}

// Pages are the pages of purposes, data subjects and the audit.
func (use Use) Pages(server *web.Server) web.Pages {
	s := pages{server, use}
	return web.Pages{
		Templates: templates,
		Inside: map[string]web.Handler{
			"GET /privacidade/registro":                      s.recordShow,
			"GET /auditoria":                                 web.List(s.auditShow),
			"GET /auditoria.csv":                             web.List(web.Decoded(s.auditFile)),
			"GET /privacidade":                               web.Decoded(s.privacy),
			"POST /privacidade/procurar":                     web.Decoded(s.subjectFind),
			"POST /privacidade/exportar":                     web.Decoded(s.subjectExport),
			"POST /privacidade/imprimir":                     web.Decoded(s.subjectPrint),
			"POST /privacidade/confirmar":                    web.Decoded(s.subjectAsk),
			"POST /privacidade/apagar":                       web.Decoded(s.subjectErase),
			"GET /privacidade/eliminacoes/{id}":              s.erasureShow,
			"GET /privacidade/eliminacoes/{id}/recibo.json":  s.erasureFile,
			"POST /privacidade/eliminacoes/{id}/desbloquear": s.erasureUnblock,
			"GET /finalidades":                               s.purposeList,
			"POST /finalidades":                              web.Decoded(s.purposeAdd),
			"POST /finalidades/{codigo}":                     web.Decoded(s.purposeChange),
			"POST /finalidades/{codigo}/encerrar":            web.Decoded(s.purposeRetire),
		},
		Lookups: map[string]web.Handler{
			"POST /finalidade":         web.Decoded(s.PurposeChoose),
			"POST /historico-dividido": web.Decoded(s.purposeShare),
		},
	}
}
