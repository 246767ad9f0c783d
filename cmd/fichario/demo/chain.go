package demo

import (
	"context"

	outbound "fichario/adapters/automation"
	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/automations"
	"fichario/app/contacts"
	intakeapp "fichario/app/intake"
	"fichario/cmd/fichario/command"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/intake"
)

// demoScore is the score from which the demonstration calls a contact qualified.
const demoScore = "600"

// demoChain makes a chain of automations from lead to decision: it looks up a contact's CNPJ and score within a budget;
// above demoScore the contact moves to Qualificado and goes to a senior seller, below it gets a note. Two contacts go
// through it once the service works.
func demoChain(ctx context.Context, store *gormstore.Store, offered catalog.Catalog) error {
	by := app.Operator()
	hook, token, err := intakeapp.NewWebhooks(store, command.Now).Create(ctx, by, intakeapp.NewWebhook{
		OrgID: demoOrg, Name: "Pedido de crédito", Options: intake.Options{Kind: intake.Generic},
	})
	if err != nil {
		return err
	}
	helena, err := demoMember(ctx, store, "helena@demo.example")
	if err != nil {
		return err
	}
	if err := demoStage(ctx, contacts.NewFunnels(store, command.Now), helena); err != nil {
		return err
	}
	rules := automations.New(store, command.Now, automations.Means{Conditions: outbound.NewConditions(), Catalog: offered})
	for _, n := range []automations.NewAutomation{
		{
			Name: "Consultar a Receita", Event: automation.ContactCreated, Action: automation.Lookup, Product: catalog.CNPJ, Purpose: "cadastro",
			Ceiling: 50 * catalog.Real, WebhookID: hook.ID,
		},
		{
			Name: "Consultar o score", Event: automation.LookupCompleted, When: `.produto == "cnpj" and .contato != null`,
			Action: automation.Lookup, Product: catalog.ScoreID, Purpose: "credito", Ceiling: 50 * catalog.Real,
		},
		{
			Name: "Qualificar", Event: automation.LookupCompleted, Action: automation.MoveStage, Stage: "Qualificado",
			When: `.produto == "score" and .contato != null and .campos.score >= ` + demoScore,
		},
		{
			Name: "Vendedor sênior", Event: automation.ContactMoved, When: `.etapa == "Qualificado"`,
			Action: automation.Assign, Member: "caio@demo.example",
		},
		{
			Name: "Score baixo", Event: automation.LookupCompleted, Action: automation.AddNote,
			When: `.produto == "score" and .contato != null and (.campos.score != null and .campos.score < ` + demoScore + `)`,
			Text: "Score abaixo de " + demoScore + ": pedir garantia antes de propor a {nome}.",
		},
	} {
		n.OrgID = demoOrg
		if _, err := rules.Add(ctx, by, n); err != nil {
			return err
		}
	}
	for _, lead := range []map[string]string{
		{"nome": "Teresa Quintanilha", "email": "teresa@quintanilha.example", "empresa": "Quintanilha Embalagens",
			"cnpj": "90.025.108/0001-21", "valor": "R$ 64.000", "mensagem": "Queremos comprar a prazo."},
		{"nome": "Abel Sarmento", "email": "abel@sarmento.example", "empresa": "Sarmento Pisos",
			"cnpj": "90.025.255/0001-00", "valor": "R$ 12.500", "mensagem": "Dá para parcelar?"},
	} {
		if _, err := demoPost(ctx, store, token, command.Now(), lead); err != nil {
			return err
		}
	}
	return nil
}

// demoStage inserts the stage Qualificado after the first two.
func demoStage(ctx context.Context, stages *contacts.Funnels, by app.Caller) error {
	const name, place = "Qualificado", 2
	funnels, err := stages.List(ctx, by, demoOrg)
	if err != nil {
		return err
	}
	if err := stages.AddStage(ctx, by, funnels[0].ID, name); err != nil {
		return err
	}
	if funnels, err = stages.List(ctx, by, demoOrg); err != nil {
		return err
	}
	last := len(funnels[0].Stages) - 1
	return stages.PlaceStage(ctx, by, funnels[0].ID, funnels[0].Stages[last].ID, place)
}
