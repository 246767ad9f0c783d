package web

import "maps"

// routes are the pages inside, by method and path. A page that changes something answers a POST and leads to a GET.
func (s *server) routes() map[string]handler {
	all := map[string]handler{
		"GET /{$}":                        s.dashboard,
		"POST /sair-todas":                s.signOutEverywhere,
		"GET /contatos":                   s.contactList,
		"GET /contatos.csv":               s.contactsFile,
		"POST /contatos":                  s.contactCreate,
		"GET /contatos/novo":              s.contactNew,
		"GET /contatos/{id}":              s.contactShow,
		"POST /contatos/{id}":             s.contactUpdate,
		"GET /contatos/{id}/editar":       s.contactEdit,
		"GET /contatos/{id}/documentos":   s.contactDocuments,
		"GET /contatos/{id}/historico":    s.contactHistory,
		"POST /contatos/{id}/nota":        s.contactNote,
		"POST /contatos/{id}/responsavel": s.contactAssign,
		"POST /contatos/{id}/etapa":       s.contactMove,
		"GET /funil":                      s.board,
		"GET /notificacoes":               s.notificationList,
		"GET /notificacoes/sino":          s.bell,
		"POST /notificacoes/lidas":        s.notificationsRead,
		"POST /conta/senha":               s.ownPassword,
		"GET /conta":                      s.account,
	}
	maps.Copy(all, s.setupRoutes())
	for pattern, h := range s.lookupRoutes() {
		all[pattern] = s.lookups(h)
	}
	return all
}

// setupRoutes are the pages of what brings contacts and works on them, and of who may.
func (s *server) setupRoutes() map[string]handler {
	return map[string]handler{
		"GET /webhooks":                    s.webhookList,
		"POST /webhooks":                   s.webhookCreate,
		"GET /webhooks/novo":               s.webhookNew,
		"GET /webhooks/{id}":               s.webhookShow,
		"POST /webhooks/{id}":              s.webhookUpdate,
		"GET /webhooks/{id}/editar":        s.webhookEdit,
		"POST /webhooks/{id}/ligar":        s.webhookEnable,
		"POST /webhooks/{id}/regenerar":    s.webhookRegenerate,
		"POST /webhooks/{id}/testar":       s.webhookTry,
		"GET /automacoes":                  s.automationList,
		"POST /automacoes":                 s.automationCreate,
		"GET /automacoes/nova":             s.automationNew,
		"GET /automacoes/{id}":             s.automationShow,
		"POST /automacoes/{id}":            s.automationUpdate,
		"GET /automacoes/{id}/editar":      s.automationEdit,
		"POST /automacoes/{id}/ligar":      s.automationEnable,
		"POST /execucoes/refazer":          s.runDeadAgain,
		"POST /execucoes/{id}/refazer":     s.runAgain,
		"GET /equipe":                      s.team,
		"POST /equipe/membros":             s.memberAdd,
		"POST /equipe/membros/{id}":        s.memberChange,
		"POST /equipe/membros/{id}/senha":  s.memberPassword,
		"POST /equipe/origens":             s.originAdd,
		"POST /equipe/origens/{id}":        s.originRename,
		"POST /equipe/origens/{id}/tirar":  s.originRemove,
		"POST /equipe/funis":               s.funnelAdd,
		"POST /equipe/funis/{id}":          s.funnelChange,
		"GET /entregas/{entrega}":          s.deliveryShow,
		"POST /entregas/{entrega}/refazer": s.deliveryReplay,
	}
}

// lookupRoutes are the pages that instances without the lookup feature do not have.
func (s *server) lookupRoutes() map[string]handler {
	return map[string]handler{
		"GET /consultar":               s.lookupNew,
		"POST /consultar":              s.lookupAsk,
		"POST /consultar/reconhecer":   s.lookupRecognise,
		"POST /consultas":              s.lookupStart,
		"GET /consultas/{id}":          s.lookupShow,
		"GET /consultas/{id}/bruto":    s.lookupRaw,
		"GET /extrato":                 s.statementShow,
		"GET /extrato.csv":             s.orgStatementFile,
		"GET /chaves":                  s.keyList,
		"POST /chaves":                 s.keyCreate,
		"GET /chaves/nova":             s.keyNew,
		"GET /chaves/{id}":             s.keyShow,
		"GET /chaves/{id}/extrato.csv": s.keyStatementFile,
		"POST /chaves/{id}/revogar":    s.keyRevoke,
		"POST /chaves/{id}/trocar":     s.keyRotate,
	}
}
