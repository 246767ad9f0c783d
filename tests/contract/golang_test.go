package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fichario/domain/catalog"
	"fichario/tests/testkit"
	"fichario/tests/testkit/contracttest"
	"fichario/tests/testkit/lookuptest"
)

// TestSlowAClientInGo: a client that oapi-codegen generates from the whole contract builds, recognises each product's
// result, loses no digit of any number, and calls every operation.
func TestSlowAClientInGo(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		_, _ = fmt.Fprint(w, `{"valor":310123.07,"exato":99999999999.9999}`)
	})
	s := lookuptest.StartService(t, testkit.SQLite(t), bureauOfAll(t, bureau.URL))
	program := buildClient(t)
	out := output(t, "env", "FICHARIO_URL="+s.URL, "FICHARIO_KEY="+s.NewKey(600, 500, 500).Key, program, "products")

	want := []string{"*main.Produtos"}
	for _, p := range catalog.Standard() {
		want = append(want, "main.Resultado"+camel(p.ID), "main.ResultadoOutro")
	}
	want = append(want, "main.ResultadoOutro", "*main.Extrato") // of the product that the file adds
	var got []string
	for line := range strings.Lines(out) {
		var answer struct {
			Type         string
			Body, Client any
		}
		dec := json.NewDecoder(strings.NewReader(line))
		dec.UseNumber()
		if err := dec.Decode(&answer); err != nil {
			t.Fatal(err)
		}
		got = append(got, answer.Type)
		same(t, answer.Type, answer.Body, answer.Client)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the client has %v, want %v", got, want)
	}
	if err := contracttest.RunClient(testkit.Build(t), program); err != nil {
		t.Error(err)
	}
}

// bureauOfAll writes a bureau file with every product, each with a number in all its numeric fields, and with one
// custom product.
func bureauOfAll(t *testing.T, url string) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "name: todos\nbase_url: %s\ntimeout: %s\nproducts:\n", url, 5*time.Second)
	const product = "  %s:\n    price: \"31012.3071\"\n    request: { method: GET, path: \"/%[1]s/{documento}\" }\n"
	for _, p := range catalog.Standard() {
		fmt.Fprintf(&b, product+"    fields:\n", p.ID)
		for _, f := range p.Fields {
			value := ".nada"
			if f.Kind == catalog.Number {
				value = ".valor"
			}
			fmt.Fprintf(&b, "      %s: %s\n", f.Name, value)
		}
	}
	fmt.Fprintf(&b, product, "limite_de_credito")
	b.WriteString("    name: Limite\n    description: Limite de crédito.\n    documents: [cpf]\n" +
		"    fields: { limite: { type: number, value: .exato, description: Limite em reais. } }\n")
	path := filepath.Join(t.TempDir(), "bureau.yaml")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// buildClient generates a client from the contract and builds the program in testdata with it.
func buildClient(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	generated, overlay := filepath.Join(dir, "client.gen.go"), filepath.Join(dir, "overlay.json")
	output(t, "go", "tool", "oapi-codegen", "-package", "main", "-generate", "client,models", "-o", generated,
		"../../openapi/openapi.yaml")
	here, err := filepath.Abs("testdata/golang/client.gen.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {here: generated}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	output(t, "go", "build", "-overlay", overlay, "-o", program, "./testdata/golang")
	return program
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(name), err, errs.String())
	}
	return out.String()
}

// same compares an answer with what a client decoded; numbers by value, to the last digit.
func same(t *testing.T, where string, came, has any) {
	t.Helper()
	switch came := came.(type) {
	case map[string]any:
		fields, _ := has.(map[string]any)
		for name, value := range came {
			same(t, where+"."+name, value, fields[name])
		}
		return
	case []any:
		items, _ := has.([]any)
		if len(items) != len(came) {
			t.Errorf("%s has %d items, %d came", where, len(items), len(came))
			return
		}
		for i, value := range came {
			same(t, where, value, items[i])
		}
		return
	case json.Number:
		if number, ok := has.(json.Number); ok && exact(t, number).Cmp(exact(t, came)) == 0 {
			return
		}
	default:
		if has == came {
			return
		}
	}
	t.Errorf("%s is %v, %v came", where, has, came)
}

func exact(t *testing.T, n json.Number) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		t.Fatalf("%s is no number", n)
	}
	return r
}
