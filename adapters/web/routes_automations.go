package web

// automationsPages are the pages of automations and their runs.
func automationsPages(server *server) pageSet {
	s := server
	return pageSet{
		inside: map[string]handler{
			"GET /automacoes":              list(s.automationList),
			"POST /automacoes":             s.automationCreate,
			"GET /automacoes/nova":         decoded(s.automationNew),
			"GET /automacoes/{id}":         list(decoded(s.automationShow)),
			"POST /automacoes/{id}":        s.automationUpdate,
			"GET /automacoes/{id}/editar":  s.automationEdit,
			"POST /automacoes/{id}/ligar":  decoded(s.automationEnable),
			"POST /execucoes/refazer":      decoded(s.runDeadAgain),
			"POST /execucoes/{id}/refazer": s.runAgain,
		},
	}
}
