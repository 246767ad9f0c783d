// Package team holds the pages of the team, one's own account, notifications and signing in.
package team

import (
	"embed"

	"fichario/adapters/web"
	"fichario/app/contacts"
	"fichario/app/lookups"
	"fichario/app/team"
)

//go:embed *.html
var templates embed.FS

// Use are the use cases of these pages.
type Use struct {
	Contacts  *contacts.Contacts
	Funnels   *contacts.Funnels
	Members   *team.Members
	Origins   *contacts.Origins
	Statement *lookups.Statement
	// CodePicture draws an account's secret for an authenticator app as a QR code, and returns it as an image address.
	CodePicture func(secret, account string) (string, error)
}

// pages are the handlers of the room.
type pages struct {
	*web.Server
	Use
}

// Pages are the pages of the team, one's own account, notifications and signing in.
func (use Use) Pages(server *web.Server) web.Pages {
	s := pages{server, use}
	all := web.Pages{
		Templates: templates,
		Inside: map[string]web.Handler{
			"POST /equipe/origens":                           web.Decoded(s.originAdd),
			"POST /equipe/origens/{id}":                      web.Decoded(s.originRename),
			"POST /equipe/origens/{id}/tirar":                s.originRemove,
			"POST /equipe/funis":                             web.Decoded(s.funnelAdd),
			"POST /equipe/funis/{id}":                        web.Decoded(s.funnelChange),
			"POST /sair-todas":                               s.signOutEverywhere,
			"GET /notificacoes":                              web.List(s.notificationList),
			"GET /notificacoes/sino":                         web.List(web.Decoded(s.bell)),
			"POST /notificacoes/lidas":                       web.Decoded(s.notificationsRead),
			"POST /conta/senha":                              web.Decoded(s.ownPassword),
			"GET /conta":                                     s.account,
			"GET /equipe":                                    s.team("equipe"),
			"GET /equipe/funis":                              s.team("funis"),
			"GET /equipe/funis/{id}":                         s.funnelOpen,
			"GET /equipe/origens":                            s.team("origens"),
			"POST /equipe/membros":                           web.Decoded(s.memberAdd),
			"POST /equipe/membros/{id}":                      s.memberChange,
			"POST /equipe/membros/{id}/senha":                web.Decoded(s.memberPassword),
			"POST /equipe/membros/{id}/convite":              s.memberInvite,
			"GET /conta/acessos":                             s.sessionList,
			"POST /conta/acessos/{id}/encerrar":              s.sessionEnd,
			"POST /conta/acessos/outros":                     s.sessionsEnd,
			"GET " + web.FactorPath:                          s.factorShow,
			"POST " + web.FactorPath + "/codigos":            s.codesBegin,
			"POST " + web.FactorPath + "/confirmar":          web.Decoded(s.codesConfirm),
			"POST " + web.FactorPath + "/desligar":           web.Decoded(s.factorOff),
			"POST " + web.FactorPath + "/recuperacao":        web.Decoded(s.recoveryRenew),
			"POST " + web.FactorPath + "/exigir":             web.Decoded(s.factorRequire),
			"POST " + web.FactorPath + "/prova/inicio":       s.proofBegin,
			"POST " + web.FactorPath + "/chave/inicio":       web.Decoded(s.passkeyNew),
			"POST " + web.FactorPath + "/chave":              web.Decoded(s.passkeyAdd),
			"POST " + web.FactorPath + "/chave/{id}/remover": web.Decoded(s.passkeyRemove),
		},
		Open: map[string]web.Handler{
			"GET /entrar":               web.Decoded(s.signInPage),
			"POST /entrar":              web.Decoded(s.signIn),
			"POST /sair":                s.signOut,
			"GET /entrar/codigo":        web.Decoded(s.codePage),
			"POST /entrar/codigo":       web.Decoded(s.codeShown),
			"POST /entrar/chave/inicio": web.Decoded(s.passkeyBegin),
			"POST /entrar/chave":        web.Decoded(s.passkeyUsed),
			"GET /entrar/esqueci":       s.forgotPage,
			"POST /entrar/esqueci":      web.Decoded(s.forgot),
			"GET /entrar/link/{token}":  s.linkPage,
			"POST /entrar/link/{token}": web.Decoded(s.linkUsed),
		},
	}
	if s.OIDC != nil {
		all.Open["GET /entrar/oidc"] = web.Decoded(s.toProvider)
		all.Open["GET /entrar/oidc/retorno"] = web.Decoded(s.fromProvider)
	}
	return all
}
