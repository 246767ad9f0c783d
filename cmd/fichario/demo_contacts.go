package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/intake"
	"fichario/domain/webhook"
)

// demoLead is an invented person who filled in a form some time ago.
type demoLead struct {
	hours                                       int // ago
	name, email, phone, company, value, message string
	origin                                      string
	stage, assignee                             string // moved and given by hand afterwards; empty leaves as it came
}

// demoLeads are two weeks of them, the oldest first.
var demoLeads = []demoLead{
	{334, "Otávio Brandolim", "otavio@padariatrigo.example", "(11) 90012-0101", "Padaria Trigo Velho", "R$ 18.000", "Quero trocar a operadora de cartão.", "Instagram", "Ganho", ""},
	{330, "Cecília Nogueira Prado", "cecilia@clinicaipe.example", "(19) 90012-0102", "Clínica Ipê", "42.500", "Preciso de crédito para equipamento.", "Indicação", "Negociação", ""},
	{318, "Davi Montenegro Reis", "davi@montenegrofretes.example", "(31) 90012-0103", "Montenegro Fretes", "7,3 mil", "", "Google", "Perdido", ""},
	{300, "Iracema Vasconcelos", "iracema@vasconcelos.example", "(85) 90012-0104", "Vasconcelos Engenharia", "R$ 96.000,00", "Temos três obras começando em janeiro.", "Indicação", "Proposta", ""},
	{290, "Tarcísio Queiroga", "tarcisio@queiroga.example", "(83) 90012-0105", "Queiroga Alimentos", "R$ 31.200", "", "Google", "Em contato", "caio@demo.example"},
	{266, "Bianca Lustosa", "bianca@lustosa.example", "(21) 90012-0106", "", "2.400", "Prazo: até dezembro.", "Instagram", "Em contato", ""},
	{250, "Rafael Pimenta Sá", "rafael@pimenta.example", "(48) 90012-0107", "Pimenta Móveis", "15k", "", "Google", "Ganho", "caio@demo.example"},
	{243, "Joana d'Arc Feitosa", "joana@feitosa.example", "(62) 90012-0108", "Feitosa Contábil", "R$ 990", "Quero proposta de BPO financeiro.", "Google", "Proposta", ""},
	{221, "Plínio Arruda", "plinio@arruda.example", "(65) 90012-0109", "Arruda Agro", "R$ 120.000", "Safra de soja, capital de giro.", "Indicação", "Negociação", "caio@demo.example"},
	{218, "Thaís Araújo Lima", "thais@macaverde.example", "(51) 90012-0110", "Ateliê Maçã Verde", "8.900", "40 peças até o fim do mês.", "Instagram", "Em contato", ""},
	{197, "Sebastião Corrêa", "sebastiao@correa.example", "(11) 90012-0111", "Corrêa Transportes", "12.500,00", "Carga saindo de Guarulhos.", "Google", "Perdido", ""},
	{190, "Luzia Brandão", "luzia@doces.example", "(71) 90012-0112", "Doces da Luzia", "1.500", "Vocês atendem Salvador?", "Instagram", "Em contato", ""},
	{172, "Márcio Ibañez", "marcio@ibanez.example", "(41) 90012-0113", "Ibañez & Filhos", "", "Preço de 100 unidades.", "Google", "", ""},
	{169, "Gislaine Teixeira", "gislaine@teixeira.example", "(32) 90012-0114", "", "R$ 3.700", "", "Google", "Proposta", "caio@demo.example"},
	{150, "Alcione Dantas", "alcione@dantas.example", "(84) 90012-0115", "Dantas Turismo", "25 mil", "", "Indicação", "Em contato", ""},
	{146, "Nivaldo Bulhões", "nivaldo@bulhoes.example", "(82) 90012-0116", "", "", "Tenho interesse no imóvel 302.", "Google", "", ""},
	{124, "Antônia Peçanha", "antonia@tresirmaos.example", "(24) 90012-0117", "Construtora Três Irmãos", "R$ 64.000,50", "Preciso de visita técnica.", "Instagram", "Negociação", ""},
	{122, "Ulisses Farias", "ulisses@saagro.example", "(98) 90012-0118", "Sá Agro", "1,5 mi", "Cliente do Renato.", "Indicação", "Proposta", ""},
	{101, "Patrícia Gusmão", "patricia@gusmaoeventos.example", "(61) 90012-0119", "Gusmão Eventos", "10k", "", "Instagram", "", "caio@demo.example"},
	{98, "Lázaro Ramires", "lazaro@ramires.example", "(67) 90012-0120", "", "R$ 4.200", "Segue a planta por e-mail.", "Google", "Em contato", ""},
	{77, "Nádia Campos", "nadia@campos.example", "(11) 90012-0121", "Campos Papelaria", "R$ 2.150", "", "Google", "", ""},
	{74, "Hélio Sampaio", "helio@sampaio.example", "(15) 90012-0122", "", "", "Falar depois das 14 h.", "Instagram", "", ""},
	{53, "Olívia Castanheira", "olivia@castanheira.example", "(92) 90012-0123", "Castanheira Cosméticos", "R$ 28.000", "", "Instagram", "Em contato", ""},
	{50, "Ivo Mascarenhas", "ivo@mascarenhas.example", "(75) 90012-0124", "Mascarenhas Autopeças", "17.300", "", "Google", "", "caio@demo.example"},
	{47, "Zuleica Portela", "zuleica@portela.example", "(27) 90012-0125", "", "R$ 890", "", "Instagram", "", ""},
	{29, "Benício Valadares", "benicio@valadares.example", "(33) 90012-0126", "Valadares Laticínios", "R$ 52.000", "Linha para ampliar a câmara fria.", "Indicação", "Em contato", ""},
	{26, "Elisa Tavares Rocha", "elisa@rocha.example", "(16) 90012-0127", "", "5 mil", "", "Google", "", ""},
	{20, "Gael Bittencourt", "gael@bittencourt.example", "(47) 90012-0128", "Bittencourt Têxtil", "R$ 73.400", "", "Google", "", ""},
	{4, "", "compras@serraria.example", "(49) 90012-0129", "Serraria Pinho Bom", "", "Quero receber a tabela.", "Google", "", ""},
	{1, "Yara Figueiredo", "yara@figueiredo.example", "(95) 90012-0130", "Figueiredo Energia Solar", "R$ 38.900", "Instalação em duas unidades.", "Instagram", "", ""},
}

// demoContacts fills the funnel of the demonstration: contacts over two weeks by two
// webhooks, some moved on and given to others, refused posts, and automations of which
// one cannot succeed. It returns the contacts' ids.
func demoContacts(ctx context.Context, store *gormstore.Store) (ids []string, err error) {
	by := app.Operator()
	hooks := app.NewWebhooks(store, now)
	known, err := hooks.List(ctx, by, demoOrg)
	if err != nil || len(known) == 0 {
		return nil, err
	}
	site, err := hooks.Show(ctx, by, known[0].ID)
	if err != nil {
		return nil, err
	}
	_, form, err := hooks.Create(ctx, by, app.NewWebhook{OrgID: demoOrg, Name: "Pesquisa Tally", Options: intake.Options{Kind: intake.FormService}})
	if err != nil {
		return nil, err
	}
	if err := demoAutomations(ctx, store); err != nil {
		return nil, err
	}
	helena, err := demoMember(ctx, store, "helena@demo.example")
	if err != nil {
		return nil, err
	}
	for i, l := range demoLeads {
		token := site.Token
		if i%3 == 1 {
			token = form
		}
		if i == len(demoLeads)-1 {
			if err := demoRefused(ctx, store, site.Token); err != nil {
				return nil, err
			}
		}
		at := now().Add(-time.Duration(l.hours) * time.Hour)
		id, err := demoPost(ctx, store, token, at, map[string]string{
			"nome": l.name, "email": l.email, "telefone": l.phone, "empresa": l.company, "valor": l.value, "mensagem": l.message, "origem": l.origin,
		})
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
		later := at.Add(time.Duration(min(i%7+2, l.hours)) * time.Hour)
		people := app.NewContacts(store, func() time.Time { return later })
		if err := demoMove(ctx, store, people, helena, id, l); err != nil {
			return nil, err
		}
		if l.hours >= demoUnread {
			if err := app.NewNotifications(store).ReadAll(ctx, helena, demoOrg, helena.MemberID()); err != nil {
				return nil, err
			}
		}
	}
	return ids, nil
}

// demoUnread is how many hours back notifications are not read yet.
const demoUnread = 30

// demoRefused sends two forms that are refused.
func demoRefused(ctx context.Context, store *gormstore.Store, token webhook.Token) error {
	for _, fields := range []map[string]string{
		{"nome": "Sem Correio", "telefone": "11 90012-0131", "email": "não tenho"}, {"nome": "Bruna Salles", "fone": "85 90061-0140", "prazo": "até dezembro"},
	} {
		if _, err := demoPost(ctx, store, token, now().Add(-3*time.Hour), fields); err != nil && !app.IsRefusal(err) {
			return err
		}
	}
	return nil
}

// demoPost sends a form to a webhook at a time that is past, and returns the contact.
func demoPost(ctx context.Context, store *gormstore.Store, token webhook.Token, at time.Time, fields map[string]string) (string, error) {
	body, err := json.Marshal(fields)
	if err != nil {
		return "", err
	}
	inbox := app.NewIntake(store, func() time.Time { return at }, func() {})
	hook, err := inbox.Open(ctx, token.Reveal())
	if err != nil {
		return "", err
	}
	made, err := inbox.Receive(ctx, hook, app.Post{Headers: []intake.Pair{{Key: "content-type", Value: "application/json"}}, Body: body, Signed: body})
	return made.ContactID, err
}

func demoMember(ctx context.Context, store *gormstore.Store, email string) (app.Caller, error) {
	all, err := members(store).List(ctx, app.Operator(), demoOrg)
	if err != nil {
		return app.Caller{}, err
	}
	for _, m := range all {
		if m.Email == email {
			return app.ByMember(m), nil
		}
	}
	return app.Caller{}, fmt.Errorf("the demonstration has no member %s", strings.Split(email, "@")[0])
}

func demoMove(ctx context.Context, store *gormstore.Store, people *app.Contacts, by app.Caller, id string, l demoLead) error {
	if l.stage != "" {
		funnels, err := app.NewFunnels(store, now).List(ctx, by)
		if err != nil {
			return err
		}
		for _, s := range funnels[0].Stages {
			if s.Name == l.stage {
				if _, err := people.Move(ctx, by, id, s.ID); err != nil {
					return err
				}
			}
		}
	}
	if l.assignee == "" {
		return nil
	}
	other, err := demoMember(ctx, store, l.assignee)
	if err != nil {
		return err
	}
	return people.Assign(ctx, by, id, other.MemberID())
}

// demoAutomations makes three automations; the third calls an address that is never
// allowed, so that the demonstration shows a run that was given up.
func demoAutomations(ctx context.Context, store *gormstore.Store) error {
	rules := app.NewAutomations(store, now)
	for _, n := range []app.NewAutomation{
		{Name: "Lembrete do Instagram", Action: automation.AddNote, Text: "Responder {nome} no direct antes de ligar.", Origin: "Instagram"},
		{Name: "Contas grandes para o Caio", Action: automation.Assign, Member: "caio@demo.example", MinAmount: 100_000 * catalog.Real},
		{Name: "Avisar o ERP", Action: automation.HTTP, URL: "http://192.168.0.10/leads", MinAmount: 90_000 * catalog.Real},
	} {
		n.OrgID, n.Event = demoOrg, automation.ContactCreated
		if _, err := rules.Add(ctx, app.Operator(), n); err != nil {
			return err
		}
	}
	return nil
}
