// Package contacts holds the pages of contacts, the board, imports, rotations, origins and funnels.
package contacts

import (
	"embed"

	"fichario/adapters/web"
	lookuppages "fichario/adapters/web/lookups"
	"fichario/app/contacts"
	"fichario/app/team"
)

//go:embed *.html
var templates embed.FS

// Use are the use cases of these pages.
type Use struct {
	Bulks     *contacts.Bulks
	Contacts  *contacts.Contacts
	Members   *team.Members
	Rotations *contacts.Rotations
	// Lookups are those of the pages that ask about a contact's documents.
	Lookups lookuppages.Use
}

// pages are the handlers of the room.
type pages struct {
	*web.Server
	Use
}

// Pages are the pages of contacts, the board, imports, rotations, origins and funnels.
func (use Use) Pages(server *web.Server) web.Pages {
	s := pages{server, use}
	return web.Pages{
		Templates: templates,
		Inside: map[string]web.Handler{
			"GET /contatos":                        web.List(web.Decoded(s.contactList)),
			"GET /contatos.csv":                    web.List(web.Decoded(s.contactsFile)),
			"POST /contatos":                       web.Decoded(s.contactCreate),
			"POST /contatos/colunas":               web.Decoded(s.columnsSave),
			"POST /contatos/vistas":                web.Decoded(s.viewSave),
			"POST /contatos/vistas/tirar":          web.Decoded(s.viewRemove),
			"GET /contatos/novo":                   web.Decoded(s.contactNew),
			"GET /contatos/{id}":                   s.following(web.Decoded(s.contactShow)),
			"POST /contatos/{id}":                  web.Decoded(s.contactUpdate),
			"GET /contatos/{id}/editar":            s.following(s.contactEdit),
			"GET /contatos/{id}/documentos":        s.following(s.contactDocuments),
			"GET /contatos/{id}/historico":         s.following(s.contactHistory),
			"POST /contatos/{id}/excluir":          s.contactDelete,
			"POST /contatos/{id}/restaurar":        s.contactUndelete,
			"GET /contatos/{id}/unir":              s.following(s.contactCompare),
			"GET /contatos/{id}/unir/{outro}":      s.following(s.contactMergePreview),
			"POST /contatos/{id}/unir":             web.Decoded(s.contactMerge),
			"POST /contatos/{id}/separar":          web.Decoded(s.contactPart),
			"POST /contatos/{id}/nota":             web.Decoded(s.contactNote),
			"POST /contatos/{id}/consentimento":    web.Decoded(s.contactConsent),
			"POST /contatos/{id}/responsavel":      web.Decoded(s.contactAssign),
			"POST /contatos/{id}/etapa":            web.Decoded(s.contactMove),
			"POST /contatos/{id}/ligacao":          s.contactCalled,
			"GET /retorno":                         web.List(web.Decoded(s.waits)),
			"POST /acoes":                          web.Decoded(s.bulkStart),
			"GET /acoes/{id}":                      s.bulkShow,
			"POST /acoes/{id}/desfazer":            s.bulkUndo,
			"GET /funil":                           web.List(web.Decoded(s.board)),
			"GET /rodizios":                        s.rotationList,
			"POST /rodizios":                       web.Decoded(s.rotationAdd),
			"POST /rodizios/{id}":                  web.Decoded(s.rotationChange),
			"POST /rodizios/{id}/tirar":            s.rotationRemove,
			"GET /importacoes":                     s.importList,
			"POST /importacoes":                    s.importSend,
			"GET /importacoes/{id}":                s.importShow,
			"POST /importacoes/{id}":               web.Decoded(s.importChange),
			"GET /importacoes/{id}/resultado.csv":  web.Decoded(s.importCSV),
			"GET /importacoes/{id}/resultado.xlsx": s.importXLSX,
		},
		Lookups: map[string]web.Handler{
			"POST /contatos/{id}/reconhecer":          web.Decoded(s.contactRecognise),
			"POST /contatos/{id}/consultar":           web.Decoded(s.contactAsk),
			"GET /contatos/{id}/consultas/{consulta}": web.Decoded(s.contactAsked),
		},
	}
}
