package web

// teamPages are the pages of the team, one's own account, notifications and signing in.
func teamPages(server *server) pageSet {
	s := server
	all := pageSet{
		inside: map[string]handler{
			"POST /equipe/origens":                       decoded(s.originAdd),
			"POST /equipe/origens/{id}":                  decoded(s.originRename),
			"POST /equipe/origens/{id}/tirar":            s.originRemove,
			"POST /equipe/funis":                         decoded(s.funnelAdd),
			"POST /equipe/funis/{id}":                    decoded(s.funnelChange),
			"POST /sair-todas":                           s.signOutEverywhere,
			"GET /notificacoes":                          list(s.notificationList),
			"GET /notificacoes/sino":                     list(decoded(s.bell)),
			"POST /notificacoes/lidas":                   decoded(s.notificationsRead),
			"POST /conta/senha":                          decoded(s.ownPassword),
			"GET /conta":                                 s.account,
			"GET /equipe":                                decoded(s.team),
			"POST /equipe/membros":                       decoded(s.memberAdd),
			"POST /equipe/membros/{id}":                  s.memberChange,
			"POST /equipe/membros/{id}/senha":            decoded(s.memberPassword),
			"POST /equipe/membros/{id}/convite":          s.memberInvite,
			"GET /conta/acessos":                         s.sessionList,
			"POST /conta/acessos/{id}/encerrar":          s.sessionEnd,
			"POST /conta/acessos/outros":                 s.sessionsEnd,
			"GET " + factorPath:                          s.factorShow,
			"POST " + factorPath + "/codigos":            s.codesBegin,
			"POST " + factorPath + "/confirmar":          decoded(s.codesConfirm),
			"POST " + factorPath + "/desligar":           decoded(s.factorOff),
			"POST " + factorPath + "/recuperacao":        decoded(s.recoveryRenew),
			"POST " + factorPath + "/exigir":             decoded(s.factorRequire),
			"POST " + factorPath + "/chave/inicio":       s.passkeyNew,
			"POST " + factorPath + "/chave":              decoded(s.passkeyAdd),
			"POST " + factorPath + "/chave/{id}/remover": decoded(s.passkeyRemove),
		},
		open: map[string]handler{
			"GET /entrar":               decoded(s.signInPage),
			"POST /entrar":              decoded(s.signIn),
			"POST /sair":                s.signOut,
			"GET /entrar/codigo":        decoded(s.codePage),
			"POST /entrar/codigo":       decoded(s.codeShown),
			"POST /entrar/chave/inicio": decoded(s.passkeyBegin),
			"POST /entrar/chave":        decoded(s.passkeyUsed),
			"GET /entrar/esqueci":       s.forgotPage,
			"POST /entrar/esqueci":      decoded(s.forgot),
			"GET /entrar/link/{token}":  s.linkPage,
			"POST /entrar/link/{token}": decoded(s.linkUsed),
		},
	}
	if s.OIDC != nil {
		all.open["GET /entrar/oidc"] = decoded(s.toProvider)
		all.open["GET /entrar/oidc/retorno"] = decoded(s.fromProvider)
	}
	return all
}
