package web

// contactsPages are the pages of contacts, the board, imports, rotations, origins and funnels.
func contactsPages(server *server) pageSet {
	s := server
	return pageSet{
		inside: map[string]handler{
			"GET /contatos":                        list(decoded(s.contactList)),
			"GET /contatos.csv":                    list(decoded(s.contactsFile)),
			"POST /contatos":                       decoded(s.contactCreate),
			"GET /contatos/novo":                   decoded(s.contactNew),
			"GET /contatos/{id}":                   s.following(decoded(s.contactShow)),
			"POST /contatos/{id}":                  decoded(s.contactUpdate),
			"GET /contatos/{id}/editar":            s.following(s.contactEdit),
			"GET /contatos/{id}/documentos":        s.following(s.contactDocuments),
			"GET /contatos/{id}/historico":         s.following(s.contactHistory),
			"POST /contatos/{id}/excluir":          s.contactDelete,
			"POST /contatos/{id}/restaurar":        s.contactUndelete,
			"GET /contatos/{id}/unir/{outro}":      s.following(s.contactMergePreview),
			"POST /contatos/{id}/unir":             decoded(s.contactMerge),
			"POST /contatos/{id}/separar":          decoded(s.contactPart),
			"POST /contatos/{id}/nota":             decoded(s.contactNote),
			"POST /contatos/{id}/responsavel":      decoded(s.contactAssign),
			"POST /contatos/{id}/etapa":            decoded(s.contactMove),
			"POST /contatos/{id}/ligacao":          s.contactCalled,
			"GET /retorno":                         list(decoded(s.waits)),
			"POST /acoes":                          decoded(s.bulkStart),
			"GET /acoes/{id}":                      s.bulkShow,
			"POST /acoes/{id}/desfazer":            s.bulkUndo,
			"GET /funil":                           list(decoded(s.board)),
			"GET /rodizios":                        s.rotationList,
			"POST /rodizios":                       decoded(s.rotationAdd),
			"POST /rodizios/{id}":                  decoded(s.rotationChange),
			"POST /rodizios/{id}/tirar":            s.rotationRemove,
			"GET /importacoes":                     s.importList,
			"POST /importacoes":                    s.importSend,
			"GET /importacoes/{id}":                s.importShow,
			"POST /importacoes/{id}":               decoded(s.importChange),
			"GET /importacoes/{id}/resultado.csv":  decoded(s.importCSV),
			"GET /importacoes/{id}/resultado.xlsx": s.importXLSX,
		},
		lookups: map[string]handler{
			"POST /contatos/{id}/reconhecer":          decoded(s.contactRecognise),
			"POST /contatos/{id}/consultar":           decoded(s.contactAsk),
			"GET /contatos/{id}/consultas/{consulta}": decoded(s.contactAsked),
		},
	}
}
