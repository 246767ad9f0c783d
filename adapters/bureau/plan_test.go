package bureau_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fichario/adapters/bureau"
	"fichario/domain/catalog"
	"fichario/ports"
	"fichario/ports/portstest"
)

const planned = `
bureaus: { barato: barato.yaml, completo: /etc/completo.yaml, receita: brasilapi }
products:
  cpf: [barato, completo]
  score: { chain: [completo, barato], on_no_record: next, need: [score] }
  cnpj:
    chain: [receita]
    when:
      - { purpose: [credito, cobranca], chain: [completo, receita] }
      - { document: cnpj, purpose: cadastro, chain: [barato] }
`

func TestAPlan(t *testing.T) {
	t.Parallel()
	if !bureau.IsPlan([]byte(planned)) || bureau.IsPlan([]byte("name: x\nproducts: {}\n")) || bureau.IsPlan([]byte("[")) {
		t.Error("a plan is taken for a bureau file, or the other way round")
	}
	plan, err := bureau.ParsePlan([]byte(planned))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(plan), "{[barato completo receita] [barato.yaml /etc/completo.yaml brasilapi] "+
		"map[cnpj:{[receita] false [] [{[credito cobranca] [] [completo receita]} {[cadastro] [cnpj] [barato]}] <nil>} "+
		"cpf:{[barato completo] false [] [] <nil>} score:{[completo barato] true [score] [] <nil>}]}"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	compared := "bureaus: { a: a, b: b }\nproducts: { cpf: { chain: [a], compare: %s } }"
	plan, err = bureau.ParsePlan(fmt.Appendf(nil, compared, `{ bureau: b, share: 0.02, monthly: "50.00" }`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := *plan.Products["cpf"].Compare, (bureau.PlannedComparison{"b", 0.02, 500_000}); got != want {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	for text, want := range map[string]string{
		"{}":                                     "line 2: products.cpf.compare.monthly: is missing",
		"{bureau: c, share: 1, monthly: '1'}":    "products.cpf.compare.bureau: is not among the bureaus: a, b",
		"{bureau: b, share: 0, monthly: '1'}":    "products.cpf.compare.share: must be a number above 0 and at most 1",
		"{bureau: b, share: 1.01, monthly: '1'}": "products.cpf.compare.share: must be a number above 0 and at most 1",
		"{bureau: b, share: NaN, monthly: '1'}":  "products.cpf.compare.share: must be a number above 0 and at most 1",
		"{bureau: b, share: 2%, monthly: '1'}":   "products.cpf.compare.share: must be a number above 0 and at most 1",
		"{bureau: b, share: [1], monthly: '1'}":  "products.cpf.compare.share: must be a number above 0 and at most 1",
		"{bureau: b, share: 1, monthly: '0'}":    "products.cpf.compare.monthly: must be the most that comparisons may cost",
		"{bureau: b, share: 1, monthly: much}":   "products.cpf.compare.monthly: must be the most that comparisons may cost",
		"{bureau: b, share: 1, max: '1'}":        "products.cpf.compare.max: unknown key",
	} {
		if _, err := bureau.ParsePlan(fmt.Appendf(nil, compared, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"products: {}": "line 1: bureaus: is missing",
		"bureaus: {}":  "line 1: bureaus: must name at least one bureau",
		"bureaus: { a: a }\nproducts: { cpf: [b] }":                                              "line 2: products.cpf[0]: is not among the bureaus: a",
		"bureaus: { a: a }\nproducts: { cpf: [a, a] }":                                           "line 2: products.cpf[1]: is repeated",
		"bureaus: { a: a }\nproducts: { cpf: [] }":                                               "line 2: products.cpf: must name at least one bureau",
		"bureaus: { a: a }\nproducts: { cpf: {} }":                                               "line 2: products.cpf.chain: is missing",
		"bureaus: { a: a }\nproducts: { Cpf: [a] }":                                              "line 2: products.Cpf: is not a product's id",
		"bureaus: { a: a }\nproducts: { cpf: {chain: [a], on_no_record: stop} }":                 `line 2: products.cpf.on_no_record: must be "next", or be left out`,
		"bureaus: { a: a }\nproducts: { cpf: {chain: [a], when: [{chain: [a]}]} }":               "line 2: products.cpf.when[0]: needs a purpose or a document",
		"bureaus: { a: a }\nproducts: { cpf: {chain: [a], when: [{purpose: x}]} }":               "line 2: products.cpf.when[0].chain: is missing",
		"bureaus: { a: a }\nproducts: { cpf: {chain: [a], when: [{purpose: x, chain: [b]}]} }":   "line 2: products.cpf.when[0].chain[0]: is not among the bureaus: a",
		"bureaus: { a: a }\nproducts: { cpf: {chain: [a], when: [{document: rg, chain: [a]}]} }": "products.cpf.when[0].document: must be one of cpf, cnpj, placa, email",
		"bureaus: { a: a }\norder: []":                                                           "line 2: order: unknown key; allowed here: bureaus, products",
	} {
		if _, err := bureau.ParsePlan([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestBureausJoin(t *testing.T) {
	t.Parallel()
	client := func(name, cpf, score string) *bureau.Client {
		src := "name: " + name + "\nbase_url: http://127.0.0.1:1\ntimeout: 2s\nproducts:\n"
		for id, price := range map[string]string{"cpf": cpf, "score": score} {
			if price != "" {
				field := map[string]string{"cpf": "nome", "score": "score"}[id]
				src += fmt.Sprintf("  %s: { price: %q, request: { path: '/{documento}' }, fields: { %s: .x } }\n", id, price, field)
			}
		}
		f, err := bureau.Parse(name, []byte(src), nil)
		if err != nil {
			t.Fatal(err)
		}
		c := bureau.New(f)
		t.Cleanup(c.Close)
		return c
	}
	a, b := client("um", "0.30", ""), client("dois", "0.60", "1.5")
	all, err := bureau.Join([]bureau.Chained{a, b}, []string{"a", "b"}, bureau.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	said := func(all *bureau.Bureaus) string {
		var out []string
		for _, p := range all.Catalog() {
			var names []string
			for _, l := range all.Chains()[p.ID].Links {
				names = append(names, l.Name)
			}
			out = append(out, fmt.Sprint(p.ID, " ", p.Cost(), " ", names))
		}
		return strings.Join(out, "; ") + " " + all.Timeout().String()
	}
	if got, want := said(all), "cpf até R$ 0,60 [um dois]; score R$ 1,50 [dois] 4s"; strings.ReplaceAll(got, "\u00a0", " ") != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	sum := bureau.Plan{Products: map[string]bureau.PlannedChain{
		catalog.CPF: {Chain: []string{"b", "a"}, OnNoRecord: true},
	}}
	if all, err = bureau.Join([]bureau.Chained{a, b}, []string{"a", "b"}, sum); err != nil {
		t.Fatal(err)
	}
	if got, want := said(all), "cpf até R$ 0,90 [dois um]; score R$ 1,50 [dois] 4s"; strings.ReplaceAll(got, "\u00a0", " ") != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	routed := bureau.Plan{Products: map[string]bureau.PlannedChain{
		catalog.CPF: {Chain: []string{"a"}, When: []ports.Route{{Purposes: []string{"credito"}, Asked: []string{"b", "a"}}}},
	}}
	if all, err = bureau.Join([]bureau.Chained{a, b}, []string{"a", "b"}, routed); err != nil {
		t.Fatal(err)
	}
	chain := all.Chains()[catalog.CPF]
	if got := fmt.Sprint(chain.Asked, chain.Routes, chain.Names()); got != "[um] [{[credito] [] [dois um]}] [um dois]" {
		t.Error(got)
	}
	if got, want := said(all), "cpf até R$ 0,60 [um dois]; score R$ 1,50 [dois] 4s"; strings.ReplaceAll(got, "\u00a0", " ") != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	with := func(id, name string) bureau.Plan {
		return bureau.Plan{Products: map[string]bureau.PlannedChain{
			id: {Chain: []string{"b"}, Compare: &bureau.PlannedComparison{Bureau: name, Share: 1, Monthly: 10_000}},
		}}
	}
	if all, err = bureau.Join([]bureau.Chained{a, b}, []string{"a", "b"}, with("cpf", "a")); err != nil {
		t.Fatal(err)
	}
	if c := all.Chains()["cpf"].Compare; c.Link.Name != "um" || c.Link.Product.Price != 3000 || c.Monthly != 10_000 ||
		fmt.Sprint(all.Chains().All("cpf"), all.Chains().Names("cpf")) != "[dois um] [dois]" {
		t.Errorf("compared with %v", c)
	}
	// A product of one's own, with other fields in each file, and one that needs what the other does not take.
	own := func(name, rest string) *bureau.Client {
		src := "name: " + name + "\nbase_url: http://127.0.0.1:1\ntimeout: 2s\nproducts:\n  renda: { name: Renda, description: Renda., " +
			"documents: [cpf], price: '1', request: { path: '/{documento}' }, " + rest + " }\n"
		f, err := bureau.Parse(name, []byte(src), nil)
		if err != nil {
			t.Fatal(err)
		}
		c := bureau.New(f)
		t.Cleanup(c.Close)
		return c
	}
	const faixa = "fields: { faixa: { type: string, description: Faixa, value: .x } }"
	three := []bureau.Chained{
		own("x", faixa), own("y", "fields: { valor: { type: number, description: Valor, value: .x } }"),
		own("z", "inputs: { nascimento: { type: date, required: true, name: Nascimento } }, "+faixa),
	}
	for name, want := range map[string]string{
		"y": "products.renda.compare: y gives it other fields", "z": "products.renda.compare: z needs the input nascimento",
	} {
		_, err := bureau.Join(three, []string{"b", "y", "z"}, with("renda", name))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for want, plan := range map[string]bureau.Plan{
		"products.score.compare: the bureau um does not offer it; add the product to its file": with("score", "a"),
		"products.score: the bureau a does not offer it":                                       {Products: map[string]bureau.PlannedChain{"score": {Chain: []string{"a", "b"}}}},
		"products.veiculo: no bureau offers it":                                                {Products: map[string]bureau.PlannedChain{"veiculo": {Chain: []string{"a"}}}},
		`products.cpf.need: the product has no field "renda"`:                                  {Products: map[string]bureau.PlannedChain{"cpf": {Chain: []string{"a", "b"}, Need: []string{"renda"}}}},
	} {
		_, err := bureau.Join([]bureau.Chained{a, b}, []string{"a", "b"}, plan)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for name, want := range map[string]string{
		"um": `two bureau files have the name "um"`, "a,b": `the name "a,b" has a comma`,
	} {
		clients := []bureau.Chained{a, client(name, "1", "")}
		if _, err := bureau.Join(clients, []string{"a", "b"}, bureau.Plan{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// queued is a bureau that no file describes.
type queued struct{ portstest.FakeBureau }

func (*queued) Name() string { return "fila" }

func (*queued) Catalog() catalog.Catalog { return catalog.Standard()[:1] }

func (*queued) Timeout() time.Duration { return time.Second }

func (*queued) Rate() float64 { return 3 }

func (*queued) Close() {}

// TestABureauWithoutAFileJoins: it is asked like those that have one.
func TestABureauWithoutAFileJoins(t *testing.T) {
	t.Parallel()
	other := client(t, fmt.Sprintf(basic, "http://x.invalid", ""))
	all, err := bureau.Join([]bureau.Chained{other, &queued{}}, []string{"a", "b"}, bureau.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	chain := all.Chains()[catalog.CPF]
	if got := fmt.Sprint(chain.Names(), all.Rate()); got != "[teste fila] 3" {
		t.Error(got)
	}
	answer, err := chain.Links[1].Bureau.Ask(t.Context(), ports.Question{Product: chain.Links[1].Product})
	if err != nil || !answer.Found {
		t.Error(answer.Found, err)
	}
}
