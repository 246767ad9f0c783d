// Package intake holds the pages of webhooks and their deliveries.
package intake

import (
	"embed"

	"fichario/adapters/web"
	"fichario/app/contacts"
	"fichario/app/intake"
)

//go:embed *.html
var templates embed.FS

// Use are the use cases of these pages.
type Use struct {
	Intake    *intake.Intake
	Leads     *intake.Leads
	Origins   *contacts.Origins
	Rotations *contacts.Rotations
	Webhooks  *intake.Webhooks
}

// pages are the handlers of the room.
type pages struct {
	*web.Server
	Use
}

// Pages are the pages of webhooks and their deliveries.
func (use Use) Pages(server *web.Server) web.Pages {
	s := pages{server, use}
	return web.Pages{
		Templates: templates,
		Inside: map[string]web.Handler{
			"GET /campos":                             web.List(s.fieldList),
			"GET /webhooks":                           web.List(s.webhookList),
			"POST /webhooks":                          web.Decoded(s.webhookCreate),
			"GET /webhooks/novo":                      s.webhookNew,
			"GET /webhooks/{id}":                      web.List(web.Decoded(s.webhookShow)),
			"POST /webhooks/{id}":                     web.Decoded(s.webhookUpdate),
			"GET /webhooks/{id}/editar":               s.webhookEdit,
			"POST /webhooks/{id}/ligar":               web.Decoded(s.webhookEnable),
			"POST /webhooks/{id}/paginas":             web.Decoded(s.pagesConnect),
			"POST /webhooks/{id}/paginas/desconectar": web.Decoded(s.pagesDisconnect),
			"POST /webhooks/{id}/regenerar":           web.Decoded(s.webhookRegenerate),
			"POST /webhooks/{id}/testar":              web.Decoded(s.webhookTry),
			"POST /webhooks/{id}/refazer":             s.webhookReplay,
			"GET /entregas/{entrega}":                 web.Decoded(s.deliveryShow),
			"POST /entregas/{entrega}/refazer":        s.deliveryReplay,
			"POST /entregas/{entrega}/campo":          web.Decoded(s.deliveryEmail),
			"POST /entregas/{entrega}/contato":        web.Decoded(s.deliveryByHand),
		},
	}
}
