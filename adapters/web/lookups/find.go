package lookups

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"fichario/adapters/web"
	"fichario/app/contacts"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/text"
)

const (
	// findFrom is the number of characters from which contacts and sheets are searched, findShown how many of each are
	// shown, and findSheets how many of the last lookups are searched.
	findFrom, findShown, findSheets = 2, 6, 40
)

// findPage is the one search over pages, actions, contacts, documents and sheets.
type findPage struct {
	Text string
	// Found is the typed document, if it is one, and Choices the products that can look it up.
	Found    document.Recognised
	Choices  []choiceLine
	Contacts []crm.ContactView
	Sheets   []lookupLine
	Places   []place
}

// Nothing reports whether the search found nothing.
func (p findPage) Nothing() bool {
	return len(p.Choices)+len(p.Contacts)+len(p.Sheets)+len(p.Places) == 0
}

// Reached is how a found contact is reached: by the number that was typed a part of, or else by e-mail.
func (p findPage) Reached(v crm.ContactView) string {
	typed, number := text.Digits(p.Text), text.Digits(v.Phone+" "+v.PhoneE164)
	if len(typed) >= findFrom && len(typed)*2 > len(p.Text) && strings.Contains(number, typed) {
		return web.PhoneText(v.PhoneE164, v.Phone)
	}
	return cmp.Or(v.Email, web.PhoneText(v.PhoneE164, v.Phone))
}

// place is a page or an action that the search leads to.
type place struct {
	Name, Address, Icon string
	// manager says that only managers see it, lookups that it needs the lookup feature.
	manager, lookups bool
	// owner says that only owners see it.
	owner bool
}

var places = []place{
	{Name: "Painel", Address: "/", Icon: "chart"},
	{Name: "Consultar", Address: "/consultar", Icon: "search", lookups: true},
	{Name: "Pacotes de produtos", Address: "/pacotes", Icon: "search", manager: true, lookups: true},
	{Name: "Lotes", Address: "/lotes", Icon: "table", lookups: true},
	{Name: "Consultas da equipe", Address: "/consultas", Icon: "table", lookups: true},
	{Name: "Extrato", Address: "/extrato", Icon: "table", lookups: true},
	{Name: "Contatos", Address: "/contatos", Icon: "contacts"},
	{Name: "Contatos de hoje", Address: "/contatos?quando=hoje", Icon: "contacts"},
	{Name: "Novo contato", Address: "/contatos/novo", Icon: "plus"},
	{Name: "Retorno: quem espera resposta", Address: "/retorno", Icon: "contacts"},
	{Name: "Importar contatos", Address: "/importacoes", Icon: "plus"},
	{Name: "Funil", Address: "/funil", Icon: "board"},
	{Name: "Webhooks", Address: "/webhooks", Icon: "webhook", manager: true},
	{Name: "Novo webhook", Address: "/webhooks/novo", Icon: "plus", manager: true},
	{Name: "Rodízios", Address: "/rodizios", Icon: "team", manager: true},
	{Name: "Chaves de API", Address: "/chaves", Icon: "key", manager: true, lookups: true},
	{Name: "Nova chave", Address: "/chaves/nova", Icon: "plus", manager: true, lookups: true},
	{Name: "Automações", Address: "/automacoes", Icon: "bolt", manager: true},
	{Name: "Nova automação", Address: "/automacoes/nova", Icon: "plus", manager: true},
	{Name: "Notificações", Address: "/notificacoes", Icon: "bell"},
	{Name: "Configurações", Address: "/configuracoes", Icon: "gear", manager: true},
	{Name: "Equipe", Address: "/equipe", Icon: "team", manager: true},
	{Name: "Funis: as etapas de cada funil", Address: "/equipe/funis", Icon: "board", manager: true},
	{Name: "Origens: a origem de cada contato", Address: "/equipe/origens", Icon: "contacts", manager: true},
	{Name: "Campos: o que um envio preenche no contato", Address: "/campos", Icon: "contacts", manager: true},
	{Name: "Bureaus", Address: "/bureaus", Icon: "company", manager: true, lookups: true},
	{Name: "Privacidade", Address: "/privacidade", Icon: "lock", owner: true},
	{Name: "Finalidades", Address: "/finalidades", Icon: "lock", owner: true},
	{Name: "Registro das operações", Address: "/privacidade/registro", Icon: "receipt", owner: true},
	{Name: "Auditoria", Address: "/auditoria", Icon: "shield", owner: true},
	{Name: "Sua conta e senha", Address: "/conta", Icon: "person"},
	{Name: "Atalhos do teclado", Address: "/atalhos", Icon: "key"},
	{Name: "Seus acessos", Address: "/conta/acessos", Icon: "shield"},
	{Name: "Segundo fator", Address: "/conta/segundo-fator", Icon: "key"},
}

// findFields is the search form. It is posted, because addresses are stored in places where a document must not be.
type findFields struct {
	Text string `form:"busca"`
}

func (s pages) findNew(c *web.Call) error { return s.find(c, findFields{}) }

func (s pages) find(c *web.Call, f findFields) error {
	p := findPage{Text: web.Shorten(typedMax, f.Text)}
	sought := text.Fold(p.Text)
	for _, one := range places {
		if (!one.manager || c.By.MayManage()) && (!one.lookups || s.LookupEnabled) &&
			(!one.owner || c.Member.Role == crm.Owner) &&
			strings.Contains(text.Fold(one.Name), sought) {
			p.Places = append(p.Places, one)
		}
	}
	if utf8.RuneCountInString(sought) >= findFrom {
		if err := s.findKept(c, &p, sought); err != nil {
			return err
		}
	}
	if c.Script() {
		return c.RenderPart("buscar", "found", p)
	}
	return c.Render("buscar", web.Page{Title: "Buscar", Nav: "buscar", Data: p, Read: true})
}

// findKept searches stored data: contacts, the last sheets, and products for a document.
func (s pages) findKept(c *web.Call, p *findPage, sought string) error {
	found, err := s.Contacts.Search(c.Ctx(), c.By, contacts.ContactSearch{Text: p.Text}, "", "", findShown)
	if err != nil {
		return err
	}
	p.Contacts = found.Contacts
	if !s.LookupEnabled {
		return nil
	}
	recognised, err := s.Recognise(c, LookupFields{Document: web.AsTyped(p.Text)}, true)
	if err != nil {
		return err
	}
	p.Found, p.Choices = recognised.Found, recognised.Choices
	recent, err := s.Sheet.Recent(c.Ctx(), c.By, findSheets)
	for _, v := range recent {
		line, typed := lookupLineOf(v), p.Found.Document
		named := line.Record != nil && strings.Contains(text.Fold(line.Name), sought)
		if len(p.Sheets) < findShown && (named || !typed.IsZero() && v.Entry.Document == typed) {
			p.Sheets = append(p.Sheets, line)
		}
	}
	return err
}
