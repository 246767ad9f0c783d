// Package lookups holds the pages of asking, answers, the statement, keys, and the first page.
package lookups

import (
	"embed"

	"fichario/adapters/web"
	"fichario/app/batches"
	"fichario/app/contacts"
	"fichario/app/lookups"
)

//go:embed *.html
var templates embed.FS

// Use are the use cases of these pages.
type Use struct {
	Asker     *lookups.Asker
	Batches   *batches.Batches
	Bundles   *lookups.Bundles
	Bureaus   *lookups.Bureaus
	Contacts  *contacts.Contacts
	Dashboard *lookups.Dashboard
	Keys      *lookups.Keys
	Sheet     *lookups.Sheet
	Statement *lookups.Statement
	Terms     *lookups.Terms
}

// pages are the handlers of the room.
type pages struct {
	*web.Server
	Use
}

// Pages are the pages of asking, answers, the statement, keys, and the first page.
func (use Use) Pages(server *web.Server) web.Pages {
	s := pages{server, use}
	return web.Pages{
		Templates: templates,
		Inside: map[string]web.Handler{
			"GET /{$}":     web.List(web.Decoded(s.dashboard)),
			"GET /buscar":  s.findNew,
			"POST /buscar": web.Decoded(s.find),
		},
		Lookups: map[string]web.Handler{
			"GET /consultar":               web.Decoded(s.lookupNew),
			"POST /consultar":              web.Decoded(s.lookupAsk),
			"POST /consultar/lote":         web.Decoded(s.manyAsk),
			"POST /consultar/reconhecer":   web.Decoded(s.lookupRecognise),
			"GET /consultas":               web.List(web.Decoded(s.lookupList)),
			"POST /consultas":              web.Decoded(s.lookupStart),
			"POST /consultas/pacote":       web.Decoded(s.bundleAsk),
			"GET /pacotes":                 s.bundleList,
			"POST /pacotes":                web.Decoded(s.bundleAdd),
			"POST /pacotes/{id}":           web.Decoded(s.bundleChange),
			"POST /pacotes/{id}/tirar":     s.bundleRemove,
			"POST /consultas/procurar":     web.Decoded(s.lookupSearch),
			"POST /consultas/confirmar":    web.Decoded(s.lookupConfirm),
			"GET /consultas/{id}":          web.Decoded(s.lookupShow),
			"GET /consultas/{id}/bruto":    s.lookupRaw,
			"GET /consultas/{id}/contato":  web.Decoded(s.tieChoose),
			"POST /consultas/{id}/contato": web.Decoded(s.tie),
			"GET /bureaus":                 s.bureauList,
			"POST /bureaus/subir":          web.Decoded(s.bureauRaise),
			"POST /bureaus/ordem":          web.Decoded(s.bureauReset),
			"POST /bureaus/tirar":          web.Decoded(s.bureauOut),
			"POST /bureaus/voltar":         web.Decoded(s.bureauBack),
			"GET /extrato":                 web.List(s.statementShow),
			"GET /extrato.csv":             web.List(web.Decoded(s.orgStatementFile)),
			"GET /chaves":                  s.keyList,
			"POST /chaves/teste":           s.keyForTests,
			"POST /chaves":                 s.keyCreate,
			"GET /chaves/nova":             s.keyNew,
			"GET /chaves/{id}":             web.List(s.keyShow),
			"GET /chaves/{id}/extrato.csv": web.List(web.Decoded(s.keyStatementFile)),
			"GET /chaves/{id}/alterar":     s.keyEdit,
			"POST /chaves/{id}/alterar":    s.keyChange,
			"POST /chaves/{id}/revogar":    s.keyRevoke,
			"POST /chaves/{id}/trocar":     s.keyRotate,
		},
	}
}

// Asking is what a page of another room needs to ask about a document.
type Asking struct{ pages }

// Asking returns it.
func (use Use) Asking(server *web.Server) Asking { return Asking{pages{server, use}} }
