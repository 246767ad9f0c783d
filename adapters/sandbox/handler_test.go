package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"fichario/adapters/bureau"
	"fichario/adapters/sandbox"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/ports"
	"fichario/tests/testkit/patience"
)

// scripted returns the published document of a type with an effect.
func scripted(t *testing.T, typ document.Type, e sandbox.Effect) document.Document {
	t.Helper()
	for _, s := range sandbox.Scripts() {
		if s.Type == typ && s.Effect == e && s.Only == "" {
			return parse(t, typ, s.Document)
		}
	}
	t.Fatalf("no %s is published for %s", typ, e)
	return document.Document{}
}

func TestFileMapsAllProducts(t *testing.T) {
	t.Parallel()
	c := client(t)
	prices := map[string]string{
		"cpf": "0.45", "cnpj": "0.3", "situacao_cadastral": "0.15", "obito": "0.12", "participacao_societaria": "0.9",
		"protestos": "2.075", "score": "1.5", "veiculo": "1.25", "validacao_email": "0.08",
	}
	standard := catalog.Standard()
	for i, p := range c.Catalog() {
		if p.ID != standard[i].ID || !reflect.DeepEqual(p.Documents, standard[i].Documents) ||
			p.Price.String() != prices[p.ID] {
			t.Errorf("%s costs %s and takes %v", p.ID, p.Price, p.Documents)
		}
	}
	if c.Timeout() != 5*time.Second {
		t.Errorf("timeout %s", c.Timeout())
	}
}

// TestPublishedOrdinaryAnswersAreFull: in the answers that readers try first, only a living person's date of death is
// null.
func TestPublishedOrdinaryAnswersAreFull(t *testing.T) {
	t.Parallel()
	c := client(t)
	for _, s := range sandbox.Scripts() {
		for _, p := range c.Catalog() {
			if s.Effect != sandbox.Ordinary || !p.Takes(s.Type) {
				continue
			}
			a, err := c.Ask(t.Context(), ports.Question{Product: p, Document: parse(t, s.Type, s.Document)})
			if err != nil {
				t.Fatal(err)
			}
			for name, v := range fields(t, a) {
				if v == nil && name != "obitoEm" {
					t.Errorf("%s of a %s: %s is null", p.ID, s.Type, name)
				}
			}
		}
	}
}

// TestOneOrMany: an object where other answers have a list becomes a list of one in the named field.
func TestOneOrMany(t *testing.T) {
	t.Parallel()
	c := client(t)
	lists := []string{"telefones", "emails", "enderecos", "socios", "participacoes", "atividadesSecundarias", "protestos"}
	for _, p := range c.Catalog() {
		for _, typ := range p.Documents {
			if typ != document.CPF && typ != document.CNPJ {
				continue
			}
			a, err := c.Ask(t.Context(), ports.Question{Product: p, Document: scripted(t, typ, sandbox.Single)})
			if err != nil {
				t.Fatal(err)
			}
			named := fields(t, a)
			for _, name := range lists {
				if v, has := named[name]; has {
					if l, _ := v.([]any); len(l) != 1 {
						t.Errorf("%s of a %s: %s has %d elements", p.ID, typ, name, len(l))
					}
				}
			}
			if _, has := named["telefones"]; has && !strings.Contains(string(a.Raw), `"telefones": {`) {
				t.Error("one phone is not an object")
			}
		}
	}
}

// TestDigitsAreTheBureaus: 1500.50 is still 1500.50 in a named field.
func TestDigitsAreTheBureaus(t *testing.T) {
	t.Parallel()
	c := client(t)
	p, _ := c.Catalog().Find("cnpj")
	a, err := c.Ask(t.Context(), ports.Question{Product: p, Document: parse(t, document.CNPJ, "11222333000181")})
	if err != nil || !regexp.MustCompile(`"capitalSocial":\d+\.50`).Match(a.Fields) ||
		!strings.Contains(string(a.Raw), `"codigoOcupacao": `) {
		t.Errorf("%v, fields %s", err, a.Fields)
	}
}

func TestPublishedDocuments(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range sandbox.Scripts() {
		if _, err := document.Parse(s.Type, s.Document); err != nil {
			t.Errorf("%s %s: %v", s.Type, s.Document, err)
		}
		if seen[s.Document] || s.What == "" || s.Effect == "" {
			t.Errorf("%s is twice here, or without words", s.Document)
		}
		seen[s.Document] = true
	}
	for _, d := range []string{"52998224725", "11222333000181", "12ABC34501DE35"} {
		if !seen[d] {
			t.Errorf("%s is not published", d)
		}
	}
}

// TestOverTCP serves the handler on a real port, where Reset is a real reset.
func TestOverTCP(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(sandbox.New())
	t.Cleanup(s.Close)
	src := strings.Replace(string(sandbox.File(sandbox.Plain)), "http://sandbox.invalid", s.URL, 1)
	f, err := bureau.Parse("x", []byte(src), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	c := bureau.New(f)
	t.Cleanup(c.Close)
	p, _ := c.Catalog().Find("cpf")
	ana := ports.Question{Product: p, Document: parse(t, document.CPF, "52998224725")}
	if _, err := c.Ask(t.Context(), ana); err != nil {
		t.Error(err)
	}
	_, err = c.Ask(t.Context(), ports.Question{Product: p, Document: scripted(t, document.CPF, sandbox.Reset)})
	var e *ports.BureauError
	if !errors.As(err, &e) || e.Outcome != ports.Failed || e.Reason != "connection reset" {
		t.Errorf("got %v", err)
	}
	for _, path := range []string{"/v1/pessoas/123", "/nada", "/v1/veiculos/52998224725"} {
		status, body := get(t.Context(), t, s, path)
		if status != http.StatusBadRequest || !json.Valid(body) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

func get(ctx context.Context, t *testing.T, s *httptest.Server, path string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Client().Do(req)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Error(err)
	}
	return res.StatusCode, b
}

// TestTimeoutEndsWithTheClient: the handler stops when the client is gone. The client goes once the handler has begun:
// on a busy machine one that goes after a time has gone before it.
func TestTimeoutEndsWithTheClient(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	done := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.AfterFunc(50*time.Millisecond, leave)
		sandbox.New().ServeHTTP(w, r)
		close(done)
	}))
	t.Cleanup(s.Close)
	if status, _ := get(ctx, t, s, "/v1/pessoas/"+scripted(t, document.CPF, sandbox.Timeout).Value()); status != 0 {
		t.Error("it answered")
	}
	select {
	case <-done:
	case <-time.After(patience.Limit()):
		t.Error("the handler still waits")
	}
}
