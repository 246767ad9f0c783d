package sandbox_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"fichario/adapters/bureau"
	"fichario/adapters/sandbox"
	"fichario/domain/document"
	"fichario/ports"
)

func asked(t *testing.T, c *bureau.Client, product string, d document.Document) (ports.Answer, *ports.BureauError) {
	t.Helper()
	p, ok := c.Catalog().Find(product)
	if !ok {
		t.Fatalf("no product %s", product)
	}
	a, err := c.Ask(t.Context(), ports.Question{Product: p, Document: d})
	var failure *ports.BureauError
	if err != nil && !errors.As(err, &failure) {
		t.Fatal(err)
	}
	return a, failure
}

func TestPricesOfTheBureaus(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		sandbox.Plain: {"0.45", "2.075"}, sandbox.Complete: {"0.9", "4.15"}, sandbox.Cheap: {"0.225", "1.0375"},
	} {
		c := clientOf(t, sandbox.New(), name)
		cpf, _ := c.Catalog().Find("cpf")
		protests, _ := c.Catalog().Find("protestos")
		if got := [2]string{cpf.Price.String(), protests.Price.String()}; got != want || c.Name() != name {
			t.Errorf("%s, named %s, costs %v; want %v", name, c.Name(), got, want)
		}
	}
}

// TestTheCompleteBureau: it knows of every document all there is but when the living die.
func TestTheCompleteBureau(t *testing.T) {
	t.Parallel()
	c := clientOf(t, sandbox.New(), sandbox.Complete)
	documents := []sandbox.Script{
		{Type: document.CPF, Document: "11144477735"}, {Type: document.CNPJ, Document: "12345678000195"},
		{Type: document.Plate, Document: "XYZ9876"}, {Type: document.Email, Document: "bia@exemplo.com.br"},
	}
	for _, s := range append(documents, sandbox.Scripts()...) {
		for _, p := range c.Catalog() {
			if !p.Takes(s.Type) {
				continue
			}
			a, failure := asked(t, c, p.ID, parse(t, s.Type, s.Document))
			if failure != nil || !a.Found {
				t.Errorf("%s of %s: found %t, %v", p.ID, s.Document, a.Found, failure)
				continue
			}
			named := fields(t, a)
			for name, v := range named {
				if v == nil && name != "obitoEm" {
					t.Errorf("%s of %s: %s is null", p.ID, s.Document, name)
				}
			}
			phones, _ := named["telefones"].([]any)
			for _, phone := range phones {
				if phone.(map[string]any)["whatsapp"] == nil {
					t.Errorf("%s of %s: a phone without a word about WhatsApp", p.ID, s.Document)
				}
			}
		}
	}
}

func TestTheCheapBureau(t *testing.T) {
	t.Parallel()
	all := sandbox.New()
	cheap, plain := clientOf(t, all, sandbox.Cheap), clientOf(t, all, sandbox.Plain)
	for _, s := range sandbox.Scripts() {
		if s.Only == "" {
			continue
		}
		d := parse(t, s.Type, s.Document)
		if a, failure := asked(t, plain, string(s.Type), d); failure != nil || !a.Found {
			t.Errorf("%s is not ordinary at the other bureau: %v", s.Document, failure)
		}
		a, failure := asked(t, cheap, string(s.Type), d)
		switch s.Effect {
		case sandbox.Gaps:
			if named := fields(t, a); failure != nil || named["telefones"] != nil || named["situacaoCadastral"] == nil {
				t.Errorf("gaps: %v, %v", named, failure)
			}
		case sandbox.TooMany:
			if failure == nil || failure.Outcome != ports.NotCharged || failure.RetryAfter == 0 {
				t.Errorf("429: %v", failure)
			}
			cheap = clientOf(t, all, sandbox.Cheap) // that one is left alone for a second
		case sandbox.NoCredit:
			if failure == nil || failure.Outcome != ports.Exhausted || failure.Renews {
				t.Errorf("402: %v", failure)
			}
		default:
			t.Errorf("untested: %s", s.Effect)
		}
	}
	gaps := 0
	for _, text := range []string{"11144477735", "39053344705", "12345678909", "98765432100", "45317828791", "86288366757"} {
		a, failure := asked(t, cheap, "cpf", parse(t, document.CPF, text))
		if failure != nil {
			t.Fatal(failure)
		}
		if fields(t, a)["telefones"] == nil {
			gaps++
		}
	}
	if gaps == 0 || gaps == 6 {
		t.Errorf("%d of 6 persons have gaps", gaps)
	}
}

// TestACaseOfOneBureau: the bureaus share a script and a ledger, and each goes through a sequence by itself.
func TestACaseOfOneBureau(t *testing.T) {
	t.Parallel()
	b, s := following(t, `
cases:
  - {bureau: sandbox-barato, sequence: [{fault: refuse}, {merge: {nomeCompleto: Bia}}]}
  - sequence: [{merge: {nomeCompleto: Ana}}, {merge: {nomeCompleto: Eva}}]
`)
	var names []any
	d := parse(t, document.CPF, "52998224725")
	for _, name := range []string{sandbox.Cheap, sandbox.Cheap, sandbox.Plain, sandbox.Complete, sandbox.Plain} {
		a, failure := asked(t, clientOf(t, b, name), "cpf", d)
		if failure != nil {
			names = append(names, failure.Outcome)
			continue
		}
		names = append(names, fields(t, a)["nome"])
	}
	if want := []any{ports.NotSent, "Bia", "Ana", "Ana", "Eva"}; !reflect.DeepEqual(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	_, _, ledger, _ := ask(t, "GET", s.URL+"/_/calls", "")
	if got, want := bureausIn(t, ledger), []any{
		sandbox.Cheap, sandbox.Cheap, sandbox.Plain, sandbox.Complete, sandbox.Plain,
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("the ledger names %v, want %v", got, want)
	}
	status, _, text, err := ask(t, "GET", s.URL+"/sandbox-completo/v1/pessoas/39053344705", "")
	if status != 200 || err != nil {
		t.Errorf("over HTTP: %d %s, %v", status, text, err)
	}
}

func bureausIn(t *testing.T, ledger string) (names []any) {
	t.Helper()
	var calls []sandbox.Call
	if err := json.Unmarshal([]byte(ledger), &calls); err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		names = append(names, c.Bureau)
	}
	return names
}
