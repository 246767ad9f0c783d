package web

// intakePages are the pages of webhooks and their deliveries.
func intakePages(server *server) pageSet {
	s := server
	return pageSet{
		inside: map[string]handler{
			"GET /webhooks":                    list(s.webhookList),
			"POST /webhooks":                   decoded(s.webhookCreate),
			"GET /webhooks/novo":               s.webhookNew,
			"GET /webhooks/{id}":               list(decoded(s.webhookShow)),
			"POST /webhooks/{id}":              decoded(s.webhookUpdate),
			"GET /webhooks/{id}/editar":        s.webhookEdit,
			"POST /webhooks/{id}/ligar":        decoded(s.webhookEnable),
			"POST /webhooks/{id}/regenerar":    decoded(s.webhookRegenerate),
			"POST /webhooks/{id}/testar":       decoded(s.webhookTry),
			"GET /entregas/{entrega}":          s.deliveryShow,
			"POST /entregas/{entrega}/refazer": s.deliveryReplay,
		},
	}
}
