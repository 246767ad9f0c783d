package web

// privacyPages are the pages of purposes, data subjects and the audit.
func privacyPages(server *server) pageSet {
	s := server
	return pageSet{
		inside: map[string]handler{
			"GET /privacidade/registro":                      s.recordShow,
			"GET /auditoria":                                 list(s.auditShow),
			"GET /auditoria.csv":                             list(decoded(s.auditFile)),
			"GET /privacidade":                               decoded(s.privacy),
			"POST /privacidade/procurar":                     decoded(s.subjectFind),
			"POST /privacidade/exportar":                     decoded(s.subjectExport),
			"POST /privacidade/imprimir":                     decoded(s.subjectPrint),
			"POST /privacidade/confirmar":                    decoded(s.subjectAsk),
			"POST /privacidade/apagar":                       decoded(s.subjectErase),
			"GET /privacidade/eliminacoes/{id}":              s.erasureShow,
			"GET /privacidade/eliminacoes/{id}/recibo.json":  s.erasureFile,
			"POST /privacidade/eliminacoes/{id}/desbloquear": s.erasureUnblock,
		},
		lookups: map[string]handler{
			"GET /finalidades":                    s.purposeList,
			"POST /finalidades":                   decoded(s.purposeAdd),
			"POST /finalidades/{codigo}":          decoded(s.purposeChange),
			"POST /finalidades/{codigo}/encerrar": decoded(s.purposeRetire),
			"POST /finalidade":                    decoded(s.purposeChoose),
			"POST /historico-dividido":            decoded(s.purposeShare),
		},
	}
}
