package web

import "maps"

// routes are the pages that need a session, by method and path. A page that changes something answers a POST and
// redirects to a GET.
func (s *server) routes() map[string]handler {
	all := map[string]handler{
		"GET /{$}":                        list(decoded(s.dashboard)),
		"POST /sair-todas":                s.signOutEverywhere,
		"GET /contatos":                   list(decoded(s.contactList)),
		"GET /contatos.csv":               list(decoded(s.contactsFile)),
		"POST /contatos":                  decoded(s.contactCreate),
		"GET /contatos/novo":              decoded(s.contactNew),
		"GET /contatos/{id}":              s.following(decoded(s.contactShow)),
		"POST /contatos/{id}":             decoded(s.contactUpdate),
		"GET /contatos/{id}/editar":       s.following(s.contactEdit),
		"GET /contatos/{id}/documentos":   s.following(s.contactDocuments),
		"GET /contatos/{id}/historico":    s.following(s.contactHistory),
		"POST /contatos/{id}/excluir":     s.contactDelete,
		"POST /contatos/{id}/restaurar":   s.contactUndelete,
		"GET /contatos/{id}/unir/{outro}": s.following(s.contactMergePreview),
		"POST /contatos/{id}/unir":        decoded(s.contactMerge),
		"POST /contatos/{id}/separar":     decoded(s.contactPart),
		"POST /contatos/{id}/nota":        decoded(s.contactNote),
		"POST /contatos/{id}/responsavel": decoded(s.contactAssign),
		"POST /contatos/{id}/etapa":       decoded(s.contactMove),
		"POST /contatos/{id}/ligacao":     s.contactCalled,
		"GET /retorno":                    list(decoded(s.waits)),
		"POST /acoes":                     decoded(s.bulkStart),
		"GET /acoes/{id}":                 s.bulkShow,
		"POST /acoes/{id}/desfazer":       s.bulkUndo,
		"GET /funil":                      list(decoded(s.board)),
		"GET /notificacoes":               list(s.notificationList),
		"GET /notificacoes/sino":          list(decoded(s.bell)),
		"POST /notificacoes/lidas":        decoded(s.notificationsRead),
		"POST /conta/senha":               decoded(s.ownPassword),
		"GET /conta":                      s.account,
		"POST /conta/tema":                decoded(s.chooseTheme),
		"GET /buscar":                     s.findNew,
		"GET /eventos":                    decoded(s.live),
		"POST /buscar":                    decoded(s.find),
	}
	maps.Copy(all, s.setupRoutes())
	maps.Copy(all, s.importRoutes())
	maps.Copy(all, s.privacyRoutes())
	maps.Copy(all, s.accountRoutes())
	for pattern, h := range s.lookupRoutes() {
		all[pattern] = s.lookups(h)
	}
	return all
}

// setupRoutes are the pages for managing what brings contacts, what processes them, and who has access.
func (s *server) setupRoutes() map[string]handler {
	return map[string]handler{
		"GET /webhooks":                     list(s.webhookList),
		"POST /webhooks":                    decoded(s.webhookCreate),
		"GET /webhooks/novo":                s.webhookNew,
		"GET /webhooks/{id}":                list(decoded(s.webhookShow)),
		"POST /webhooks/{id}":               decoded(s.webhookUpdate),
		"GET /webhooks/{id}/editar":         s.webhookEdit,
		"POST /webhooks/{id}/ligar":         decoded(s.webhookEnable),
		"POST /webhooks/{id}/regenerar":     decoded(s.webhookRegenerate),
		"POST /webhooks/{id}/testar":        decoded(s.webhookTry),
		"GET /rodizios":                     s.rotationList,
		"POST /rodizios":                    decoded(s.rotationAdd),
		"POST /rodizios/{id}":               decoded(s.rotationChange),
		"POST /rodizios/{id}/tirar":         s.rotationRemove,
		"GET /automacoes":                   list(s.automationList),
		"POST /automacoes":                  s.automationCreate,
		"GET /automacoes/nova":              decoded(s.automationNew),
		"GET /automacoes/{id}":              list(decoded(s.automationShow)),
		"POST /automacoes/{id}":             s.automationUpdate,
		"GET /automacoes/{id}/editar":       s.automationEdit,
		"POST /automacoes/{id}/ligar":       decoded(s.automationEnable),
		"POST /execucoes/refazer":           decoded(s.runDeadAgain),
		"POST /execucoes/{id}/refazer":      s.runAgain,
		"GET /privacidade/registro":         s.recordShow,
		"GET /equipe":                       decoded(s.team),
		"GET /auditoria":                    list(s.auditShow),
		"GET /auditoria.csv":                list(decoded(s.auditFile)),
		"POST /equipe/membros":              decoded(s.memberAdd),
		"POST /equipe/membros/{id}":         s.memberChange,
		"POST /equipe/membros/{id}/senha":   decoded(s.memberPassword),
		"POST /equipe/membros/{id}/convite": s.memberInvite,
		"POST /equipe/origens":              decoded(s.originAdd),
		"POST /equipe/origens/{id}":         decoded(s.originRename),
		"POST /equipe/origens/{id}/tirar":   s.originRemove,
		"POST /equipe/funis":                decoded(s.funnelAdd),
		"POST /equipe/funis/{id}":           decoded(s.funnelChange),
		"GET /entregas/{entrega}":           s.deliveryShow,
		"POST /entregas/{entrega}/refazer":  s.deliveryReplay,
	}
}

// lookupRoutes are the pages that instances without the lookup feature do not have.
func (s *server) lookupRoutes() map[string]handler {
	return map[string]handler{
		"GET /consultar":                          decoded(s.lookupNew),
		"GET /finalidades":                        s.purposeList,
		"POST /finalidades":                       decoded(s.purposeAdd),
		"POST /finalidades/{codigo}":              decoded(s.purposeChange),
		"POST /finalidades/{codigo}/encerrar":     decoded(s.purposeRetire),
		"POST /finalidade":                        decoded(s.purposeChoose),
		"POST /historico-dividido":                decoded(s.purposeShare),
		"POST /consultar":                         decoded(s.lookupAsk),
		"POST /consultar/reconhecer":              decoded(s.lookupRecognise),
		"GET /consultas":                          list(decoded(s.lookupList)),
		"POST /consultas":                         decoded(s.lookupStart),
		"POST /consultas/pacote":                  decoded(s.bundleAsk),
		"GET /pacotes":                            s.bundleList,
		"POST /pacotes":                           decoded(s.bundleAdd),
		"POST /pacotes/{id}":                      decoded(s.bundleChange),
		"POST /pacotes/{id}/tirar":                s.bundleRemove,
		"POST /consultas/procurar":                decoded(s.lookupSearch),
		"POST /consultas/confirmar":               decoded(s.lookupConfirm),
		"GET /consultas/{id}":                     decoded(s.lookupShow),
		"GET /consultas/{id}/bruto":               s.lookupRaw,
		"GET /consultas/{id}/contato":             decoded(s.tieChoose),
		"POST /consultas/{id}/contato":            decoded(s.tie),
		"POST /contatos/{id}/reconhecer":          decoded(s.contactRecognise),
		"POST /contatos/{id}/consultar":           decoded(s.contactAsk),
		"GET /contatos/{id}/consultas/{consulta}": decoded(s.contactAsked),
		"GET /lotes":                              list(decoded(s.batchList)),
		"POST /lotes":                             s.batchQuote,
		"POST /lotes/colados":                     s.batchPasted,
		"GET /lotes/{id}":                         decoded(s.batchShow),
		"GET /lotes/{id}/andamento":               decoded(s.batchProgress),
		"GET /lotes/{id}/resultado.csv":           s.batchCSV,
		"GET /lotes/{id}/resultado.xlsx":          s.batchXLSX,
		"POST /lotes/{id}/confirmar":              s.batchConfirm,
		"POST /lotes/{id}/pausar":                 s.batchPause,
		"POST /lotes/{id}/retomar":                s.batchResume,
		"POST /lotes/{id}/cancelar":               s.batchCancel,
		"GET /extrato":                            list(s.statementShow),
		"GET /extrato.csv":                        list(decoded(s.orgStatementFile)),
		"GET /chaves":                             s.keyList,
		"POST /chaves":                            s.keyCreate,
		"GET /chaves/nova":                        s.keyNew,
		"GET /chaves/{id}":                        list(s.keyShow),
		"GET /chaves/{id}/extrato.csv":            list(decoded(s.keyStatementFile)),
		"GET /chaves/{id}/alterar":                s.keyEdit,
		"POST /chaves/{id}/alterar":               s.keyChange,
		"POST /chaves/{id}/revogar":               s.keyRevoke,
		"POST /chaves/{id}/trocar":                s.keyRotate,
	}
}
