package agents

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/agents"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/lookup"
)

// aSession is one of a key that may look up people, at a bureau whose product takes inputs.
func aSession() *session {
	ceiling := catalog.Real
	product := catalog.Product{
		ID: "renda", Name: "Renda", Documents: []document.Type{document.CPF}, Price: ceiling,
		Fields: []catalog.Field{{Name: "nome", Kind: catalog.String}},
		Inputs: []catalog.Input{
			{Name: "nascimento", Label: "Data de nascimento", Type: catalog.InputDate, Required: true},
			{Name: "uf", Type: catalog.InputState},
		},
	}
	key := access.Key{Scopes: []document.Type{document.CPF}}
	return &session{
		Config: Config{Terms: lookups.NewTerms(catalog.Catalog{product}, time.Minute, time.Hour, access.Calendar{})},
		Asking: Asking{By: app.ByKey(&key), Session: agents.Session{Ceiling: &ceiling}},
	}
}

// marshalled is a value as an agent gets it.
func marshalled(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestAnAgentSendsInputs as the API takes them, and is told which there are.
func TestAnAgentSendsInputs(t *testing.T) {
	t.Parallel()
	s := aSession()
	tool := s.lookupTool()
	for sent, want := range map[string]map[string]string{
		`{"nascimento":"1980-02-29","n":1.50}`: {"nascimento": "1980-02-29", "n": "1.50"}, `null`: nil, `{}`: nil,
		`{"nascimento":"1980-02-29","nascimento":"1981-02-28"}`: nil, `["x"]`: nil,
	} {
		var args lookupArgs
		if err := decode(json.RawMessage(`{"produto":"renda","documento":"52998224725","entradas":`+sent+`}`), &args, tool); err != nil {
			t.Fatal(err)
		}
		req, err := s.request(args)
		if wrong := strings.Count(sent, "nascimento") > 1 || sent == `["x"]`; wrong != (fault.CodeOf(err) == fault.InvalidRequest) {
			t.Errorf("%s: %v", sent, err)
		}
		if !maps.Equal(req.Inputs, want) {
			t.Errorf("%s: %v", sent, req.Inputs)
		}
	}
	const told = "renda: nascimento (date, required), uf (state)"
	if schema := marshalled(t, tool.InputSchema); !strings.Contains(schema, told) {
		t.Errorf("the schema does not say %q: %s", told, schema)
	}
	products, err := s.products(t.Context(), struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	const listed = `"entradas":[{"nome":"nascimento","tipo":"date","obrigatoria":true,"descricao":"Data de nascimento"},` +
		`{"nome":"uf","tipo":"state","obrigatoria":false,"descricao":"Uf"}]`
	if got := marshalled(t, products); !strings.Contains(got, listed) {
		t.Errorf("products: %s", got)
	}
}

// TestAnAgentSeesWhoAnswered, as a client of the API does.
func TestAnAgentSeesWhoAnswered(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	r := lookups.Result{Record: lookup.Record{Fields: []byte(`{"nome":"Ana"}`), Bureau: "completo"}}
	got := string(aSession().result(r, nil, false))
	if !strings.Contains(got, `"bureau":"completo"`) || strings.Contains(got, "fontes") {
		t.Errorf("one bureau: %s", got)
	}
	r.Record.Sources = map[string]lookup.Source{"nome": {Bureau: "barato", At: at}}
	const sources = `"fontes":{"nome":{"bureau":"barato","em":"2026-11-20T12:00:00Z"}}`
	if got := string(aSession().result(r, nil, false)); !strings.Contains(got, sources) {
		t.Errorf("two bureaus: %s", got)
	}
	line := marshalled(t, entryOf(lookup.Entry{Bureau: "barato", FollowedID: "x"}, false))
	if !strings.Contains(line, `"bureau":"barato","seguida":"x"`) {
		t.Errorf("statement: %s", line)
	}
}

// TestAnAgentIsToldWhatIsLeft also where the bureau answers later, and how to ask again within what is left.
func TestAnAgentIsToldWhatIsLeft(t *testing.T) {
	t.Parallel()
	spent := catalog.Real * 4 / 5
	got := marshalled(t, aSession().pending(lookups.Result{Entry: lookup.Entry{ID: "x", Status: lookup.Running}}, &spent))
	for _, part := range []string{`"consultaId":"x"`, `"sessao":{"gasto":0.8,"restante":0.2,"teto":1}`, "somenteHistorico"} {
		if !strings.Contains(got, part) {
			t.Errorf("%s is not in %s", part, got)
		}
	}
}

// TestAContactIsMasked: people write their CPF into any field.
func TestAContactIsMasked(t *testing.T) {
	t.Parallel()
	const cpf = "52998224725"
	got := marshalled(t, contactOf(crm.ContactView{
		Contact: crm.Contact{Name: "Ana " + cpf, Email: cpf + "@example.com", Company: cpf, Phone: "(11) 98765-4321"},
		Stage:   "A " + cpf, Funnel: "B " + cpf, Assignee: crm.Member{Name: "C " + cpf},
	}))
	if strings.Contains(got, cpf) || strings.Count(got, "***.982.247-**") != 6 || !strings.Contains(got, "98765-4321") {
		t.Error(got)
	}
}
