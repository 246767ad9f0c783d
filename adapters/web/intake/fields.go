package intake

import (
	"fichario/adapters/web"
	"fichario/domain/crm"
)

// webhooksOfFields is how many webhooks a page of the fields has.
const webhooksOfFields = 30

// fieldsPage says what a contact's fields are filled with, and what each webhook changes of that.
type fieldsPage struct {
	web.Paged[webhookLine]
	Fields []fieldOrigin
}

// fieldOrigin is a field of a contact, and what fills it.
type fieldOrigin struct{ Name, From string }

// fieldOrigins are all fields, in the order of a contact's page.
var fieldOrigins = []fieldOrigin{
	{web.ContactWords["email"], "“email”, “seu melhor e-mail” e outros assim, ou o campo que o webhook nomear. " +
		"Sem ele o envio é recusado e guardado."},
	{web.ContactWords["nome"], "“nome”, “nome completo”, “name”, ou nome e sobrenome em dois campos."},
	{web.ContactWords["telefone"], "“telefone”, “celular”, “WhatsApp”, “phone”."},
	{web.ContactWords["empresa"], "“empresa”, “razão social”, “company”."},
	{web.ContactWords["documentos"], "“CPF”, “CNPJ”, “documento”; em outro campo, só escrito com os pontos. " +
		"Os dígitos têm de conferir."},
	{web.ContactWords["valor"], "“valor”, “orçamento”, “preço”. De uma faixa, o que o webhook disser."},
	{web.ContactWords["origem"], "A fixa do webhook; senão a que vier, se for uma das origens da organização."},
	{"Consentimento", "A caixa que a pessoa marcou, com o texto dela."},
	{web.ContactWords["nota"], "A mensagem, e toda resposta que não é de outro campo, com a pergunta."},
}

// BandName is what a range in a post becomes as a value, for people.
func (l webhookLine) BandName() string { return web.BandNames[string(l.Band)] }

// fieldList is the setting of fields: they are the same for every organisation, and what may be set of them is set for
// a webhook.
func (s pages) fieldList(c *web.Call) error {
	hooks, err := s.Webhooks.List(c.Ctx(), c.By, c.By.OrgID())
	if err != nil {
		return err
	}
	var origins []crm.Origin
	if origins, err = s.Origins.List(c.Ctx(), c.By, c.By.OrgID()); err != nil {
		return err
	}
	lines := make([]webhookLine, len(hooks))
	for i, w := range hooks {
		lines[i] = webhookLine{Webhook: w, Origin: nameOfOrigin(origins, w.OriginID)}
	}
	return c.Render("campos", web.Page{
		Title: "Campos", Nav: "configuracoes", Setting: "campos", Wide: true,
		Data: fieldsPage{web.PageOf(c, "/campos", lines, webhooksOfFields), fieldOrigins},
	})
}
