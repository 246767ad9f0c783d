package bureau_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"fichario/adapters/bureau"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/ports"
)

const withInputs = `name: teste
base_url: %s
failed: '.nascimento != $entradas.nascimento'
products:
  cpf:
    price: "0.45"
    inputs:
      nascimento: { type: date, required: true, name: Data de nascimento }
      uf: { type: state }
      mae: { type: text, required: false }
      renda: { type: number }
    request:
      method: POST
      path: "/{documento}/{entradas.nascimento}/{entradas.uf}"
      query: { mae: "m {entradas.mae}", uf: "{entradas.uf}" }
      headers: { X-Uf: "{entradas.uf}" }
      %s
    fields: { nome: .nome, nomeMae: $entradas.mae }
`

// TestInputs: what a product needs besides the document gets to every place of a request, and what is optional and
// missing leaves no trace there.
func TestInputs(t *testing.T) {
	t.Parallel()
	form := `form: { renda: "{entradas.renda}", mae: "{entradas.mae}", n: "{entradas.nascimento}" }`
	jq := `body: '{n: $entradas.nascimento, mae: $entradas.mae, outra: $entradas.outra, doc: .documento}'`
	xml := `headers: { Content-Type: text/xml }, body: '<r n="{entradas.nascimento}">{entradas.mae}</r>'`
	full := map[string]string{"nascimento": "1980-02-29", "uf": "SP", "mae": "BIA & <EVA>", "renda": "1500.5", "outra": "x"}
	least := map[string]string{"nascimento": "1980-02-29", "mae": ""}
	for _, c := range []struct {
		name, request string
		inputs        map[string]string
		uri, header   string
		body          string
		mother        string
	}{
		{"a form", form, full, "/" + cpf + "/1980-02-29/SP?mae=m+BIA+%26+%3CEVA%3E&uf=SP", "SP",
			"mae=BIA+%26+%3CEVA%3E&n=1980-02-29&renda=1500.5", `"BIA & <EVA>"`},
		{"a form, least", form, least, "/" + cpf + "/1980-02-29/", "", "n=1980-02-29", "null"},
		{"jq", jq, full, "/" + cpf + "/1980-02-29/SP?mae=m+BIA+%26+%3CEVA%3E&uf=SP", "SP",
			`{"doc":"` + cpf + `","mae":"BIA & <EVA>","n":"1980-02-29","outra":null}`, `"BIA & <EVA>"`},
		{"jq, least", jq, least, "/" + cpf + "/1980-02-29/", "", `{"doc":"` + cpf + `","mae":null,"n":"1980-02-29","outra":null}`, "null"},
		{"XML", xml, full, "/" + cpf + "/1980-02-29/SP?mae=m+BIA+%26+%3CEVA%3E&uf=SP", "",
			`<r n="1980-02-29">BIA &amp; &lt;EVA&gt;</r>`, `"BIA & <EVA>"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				if strings.TrimSuffix(r.RequestURI, "?") != c.uri || r.Header.Get("X-Uf") != c.header || string(b) != c.body {
					t.Errorf("got %s, %q, %s", r.RequestURI, r.Header["X-Uf"], b)
				}
				_, _ = io.WriteString(w, `{"nome":"ANA","nascimento":"1980-02-29"}`)
			})
			src := fmt.Sprintf(withInputs, url, c.request)
			if c.name == "XML" {
				src = strings.Replace(src, `headers: { X-Uf: "{entradas.uf}" }`, "", 1)
				src = strings.Replace(src, ", body:", "\n      body:", 1)
			}
			cl := client(t, src)
			a, err := cl.Ask(t.Context(), ports.Question{
				Product: product(t, cl, "cpf"), Document: doc(t, document.CPF, cpf), Inputs: c.inputs,
			})
			if err != nil || !strings.Contains(string(a.Fields), `"nomeMae":`+c.mother) {
				t.Errorf("got %s, %v", a.Fields, err)
			}
		})
	}
}

// TestInputsThatAreMissing: nothing is sent without what the bureau needs.
func TestInputsThatAreMissing(t *testing.T) {
	t.Parallel()
	url, calls := serve(t, body(200, `{}`))
	c := client(t, fmt.Sprintf(withInputs, url, "body: '{}'"))
	p := product(t, c, "cpf")
	born := catalog.Input{Name: "nascimento", Type: catalog.InputDate, Required: true, Label: "Data de nascimento"}
	if len(p.Inputs) != 4 || p.Inputs[0] != born || p.Inputs[1].Required {
		t.Errorf("got %+v", p.Inputs)
	}
	for _, inputs := range []map[string]string{
		nil, {"nascimento": ""}, {"nascimento": "29/02/1980"}, {"nascimento": "1980-02-29", "uf": "São Paulo"},
		{"nascimento": "1980-02-29", "mae": "a\r\nX-Outro: b"},
	} {
		_, err := c.Ask(t.Context(), ports.Question{Product: p, Document: doc(t, document.CPF, cpf), Inputs: inputs})
		wantError(t, err, ports.NotSent, "an input is missing or not of its type")
		for _, v := range inputs {
			if v != "" && strings.Contains(err.Error(), v) {
				t.Errorf("the error shows an input: %v", err)
			}
		}
	}
	if calls.Load() != 0 {
		t.Errorf("%d calls", calls.Load())
	}
}

// TestInputsOfAChain: a product that several bureaus offer needs what any of them needs.
func TestInputsOfAChain(t *testing.T) {
	t.Parallel()
	join := func(inputs ...string) (*bureau.Bureaus, error) {
		var clients []bureau.Chained
		var names []string
		for i, in := range inputs {
			name := fmt.Sprint("bureau", i)
			src := strings.Replace(fmt.Sprintf(basic, "http://x.invalid", ""), "name: teste", "name: "+name, 1)
			src = strings.Replace(src, "    request:", "    inputs: "+in+"\n    request:", 1)
			clients, names = append(clients, client(t, src)), append(names, name)
		}
		return bureau.Join(clients, names, bureau.Plan{})
	}
	b, err := join("{}", "{uf: {type: state}, a: {type: text}}", "{b: {type: date, required: true}, uf: {type: state, required: true}}")
	if err != nil {
		t.Fatal(err)
	}
	p, _ := b.Catalog().Find("cpf")
	want := []catalog.Input{
		{Name: "uf", Type: catalog.InputState, Required: true}, {Name: "a", Type: catalog.InputText},
		{Name: "b", Type: catalog.InputDate, Required: true},
	}
	if !slices.Equal(p.Inputs, want) {
		t.Errorf("got %+v", p.Inputs)
	}
	if _, err := join("{uf: {type: state}}", "{uf: {type: text}}"); err == nil || !strings.Contains(err.Error(), "inputs.uf") {
		t.Errorf("two types: %v", err)
	}
}
