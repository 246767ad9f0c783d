package web

// lookupsPages are the pages of asking, answers, the statement, keys, and the first page.
func lookupsPages(server *server) pageSet {
	s := server
	return pageSet{
		inside: map[string]handler{
			"GET /{$}":     list(decoded(s.dashboard)),
			"GET /buscar":  s.findNew,
			"POST /buscar": decoded(s.find),
		},
		lookups: map[string]handler{
			"GET /consultar":               decoded(s.lookupNew),
			"POST /consultar":              decoded(s.lookupAsk),
			"POST /consultar/reconhecer":   decoded(s.lookupRecognise),
			"GET /consultas":               list(decoded(s.lookupList)),
			"POST /consultas":              decoded(s.lookupStart),
			"POST /consultas/pacote":       decoded(s.bundleAsk),
			"GET /pacotes":                 s.bundleList,
			"POST /pacotes":                decoded(s.bundleAdd),
			"POST /pacotes/{id}":           decoded(s.bundleChange),
			"POST /pacotes/{id}/tirar":     s.bundleRemove,
			"POST /consultas/procurar":     decoded(s.lookupSearch),
			"POST /consultas/confirmar":    decoded(s.lookupConfirm),
			"GET /consultas/{id}":          decoded(s.lookupShow),
			"GET /consultas/{id}/bruto":    s.lookupRaw,
			"GET /consultas/{id}/contato":  decoded(s.tieChoose),
			"POST /consultas/{id}/contato": decoded(s.tie),
			"GET /extrato":                 list(s.statementShow),
			"GET /extrato.csv":             list(decoded(s.orgStatementFile)),
			"GET /chaves":                  s.keyList,
			"POST /chaves":                 s.keyCreate,
			"GET /chaves/nova":             s.keyNew,
			"GET /chaves/{id}":             list(s.keyShow),
			"GET /chaves/{id}/extrato.csv": list(decoded(s.keyStatementFile)),
			"GET /chaves/{id}/alterar":     s.keyEdit,
			"POST /chaves/{id}/alterar":    s.keyChange,
			"POST /chaves/{id}/revogar":    s.keyRevoke,
			"POST /chaves/{id}/trocar":     s.keyRotate,
		},
	}
}
