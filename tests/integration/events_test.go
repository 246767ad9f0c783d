package integration

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/contracttest"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// eventSchemas are the contract's schemas for the data of each event.
var eventSchemas = map[string]string{
	"contact.created": "EventContact", "contact.updated": "EventContactUpdated", "contact.moved": "EventContactMoved",
	"lookup.completed": "EventLookup", "batch.completed": "EventBatch", "cap.reached": "EventCap",
	"delivery.refused": "EventDelivery",
}

// toldOf lists the events that a system received, by type and essential data, each checked against the contract.
func toldOf(t *testing.T, receiver *intaketest.Receiver) (told []string) {
	t.Helper()
	doc, err := contracttest.Contract()
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range receiver.Calls() {
		var event struct {
			Type string
			Data map[string]any
		}
		if err := json.Unmarshal(call.Body, &event); err != nil {
			t.Fatal(err)
		}
		if err := doc.Components.Schemas[eventSchemas[event.Type]].Value.VisitJSON(event.Data); err != nil {
			t.Errorf("%s does not fit the contract: %v", event.Type, err)
		}
		what := event.Type
		for _, name := range []string{"situacao", "periodo", "percentual", "codigo", "etapaAnterior"} {
			if value, is := event.Data[name]; is {
				what += fmt.Sprint(" ", value)
			}
		}
		told = append(told, what)
	}
	slices.Sort(told)
	return told
}

// TestEvents: listening systems are told of every event once, in the contract's form, and the team of what it has to
// know.
func TestEvents(t *testing.T) {
	t.Parallel()
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		receiver := intaketest.StartReceiver(t, nil)
		env = maps.Clone(env)
		env["FICHARIO_ALLOW_PRIVATE_TARGETS"] = "true"
		p := intaketest.StartProduct(t, env)
		o, s := p.Leads, p.Lookups
		for event := range eventSchemas {
			o.Automate("Contar "+event, "http", "--url", receiver.URL, "--event", event)
		}
		o.Automate("Consultar", "lookup", "--product", "cnpj", "--monthly-ceiling", "0.50")
		o.Automate("Mover", "move_stage", "--stage", "Proposta", "--event", "lookup.completed", "--when", ".contato != null")
		o.Automate("Anotar", "add_note", "--text", "Oi", "--event", "contact.moved")
		hook := o.NewHook("Crédito", "generic")
		for i, cnpj := range []string{"11.222.333/0001-81", "00.000.000/0001-91", "90.021.382/0001-22"} {
			o.Accept(hook, fmt.Sprintf(`{"nome":"Bia %s","email":"%s","cnpj":"%s"}`, intaketest.Surname,
				intaketest.Email(fmt.Sprint("bia", i)), cnpj))
		}
		expect(t, "without an address", o.Post(hook, `{"nome":"sem correio"}`).Status, 400)

		key, docs := s.NewKey(600, 5, 1000).Key, lookuptest.CPFs(71, 8)
		for _, d := range docs {
			s.Hide(d)
		}
		body := func(docs []string, more string) string {
			return `{"produto":"cpf","nome":"Carteira","documentos":` + lookuptest.List(docs) + more + `}`
		}
		s.BatchOf(s.Quote(key, body(docs, "")))
		first := s.BatchOf(s.Quote(key, body(docs[:2], `,"teto":9,"confirmar":true`)))
		s.AwaitBatch(key, first.ID, "it is done", func(b lookuptest.Batch) bool { return b.Situacao == "concluido" })
		second := s.BatchOf(s.Quote(key, body(docs[2:], `,"teto":9,"confirmar":true`)))
		capped := func(b lookuptest.Batch) bool { return b.Motivo == "limite_diario" && b.Progresso.Feitos == 3 }
		s.AwaitBatch(key, second.ID, "it waits", capped)
		s.Move(key, second.ID, "retomar", "")
		s.AwaitBatch(key, second.ID, "it waits again", capped)
		s.Move(key, second.ID, "cancelar", "")

		want := []string{
			"batch.completed cancelado", "batch.completed concluido", "cap.reached dia 100", "cap.reached dia 80",
			"contact.created", "contact.created", "contact.created", "contact.moved Novo", "contact.updated",
			"delivery.refused email_invalido",
		}
		want = append(want, slices.Repeat([]string{"lookup.completed"}, 5+1)...)
		o.Eventually("all is told", func() bool { return len(receiver.Calls()) >= len(want) })
		o.Settled(len(want) + 3 + 6 + 1) // and the lookups of leads, automations on lookups, and the note
		expect(t, "told", strings.Join(toldOf(t, receiver), "\n"), strings.Join(want, "\n"))
		notes := map[string]int{}
		for _, n := range o.Notifications() {
			notes[n.Titulo]++
			expect(t, n.Titulo+" leads to a batch", n.Lote != "", strings.HasPrefix(n.Titulo, "Lote"))
		}
		expect(t, "the team", notes, map[string]int{
			"Novo contato": 3, "Limite de uma chave": 2, "Teto de uma automação": 1, "Lote encerrado": 2, "Lote pausado": 1,
		})
		if out := s.Command("doctor"); strings.Contains(out, "BROKEN") {
			t.Error(out)
		}
	})
}
